import { describe, expect, it } from '@jest/globals';
import { makeFindPhrases } from '../../../src/clinical-text/phrases/family-phrases.ts';
import { KNOWLEDGE_FOLDER, readKnowledgeFiles } from '../../../src/rules/knowledge/read-knowledge.ts';
import { parseLanguages } from '../../../src/rules/knowledge/read-languages.ts';
import { makePlaceStatements } from '../../../src/rules/note-writing/place-statements.ts';
import { makeKindCues } from '../../../src/rules/note-writing/statement-kinds.ts';
import { makeReadWords } from '../../../src/rules/note-writing/word-families.ts';
import { SHIPPED_LANGUAGES } from '../knowledge/shipped-languages.ts';

const files = SHIPPED_LANGUAGES.notes;

/** The problems of the shipped files if some are changed; a file without a text is missing. */
function problemsWith(changed: Readonly<Record<string, string | undefined>>): string {
  const whole = readKnowledgeFiles(KNOWLEDGE_FOLDER).map(({ path, text }) => ({
    path,
    text: path in changed ? changed[path] : text,
  }));
  const read = parseLanguages(whole.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }])));
  return 'problems' in read
    ? read.problems.map(({ path, line, message }) => `${path}:${line}: ${message}`).join('\n')
    : '';
}

describe('The cues of the note writer', () => {
  it('are refused with all wrong files and lines', () => {
    const changed = { 'notes/medical.yaml': 'clinic: { en: [], es: [] }\nhealth: 1\n', 'notes/words.yaml': 'body: [' };
    expect(problemsWith(changed)).toMatch(
      /words\.yaml:1: [\s\S]*medical\.yaml:1: clinic\.pt: [\s\S]*medical\.yaml:2: health: /,
    );
  });

  it('are refused if a file is missing', () => {
    expect(problemsWith({ 'notes/speech.yaml': undefined })).toBe('notes/speech.yaml:1: is missing');
  });

  it('are refused if they name an unknown kind or section', () => {
    const kinds = { ...files, 'kinds-told': { ...files['kinds-told'], gossip: files['kinds-told']['talk'] } };
    expect(() => makeKindCues(kinds as typeof files, 'en')).toThrow(/unknown kinds \[gossip\]/);
    const { OBJECTIVE, ...others } = files.sections.templates['SOAP'] ?? {};
    const templates = { ...files.sections.templates, SOAP: { ...others, OBJECTIVES: OBJECTIVE ?? [] } };
    expect(() => makePlaceStatements({ ...files.sections, templates })).toThrow(/SOAP/);
  });
});

describe('A phrase of the note writer', () => {
  const read = makeReadWords(files, 'en');
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
