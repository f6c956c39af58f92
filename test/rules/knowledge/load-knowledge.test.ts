import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadKnowledge } from '../../../src/rules/knowledge/load-knowledge.ts';
import { KNOWLEDGE_FOLDER, readKnowledge } from '../../../src/rules/knowledge/read-knowledge.ts';

const root = mkdtempSync(path.join(tmpdir(), 'chartwright-knowledge-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const aFolder = (): string => {
  folders += 1;
  return path.join(root, String(folders));
};

describe('Loading the knowledge of the rules', () => {
  const knowledge = path.join(root, 'knowledge');
  const cache = aFolder();
  cpSync(KNOWLEDGE_FOLDER, knowledge, { recursive: true });

  it('returns the same from the cache as from the files', () => {
    const fromFiles = readKnowledge(knowledge);
    expect(loadKnowledge(knowledge, cache)).toEqual(fromFiles);
    expect(readdirSync(cache)).toHaveLength(1);
    expect(loadKnowledge(knowledge, cache)).toEqual(fromFiles);
  });

  it.each([
    ['lexicon', 'lexicon/chest.yaml', 'not-a-finding: 7\n', 'lexicon/chest.yaml:'],
    ['cue file of the note writer', 'notes/medical.yaml', 'unknown: 7\n', 'notes/medical.yaml:'],
    ['file of cue words', 'cues/en.yaml', 'unknown: [a]\n', 'cues/en.yaml:'],
    ['file of words', 'words/persons.yaml', 'unknown: a\n', 'words/persons.yaml:'],
    ['file of sentences', 'wording/pt.yaml', 'unknown: a\n', 'wording/pt.yaml:'],
  ])('reports a mistake in a changed %s although a valid cache exists', (_, file, mistake, reported) => {
    const whole = path.join(knowledge, file);
    const before = readFileSync(whole);
    appendFileSync(whole, mistake);
    expect(() => loadKnowledge(knowledge, cache)).toThrow(reported);
    writeFileSync(whole, before);
    expect(() => loadKnowledge(knowledge, cache)).not.toThrow();
  });
});
