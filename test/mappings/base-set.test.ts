// What the mappings that come with the engine make, whatever was said, in whatever language, of however many diseases: valid FHIR
// that says first that AI drafted it, and in which every text is only text.
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { cleanText } from '../../src/domain/clean-text.ts';
import { LANGUAGES } from '../../src/domain/language.ts';
import type { WriteSettings } from '../../src/domain/site.ts';
import { NOTE_TYPES, TEMPLATE_NAMES, TEMPLATE_SECTIONS } from '../../src/domain/template.ts';
import { type MappedSet, mapDocuments } from '../../src/flows/map-documents.ts';
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

describe('whatever a session was', () => {
  const plain = TEMPLATES.flatMap((template) => LANGUAGES.map((language) => ({ template, language })));

  test.each(plain)('a $template note in $language, of every type, with 0, 1 and 12 diseases, is valid', (chosen) => {
    const site = siteOf('base', EVERY_DOCUMENT);
    for (const { noteType, diseaseCount } of kinds()) {
      const set = mapDocuments({ site, facts: sampleFacts({ ...chosen, noteType, diseaseCount, triage: 'RED' }) });
      expect(mistakesOf(set)).toEqual([]);
    }
  });

  test.each(Object.entries(HOSTILE_TEXTS))('%s in every place is text, in every template and language', (_, words) => {
    const site = siteOf('base', EVERY_DOCUMENT);
    for (const chosen of plain) {
      const set = mapDocuments({ site, facts: sampleFacts({ ...chosen, diseaseCount: 2, triage: 'RED', words }) });
      expect(mistakesOf(set)).toEqual([]);
    }
  });

  test.each(FOLDERS)('the mappings of %s make valid documents, drafted and approved', (name) => {
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

  test.each(FOLDERS)('the mappings of %s follow every way to write a differential', (name) => {
    for (const write of waysToWrite()) {
      for (const template of ['SOAP', 'CHEDDAR', 'PIE', 'ADIME', 'CUSTOM'] as const) {
        const facts = sampleFacts({ template, diseaseCount: 3, triage: 'RED', isReviewed: true });
        expect(mistakesOf(mapDocuments({ site: siteOf(name, write), facts }))).toEqual([]);
      }
    }
  });

  test('sections of a megabyte come through whole', () => {
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

describe('what others say of it', () => {
  test.each(FOLDERS)('three other checkers are content with all that %s makes', (name) => {
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

describe('text that tries to be more', () => {
  const MARKER = 'Vordertext';

  test.each(ESCAPE_STRINGS)('%s comes out as it was said', (words) => {
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

describe('what is never said', () => {
  test('WHITE makes no flag, no task and no other document than without triage', () => {
    const made = (triage: 'RED' | 'WHITE') =>
      mapDocuments({ site: siteOf('base'), facts: sampleFacts({ diseaseCount: 2, triage, words: 'Words.' }) })
        .documents;
    expect(made('WHITE').map(({ document }) => document)).not.toContain('flag');
    expect(made('RED').map(({ document }) => document)).toContain('flag');
    expect(JSON.stringify(made('WHITE'))).not.toMatch(/white|non-urgent|safe/i);
  });

  test('a model is never certain, and its candidates are never confirmed', () => {
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

  test('without approval nothing is final, and nobody has signed', () => {
    const { documents } = mapDocuments({
      site: siteOf('base'),
      facts: sampleFacts({ diseaseCount: 1, triage: 'RED' }),
    });
    expect(JSON.stringify(documents)).not.toMatch(/"final"|attester|authenticator|verifier/);
  });

  test('an EHR without drafts gets none', () => {
    const made = (isReviewed: boolean) =>
      mapDocuments({ site: siteOf('profiles/oracle-like'), facts: sampleFacts({ isReviewed }) }).documents;
    expect(made(false)).toEqual([]);
    expect(made(true).map(({ resource }) => resource)).toMatchObject([{ docStatus: 'final' }]);
  });
});

describe('the tables of codes', () => {
  test('know every note type and every section of the templates', () => {
    const { codes } = siteOf('base');
    expect(Object.keys(codes['noteTypes']?.codes ?? {})).toEqual(expect.arrayContaining([...NOTE_TYPES]));
    const keys = new Set<string>(Object.values(TEMPLATE_SECTIONS).flat());
    expect(Object.keys(codes['sections']?.codes ?? {}).toSorted()).toEqual([...keys].toSorted());
  });
});
