// What the mappings that come with the engine make, whatever was said, in whatever language, of however many diseases: valid FHIR
// that says first that AI drafted it, and in which every text is only text.
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import { cleanText } from '../../src/domain/clean-text.ts';
import type { Disease } from '../../src/domain/diagnosis/diagnosis.ts';
import { LANGUAGES } from '../../src/domain/language.ts';
import { NOTE_TYPES, TEMPLATE_NAMES, TEMPLATE_SECTIONS } from '../../src/domain/note/template.ts';
import type { WriteSettings } from '../../src/domain/site/site.ts';
import { type MappedSet, mapDocuments } from '../../src/flows/chart-writing/map-documents.ts';
import { type Folder, readFolders } from '../../src/outbound/files/mapping-folders.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import { validateResources } from '../../src/validation/validate-resource.ts';
import { ESCAPE_STRINGS, HOSTILE_TEXTS } from '../fixtures/mappings/hostile-texts.ts';
import { type SampleParts, sampleFacts } from '../fixtures/mappings/sample-facts.ts';
import { checkWithAll } from '../support/fhir-checkers.ts';
import { documentTexts, readable } from './read-documents.ts';

const DIRECTORY = fileURLToPath(new URL('../../mappings', import.meta.url));
const TEMPLATES = [...TEMPLATE_NAMES, 'CUSTOM'] as const;
const OFFERED_NOTE_TYPES = [...NOTE_TYPES, undefined];
const DISEASE_COUNTS = [undefined, 0, 1, 12];

const FOLDERS = ['base', 'profiles/plain-r4', 'profiles/us-core', 'profiles/epic-like', 'profiles/oracle-like'];

let folders: readonly Folder[] = [];
beforeAll(async () => {
  ({ folders } = await readFolders({ directory: DIRECTORY, environment: {} }));
});

function siteOf(name: string, write: Partial<WriteSettings> = {}): LoadedSite {
  const site = folders.find((folder) => folder.name === name)?.site;
  if (site === undefined) throw new Error(`${name} cannot be loaded`);
  return { ...site, settings: { ...site.settings, write: { ...site.settings.write, ...write } } };
}

const EVERY_DOCUMENT = {
  note: ['composition', 'document-reference', 'task'],
  diagnosis: ['condition', 'risk-assessment', 'flag'],
} as const;

function* kinds(): Generator<Pick<SampleParts, 'noteType' | 'diseaseCount'>> {
  for (const noteType of OFFERED_NOTE_TYPES) {
    for (const diseaseCount of DISEASE_COUNTS) yield { noteType, diseaseCount };
  }
}

function* waysToWrite(): Generator<Partial<WriteSettings>> {
  for (const differential of ['resources', 'engine', 'separate-document', 'section'] as const) {
    for (const probability of ['number', 'band', 'none'] as const) yield { differential, probability };
  }
}

/** Of every kind there is, so that one look at the validator's list tells all. */
function mistakesOf({ documents, notice, unmapped }: MappedSet): readonly string[] {
  const resources = documents.map(({ resource }) => resource);
  const found = validateResources(resources, { fullUrls: documents.map(({ fullUrl }) => fullUrl) });
  const unsaid = documents.filter(
    ({ resource }) => !documentTexts(resource).every((text) => text.startsWith(`${notice}\n`)),
  );
  return [
    ...found.filter(({ severity }) => severity === 'error').map(({ element, message }) => `${element} ${message}`),
    ...unsaid.map(({ document }) => `${document} does not begin with the AI notice`),
    ...unmapped.map(({ table, code }) => `${table} has no ${code}`),
  ];
}

describe('the base set for any session', () => {
  const plain = TEMPLATES.flatMap((template) => LANGUAGES.map((language) => ({ template, language })));

  it.each(plain)('a $template note in $language, of every type, with 0, 1 and 12 diseases, is valid', (chosen) => {
    const site = siteOf('base', EVERY_DOCUMENT);
    for (const { noteType, diseaseCount } of kinds()) {
      const set = mapDocuments({ site, facts: sampleFacts({ ...chosen, noteType, diseaseCount, triage: 'RED' }) });
      expect(mistakesOf(set)).toEqual([]);
    }
  });

  it.each(Object.entries(HOSTILE_TEXTS))('%s in every place is text, in every template and language', (_, words) => {
    const site = siteOf('base', EVERY_DOCUMENT);
    for (const chosen of plain) {
      const set = mapDocuments({ site, facts: sampleFacts({ ...chosen, diseaseCount: 2, triage: 'RED', words }) });
      expect(mistakesOf(set)).toEqual([]);
    }
  });

  it.each(FOLDERS)('the mappings of %s make valid documents, drafted and approved', (name) => {
    for (const words of Object.values(HOSTILE_TEXTS)) {
      for (const isReviewed of [false, true]) {
        for (const triage of ['RED', 'WHITE'] as const) {
          const facts = sampleFacts({
            noteType: 'ED_NOTE',
            template: 'CHEDDAR',
            diseaseCount: 3,
            triage,
            words,
            isReviewed,
          });
          expect(mistakesOf(mapDocuments({ site: siteOf(name), facts }))).toEqual([]);
        }
      }
    }
  });

  it.each(FOLDERS)('the mappings of %s follow every way to write a differential', (name) => {
    for (const write of waysToWrite()) {
      for (const template of ['SOAP', 'CHEDDAR', 'PIE', 'ADIME', 'CUSTOM'] as const) {
        const facts = sampleFacts({ template, diseaseCount: 3, triage: 'RED', isReviewed: true });
        expect(mistakesOf(mapDocuments({ site: siteOf(name, write), facts }))).toEqual([]);
      }
    }
  });

  it('sections of a megabyte come through whole', () => {
    const sectionText = 'Long & <slow> dictation. '.repeat(41_944).trim();
    for (const template of ['SOAP', 'MULTIPLE_SECTIONS', 'CHEDDAR'] as const) {
      const set = mapDocuments({
        site: siteOf('base'),
        facts: sampleFacts({ template, diseaseCount: 1, sectionText }),
      });
      expect(mistakesOf(set)).toEqual([]);
      const texts = set.documents.flatMap(({ resource }) => documentTexts(resource));
      // Each of the spoken sections in the Composition, and the whole note once.
      expect(texts.filter((text) => text.includes(sectionText)).length).toBe(TEMPLATE_SECTIONS[template].length);
    }
  });
});

describe('the verdict of other validators', () => {
  it.each(FOLDERS)('three other checkers are content with all that %s makes', (name) => {
    const site = siteOf(name, name === 'base' ? EVERY_DOCUMENT : {});
    for (const facts of samplesForOthers()) {
      const complaints = mapDocuments({ site, facts }).documents.flatMap(({ resource }) => checkWithAll(resource));
      expect(complaints).toEqual([]);
    }
  });

  function* samplesForOthers() {
    for (const [index, template] of TEMPLATES.entries()) {
      const language = LANGUAGES[index % 3] ?? 'en';
      const noteType = OFFERED_NOTE_TYPES[index % OFFERED_NOTE_TYPES.length];
      const diseaseCount = DISEASE_COUNTS[index % 4];
      yield sampleFacts({ template, language, noteType, diseaseCount, triage: 'RED', isReviewed: index % 2 === 0 });
    }
    for (const words of Object.values(HOSTILE_TEXTS))
      yield sampleFacts({ template: 'CUSTOM', diseaseCount: 1, triage: 'RED', words });
  }
});

describe('hostile text', () => {
  const MARKER = 'Vordertext';

  it.each(ESCAPE_STRINGS)('%s comes out as it was said', (words) => {
    for (const name of ['base', 'profiles/us-core']) {
      const site = siteOf(name, { ...EVERY_DOCUMENT, differential: 'section' });
      for (const template of ['SOAP', 'CUSTOM'] as const) {
        const make = (text: string) =>
          mapDocuments({
            site,
            facts: sampleFacts({ template, diseaseCount: 2, triage: 'RED', words: text, isReviewed: true }),
          }).documents.map(({ resource }) => readable(resource));
        expect(make(words)).toEqual(replaceMarker(make(MARKER), words));
      }
    }
  });

  /** The same documents with other words: nothing else may differ. Headings in the plain text are in capitals. */
  function replaceMarker(documents: unknown, words: string): unknown {
    if (typeof documents === 'string') {
      return documents
        .replaceAll(MARKER, () => cleanText(words))
        .replaceAll(MARKER.toUpperCase(), () => words.toUpperCase());
    }
    if (Array.isArray(documents)) return documents.map((document) => replaceMarker(document, words));
    if (typeof documents !== 'object' || documents === null) return documents;
    return Object.fromEntries(Object.entries(documents).map(([key, value]) => [key, replaceMarker(value, words)]));
  }
});

describe('statements that are never made', () => {
  it('WHITE makes no flag, no task and no other document than without triage', () => {
    const made = (triage: 'RED' | 'WHITE') =>
      mapDocuments({ site: siteOf('base'), facts: sampleFacts({ diseaseCount: 2, triage, words: 'Words.' }) })
        .documents;
    expect(made('WHITE').map(({ document }) => document)).not.toContain('flag');
    expect(made('RED').map(({ document }) => document)).toContain('flag');
    expect(JSON.stringify(made('WHITE'))).not.toMatch(/white|non-urgent|safe/i);
  });

  it('a model is never certain, and its candidates are never confirmed', () => {
    const { documents } = mapDocuments({
      site: siteOf('base'),
      facts: sampleFacts({ diseaseCount: 12, isReviewed: true }),
    });
    const codes = JSON.stringify(documents).match(/"code":"[a-z-]+"/g);
    expect(codes).toContain('"code":"high"');
    expect(codes).toContain('"code":"differential"');
    expect(codes).not.toContain('"code":"certain"');
    expect(codes).not.toContain('"code":"confirmed"');
    expect(codes).not.toContain('"code":"problem-list-item"');
  });

  it('what must not be missed is never called negligible', () => {
    const { documents } = mapDocuments({ site: siteOf('base'), facts: factsWithCandidates() });
    const predictions = documents.flatMap(({ resource }) =>
      resource.resourceType === 'RiskAssessment' ? (resource.prediction ?? []) : [],
    );
    const bands = predictions.map(({ qualitativeRisk }) => qualitativeRisk?.coding?.[0]?.code);
    expect(bands).toEqual(['high', 'moderate', 'low', 'negligible']);
  });

  it('without approval nothing is final or signed', () => {
    const { documents } = mapDocuments({
      site: siteOf('base'),
      facts: sampleFacts({ diseaseCount: 1, triage: 'RED' }),
    });
    expect(JSON.stringify(documents)).not.toMatch(/"final"|attester|authenticator|verifier/);
  });

  it('an EHR without drafts gets none', () => {
    const made = (isReviewed: boolean) =>
      mapDocuments({ site: siteOf('profiles/oracle-like'), facts: sampleFacts({ isReviewed }) }).documents;
    expect(made(false)).toEqual([]);
    expect(made(true).map(({ resource }) => resource)).toMatchObject([{ docStatus: 'final' }]);
  });
});

/** Likely, possible, not to be missed, and hardly. */
const CANDIDATES: readonly Disease[] = [
  candidate('Pneumonia', 'J18.9', 0.62, 'most-likely', ['Chest X-ray', 'C-reactive protein']),
  candidate('Acute bronchitis', 'J20.9', 0.25, 'expanded'),
  candidate('Pulmonary embolism', 'I26.99', 0.004, 'cant-miss'),
  candidate('Lung abscess', 'J85.2', 0.004, 'expanded'),
];

function candidate(
  name: string,
  code: string,
  probability: number,
  category: Disease['category'],
  tests: readonly string[] = [],
): Disease {
  return {
    name,
    icd10_code: code,
    probability,
    why: `Why ${name}.`,
    diagnostic_tests: tests,
    standard_care: [],
    category,
  };
}

function factsWithCandidates(parts: SampleParts = {}): ChartFacts {
  const triage = { triage_level: 'RED', triage_justification: 'Fast pulse.', triage_recommendation: 'ECG.' } as const;
  const facts = sampleFacts(parts);
  return {
    ...facts,
    diagnosis: { diagnosis: { diseases: CANDIDATES }, triage },
    ...(facts.review && { review: { ...facts.review, name: 'Dr. Grey' } }),
  };
}

/** By document; each was looked at by all checkers. */
function readableDocuments(site: LoadedSite, facts: ChartFacts): ReadonlyMap<string, unknown> {
  const set = mapDocuments({ site, facts });
  expect(mistakesOf(set)).toEqual([]);
  expect(set.documents.flatMap(({ resource }) => checkWithAll(resource))).toEqual([]);
  return new Map(set.documents.map(({ document, resource }) => [document, readable(resource)]));
}

describe('the candidates of a differential', () => {
  it.each(['base', 'profiles/plain-r4', 'profiles/us-core'])('%s makes Conditions of the likely ones only', (name) => {
    const documents = mapDocuments({ site: siteOf(name), facts: factsWithCandidates({ isReviewed: true }) }).documents;
    const conditions = documents.flatMap(({ resource }) => (resource.resourceType === 'Condition' ? [resource] : []));
    expect(conditions.map(({ code }) => code?.text)).toEqual(['Pneumonia', 'Acute bronchitis']);
  });

  it('stay in the RiskAssessment if they become no Conditions', () => {
    const { documents } = mapDocuments({ site: siteOf('base'), facts: factsWithCandidates() });
    const outcomes = documents.flatMap(({ resource }) =>
      resource.resourceType === 'RiskAssessment' ? (resource.prediction ?? []).map(({ outcome }) => outcome?.text) : [],
    );
    expect(outcomes).toEqual(CANDIDATES.map(({ name }) => name));
  });
});

describe('a differential as a document of its own', () => {
  const AI_DRAFT =
    'AI DRAFT, NOT REVIEWED: drafted by AI (example-model 1) from a recording of this encounter. No clinician has reviewed it yet.';
  const AI_APPROVED =
    'Drafted by AI (example-model 1) from a recording of this encounter. Reviewed and approved by Dr. Grey on 2026-01-15.';
  const BODY = [
    'Differential diagnosis\nCandidates for the clinician to consider, the most likely first. None of them is confirmed.',
    'URGENT ATTENTION: Fast pulse. ECG.',
    '1. Pneumonia (J18.9), most likely, high likelihood: Why Pneumonia. To consider: Chest X-ray; C-reactive protein.',
    '2. Acute bronchitis (J20.9), also possible, moderate likelihood: Why Acute bronchitis.',
    '3. Pulmonary embolism (I26.99), must not be missed, low likelihood: Why Pulmonary embolism.',
    '4. Lung abscess (J85.2), also possible, negligible likelihood: Why Lung abscess.',
  ].join('\n\n');
  const TYPE = { coding: [{ system: 'http://loinc.org', code: '51848-0', display: 'Evaluation note' }] };

  const made = (name: string, isReviewed: boolean) =>
    readableDocuments(siteOf(name, { differential: 'separate-document' }), factsWithCandidates({ isReviewed }));

  it.each([
    [false, 'preliminary', AI_DRAFT],
    [true, 'final', AI_APPROVED],
  ])('an EHR like Epic gets it as plain text and nothing else (approved: %s)', (isReviewed, docStatus, notice) => {
    const documents = made('profiles/epic-like', isReviewed);
    expect([...documents.keys()]).toEqual(['document-reference', 'differential']);
    expect(documents.get('differential')).toEqual({
      resourceType: 'DocumentReference',
      meta: expect.anything(),
      identifier: expect.anything(),
      status: 'current',
      docStatus,
      type: TYPE,
      subject: { reference: 'Patient/ada' },
      content: [{ attachment: { contentType: 'text/plain', data: `${notice}\n\n${BODY}` } }],
      context: { encounter: [{ reference: 'Encounter/visit-1' }] },
    });
  });

  it('an EHR like Oracle Health gets it once it is approved, by the clinician who did', () => {
    expect([...made('profiles/oracle-like', false)]).toEqual([]);
    const documents = made('profiles/oracle-like', true);
    expect([...documents.keys()]).toEqual(['document-reference', 'differential']);
    expect(documents.get('differential')).toEqual({
      resourceType: 'DocumentReference',
      meta: expect.anything(),
      identifier: expect.anything(),
      status: 'current',
      docStatus: 'final',
      type: TYPE,
      category: expect.anything(),
      subject: { reference: 'Patient/ada' },
      date: '2026-01-15T16:16:30Z',
      author: [{ reference: 'Practitioner/dr-grey' }],
      description: 'Differential diagnosis',
      content: [
        {
          attachment: {
            contentType: 'text/plain;charset=utf-8',
            data: `${AI_APPROVED}\n\n${BODY}`,
            title: 'Differential diagnosis',
            creation: '2026-01-15T16:16:30Z',
          },
        },
      ],
      context: {
        encounter: [{ reference: 'Encounter/visit-1' }],
        period: { start: '2026-01-15T10:02:10-06:00', end: '2026-01-15T10:14:55-06:00' },
      },
    });
  });
});

describe('a differential as a section of the note', () => {
  const SECTIONS = [
    ['en', 'Differential diagnosis by AI', 'Candidates for the clinician to consider, the most likely first.'],
    ['es', 'Diagnóstico diferencial por IA', 'Candidatos que el profesional clínico debe considerar, el más probable'],
    ['pt', 'Diagnóstico diferencial por IA', 'Hipóteses para o profissional de saúde considerar, a mais provável'],
  ] as const;
  const inEveryLanguage = FOLDERS.flatMap((name) => SECTIONS.map((section) => [name, ...section] as const));

  it.each(inEveryLanguage)('%s in %s says whose it is, and that none is confirmed', (name, language, title, rule) => {
    const facts = factsWithCandidates({ template: 'CHEDDAR', language, isReviewed: true });
    const documents = readableDocuments(siteOf(name, { differential: 'section' }), facts);
    const record = JSON.stringify(documents.get('document-reference'));
    expect(record).toContain(`\\n\\n${title.toUpperCase()}\\n${rule}`);
    if (!documents.has('composition')) return;
    const composition = JSON.stringify(documents.get('composition'));
    expect(composition).toContain(`"title":"${title}","text":{"status":"generated","div":"`);
    expect(composition).toContain(`\\n\\n${rule}`);
  });

  it.each([
    ['band', ['high likelihood', 'moderate likelihood', 'low likelihood', 'negligible likelihood']],
    ['number', ['62 %', '25 %', '< 1 %', '< 1 %']],
    ['none', []],
  ] as const)('says how likely each is as the site wants it: %s', (probability, words) => {
    const categories = ['most likely', 'also possible', 'must not be missed', 'also possible'];
    const lines = CANDIDATES.map(({ name, icd10_code, why }, index) => {
      const likelihood = words[index] === undefined ? '' : `, ${words[index]}`;
      return `${index + 1}. ${name} (${icd10_code}), ${categories[index]}${likelihood}: ${why}`;
    });
    for (const name of FOLDERS) {
      const site = siteOf(name, { differential: 'section', probability });
      const documents = readableDocuments(site, factsWithCandidates({ isReviewed: true }));
      expect(JSON.stringify(documents.get('document-reference'))).toContain(lines.join('\\n'));
      if (documents.has('composition')) {
        expect(JSON.stringify(documents.get('composition'))).toContain(lines.join('\\n\\n'));
      }
    }
  });
});

describe('the tables of codes', () => {
  const WHO = 'http://hl7.org/fhir/sid/icd-10';

  it('a code of the United States is written as the code above it that the table of the WHO has, never as one of the WHO', () => {
    const site = siteOf('profiles/plain-r4', { conditions: 'always' });
    expect(site.codes['diagnosis']?.system).toBe(WHO);
    const { documents } = mapDocuments({ site, facts: factsWithCandidates({ isReviewed: true }) });
    const resources = documents.map(({ resource }) => resource);
    const conditions = resources.flatMap((resource) => (resource.resourceType === 'Condition' ? [resource.code] : []));
    const coded = [
      { coding: [{ system: WHO, code: 'J18.9', display: 'Pneumonia, unspecified' }], text: 'Pneumonia' },
      { coding: [{ system: WHO, code: 'J20.9', display: 'Acute bronchitis, unspecified' }], text: 'Acute bronchitis' },
      {
        coding: [{ system: WHO, code: 'I26.9', display: 'Pulmonary embolism without mention of acute cor pulmonale' }],
        text: 'Pulmonary embolism',
      },
      { coding: [{ system: WHO, code: 'J85.2' }], text: 'Lung abscess' },
    ];
    expect(conditions).toEqual(coded);
    const outcomes = resources.flatMap((resource) =>
      resource.resourceType === 'RiskAssessment' ? (resource.prediction ?? []).map(({ outcome }) => outcome) : [],
    );
    expect(outcomes).toEqual(coded);
    // For people it stays as the model said it.
    expect(JSON.stringify(resources.find(({ resourceType }) => resourceType === 'RiskAssessment'))).toContain('I26.99');
  });

  it('a code of the United States is written as text if the table of the WHO has no code above it', () => {
    const site = siteOf('profiles/plain-r4', { conditions: 'always' });
    const diagnosis = { name: 'icd10', system: WHO, unmapped: 'keep', codes: {} } as const;
    const { documents } = mapDocuments({
      site: { ...site, codes: { ...site.codes, diagnosis } },
      facts: factsWithCandidates({ isReviewed: true }),
    });
    const third = documents.filter(({ document }) => document === 'condition')[2]?.resource;
    expect(third).toHaveProperty('code', { text: 'Pulmonary embolism' });
  });

  it('a long code that the table of the WHO knows by name is written', () => {
    const site = siteOf('profiles/plain-r4', { conditions: 'always' });
    const named = { code: 'I26.99', display: 'A name of the country’s own edition' };
    const diagnosis = { name: 'icd10', system: WHO, unmapped: 'keep', codes: { 'I26.99': named } } as const;
    const { documents } = mapDocuments({
      site: { ...site, codes: { ...site.codes, diagnosis } },
      facts: factsWithCandidates({ isReviewed: true }),
    });
    const third = documents.filter(({ document }) => document === 'condition')[2]?.resource;
    expect(third).toMatchObject({ code: { coding: [{ system: WHO, ...named }] } });
  });

  it('know every note type and every section of the templates', () => {
    const { codes } = siteOf('base');
    expect(Object.keys(codes['noteTypes']?.codes ?? {})).toEqual(expect.arrayContaining([...NOTE_TYPES]));
    const keys = new Set<string>(Object.values(TEMPLATE_SECTIONS).flat());
    expect(Object.keys(codes['sections']?.codes ?? {}).toSorted()).toEqual([...keys].toSorted());
  });
});
