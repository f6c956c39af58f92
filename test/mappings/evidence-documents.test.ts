// What says of a note on what each of its statements rests: ids in the Composition, the Provenance of parts, the transcript and the page of
// evidence. Here is tested what no validator sees: to what an id points, and that a page runs nothing.
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import { LANGUAGES } from '../../src/domain/language.ts';
import type { StatementEvidence } from '../../src/domain/note/check-report.ts';
import { placeStatements } from '../../src/domain/note/statements.ts';
import { TEMPLATE_NAMES } from '../../src/domain/note/template.ts';
import type { WriteSettings } from '../../src/domain/site/site.ts';
import { type MappedSet, mapDocuments } from '../../src/flows/chart-writing/map-documents.ts';
import { type Folder, readFolders } from '../../src/outbound/files/mapping-folders.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import { validateResources } from '../../src/validation/validate-resource.ts';
import { HOSTILE_TEXTS } from '../fixtures/mappings/hostile-texts.ts';
import { type SampleParts, sampleFacts } from '../fixtures/mappings/sample-facts.ts';
import { checkWithAll } from '../support/fhir-checkers.ts';

const TARGET_ELEMENT = 'http://hl7.org/fhir/StructureDefinition/targetElement';
const EVERY_DOCUMENT = ['composition', 'document-reference', 'transcript', 'evidence'];
const DETAILS = ['section', 'statement'] as const;

let folders: readonly Folder[] = [];
beforeAll(async () => {
  const directory = fileURLToPath(new URL('../../mappings', import.meta.url));
  ({ folders } = await readFolders({ directory, environment: {} }));
});

function siteOf(name: string, write: Partial<WriteSettings>): LoadedSite {
  const site = folders.find((folder) => folder.name === name)?.site;
  if (site === undefined) throw new Error(`${name} cannot be loaded`);
  return { ...site, settings: { ...site.settings, write: { ...site.settings.write, ...write } } };
}

const VERDICTS = ['supported', 'unsupported', 'contradicted', 'misplaced', 'conflict', 'unchecked'] as const;

/** Facts whose note was checked, with every verdict in turn. */
function checkedFacts(parts: SampleParts): ChartFacts {
  const facts = sampleFacts({ ...parts, words: parts.words ?? 'Some words. Other words.\nMore of them, at length.' });
  if (facts.note === undefined) throw new Error('no note');
  const words = parts.words ?? 'penicillin: rash';
  const statements = placeStatements(facts.note).map(
    ({ section, from, to }, index): StatementEvidence => ({
      ...{ id: `st-${index + 1}`, section, from, to, kind: 'drug', polarity: 'affirmed', effect: 'none' },
      verdict: VERDICTS[index % VERDICTS.length] ?? 'supported',
      moments: index % 4 === 3 ? [] : [{ utterance: 0, startSeconds: 0, endSeconds: 2 }],
      chart: index % 2 === 0 ? [] : [{ list: 'allergies', text: words, reference: 'AllergyIntolerance/3' }],
    }),
  );
  const missing = [{ kind: 'drug', text: words, utterance: 0, startSeconds: 0 } as const];
  return { ...facts, evidence: { checked: facts.note.note, statements, missing } };
}

function documentOf<T extends Resource>({ documents }: MappedSet, name: string): T | undefined {
  return documents.find(({ document }) => document === name)?.resource as T | undefined;
}

function attachmentOf(set: MappedSet, name: string): string {
  const resource = documentOf(set, name) as { content?: { attachment?: { data?: string } }[] } | undefined;
  return Buffer.from(resource?.content?.[0]?.attachment?.data ?? '', 'base64').toString('utf8');
}

/** Each object in a resource with its path: `Provenance.target[0]`. */
function* objectsIn(value: unknown, path: string): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* objectsIn(item, `${path}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    yield [path, value as Readonly<Record<string, unknown>>];
    for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}.${name}`);
  }
}

/** The ids of elements, and those in narratives. */
function idsIn(resource: Resource | undefined): readonly string[] {
  return [...objectsIn(resource, '')].flatMap(([, { id, div }]) => [
    ...(typeof id === 'string' ? [id] : []),
    ...(typeof div === 'string' ? [...div.matchAll(/ id="([^"]*)"/g)].map(([, inner = '']) => inner) : []),
  ]);
}

/** What is wrong with ids and with what points to them. */
function* linkMistakes(set: MappedSet): Generator<string> {
  const composition = documentOf(set, 'composition');
  const provenance = documentOf(set, 'provenance');
  const [inNote, inRecord] = [idsIn(composition), idsIn(provenance)];
  for (const ids of [inNote, inRecord]) {
    for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) yield `${id} is there twice`;
    for (const id of ids) if (!/^[A-Za-z][A-Za-z0-9.-]*$/.test(id)) yield `${id} is no id`;
  }
  const compositionUrl = set.documents.find(({ document }) => document === 'composition')?.fullUrl;
  for (const { resource } of set.documents) {
    for (const [path, holder] of objectsIn(resource, resource.resourceType)) {
      if (holder['url'] !== TARGET_ELEMENT) continue;
      const place = /^Provenance\.(target|entity)\[\d+\](\.what)?\.extension\[\d+\]$/.exec(path);
      if (place === null) yield `${path} has no target element`;
      if (Object.keys(holder).join() !== 'url,valueUri') yield `${path} has another value`;
    }
  }
  for (const [path, { extension, reference }] of objectsIn(provenance, 'Provenance')) {
    if (!Array.isArray(extension)) continue;
    const known = path.includes('.target[') ? inNote : inRecord;
    const wanted = path.includes('.target[') ? compositionUrl : '#moments';
    if (reference !== wanted) yield `${path} is a reference to another resource`;
    for (const { valueUri } of extension) if (!known.includes(valueUri)) yield `${path} points to no id: ${valueUri}`;
  }
}

/** As a browser could: an element, an attribute or a style that the page does not need. */
function* pageMistakes(html: string): Generator<string> {
  const allowed =
    /^<(?:!DOCTYPE html|html lang="(?:en|es|pt)"|meta charset="utf-8"|tr id="st-\d+" class="[a-z]+"|p class="notice"|br|\/?(?:html|head|title|style|body|h1|h2|p|b|ul|li|table|thead|tbody|tr|th|td))>$/;
  for (const [tag] of html.matchAll(/<[^>]*>?/g)) if (!allowed.test(tag)) yield `has ${tag}`;
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
  if (/url|import|expression|\\|</.test(style)) yield 'has a style that loads something';
  if (html.match(/<style>/g)?.length !== 1) yield 'has another number of styles than one';
}

/** Each statement of the note has its row, also one without a moment. */
function* unsaidStatements(set: MappedSet): Generator<string> {
  const page = attachmentOf(set, 'evidence');
  const ids = idsIn(documentOf(set, 'composition')).filter((id) => id.startsWith('st-'));
  for (const id of ids) if (!page.includes(`<tr id="${id}"`)) yield `the page of evidence lacks ${id}`;
}

function* mistakesOf(set: MappedSet): Generator<string> {
  const resources = set.documents.map(({ resource }) => resource);
  const found = validateResources(resources, { fullUrls: set.documents.map(({ fullUrl }) => fullUrl) });
  yield* found.filter(({ severity }) => severity === 'error').map(({ element, message }) => `${element} ${message}`);
  yield* linkMistakes(set);
  if (documentOf(set, 'evidence') === undefined) return;
  yield* pageMistakes(attachmentOf(set, 'evidence'));
  yield* unsaidStatements(set);
}

describe('a site that says nothing about evidence', () => {
  it('writes neither a transcript nor a page of evidence, and a Provenance of documents only', () => {
    const set = mapDocuments({ site: siteOf('base', {}), facts: checkedFacts({ diseaseCount: 1 }) });
    const names = set.documents.map(({ document }) => document);
    expect(names).toEqual([
      'device',
      'composition',
      'document-reference',
      'condition',
      'risk-assessment',
      'provenance',
    ]);
    expect(JSON.stringify(documentOf(set, 'provenance'))).not.toMatch(/targetElement|contained|derivation/);
    expect([...mistakesOf(set)]).toEqual([]);
  });
});

describe.each(DETAILS)('a site that writes all of it, with a Provenance of each %s', (provenance) => {
  const write = { note: EVERY_DOCUMENT, provenance, differential: 'section' } as const;

  it.each(['base', 'profiles/us-core'])('%s makes valid documents in every template and language', (name) => {
    for (const template of [...TEMPLATE_NAMES, 'CUSTOM'] as const) {
      for (const language of LANGUAGES) {
        const facts = checkedFacts({ template, language, diseaseCount: 2, isReviewed: language === 'es' });
        const set = mapDocuments({ site: siteOf(name, write), facts });
        expect([...mistakesOf(set)]).toEqual([]);
        expect(set.documents.map(({ document }) => document)).toEqual(expect.arrayContaining([...EVERY_DOCUMENT]));
      }
    }
  });

  it.each(Object.entries(HOSTILE_TEXTS))('%s in every place is text', (_, words) => {
    for (const template of ['SOAP', 'CHEDDAR', 'CUSTOM'] as const) {
      const facts = checkedFacts({ template, words, diseaseCount: 1 });
      expect([...mistakesOf(mapDocuments({ site: siteOf('base', write), facts }))]).toEqual([]);
    }
  });

  it('three other checkers are content', () => {
    for (const template of ['SOAP', 'CHEDDAR', 'CUSTOM'] as const) {
      for (const words of [undefined, ...Object.values(HOSTILE_TEXTS)]) {
        const facts = checkedFacts({ template, diseaseCount: 1, ...(words !== undefined && { words }) });
        const set = mapDocuments({ site: siteOf('base', write), facts });
        expect(set.documents.flatMap(({ resource }) => checkWithAll(resource))).toEqual([]);
      }
    }
  });

  it('the Provenance points to each part with moments, and stays small', () => {
    const text = Array.from({ length: 60 }, (_, index) => `Statement number ${index} of this long note.`).join(' ');
    const facts = checkedFacts({ template: 'SOAP', sectionText: text, diseaseCount: 1 });
    const record = documentOf(mapDocuments({ site: siteOf('base', write), facts }), 'provenance');
    const targets = JSON.stringify(record).match(/"valueUri":"(section-|st-\d+")/g) ?? [];
    expect(targets.length).toBeGreaterThan(2);
    expect(JSON.stringify(record).length).toBeLessThan(100_000);
  });
});

describe('the page of evidence', () => {
  it.each([
    ['en', 'not found in the recording', 'Said, and in no statement of the note', 'Recording and chart disagree'],
    ['es', 'no se encontró en la grabación', 'Se dijo y no está', 'La grabación y la historia clínica no coinciden'],
    ['pt', 'não encontrada na gravação', 'Foi dito e não está', 'A gravação e o prontuário não coincidem'],
  ] as const)('in %s it has verdicts, what is missing, and conflicts with both sources', (language, ...wanted) => {
    const facts = checkedFacts({ template: 'SOAP', language });
    const page = attachmentOf(mapDocuments({ site: siteOf('base', { note: EVERY_DOCUMENT }), facts }), 'evidence');
    for (const words of [...wanted, 'penicillin: rash (AllergyIntolerance/3)', '<b>0:00</b> Speaker 1: “Some words.']) {
      expect(page).toContain(words);
    }
    expect(page).toContain(`<html lang="${language}">`);
  });

  it('is not made of a note that was not checked', () => {
    const facts = sampleFacts({ template: 'SOAP' });
    const set = mapDocuments({ site: siteOf('base', { note: EVERY_DOCUMENT, provenance: 'statement' }), facts });
    expect(documentOf(set, 'evidence')).toBeUndefined();
    expect(JSON.stringify(documentOf(set, 'provenance'))).not.toContain('targetElement');
  });
});

describe('the transcript', () => {
  const words = ['One & two.', 'a --> b\n\n00:00 <c.red>three</c>', '', 'WEBVTT'];
  const utterances = words.map((text, index) => {
    return { speaker: index % 2, text, startSeconds: index * 3600.5, endSeconds: index * 3600.5, confidence: 1 };
  });
  const made = () => {
    const facts = { ...checkedFacts({}), transcript: { utterances, durationSeconds: 9, language: 'und' } };
    return mapDocuments({ site: siteOf('base', { note: EVERY_DOCUMENT }), facts });
  };

  it('has one cue for each utterance, and no word that begins or ends one', () => {
    const blocks = attachmentOf(made(), 'transcript').trimEnd().split('\n\n');
    expect(blocks[0]).toBe('WEBVTT');
    expect(blocks.slice(2)).toEqual([
      'u-0\n00:00:00.000 --> 00:00:00.001\n<v Speaker 1>One &amp; two.',
      'u-1\n01:00:00.500 --> 01:00:00.501\n<v Speaker 2>a --&gt; b 00:00 &lt;c.red&gt;three&lt;/c&gt;',
      'u-2\n02:00:01.000 --> 02:00:01.001\n<v Speaker 1>',
      'u-3\n03:00:01.500 --> 03:00:01.501\n<v Speaker 2>WEBVTT',
    ]);
  });

  it('transforms the recording, and has its labels and its status', () => {
    const resource = documentOf(made(), 'transcript');
    expect(resource).toMatchObject({
      status: 'current',
      docStatus: 'preliminary',
      relatesTo: [{ code: 'transforms', target: { reference: 'DocumentReference/rec-1' } }],
      identifier: [{ value: 'visit-1/rec-1/transcript' }],
      meta: { security: [{ code: 'AIAST' }, { code: 'N' }] },
    });
  });
});

describe('a long session', () => {
  it('of more statements than are listed, and of hours of talk, has all documents', () => {
    const text = Array.from({ length: 400 }, (_, index) => `Statement number ${index} of this long note.`).join(' ');
    const utterances = Array.from({ length: 6000 }, (_, index) => {
      // A few are whole dictations.
      const words = index < 7 ? text : 'Some words of the talk.';
      return { speaker: index % 2, text: words, startSeconds: index * 2, endSeconds: index * 2 + 1.5, confidence: 1 };
    });
    const checked = checkedFacts({ template: 'SOAP', sectionText: text, diseaseCount: 1 });
    const moments = [1, 2, 3, 4, 5, 6].map((utterance) => ({ utterance, startSeconds: 1, endSeconds: 2 }));
    const statements = (checked.evidence?.statements ?? []).map((one) => ({ ...one, moments }));
    const evidence = checked.evidence && { ...checked.evidence, statements };
    const facts = { ...checked, evidence, transcript: { utterances, durationSeconds: 12_000, language: 'en' } };
    const site = siteOf('base', { note: EVERY_DOCUMENT, provenance: 'statement' });
    const set = mapDocuments({ site, facts: facts as ChartFacts });
    expect([...linkMistakes(set), ...unsaidStatements(set)]).toEqual([]);
    expect(idsIn(documentOf(set, 'composition')).filter((id) => id.startsWith('st-')).length).toBe(500);
    expect(attachmentOf(set, 'transcript').match(/ --> /g)?.length).toBe(6000);
    expect(attachmentOf(set, 'evidence').length).toBeLessThan(2 ** 22);
  });
});

describe('the tests of what no validator sees', () => {
  const spoiled = (change: (text: string) => string) => {
    const write = { note: EVERY_DOCUMENT, provenance: 'statement' } as const;
    const set = mapDocuments({ site: siteOf('base', write), facts: checkedFacts({}) });
    const documents = set.documents.map((each) => ({
      ...each,
      resource: JSON.parse(change(JSON.stringify(each.resource))),
    }));
    return [...linkMistakes({ ...set, documents })];
  };

  it.each([
    ['an id that is not there', (text: string) => text.replace('"valueUri":"st-1"', '"valueUri":"st-77"')],
    ['an id that is there twice', (text: string) => text.replace('id=\\"st-2\\"', 'id=\\"st-1\\"')],
    ['another type of value', (text: string) => text.replaceAll('valueUri', 'valueString')],
    [
      'another place',
      (text: string) =>
        text.replace('"reason":[{', `"reason":[{"extension":[{"url":"${TARGET_ELEMENT}","valueUri":"st-1"}],`),
    ],
    ['another resource', (text: string) => text.replaceAll('"reference":"#moments"', '"reference":"#other"')],
  ])('see %s', (_, change) => {
    expect(spoiled(change)).not.toEqual([]);
    expect(spoiled((text) => text)).toEqual([]);
  });

  it.each(['<script>x</script>', '<a href="http://example.org">x</a>', '<img src="x">', '<b onclick="x">', '<td'])(
    'see %s in a page',
    (markup) => {
      expect([...pageMistakes(`<style></style>${markup}`)]).not.toEqual([]);
    },
  );
});
