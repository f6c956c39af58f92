// Reads the age and sex of the patient: "58yo F", "niña de 3 años", "RN de 10 dias". Ages of relatives and durations are no ages of the
// patient.

import { SMALL_NUMBERS } from '../../clinical-text/numbers/number-words.ts';
import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import { gluedUnitYears, unitYears } from './age-units.ts';
import { type History, isWord } from './history.ts';
import type { Person } from './history-facts.ts';
import { patientRelative, sexOfRelative } from './patient-relative.ts';
import { isLetterBefore, sexByAge, sexByNoun, sexByPronoun, sexOfNoun } from './person-sex.ts';

type Age = { readonly years: number; readonly at: number; readonly to: number; readonly rank: number };

const OLDEST = 120;
const ONE_DAY = 1 / 365;
const WEEKS_AND_LESS = 0.05;
const MIN_GROWN = 16;
/** Words of an occupation. */
const LONGEST_CALLING = 5;
/** `ageAt`: the indexes of the tokens of ages. */
export type PersonReading = { readonly person: Person; readonly ageAt: ReadonlySet<number> };

/** `isMeasured` is true of tokens that belong to a measured value. */
export function readPerson(history: History, isMeasured: (at: number) => boolean): PersonReading {
  const { tokens } = history;
  const patient = patientRelative(history);
  const ages = tokens.flatMap((_, at) => (isMeasured(at) ? [] : (ageAt(history, at, patient) ?? [])));
  const age = ages.reduce<Age | undefined>(
    (best, one) => (best === undefined || one.rank > best.rank ? one : best),
    undefined,
  );
  const sex = sexByAge(history, age) ?? sexOfRelative(history, patient) ?? sexByNoun(history) ?? sexByPronoun(history);
  return {
    person: { ...(age !== undefined && { ageYears: age.years }), ...(sex !== undefined && { sex }) },
    ageAt: new Set([
      ...ages
        .filter(({ rank }) => rank > 1 || rank === age?.rank)
        .flatMap(({ at }) => (monthsBehind(history, at + 2) === 0 ? [at] : [at, at + 3])),
      ...tokens.flatMap((_, at) => (isAgeOfRelative(history, at) || isMonthOfPregnancy(history, at) ? [at] : [])),
    ]),
  };
}

/** True if the patient is the writer's child: then "my son" is the patient. */
export function isAboutChild({ tokens, words }: History, { ageYears }: Person): boolean {
  if (ageYears !== undefined) return ageYears < 18;
  return tokens.some(
    ({ text }, at) =>
      words.has('child', text) &&
      tokens.slice(Math.max(0, at - 5), at).some((before) => words.has('my-child-before', before.text)),
  );
}

function ageAt(history: History, at: number, patient: string | undefined): Age | undefined {
  const { tokens, words } = history;
  const token = tokens[at];
  const number = token?.number ?? SMALL_NUMBERS.get(token?.text ?? '');
  if (token === undefined || number === undefined || number > 1200 || isOfRelative(history, at, patient))
    return undefined;
  const unit = tokens[at + 1];
  // In "amlodipina de diez, yo creo" the comma shows that "yo" is no unit.
  const isApart = unit === undefined || unit.before > (unit.text === 'yo' ? 0 : 1);
  const years = isApart ? undefined : (unitYears(history, at + 1) ?? gluedUnitYears(history, at + 1));
  if (years === undefined) return ageWithoutUnit(history, at, number);
  const more = years === 1 ? monthsBehind(history, at + 2) / 12 : 0;
  const age = { years: number * years + more - (isUnder(history, at) ? ONE_DAY : 0), at, to: at + 2 };
  // These are no ages: "de 39 a 40", "de cinco a diez", "embarazada de 32 semanas".
  const upTo = tokens[at + 2];
  const isRange =
    unit?.text === 'a' && upTo?.before === 0 && (upTo.number ?? SMALL_NUMBERS.get(upTo.text)) !== undefined;
  const isOther = isOfPregnancy(history, at, years) || (years < 1 && isSinceEvent(history, at));
  if (age.years > OLDEST || isRange || (isOther && !isBabyBefore(history, at))) return undefined;
  if (isWord(history, at + 1, 'age-in-one-word')) return { ...age, rank: 5 };
  const after = [tokens[at + 2]?.text, tokens[at + 3]?.text];
  const before = tokens[at - 1]?.text;
  // "Two months' supply" and "forty a day" are no ages.
  if (isWord(history, at + 2, 'supply') || (unit?.text === 'a' && after[0] === 'day')) return undefined;
  if (years < 1 && isToldOfBaby(history, at)) return { ...age, rank: 4 };
  const isAge = after.some((text) => words.has('age-behind', text));
  // "Un mes" is rather a duration, but not in "nena de un mes".
  if (token.number === undefined && number === 1 && !(before === 'de' && isWord(history, at - 2, 'baby')) && !isAge)
    return undefined;
  if (isAge) return { ...age, to: at + 3, rank: 5 };
  // "Desde hace 8 meses, embarazada" is a duration, although a person follows.
  const isTime = before !== 'de' && words.has('no-age-before', before);
  if (hasPersonBefore(history, at, patient) || (!isTime && hasPersonBehind(history, at + 2)))
    return { ...age, rank: 4 };
  if (years === 1 && (isLetterBefore(history, at) || isWorkerBefore(history, at))) return { ...age, rank: 3 };
  if (words.has('i-am-of-age', before) && years === 1) return { ...age, rank: 4 };
  if (words.has('has-age', before) && years === 1) return { ...age, rank: 3 };
  const isWeak =
    token.number !== undefined &&
    !words.has('no-age-before', before) &&
    !isWord(history, at + 2, 'no-age-behind') &&
    years === 1 &&
    number > 1;
  return isWeak && (tokens[at]?.before ?? 0) >= 1 ? { ...age, rank: 1 } : undefined;
}

/** True at the beginning of a sentence behind one about a baby: "… ao bebé. Tem cinco semanas, …", "She is two months". */
function isToldOfBaby(history: History, at: number): boolean {
  const { tokens, words } = history;
  const from = isWord(history, at - 2, 'subject') ? at - 2 : at - 1;
  const isBeginning = isWord(history, at - 1, 'is-of-age') && tokens[from]?.before === 3;
  const isTime = isWord(history, at + 2, 'time-behind');
  return isBeginning && !isTime && tokens.slice(0, from).some(({ text }) => words.has('baby', text));
}

/** Returns the months of "2 anos e 3 meses". */
function monthsBehind(history: History, at: number): number {
  const { tokens } = history;
  const isMore = isWord(history, at, 'and') && isWord(history, at + 2, 'months-word');
  const months = tokens[at + 1]?.number ?? SMALL_NUMBERS.get(tokens[at + 1]?.text ?? '') ?? 0;
  return isMore && months < 12 ? months : 0;
}

/** True of "su hermana de 5 años", which is no duration either. */
function isAgeOfRelative(history: History, at: number): boolean {
  const { tokens } = history;
  return tokens[at]?.number !== undefined && tokens[at - 1]?.text === 'de' && isWord(history, at - 2, 'relative');
}

/** "Lactante varón de 5 semanas" is an age, even if the text mentions a pregnancy. */
export function isBabyBefore({ tokens, words }: History, at: number): boolean {
  const before = tokens.slice(Math.max(0, at - 4), at);
  return (tokens[at]?.number ?? 0) <= 12 && before.some(({ text }) => words.has('baby', text));
}

/** True of weeks near a word of pregnancy, and of months right behind it: "embarazada de 5 meses". */
function isOfPregnancy(history: History, at: number, ofUnit: number): boolean {
  if (ofUnit >= WEEKS_AND_LESS) return isMonthOfPregnancy(history, at);
  const near = history.tokens.slice(Math.max(0, at - 4), at + 6);
  return near.some(({ text }) => history.words.has('pregnancy', text)) || isBabyInside(history, at);
}

/** "32 weeks, baby hasn't moved since yesterday" is no age of a baby. */
function isBabyInside({ tokens, words }: History, at: number): boolean {
  const number = tokens[at]?.number ?? 0;
  const behind = tokens.slice(at + 2, at + 12);
  const isAge = behind.slice(0, 2).some(({ text }) => words.has('age-behind', text));
  return number >= 20 && number <= 42 && !isAge && behind.some(({ text }) => words.has('moves', text));
}

function isMonthOfPregnancy(history: History, at: number): boolean {
  const { tokens } = history;
  const from = tokens[at - 1]?.text === 'de' ? at - 1 : at;
  const isBehind = tokens.slice(from, at + 1).every(({ before }) => before === 0);
  return isWord(history, at + 1, 'months-word') && isBehind && isWord(history, from - 1, 'pregnancy');
}

/** True of the time since an event: "paciente de 3 días de operada", "woman 10 days post surgery", "recién parida, 12 días". */
function isSinceEvent(history: History, at: number): boolean {
  const { tokens, words } = history;
  const isEvent = (text: string) => words.has('event', text) || words.has('post-event', text);
  const before = clauseBefore(tokens, at, 8);
  const behind = tokens.slice(at + 2, at + 7);
  const isAge = behind.slice(0, 2).some(({ text }) => words.has('age-behind', text));
  if (isAge || before.some((text) => words.has('baby', text) || words.has('child', text))) return false;
  if (before.slice(0, 4).some((text) => isEvent(text) || words.has('grown-up', text))) return true;
  if (!isWord(history, at + 2, 'since-event') && !isWord(history, at + 2, 'post-event')) return false;
  const end = behind.findIndex(({ before: gap }) => gap > 0);
  return behind.slice(0, end < 0 ? behind.length : end).some(({ text }) => isEvent(text));
}

/** Returns the words before, the nearest first, up to the end of a clause. */
function clauseBefore(tokens: readonly WordToken[], at: number, most: number): string[] {
  const words: string[] = [];
  for (let back = at - 1; back >= Math.max(0, at - most) && (tokens[back + 1]?.before ?? 0) <= 1; back--)
    words.push(tokens[back]?.text ?? '');
  return words;
}

/** True of "lactante menor de 3 meses". */
function isUnder(history: History, at: number): boolean {
  const { tokens, words } = history;
  const before = `${tokens[at - 2]?.text} ${tokens[at - 1]?.text}`;
  return words.patterns['under-age'].test(before) && isWord(history, at + 1, 'weeks-or-months');
}

/** True of an occupation ("costurera de 47 años", "peón rural de 37 años"), and not of "sordera de 3 años". */
function isWorkerBefore({ tokens, words: lists }: History, at: number): boolean {
  if (tokens[at - 1]?.text !== 'de' || tokens[at + 3]?.text === 'evolucion') return false;
  const words = clauseBefore(tokens, at - 1, 3);
  const text = words.at(-1) ?? '';
  return tokens[at - 1 - words.length]?.before === 3 && lists.has('worker', text) && !lists.has('no-worker', text);
}

/** Reads years without a unit: "58F", "M 45", "aged 30", "im 18". */
function ageWithoutUnit(history: History, at: number, years: number): Age | undefined {
  const { tokens, words } = history;
  const token = tokens[at];
  if (token?.number === undefined || years < 1 || years > 110 || !Number.isInteger(years)) return undefined;
  const next = tokens[at + 1];
  const before = tokens[at - 1]?.text ?? '';
  const age = { years, at, to: at + 1 };
  const isLetter =
    next !== undefined && words.has('sex-letter-behind', next.text) && next.isCapital && next.before === 0;
  if (isLetter && token.isGlued === false) return { ...age, rank: next.isGlued ? 5 : 4 };
  if (words.has('aged', before)) return { ...age, rank: 5 };
  // "Homem 35 dor torácica": the number behind an adult counts nothing, so that it is an age.
  const isSexed = before.length > 1 && sexOfNoun(history, before) !== undefined;
  const isGrown = isSexed && years >= MIN_GROWN && !isWord(history, at + 1, 'counted');
  const isFollowed =
    !isGrown &&
    next !== undefined &&
    next.before === 0 &&
    next.marks === '' &&
    !words.has('behind-plain-age', next.text);
  if (isFollowed || next?.marks.startsWith('/') || next?.marks.startsWith('%')) return undefined;
  if (words.has('i-am', before)) return { ...age, rank: 3 };
  if (isSetOff(tokens, at) && years >= MIN_GROWN) return { ...age, rank: 2 };
  // "Girl of 5" is an age.
  if (before === 'of' && isWord(history, at - 2, 'person')) return { ...age, rank: 4 };
  return (isSexed || words.has('relative', before)) && token.before <= 1 ? { ...age, rank: 3 } : undefined;
}

/** True of a number between commas at the beginning: "Teacher, 41, has …", "Sound engineer, 44, with …". */
function isSetOff(tokens: readonly WordToken[], at: number): boolean {
  if (at < 1 || at > LONGEST_CALLING) return false;
  const isAlone = [tokens[at], tokens[at + 1]].every((one) => (one?.before ?? BREAKS.sentence) >= BREAKS.comma);
  const calling = tokens.slice(0, at);
  return isAlone && calling.every(({ before, number }, more) => number === undefined && (more === 0 || before === 0));
}

function hasPersonBefore(history: History, at: number, patient: string | undefined): boolean {
  const { tokens, words } = history;
  for (let back = at - 1; back >= Math.max(0, at - 4); back--) {
    if ((tokens[back + 1]?.before ?? 0) > 1) return false;
    const text = tokens[back]?.text;
    if (words.has('no-age-before', text) && text !== 'de') return false;
    // In "ya son cuatro meses" the word "son" is a verb.
    if (text === 'son' && isWord(history, at + 1, 'spanish-time')) return false;
    if (text !== undefined && (words.has('person', text) || text === patient)) return true;
  }
  return false;
}

function hasPersonBehind(history: History, to: number): boolean {
  for (let at = to; at < to + 2; at++) {
    const { before = 3, isCapital = false, text = '' } = history.tokens[at] ?? {};
    if (before > 1) return false;
    if (isWord(history, at, 'person') || (/^[fm]$/.test(text) && isCapital)) return true;
  }
  return false;
}

/** True of "father MI at 50", "hermano de 5 años", "5-year-old sister". A son or daughter with an age is the patient. */
function isOfRelative(history: History, at: number, patient: string | undefined): boolean {
  const { tokens, words } = history;
  for (let back = at - 1; back >= Math.max(0, at - 5); back--) {
    if ((tokens[back + 1]?.before ?? 0) >= 2) break;
    const text = tokens[back]?.text ?? '';
    if ((back === at - 1 && words.has('patient-before', text)) || words.has('patient-named', text)) break;
    if (text !== '' && text === patient) break;
    if (words.has('relative', text)) return true;
  }
  for (let next = at + 1; next < at + 5; next++) {
    if ((tokens[next]?.before ?? 3) >= 1 && tokens[next]?.marks !== '-') break;
    if (isWord(history, next, 'relative')) return true;
    if (isWord(history, next, 'person') || isWord(history, next, 'no-relative-behind')) break;
  }
  return false;
}
