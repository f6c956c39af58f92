import { describe, expect, it } from '@jest/globals';
import { isSameAct } from '../../../../../src/domain/note/check/acts/act-tables.ts';
import { DISPOSITION_WORDS } from '../../../../../src/domain/note/check/acts/disposition-words.ts';
import { FOLLOW_UP_WORDS } from '../../../../../src/domain/note/check/acts/follow-up-words.ts';
import { PREGNANCY_WORDS } from '../../../../../src/domain/note/check/acts/pregnancy-words.ts';
import { PROCEDURE_WORDS } from '../../../../../src/domain/note/check/acts/procedure-words.ts';
import { RESUSCITATION_WORDS } from '../../../../../src/domain/note/check/acts/resuscitation-words.ts';
import { SELF_HARM_WORDS } from '../../../../../src/domain/note/check/acts/self-harm-words.ts';
import { TEST_WORDS } from '../../../../../src/domain/note/check/acts/test-words.ts';

const TABLES = {
  TEST_WORDS,
  PROCEDURE_WORDS,
  RESUSCITATION_WORDS,
  SELF_HARM_WORDS,
  PREGNANCY_WORDS,
  FOLLOW_UP_WORDS,
  DISPOSITION_WORDS,
};

describe('the tables of acts', () => {
  it.each(Object.entries(TABLES))('each line of %s has words in three languages', (_name, words) => {
    const lines = words.split('\n').filter((line) => line.includes('='));
    for (const line of lines) expect([line, line.split('/').length]).toEqual([line, 3]);
  });

  it.each(Object.entries(TABLES))('no phrase of %s names two acts', (_name, words) => {
    const owners = new Map<string, Set<string>>();
    for (const line of words.split('\n').filter((one) => one.includes('='))) {
      const [id = '', forms = ''] = line.split('=');
      forms.split('/').forEach((part, language) => {
        for (const phrase of part.split(',')) {
          const key = `${language} ${phrase.trim().replace('?', '')}`;
          owners.set(key, (owners.get(key) ?? new Set()).add(id.trim()));
        }
      });
    }
    expect([...owners].filter(([, ids]) => ids.size > 1).map(([key, ids]) => [key, ...ids])).toEqual([]);
  });

  it.each([
    ['xray:chest', 'xray', true],
    ['xray', 'xray:chest', true],
    ['xray:chest', 'xray:spine', false],
    ['ct:head', 'imaging', true],
    ['ct:head', 'mri:head', false],
    ['blood:renal', 'tests', true],
    ['to:ent', 'to:eyes', false],
  ])('that %s is supported by %s is %s', (claimed, said, isSame) => {
    expect(isSameAct(claimed, said)).toBe(isSame);
  });
});
