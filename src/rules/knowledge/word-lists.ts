// The schemas of words/, as FORMAT.md describes them: lists of single words by subject, expressions of several words, and the names of
// measured values. A list that is missing or unknown is a problem, like any other key.
import { z } from 'zod';
import { foldText } from '../../clinical-text/fold.ts';
import { inLanguages, listed, text } from './schema-parts.ts';

const WORD_LISTS = {
  health: ['health', 'ordinary'],
  persons: [
    'female',
    'male',
    'she',
    'he',
    'sex-letter',
    'sex-letter-behind',
    'person',
    'relative',
    'more-relatives',
    'female-relative',
    'male-relative',
    'speaking-mother',
    'baby',
    'child',
    'grown-up',
    'pregnancy',
    'post-event',
    'event',
    'since-event',
    'age-behind',
    'years',
    'months',
    'weeks',
    'days',
    'age-in-one-word',
    'no-age-before',
    'no-age-of-relative-before',
    'no-age-behind',
    'supply',
    'i-am-of-age',
    'has-age',
    'aged',
    'i-am',
    'counted',
    'behind-plain-age',
    'months-word',
    'weeks-or-months',
    'spanish-time',
    'subject',
    'is-of-age',
    'time-behind',
    'moves',
    'worker',
    'no-worker',
    'my',
    'between-my',
    'my-child-before',
    'does',
    'acts',
    'not',
    'fails',
    'article',
    'of-age',
    'self',
    'self-before',
    'self-behind',
    'fears',
    'girl-or-boy',
    'friend',
    'his-wife-before',
    'his-wife',
    'snot-before',
    'participle',
    'of-women',
    'patient-before',
    'patient-named',
    'no-relative-behind',
  ],
  relatives: [
    'still',
    'with',
    'which',
    'of',
    'of-the',
    'whose',
    'handles',
    'no-mother-before',
    'no-mother-behind',
    'in',
    'story',
  ],
  scopes: [
    'barrier',
    'conjunction',
    'clitic',
    'or',
    'copula',
    'counted-or-taken',
    'denial-goes-on',
    'time-begins',
    'bare-complaint',
    'pressed',
    'ketone',
    'result-for',
    'negative',
    'none-behind-noun',
    'behind-none',
    'does-not',
    'contrasted',
    'asking',
    'like',
    'because',
    'own-doing',
    'condition-before',
    'any',
    'sooner',
    'or-also',
    'and',
    'who',
    'no-statement-before',
    'to-do',
    'own-state',
    'reported',
    'says',
    'doubt-copula',
    'speaker-label',
    'asks-advice',
    'lead-in',
    'granted',
  ],
  times: [
    'beginning',
    'goes-on',
    'was',
    'grows',
    'once',
    'in-years',
    'month-name',
    'age-unit',
    'at-age',
    'other-age',
    'contrast',
    'had',
    'no-more',
    'ability',
    'long',
    'year-before',
  ],
  values: [
    'usual',
    'filler',
    'at-height',
    'metres',
    'out-of',
    'beats-unit',
    'breaths-unit',
    'weeks-unit',
    'degrees',
    'fahrenheit',
    'pressure-joint',
    'pressure-joint-said',
    'has-pressure',
    'gauge',
    'fever',
    'oximeter',
    'shown',
    'sugar',
    'time-behind-value',
    'time-before-value',
    'behind-time-value',
    'far-along',
    'my-baby',
    'which-baby',
    'date-before',
    'sight',
    'fetus',
    'hill',
    'sport',
    'of-sport',
    'went',
    'other-unit',
    'antibody-unit',
  ],
} as const;
export type WordListName = (typeof WORD_LISTS)[keyof typeof WORD_LISTS][number];

const PATTERNS = [
  'painless',
  'all-no',
  'negative-result',
  'results-of-list',
  'aside',
  'long-ago',
  'gone',
  'none-of-that',
  'under-age',
] as const;
export type PatternName = (typeof PATTERNS)[number];

const VALUE_NAME_LISTS = [
  'temperature',
  'bare-fever',
  'heart-rate',
  'respiratory-rate',
  'pressure',
  'oxygen',
  'glucose',
  'oxygen-of-patient',
  'breaths-counted',
  'coma',
  'pain-scale',
  'pressure-pair',
  'gestation',
] as const;

export type ValueNameList = (typeof VALUE_NAME_LISTS)[number];

/** A star is the rest of a word, at its beginning or end. */
const word = z
  .string()
  .refine((written) => /^\*?[^*]+\*?$/.test(written), 'has a star inside a word, or nothing beside it')
  .refine((written) => foldText(written) === written, 'is not in lower case without accents');
const wordList = listed.pipe(z.array(word));

const pattern = z.string('is a text').refine(isPattern, 'is no regular expression');

function isPattern(written: string): boolean {
  try {
    new RegExp(written);
    return true;
  } catch {
    return false;
  }
}

function each<Name extends string, T extends z.ZodType>(names: readonly Name[], of: T) {
  return z.strictObject(Object.fromEntries(names.map((name) => [name, of])) as Record<Name, T>);
}

/** By the names of the files. */
export const WORD_FILES = {
  health: each(WORD_LISTS.health, wordList),
  persons: each(WORD_LISTS.persons, wordList),
  relatives: each(WORD_LISTS.relatives, wordList),
  scopes: each(WORD_LISTS.scopes, wordList),
  times: each(WORD_LISTS.times, wordList),
  values: each(WORD_LISTS.values, wordList),
  endings: inLanguages(wordList),
  patterns: each(PATTERNS, z.array(pattern).min(1, 'is empty')),
  'value-names': each(VALUE_NAME_LISTS, z.array(text).min(1, 'is empty')),
};
export type WordFiles = { readonly [Name in keyof typeof WORD_FILES]: z.output<(typeof WORD_FILES)[Name]> };
