// Finds the patient of a text that a relative wrote: "my husband, 71, …", "minha mãe está com dor no peito". That word then means the
// patient, and no relative.

import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { Sex } from '../knowledge/knowledge.ts';
import { unitYears } from './age-units.ts';
import { type History, isWord } from './history.ts';

/** The patient is named at the beginning of a text. */
const TOLD_WITHIN = 12;
export function patientRelative(history: History): string | undefined {
  const near = history.tokens.slice(0, TOLD_WITHIN);
  const relatives = near.flatMap(({ text }, at) => (isOwnRelative(history, at) ? [{ text, at }] : []));
  const aged = relatives.find(({ at }) => hasAge(history, at));
  if (aged !== undefined) return aged.text;
  const [first] = relatives;
  // Without an age, the relative is the patient only if no other person can be meant.
  const isPerson = (_: WordToken, at: number) => isWord(history, at, 'person') && !isOwn(history, at);
  const isOther = first === undefined || history.tokens.some(isPerson) || isAboutSelf(history);
  return isOther ? undefined : first.text;
}

export function sexOfRelative({ words }: Pick<History, 'words'>, relative: string | undefined): Sex | undefined {
  return words.has('female-relative', relative) ? 'female' : words.has('male-relative', relative) ? 'male' : undefined;
}

function isOwnRelative(history: History, at: number): boolean {
  const { tokens, words } = history;
  // Examples: "Grandad, 81, fell off a step" and "abuela de 80 años".
  const isAged = tokens[1]?.number !== undefined && tokens[1].before === 1;
  const isAlone = !tokens.some(({ text }) => words.has('person', text));
  const isOfAge = isWord(history, 1, 'of-age') && tokens[2]?.number !== undefined;
  const isFailing = isWord(history, 2, 'not') && isWord(history, 3, 'fails');
  const isActing = isWord(history, 0, 'article') && at === 1 && isAlone && (isWord(history, 2, 'acts') || isFailing);
  const isFirst = isActing || (at === 0 && (isAged || (isAlone && (isOfAge || isWord(history, 1, 'does')))));
  const isRelative = isWord(history, at, 'relative') || isWord(history, at, 'more-relatives');
  return isRelative && (isFirst || isOwn(history, at));
}

function isOwn(history: History, at: number): boolean {
  let before = at - 1;
  while (history.tokens[before]?.number !== undefined || isWord(history, before, 'between-my')) before--;
  return isWord(history, before, 'my');
}

function hasAge(history: History, at: number): boolean {
  if (hasAgeBefore(history, at)) return true;
  const { tokens } = history;
  const ageAt = [at + 1, at + 2, at + 3].find((near) => tokens[near]?.number !== undefined);
  // In "mi tía, en 2019, tuvo" the number is a year.
  if (ageAt !== undefined && (tokens[ageAt]?.number ?? 0) > OLDEST) return false;
  if (ageAt === undefined || isWord(history, ageAt - 1, 'no-age-of-relative-before')) return false;
  return tokens[ageAt + 1]?.before === 1 || unitYears(history, ageAt + 1) !== undefined;
}

const OLDEST = 120;

/** True of "my 78-year-old father". */
function hasAgeBefore(history: History, at: number): boolean {
  const { tokens } = history;
  const unitAt = tokens[at - 1]?.text === 'old' ? at - 2 : at - 1;
  return unitYears(history, unitAt) !== undefined && tokens[unitAt - 1]?.number !== undefined;
}

function isAboutSelf(history: History): boolean {
  const { tokens, words } = history;
  return tokens.some(({ text }, at) => {
    // In "mi hermano se tomó" another person took it.
    const isTold =
      text === 'tomo' && tokens.slice(Math.max(0, at - 4), at).some((token) => words.has('relative', token.text));
    if (words.has('self', text) && !isTold) return true;
    // "Me duele la barriga".
    if (text === 'me' && isWord(history, at + 1, 'hurts')) return true;
    // "I'm 37" is about the writer.
    if (text === 'im' && tokens[at + 1]?.number !== undefined) return true;
    const isSelf = words.has('self-before', text) && isWord(history, at + 1, 'self-behind');
    return isSelf && !isWord(history, at + 2, 'fears');
  });
}

const GROWN = 15;
/** Each "she" of a text needs the answer: a cache avoids a search through a long text each time. */
const selfAged = new WeakMap<readonly WordToken[], boolean>();

/** True if the writer is surely the patient: "I'm 50, I braid hair". */
export function isSelfAged(tokens: readonly WordToken[]): boolean {
  const known = selfAged.get(tokens);
  if (known !== undefined) return known;
  const isAged = tokens.some(
    ({ text }, at) =>
      (text === 'im' || (text === 'am' && tokens[at - 1]?.text === 'i')) && (tokens[at + 1]?.number ?? 0) > GROWN,
  );
  selfAged.set(tokens, isAged);
  return isAged;
}
