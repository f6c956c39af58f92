import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeFindPhrases } from '../../../src/clinical-text/phrases/family-phrases.ts';
import { readCueFiles } from '../../../src/rules/note-writing/cue-files.ts';
import { makePlaceStatements } from '../../../src/rules/note-writing/place-statements.ts';
import { makeKindCues } from '../../../src/rules/note-writing/statement-kinds.ts';
import { makeReadWords } from '../../../src/rules/note-writing/word-families.ts';

const NOTES = path.join(import.meta.dirname, '../../../knowledge/notes');
const files = readCueFiles();

describe('The cues of the note writer', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'note-cues-'));
    await cp(NOTES, folder, { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are refused with all wrong files and places in one message', async () => {
    await writeFile(path.join(folder, 'medical.yaml'), 'clinic: { en: [], es: [] }\nhealth: 1\n');
    await writeFile(path.join(folder, 'words.yaml'), 'body: [');
    expect(() => readCueFiles(folder)).toThrow(
      /words\.yaml: [\s\S]*medical\.yaml: clinic\.pt: [\s\S]*medical\.yaml: health: /,
    );
  });

  it('are refused if a file is missing', async () => {
    await rm(path.join(folder, 'speech.yaml'));
    expect(() => readCueFiles(folder)).toThrow(/speech\.yaml/);
  });

  it('are refused if they name an unknown kind or section', async () => {
    const kinds = { ...files, 'kinds-told': { ...files['kinds-told'], gossip: files['kinds-told']['talk'] } };
    expect(() => makeKindCues(kinds as typeof files, 'en')).toThrow(/unknown kinds \[gossip\]/);
    const sections = await readFile(path.join(folder, 'sections.yaml'), 'utf8');
    await writeFile(path.join(folder, 'sections.yaml'), sections.replace('    OBJECTIVE:', '    OBJECTIVES:'));
    expect(() => makePlaceStatements(readCueFiles(folder).sections)).toThrow(/SOAP/);
  });
});

describe('A phrase of the note writer', () => {
  const read = makeReadWords(files.words, 'en');
  const isFound = (phrase: string, text: string) => makeFindPhrases([[phrase, true]])(read(text)).length > 0;

  it.each<[string, string, boolean]>([
    ['see you {2} in', 'See you again then in May', true],
    ['see you {1} in', 'See you again then in May', false],
    ['cough*', 'He is COUGHING', true],
    ['ring|call us', 'please call us', true],
    ['i [am] here', "I'm not, I am here", true],
    ['i [am] here', 'i here', true],
    ['<drug> {2} <number>', 'ramipril, the usual 10', true],
    ['<drug> {2} <number>', 'the usual 10', false],
    ['<number> days', 'for twelve days', true],
    ['<diagnosis>', 'it is sinusitis', true],
    ["don't give", 'We don’t give', true],
  ])('the phrase %j is found in %j: %j', (phrase, text, found) => {
    expect(isFound(phrase, text)).toBe(found);
  });

  it('is refused if fewer than three letters are before a star', () => {
    expect(() => makeFindPhrases([['to*', true]])).toThrow(/too few letters/);
  });
});
