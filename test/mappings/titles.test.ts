// The titles of what reaches a chart: of the note type and the reason for the visit, in the language of the note, and never of a model.
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Encounter } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import { LANGUAGES, type Language } from '../../src/domain/language.ts';
import { NOTE_TYPES } from '../../src/domain/note/template.ts';
import { mapDocuments } from '../../src/flows/chart-writing/map-documents.ts';
import { type Folder, readFolders } from '../../src/outbound/files/mapping-folders.ts';
import { sampleFacts } from '../fixtures/mappings/sample-facts.ts';
import { documentTexts } from './read-documents.ts';

const DIRECTORY = fileURLToPath(new URL('../../mappings', import.meta.url));
const FOLDERS = ['base', 'profiles/plain-r4', 'profiles/us-core', 'profiles/epic-like', 'profiles/oracle-like'];
const MODEL_TITLE = 'Final report, signed by Dr Grey';

let folders: readonly Folder[] = [];
beforeAll(async () => {
  ({ folders } = await readFolders({ directory: DIRECTORY, environment: {} }));
});

type Change = { readonly language?: Language; readonly encounter?: Partial<Encounter> } & Partial<
  Pick<ChartFacts, 'noteType' | 'run' | 'note'>
>;

function mapped(name: string, { encounter, ...change }: Change) {
  const site = folders.find((folder) => folder.name === name)?.site;
  if (site === undefined) throw new Error(`${name} cannot be loaded`);
  const language = change.language ?? 'en';
  const sample = sampleFacts({ language, template: 'SOAP', diseaseCount: 2, triage: 'RED', isReviewed: true });
  const written = sample.note ?? { note: { title: '', sections: [] } };
  const facts: ChartFacts = {
    ...sample,
    note: { ...written, note: { ...written.note, title: MODEL_TITLE } },
    ...change,
    encounter: { ...sample.encounter, ...encounter },
  };
  const write = { note: ['composition', 'document-reference', 'task'], diagnosis: ['condition', 'flag'] };
  const settings = { ...site.settings, write: { ...site.settings.write, ...write } };
  return mapDocuments({ site: { ...site, settings }, facts }).documents;
}

function titleOf(change: Change, name = 'base'): unknown {
  const { resource } = mapped(name, change).find(({ document }) => document === 'composition') ?? { resource: {} };
  return 'title' in resource ? resource.title : undefined;
}

describe('The title of a document', () => {
  it.each(FOLDERS)('is never that of the model, in any document that %s makes', (name) => {
    const encounter = { reasonCode: [{ text: 'Cough' }] };
    for (const language of LANGUAGES) {
      const documents = mapped(name, { language, noteType: 'ED_NOTE', encounter });
      expect(documents.length).toBeGreaterThan(0);
      for (const { resource } of documents) {
        expect([JSON.stringify(resource), ...documentTexts(resource)].join('\n')).not.toContain(MODEL_TITLE);
      }
    }
  });

  it.each(FOLDERS)(
    'is the same in description, attachment and the first lines of the text, where %s has them',
    (name) => {
      const title = 'ED note: Cough';
      const documents = mapped(name, { noteType: 'ED_NOTE', encounter: { reasonCode: [{ text: 'Cough' }] } });
      const note = documents.find(({ document }) => document === 'document-reference')?.resource;
      if (note?.resourceType !== 'DocumentReference') throw new Error('there is no note');
      expect([title, undefined]).toContain(note.description);
      expect([title, undefined]).toContain(note.content?.[0]?.attachment?.title);
      expect(documentTexts(note)[0]).toContain(`\n\n${title}\n\n`);
    },
  );

  const KINDS: Readonly<Record<Language, readonly string[]>> = {
    en: [
      'Progress note',
      'Admission note',
      'ED note',
      'Discharge summary',
      'Consult note',
      'Nursing note',
      'Behavioral health note',
      'Dietitian note',
    ],
    es: [
      'Nota de evolución',
      'Nota de ingreso',
      'Nota de urgencias',
      'Informe de alta',
      'Nota de interconsulta',
      'Nota de enfermería',
      'Nota de salud mental',
      'Nota de nutrición',
    ],
    pt: [
      'Nota de evolução',
      'Nota de admissão',
      'Nota de urgência',
      'Sumário de alta',
      'Nota de interconsulta',
      'Nota de enfermagem',
      'Nota de saúde mental',
      'Nota de nutrição',
    ],
  };

  it.each(LANGUAGES)('names each type of note in %s', (language) => {
    const titles = NOTE_TYPES.map((noteType) => titleOf({ language, noteType, encounter: {} }));
    expect(titles).toEqual(KINDS[language]);
  });

  it.each([
    ['en', 'Clinical note'],
    ['es', 'Nota clínica'],
    ['pt', 'Nota clínica'],
  ] as const)('without a type in %s is %s', (language, title) => {
    expect(titleOf({ language })).toBe(title);
  });

  it.each<[string, Partial<Encounter>, string]>([
    ['the text of the reason', { reasonCode: [{ text: 'Cough' }, { text: 'Fever' }] }, ': Cough'],
    ['the display of the reason', { reasonCode: [{ coding: [{ code: 'x' }, { display: 'Cough' }] }] }, ': Cough'],
    ['the type of the visit', { type: [{ text: 'Office visit' }] }, ': Office visit'],
    ['the display of the type', { type: [{ coding: [{ display: 'Office visit' }] }] }, ': Office visit'],
    ['the reason before the type', { type: [{ text: 'Office visit' }], reasonCode: [{ text: 'Cough' }] }, ': Cough'],
    ['nothing', {}, ''],
    ['nothing for a blank reason', { reasonCode: [{ text: ' ' }] }, ''],
    ['one line', { reasonCode: [{ text: 'Cough\nand fever' }] }, ': Cough and fever'],
    ['80 characters of it', { reasonCode: [{ text: 'a'.repeat(81) }] }, `: ${'a'.repeat(79)}…`],
    ['all of a reason with 80 characters', { reasonCode: [{ text: 'a'.repeat(80) }] }, `: ${'a'.repeat(80)}`],
  ])('has %s', (_what, encounter, end) => {
    expect(titleOf({ encounter, noteType: 'PROGRESS_NOTE' })).toBe(`Progress note${end}`);
  });

  it.each([
    ['en', 'ED note (extract, made without a model)'],
    ['es', 'Nota de urgencias (extracto, hecho sin modelo)'],
    ['pt', 'Nota de urgência (extrato, feito sem modelo)'],
  ] as const)('says in %s that a note of the rules is an extract', (language, title) => {
    const { run } = sampleFacts({ language, template: 'SOAP' });
    const rules = { ...run, model: { name: 'built-in rules', kind: 'rules' as const } };
    expect(titleOf({ language, noteType: 'ED_NOTE', run: rules })).toBe(title);
  });

  it.each([
    ['en', 'the note is an extract of what was said, made without a model'],
    ['es', 'la nota es un extracto de lo que se dijo, hecho sin modelo'],
    ['pt', 'a nota é um extrato do que foi dito, feito sem modelo'],
  ] as const)('is below a first line that says in %s that a note of the rules is an extract', (language, words) => {
    const { run } = sampleFacts({ language, template: 'SOAP' });
    const rules = { ...run, model: { name: 'built-in rules', kind: 'rules' as const } };
    const firstLines = (of: typeof run) =>
      FOLDERS.flatMap((name) => mapped(name, { language, run: of }))
        .filter(({ document }) => document === 'document-reference')
        .flatMap(({ resource }) => documentTexts(resource).map((text) => text.split('\n')[0]));
    expect(firstLines(rules).length).toBeGreaterThan(1);
    for (const line of firstLines(rules)) expect(line).toContain(words);
    for (const line of firstLines(run)) expect(line).not.toContain(words);
  });

  it.each([
    ['en', 'Transcript (no note could be written)'],
    ['es', 'Transcripción (no se pudo redactar una nota)'],
    ['pt', 'Transcrição (não foi possível redigir uma nota)'],
  ] as const)('says in %s that there is only a transcript', (language, title) => {
    const sections = [{ key: 'TRANSCRIPT', title: 'Transcript', text: 'Speaker 1: Hello.' }];
    expect(titleOf({ language, noteType: 'ED_NOTE', note: { note: { title: MODEL_TITLE, sections } } })).toBe(title);
  });
});
