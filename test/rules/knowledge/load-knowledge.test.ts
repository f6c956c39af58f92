import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { cached } from '../../../src/rules/knowledge/knowledge-cache.ts';
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

describe('The cache of one value', () => {
  const counted = (folder: string | undefined) => {
    let made = 0;
    const get = (key: string) =>
      cached(
        key,
        () => {
          made += 1;
          return new Map([[key, Number.POSITIVE_INFINITY]]);
        },
        folder,
      );
    return { get, made: () => made };
  };

  it('makes the value once for each change of the key', () => {
    const { get, made } = counted(aFolder());
    expect([get('a'), get('a')]).toEqual(Array(2).fill(new Map([['a', Number.POSITIVE_INFINITY]])));
    expect(made()).toBe(1);
    expect(get('b')).toEqual(new Map([['b', Number.POSITIVE_INFINITY]]));
    expect(made()).toBe(2);
  });

  it('makes the value again if the file is damaged', () => {
    const folder = aFolder();
    const { get, made } = counted(folder);
    get('a');
    const [name = ''] = readdirSync(folder);
    const file = path.join(folder, name);
    writeFileSync(file, readFileSync(file).subarray(0, 40));
    expect(get('a')).toEqual(new Map([['a', Number.POSITIVE_INFINITY]]));
    expect(made()).toBe(2);
  });

  it.each([
    ['no folder', () => undefined],
    [
      'a folder that cannot be written',
      () => {
        const file = aFolder();
        writeFileSync(file, '');
        return path.join(file, 'below-a-file');
      },
    ],
  ])('makes the value each time if there is %s', (_, folder) => {
    const { get, made } = counted(folder());
    expect(get('a')).toEqual(get('a'));
    expect(made()).toBe(2);
  });
});
