// Reads the measured values of a text: "T 38,5ºC", "TA 180/110", "PA 14 x 9", "SpO2 91%". All readings are returned, and the caller picks
// the worst. A usual value of the patient ("usual 145/80") is not read.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { ValueName } from '../knowledge/knowledge.ts';
import type { WordListName } from '../knowledge/word-lists.ts';
import { type History, hasWord, isWord } from './history.ts';
import { isBabyBefore } from './person.ts';
import { MMOL_MOST, MMOL_PER_MG, toCelsius, type ValueRule, type ValueRules } from './value-rules.ts';

/** `from` and `to` are token indexes; `to` is behind the last token. */
export type ValueReading = {
  readonly of: ValueName;
  readonly value: number;
  readonly from: number;
  readonly to: number;
};

const MOST_FILLERS = 3;

export function readValues(history: History, rules: ValueRules): ValueReading[] {
  const readings = history.tokens.flatMap(({ number }, at) =>
    number === undefined ? namedReadings(history, rules, at) : bareReadings(history, at),
  );
  return readings.filter(
    (one) =>
      !isUsual(history, one.from) &&
      !isOfFetus(history, one) &&
      !isOfHeights(history, one) &&
      !isOfExercise(history, one),
  );
}

/** "Sat 91 % a 2.700 metros" is normal at that altitude. */
function isOfHeights(history: History, { of, value, to }: ValueReading): boolean {
  if (of !== 'oxygen-saturation' || value < 90) return false;
  return (
    isWord(history, to, 'at-height') &&
    history.tokens[to + 1]?.number !== undefined &&
    // "2.700" may be two tokens.
    [2, 3].some((more) => isWord(history, to + more, 'metres'))
  );
}

/** Reads a name with its number behind it. */
function namedReadings(history: History, rules: ValueRules, at: number): ValueReading[] {
  const { tokens } = history;
  for (const rule of rules.get(tokens[at]?.text ?? '') ?? []) {
    const end = nameEnd(history, at, rule);
    if (end === undefined) continue;
    let next = end;
    while (next < end + MOST_FILLERS && tokens[next]?.number === undefined && isWord(history, next, 'filler')) next++;
    const token = tokens[next];
    if (token?.number === undefined || /[;.]/.test(token.marks.replace(/[.:]$/, ''))) continue;
    // "Glucose 4+" is the result of a urine stick.
    if (tokens[next + 1]?.marks.startsWith('+') === true) continue;
    const found = rule.read(history, next);
    if (found.length > 0) return found.map((one) => ({ ...one, from: at, to: Math.max(one.to, next + 1) }));
  }
  return [];
}

function nameEnd({ tokens }: History, at: number, { words, isCapital }: ValueRule): number | undefined {
  if (isCapital === true && tokens[at]?.isCapital !== true) return undefined;
  const isIt = words.every((word, index) => tokens[at + index]?.text === word);
  return isIt ? at + words.length : undefined;
}

/** Reads a number that needs no name: "120/80 mmHg", "38,5ºC", "8/10", "110 bpm". */
function bareReadings(history: History, at: number): ValueReading[] {
  const { tokens, words } = history;
  const value = tokens[at]?.number ?? 0;
  const next = tokens[at + 1];
  const unit = next?.number === undefined ? (next?.text ?? '') : '';
  const one = (of: ValueName, number: number, to: number): ValueReading[] => [{ of, value: number, from: at, to }];
  if (next?.marks.startsWith('/') && next.number !== undefined) {
    if (next.number === 10 && value <= 10 && !isDay(history, at) && !isWord(history, at - 1, 'sight'))
      return one('pain-scale', value, at + 2);
    if (next.number === 40 && Number.isInteger(value) && value >= 4 && value <= 43)
      return one('gestation', value, at + 2);
    const isPressure =
      value >= 70 && value <= 260 && next.number >= 30 && next.number <= 150 && value > next.number + 10;
    if (!isPressure) return [];
    return [...one('systolic', value, at + 2), { of: 'diastolic', value: next.number, from: at, to: at + 2 }];
  }
  const other = tokens[at + 2]?.number;
  if (unit === 'over' && other !== undefined && value >= 70 && value <= 260 && other >= 30 && value > other + 10) {
    return [...one('systolic', value, at + 3), { of: 'diastolic', value: other, from: at, to: at + 3 }];
  }
  if (unit.startsWith('mmol') && value >= 1 && value <= MMOL_MOST && isNear(history, at, 'sugar'))
    return one('glucose', Math.round(value * MMOL_PER_MG), at + 2);
  if (words.has('out-of', unit) && value <= 10) {
    const tenth = tokens[at + 2]?.text === 'of' ? at + 3 : at + 2;
    if (tokens[tenth]?.number === 10) return one('pain-scale', value, tenth + 1);
  }
  if (words.has('beats-unit', unit) && value >= 20 && value <= 300) return one('heart-rate', value, at + 2);
  if (words.has('breaths-unit', unit) && value >= 4 && value <= 120) return one('respiratory-rate', value, at + 2);
  if (
    words.has('weeks-unit', unit) &&
    value >= 4 &&
    value <= 43 &&
    isPregnancyNear(history, at) &&
    !isBabyBefore(history, at)
  )
    return one('gestation', value, at + 2);
  // "SDG" means "semanas de gestación".
  if (unit === 'sdg' && value >= 4 && value <= 43) return one('gestation', value, at + 2);
  const isWhole = isWholeUnit(history, at + 1);
  if (words.has('degrees', unit) && isWhole && value >= 30 && value <= 43) return one('temperature', value, at + 2);
  // Example: "39 de fiebre".
  if (unit === 'de' && isWord(history, at + 2, 'fever') && value >= 34 && value <= 43)
    return one('temperature', value, at + 3);
  // Example: "fiebre, 39 y medio".
  const isHalf = unit === 'y' && tokens[at + 2]?.text === 'medio' && isNear(history, at + 1, 'fever');
  if (isHalf && value >= 34 && value <= 42) return one('temperature', value + 0.5, at + 3);
  // Example: "el oxímetro de la vecina le dio 83".
  const isShown = isWord(history, at - 1, 'shown') && isNear(history, at, 'oximeter');
  if (isShown && value >= 50 && value <= 100) return one('oxygen-saturation', value, at + 1);
  if (words.has('fahrenheit', unit) && isWhole && value >= 93 && value <= 110)
    return one('temperature', toCelsius(value), at + 2);
  // Numbers with tenths in the range of a fever are degrees: "febre 39,2", "a 38.6 fever", "le subió a 39,5".
  if (
    !Number.isInteger(value) &&
    value >= 37.5 &&
    value <= 42.5 &&
    (isNear(history, at, 'fever') || isAlone(history, at) || isAtTime(history, at))
  )
    return one('temperature', value, at + 1);
  return pressureSaid(history, at);
}

/** False of the letter of a number such as a bed's or an id's ("43c"), unless a fever is said near it, and of "38 C-reactive". */
function isWholeUnit(history: History, at: number): boolean {
  const [number, unit, behind] = [history.tokens[at - 1], history.tokens[at], history.tokens[at + 1]];
  if (unit === undefined || number?.number === undefined) return false;
  if (behind?.start === unit.end + 1 && /^[-_]/.test(behind.marks)) return false;
  const isLetterOfId = unit.isGlued && unit.text.length === 1 && !unit.isCapital && Number.isInteger(number.number);
  return !isLetterOfId || isNear(history, at, 'fever');
}

/** Reads two numbers that can only be a pressure: "me tomé la presión en la farmacia, 16 y 10,5", "con el aparatito me salió 92 con 50". */
function pressureSaid(history: History, at: number): ValueReading[] {
  const { tokens, words } = history;
  const lower = tokens[at + 2]?.number;
  const upper = tokens[at]?.number;
  if (upper === undefined || lower === undefined || !isWord(history, at + 1, 'pressure-joint-said')) return [];
  const before = tokens.slice(Math.max(0, at - 14), at).map(({ text }) => text);
  const isHad = upper >= 130 && lower >= 80 && isWord(history, at - 1, 'has-pressure');
  if (!isHad && !before.some((word) => words.has('gauge', word))) return [];
  const times = upper < 30 && lower < 20 ? 10 : 1;
  const [systolic, diastolic] = [upper * times, lower * times];
  if (systolic < 50 || systolic > 260 || diastolic < 30 || diastolic > 150 || systolic < diastolic + 15) return [];
  return [
    { of: 'systolic', value: systolic, from: at, to: at + 3 },
    { of: 'diastolic', value: diastolic, from: at, to: at + 3 },
  ];
}

function isNear(history: History, at: number, list: WordListName): boolean {
  return hasWord(history, { from: at - 6, to: at + 4 }, list);
}

/** True behind a comma and before a time: "it's less now, 37.8 this morning". */
function isAlone(history: History, at: number): boolean {
  return (history.tokens[at]?.before ?? 0) >= BREAKS.comma && isWord(history, at + 1, 'time-behind-value');
}

/** True behind a time and without a unit: "y esta mañana 38,6.", "anoche 39,2 y hoy 38,4". */
function isAtTime(history: History, at: number): boolean {
  const isEnd = (history.tokens[at + 1]?.before ?? BREAKS.sentence) >= BREAKS.comma;
  return isWord(history, at - 1, 'time-before-value') && (isEnd || isWord(history, at + 1, 'behind-time-value'));
}

/** True of "tengo 33 semanas, es mi primer bebé", "estou com 30 semanas da minha segunda filha". */
function isFarAlong(history: History, at: number): boolean {
  if (!isWord(history, at - 1, 'far-along')) return false;
  for (let near = at + 2; near < at + 7 && isSameSentence(history, near); near++) {
    if (isWord(history, near, 'my-baby') && isWord(history, near + 1, 'which-baby')) return true;
  }
  return false;
}

/** True if a word of pregnancy is in the same sentence, a few words before or behind. */
function isPregnancyNear(history: History, at: number): boolean {
  if (isFarAlong(history, at)) return true;
  for (let near = at; near >= Math.max(0, at - 5); near--) {
    if (isWord(history, near, 'pregnancy')) return true;
    if (history.tokens[near]?.before === BREAKS.sentence) break;
  }
  for (let near = at + 1; near < at + 6 && isSameSentence(history, near); near++) {
    if (isWord(history, near, 'pregnancy')) return true;
  }
  return false;
}

/** True if the sentence of the word before goes on. */
function isSameSentence({ tokens }: History, at: number): boolean {
  return (tokens[at]?.before ?? BREAKS.sentence) < BREAKS.sentence;
}

function isDay(history: History, at: number): boolean {
  return isWord(history, at - 1, 'date-before') || history.tokens[at + 2]?.marks.startsWith('/') === true;
}

function isUsual(history: History, from: number): boolean {
  return hasWord(history, { from: from - 2, to: from + 1 }, 'usual');
}

/** The heart rate of a fetus is not the mother's: "FCF 145 lpm", "fetal heart rate 150", "148 latidos fetales". */
function isOfFetus({ tokens, words }: History, { of, from, to }: ValueReading): boolean {
  if (of !== 'heart-rate') return false;
  let begin = from;
  while (begin > from - 3 && tokens[begin]?.before === 0) begin--;
  const end = tokens[to]?.before === 0 ? to + 1 : to;
  return tokens.slice(Math.max(0, begin), end).some(({ text }) => words.has('fetus', text));
}

/** Sport does not explain a higher heart rate. */
const MOST_OF_SPORT = 190;
/** True of a heart rate in sport: "on the gym bike, heart rate 160". */
function isOfExercise(history: History, { of, value, from, to }: ValueReading): boolean {
  const { tokens } = history;
  if (of !== 'heart-rate' || value >= MOST_OF_SPORT) return false;
  // Example: "178 on the last hill".
  for (let at = to; at < to + 5 && (tokens[at]?.before ?? BREAKS.comma) < BREAKS.comma; at++)
    if (isWord(history, at, 'hill')) return true;
  for (let at = from - 1; at >= Math.max(0, from - 6); at--) {
    if ((tokens[at + 1]?.before ?? 0) >= BREAKS.sentence) return false;
    if (isWord(history, at, 'sport')) return true;
    if (isWord(history, at, 'of-sport') && isWord(history, at - 1, 'went')) return true;
  }
  return false;
}
