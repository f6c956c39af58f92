import { describe, expect, it } from '@jest/globals';
import { type DiseaseCandidate, isSameDisease } from '../../../src/clinical-text/diseases/same-disease.ts';
import { readLists } from './pairs.ts';

const { same = [], different = [] } = readLists('same-pairs.yaml');

function read(line: string): readonly [DiseaseCandidate, DiseaseCandidate] {
  const [one = '', other = ''] = line.split(' = ');
  return [readCandidate(one), readCandidate(other)];
}

function readCandidate(text: string): DiseaseCandidate {
  const [, code, name = text] = /^([A-Za-z]\d\d\S*) (.*)$/.exec(text) ?? [];
  return { name, code };
}

describe('Two candidates', () => {
  it('at least 60 pairs are the same disease, and 60 are two', () => {
    expect(same.length).toBeGreaterThanOrEqual(60);
    expect(different.length).toBeGreaterThanOrEqual(60);
  });

  it.each(same)('%s: the same disease', (line) => {
    const [one, other] = read(line);
    expect(isSameDisease(one, other)).toBe(true);
    expect(isSameDisease(other, one)).toBe(true);
  });

  it.each(different)('%s: two diseases', (line) => {
    const [one, other] = read(line);
    expect(isSameDisease(one, other)).toBe(false);
    expect(isSameDisease(other, one)).toBe(false);
  });

  it.each([...same, ...different])('%s: each of them is the same as itself', (line) => {
    for (const one of read(line)) expect(isSameDisease(one, one)).toBe(true);
  });

  it('two names without words are not the same disease', () => {
    expect(isSameDisease({ name: '' }, { name: ' ' })).toBe(false);
    expect(isSameDisease({ name: '', code: 'G43' }, { name: '?', code: 'G43.9' })).toBe(true);
  });

  it('names of any length are compared without an error', () => {
    const name = 'migraine '.repeat(100_000);
    expect(isSameDisease({ name }, { name })).toBe(true);
    expect(isSameDisease({ name }, { name: 'gout', code: 'M10'.repeat(100_000) })).toBe(false);
  });
});
