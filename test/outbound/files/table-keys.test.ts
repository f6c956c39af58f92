import { describe, expect, it } from '@jest/globals';
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import { parseSource } from '../../../src/mapping/mapping.ts';
import { misspeltKeys } from '../../../src/outbound/files/table-keys.ts';

const KNOWN = ['ED_NOTE', 'PROGRESS_NOTE', 'SUBJECTIVE', 'PLAN', 'RED', 'LEVEL1', 'PAST_MEDICAL_HISTORY'];
const INHERITED: CodeTable = {
  name: 'noteTypes',
  unmapped: 'report',
  codes: Object.fromEntries(KNOWN.map((key) => [key, {}])),
};

function problemsOf(keys: readonly string[], inherited = INHERITED): readonly string[] {
  const text = `codes:\n${keys.map((key) => `  ${key}: none\n`).join('')}`;
  const { root } = parseSource({ file: 'note-types.yaml', text });
  if (root === undefined) throw new Error("the test's own file is wrong");
  return misspeltKeys(root, inherited).map(({ place, message }) => `${place.line}:${place.column}: ${message}`);
}

describe('A key that is not in the inherited table', () => {
  it.each([
    ['ED_NOTES', 'ED_NOTE'],
    ['ed_note', 'ED_NOTE'],
    ['ED-NOTE', 'ED_NOTE'],
    ['PROGRES_NOTE', 'PROGRESS_NOTE'],
    ['PROGRESSNOTE', 'PROGRESS_NOTE'],
    ['PROGERSS_NOTES', 'PROGRESS_NOTE'],
    ['SUBJECTIBE', 'SUBJECTIVE'],
    ['PAST_MEDICAL_HISTROY', 'PAST_MEDICAL_HISTORY'],
  ])('is reported if it is similar to an inherited one: %s is probably %s', (key, meant) => {
    expect(problemsOf(['RED', key])).toEqual([`3:3: ${key} is no key of the inherited table; did you mean ${meant}?`]);
  });

  it.each([
    'OR_NOTE',
    'ER_NOTE',
    'KNEE_NOTE',
    'REED_RASH',
    'RAD',
    'LEVEL2',
    'PLAN_OF_CARE',
    'MEDICAL_HISTORY',
    'toString',
  ])('is accepted as new if it is not similar to an inherited one: %s', (key) => expect(problemsOf([key])).toEqual([]));

  it('is accepted as new if the table also has the similar key', () => {
    expect(problemsOf(['PLAN', 'PLANS'])).toEqual([]);
  });

  it('is accepted if the inherited table allows any key', () => {
    expect(problemsOf(['ED_NOTES'], { ...INHERITED, unmapped: 'keep' })).toEqual([]);
    expect(problemsOf(['ED_NOTES'], { ...INHERITED, unmapped: 'ignore' })).toEqual([]);
  });
});
