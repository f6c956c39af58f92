// Reads two numbers with a slash or a word between them: blood pressures (`120/80`, `12 por 8`), scores out of ten, and sums of questionnaires.
import type { Language } from '../../domain/language.ts';
import type { NumberReading } from '../numbers/read-numbers.ts';
import type { Token } from '../tokens/tokens.ts';
import type { NumbersAt } from './frequencies.ts';
import { readUnit } from './units.ts';

const OVER = new Set(['/', 'over', 'sobre', 'por', 'con']);
const PRESSURE_NAME = /^(?:pa|ta|bp|pressao|presion|tension|pressure)$/;
const PRESSURE_NAME_REACH = 3;
/** The highest sums of common questionnaires. */
const MOST_OF_SCORES = new Set([15, 20, 21, 24, 27, 28, 30, 40, 42, 56, 63, 100]);
/** Beside these `9/40` are weeks. */
const OF_PREGNANCY = /^(?:lmp|edd|edc|uss)$/;
/** Tokens from the name of a questionnaire to its sum. */
const NAME_REACH = 5;

export type KeyedMeasure = {
  readonly kind: 'pressure' | 'frequency' | 'score' | 'clock';
  /** `120/80` of a pressure, times a day of a frequency, `7` of a score out of ten, `420|1140` minutes of a time of day. */
  readonly key: string;
  readonly first: number;
  readonly end: number;
  readonly isLoose: boolean;
};

type Text = {
  readonly tokens: readonly Token[];
  readonly numbers: readonly NumberReading[];
  readonly at: NumbersAt;
  readonly language: Language | undefined;
};

/** Two numbers with `over` or a slash between them: a blood pressure, or a score out of ten. */
export function readPairs({ tokens, numbers, at, language }: Text): readonly KeyedMeasure[] {
  return numbers.flatMap((upper): readonly KeyedMeasure[] => {
    const link = tokens[upper.end]?.word ?? '';
    const value = upper.values[0] ?? 0;
    const lowerStart =
      ['out', 'de', 'em'].includes(link) && tokens[upper.end + 1]?.word === 'of' ? upper.end + 2 : upper.end + 1;
    const lower = at.get(lowerStart)?.[0];
    const below = lower?.values[0];
    if (lower === undefined || below === undefined) return [];
    const span = { first: upper.first, end: lower.end, isLoose: upper.isLoose };
    if (below === 10 && value <= 10 && /^(\/|out|de|em|sobre|over)$/.test(link)) {
      return [{ kind: 'score', key: String(value), ...span }];
    }
    if (link === '/' && isSumOfScore(tokens, upper.first, value, below)) {
      return [{ kind: 'score', key: `${value}/${below}`, ...span }];
    }
    const isOver = OVER.has(link) || (/^[x×]$/.test(link) && isPressureNamed(tokens, upper.first));
    const pressure = isOver ? asPressure(value, below, language !== 'en' && link !== '/') : undefined;
    if (pressure === undefined) return [];
    const unit = readUnit(tokens, lower.end);
    return [{ kind: 'pressure', key: pressure, ...span, end: unit?.unit === 'mmhg' ? unit.end : lower.end }];
  });
}

/** `GAD-7: 18/21`: the name of the questionnaire in capitals is near it. */
function isSumOfScore(tokens: readonly Token[], first: number, value: number, most: number): boolean {
  if (!MOST_OF_SCORES.has(most) || value > most) return false;
  const before = tokens.slice(Math.max(0, first - NAME_REACH), first);
  return before.some(({ isUpper, word, sentence }) => {
    const isName =
      (isUpper && word.length >= 3 && !OF_PREGNANCY.test(word)) ||
      /^(?:score|escala|escore|test|glasgow|puntuac|pontuac)/.test(word);
    return isName && sentence === tokens[first]?.sentence;
  });
}

/** `PA 12x8` is a pressure, and `10x5 cm` is a size. */
function isPressureNamed(tokens: readonly Token[], first: number): boolean {
  const before = tokens.slice(Math.max(0, first - PRESSURE_NAME_REACH), first);
  return before.some(({ word, sentence }) => sentence === tokens[first]?.sentence && PRESSURE_NAME.test(word));
}

/** In Spanish and Portuguese 120/80 is also spoken as twelve by eight. */
function asPressure(upper: number, lower: number, maySayShort: boolean): string | undefined {
  if (upper > lower && upper >= 50 && upper <= 290 && lower >= 20 && lower <= 180) return `${upper}/${lower}`;
  const isShort = maySayShort && upper > lower && upper >= 7 && upper <= 26 && lower >= 3 && lower <= 16;
  return isShort ? `${upper * 10}/${lower * 10}` : undefined;
}
