// Reads how long a complaint has lasted, in days: "for 3 days", "x3d", "hace 2 semanas", "há 5 dias", "since yesterday".
import { SMALL_NUMBERS } from '../numbers/number-words.ts';
import type { WordToken } from '../tokens/word-tokens.ts';
import { TIME_WORDS, unitMap } from './time-words.ts';

/** `from` and `to` are token indexes; `to` is behind the last token. */
export type Duration = { readonly days: number; readonly from: number; readonly to: number };

/** The days of each unit. "3/7" is three days, "2/52" two weeks and "4/12" four months. */
const UNIT_DAYS = unitMap([
  [TIME_WORDS.minute, 1 / 1440],
  [TIME_WORDS.hour, 1 / 24],
  [`${TIME_WORDS.day} d night nights noche noches noite noites 7`, 1],
  [`${TIME_WORDS.week} w sem 52`, 7],
  [`${TIME_WORDS.month} mo 12`, 30],
  [`${TIME_WORDS.year} y a`, 365],
]);
/** `once` is eleven in Spanish, and no number in English. */
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...[...SMALL_NUMBERS].filter(([word]) => word !== 'once'),
  ...Object.entries({
    a: 1,
    an: 1,
    couple: 2,
    par: 2,
    few: 3,
    pocos: 3,
    poucos: 3,
    unos: 3,
    unas: 3,
    uns: 3,
    umas: 3,
    algunos: 3,
    alguns: 3,
    algumas: 3,
    varios: 4,
    several: 4,
  }),
]);
/** How many days ago a named day is. */
const NAMED: ReadonlyMap<string, number> = new Map(
  Object.entries({
    yesterday: 1,
    ayer: 1,
    ontem: 1,
    anoche: 0.5,
    overnight: 0.5,
    anteayer: 2,
    antier: 2,
    anteontem: 2,
    antenoche: 2,
    today: 0.3,
    hoy: 0.3,
    hoje: 0.3,
  }),
);
/** The shortest length of a time without a number: "for months". */
const MANY: ReadonlyMap<string, number> = new Map(
  Object.entries({
    days: 3,
    weeks: 21,
    months: 90,
    years: 1000,
    ages: 90,
    dias: 3,
    semanas: 21,
    meses: 90,
    anos: 1000,
  }),
);
const LASTING = new Set(['for', 'hace', 'desde', 'durante', 'ha', 'faz', 'these', 'past', 'over']);
const BEFORE = new Set(
  (
    'for since x over past last within during hace desde durante por ha faz fazem hara lleva llevo tem ultimos ultimas ultimo ultima de about nearly ' +
    'almost cerca aproximadamente these the unos uns umas unas casi quase ya ja mais mas of like only solo so just roughly least menos'
  ).split(' '),
);
const AFTER = new Set([
  'ago',
  'atras',
  'history',
  'hx',
  'evolucion',
  'evolucao',
  'now',
  'duration',
  'of',
  'with',
  'con',
  'com',
  'post',
]);
/** Before a time that is in the future or repeats: "every 6 hours", "in 3 days". */
const NO_DURATION = new Set([
  'every',
  'cada',
  'in',
  'en',
  'em',
  'per',
  'dentro',
  'daqui',
  'next',
  'proximos',
  'proximas',
  'aged',
  'age',
  'q',
  'durations',
]);
const AGE_BEHIND = new Set([
  'old',
  'edad',
  'idade',
  'vida',
  'pregnant',
  'gestation',
  'embarazo',
  'gestacion',
  'gestacao',
  'gravidez',
  'postpartum',
]);

export function readDurations(tokens: readonly WordToken[]): Duration[] {
  const found: Duration[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const named = NAMED.get(tokens[at]?.text ?? '');
    if (named !== undefined) found.push({ days: named, from: at, to: at + 1 });
    const duration = readAt(tokens, at);
    if (duration !== undefined) found.push(duration);
  }
  return found;
}

function readAt(tokens: readonly WordToken[], at: number): Duration | undefined {
  const token = tokens[at];
  if (token === undefined) return undefined;
  const count = token.number ?? NUMBERS.get(token.text);
  if (count === undefined) return unnumbered(tokens, at);
  const unitAt = findUnit(tokens, at);
  if (unitAt === undefined) return undefined;
  const unit = UNIT_DAYS.get(tokens[unitAt]?.text ?? '') ?? 0;
  const before = tokens[at - 1];
  const after = tokens[unitAt + 1];
  if (
    NO_DURATION.has(before?.text ?? '') ||
    AGE_BEHIND.has(after?.text ?? '') ||
    AGE_BEHIND.has(tokens[unitAt + 2]?.text ?? '')
  )
    return undefined;
  // "De 71 anos" is an age.
  if (unit === 365 && count >= 15 && /^(de|of)$/.test(before?.text ?? '') && !isCourse(tokens[at - 2]))
    return undefined;
  const isSaid =
    BEFORE.has(before?.text ?? '') ||
    (AFTER.has(after?.text ?? '') && after?.before !== 3) ||
    isShort(tokens, at, unitAt, unit);
  return isSaid ? { days: count * unit, from: at, to: unitAt + 1 } : undefined;
}

function isCourse(token: WordToken | undefined): boolean {
  return /^(evoluc|histor|quadro|cuadro|duracao|duracion|tiempo|tempo|mais|mas|cerca|menos|course|duration)/.test(
    token?.text ?? '',
  );
}

/** Reads "for months" as the shortest time that it may mean. */
function unnumbered(tokens: readonly WordToken[], at: number): Duration | undefined {
  if (!LASTING.has(tokens[at - 1]?.text ?? '') || (tokens[at]?.before ?? 0) > 0) return undefined;
  const days = MANY.get(tokens[at]?.text ?? '');
  return days === undefined ? undefined : { days, from: at, to: at + 1 };
}

/** The unit is directly behind the number or one word further: "3 or 4 days", "couple of days", "3 long weeks". */
function findUnit(tokens: readonly WordToken[], at: number): number | undefined {
  for (const next of [at + 1, at + 2, at + 3]) {
    const token = tokens[next];
    if (token === undefined || (token.before > 0 && token.marks !== '-')) return undefined;
    // With a slash, "3/7" is three days and "2/52" two weeks.
    const isFraction =
      token.number !== undefined && next === at + 1 && token.marks === '/' && [7, 52, 12].includes(token.number);
    // In "6 y diarrea" and "de 3 a 4" the letter is a word: only a letter glued to its number ("6y") is surely a unit.
    const isWord =
      /^[ya]$/.test(token.text) && !token.isGlued && (token.text === 'y' || tokens[next + 1]?.number !== undefined);
    const isUnit = token.number === undefined && !isWord && UNIT_DAYS.has(token.text);
    if (isFraction || isUnit) return next;
    if (next > at + 1 && token.number === undefined && !/^(of|or|to|o|ou|a|de)$/.test(tokens[next - 1]?.text ?? ''))
      return undefined;
    if (token.number === undefined && !/^(of|or|to|o|ou|a|de|long|whole|last|ultimos)$/.test(token.text))
      return undefined;
  }
  return undefined;
}

/** "Cough 3d", "tos 5 días": the bare time is enough, except for years, which are rather an age. */
function isShort(tokens: readonly WordToken[], at: number, unitAt: number, unit: number): boolean {
  return tokens[at]?.number !== undefined && unitAt === at + 1 && unit >= 1 / 24 && unit < 100;
}
