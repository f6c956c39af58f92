// The units of doses, vital signs, laboratory values and durations, written or spoken, for the three languages at once.
import type { Token } from '../tokens/tokens.ts';
import { TIME_WORDS } from './time-words.ts';

export type Unit = string;

// The words are singular and without accents. None of them means something else behind a number in another language.
const UNIT_WORDS: Readonly<Record<Unit, string>> = {
  mg: 'mg milligram milligramme miligramo miligrama mgs',
  mcg: 'mcg ug µg microgram microgramme microgramo micrograma',
  g: 'g gr gram gramme gramo grama',
  kg: 'kg kilo kilogram kilogramme kilogramo quilo quilograma kgs',
  ml: 'ml cc milliliter millilitre mililitro mls mils',
  l: 'l liter litre litro',
  dl: 'dl deciliter decilitre decilitro',
  unit: 'unit u iu ui unidad unidade unidades',
  meq: 'meq milliequivalent miliequivalente',
  mmol: 'mmol millimole milimol',
  nmol: 'nmol nanomole nanomol',
  pmol: 'pmol picomole picomol',
  umol: 'umol µmol micromole micromol',
  stitch: 'stitche stitch suture punto sutura ponto',
  puff: 'puff inh inhalation inhalacion inhalacao inhalaciones inalacao disparo jato bombada spray atomizacion pulverizacion pulverizaciones',
  tablet: 'tablet tab tbl cp cps pill capsule cap caplet tableta pastilla comprimido capsula pildora pilula comp',
  drop: 'drop gtt gts gota',
  patch: 'patch patche parche adesivo',
  spoon: 'teaspoon tsp tablespoon tbsp cucharada cucharadita colher',
  application: 'application aplicacion aplicacao aplicaciones',
  ampoule: 'ampoule vial ampolla ampola',
  percent: '% percent porciento',
  mmhg: 'mmhg',
  mm: 'mm millimeter millimetre milimetro',
  cm: 'cm centimeter centimetre centimetro',
  m: 'm meter metre metro',
  inch: 'inch inche pulgada polegada',
  foot: 'foot feet ft pie pies',
  lb: 'lb pound libra lbs',
  ounce: 'ounce oz onza onca',
  stone: 'stone',
  kcal: 'kcal calorie calory caloria',
  sachet: 'sachet envelope',
  ng: 'ng',
  pg: 'pg',
  beat: 'bpm lpm beat latido batimento',
  breath: 'rpm irpm breath respiration respiracion respiracao respiraciones',
  ...TIME_WORDS,
  year: `${TIME_WORDS.year} yo`,
  night: 'night noche noite',
  pack: 'pack ppd packet cajetilla maco carteira',
  cigarette: 'cigarette cig cigarrillo cigarro',
  time: 'time vez vece veze',
  degree: '° degree grado grau',
};
const BY_WORD = new Map(
  Object.entries(UNIT_WORDS).flatMap(([unit, words]) => words.split(' ').map((word) => [word, unit] as const)),
);
const SCALES: ReadonlyMap<string, Unit> = new Map(
  Object.entries({
    c: 'celsius',
    celsius: 'celsius',
    centigrade: 'celsius',
    centigrado: 'celsius',
    f: 'fahrenheit',
    fahrenheit: 'fahrenheit',
  }),
);
/** `mg/kg`, `ml per hour`. */
const PER = new Set(['/', 'per', 'por']);
const DENOMINATORS = new Set(['kg', 'dl', 'l', 'ml', 'hour', 'minute', 'm', 'g', 'mcl']);
/** A higher number is a pulse: `lpm` are `latidos` or `litros por minuto`. */
const MOST_LITRES_A_MINUTE = 15;

const DOSE_UNITS = new Set(
  'mg mcg g ml unit meq puff tablet drop patch spoon application ampoule mg/kg mcg/kg ml/hour mcg/hour unit/kg unit/hour mg/ml ml/kg'.split(
    ' ',
  ),
);
const CONCENTRATION = /\/(?:d|m)?l$/;
const TIME_UNITS: ReadonlySet<string> = new Set([...Object.keys(TIME_WORDS), 'night']);
/** Units that people often leave out: `a temperature of 38.5`. */
const OFTEN_UNSAID = new Set(
  'celsius fahrenheit degree percent mmhg beat breath /minute kg lb cm m mg/dl mmol/l g/dl'.split(' '),
);

export function isDoseUnit(unit: Unit): boolean {
  return DOSE_UNITS.has(unit);
}

export function isTimeUnit(unit: Unit): boolean {
  return TIME_UNITS.has(unit);
}

export function isOftenUnsaid(unit: Unit): boolean {
  // The units of blood values are hardly ever spoken: `Potássio quatro vírgula dois`.
  return OFTEN_UNSAID.has(unit) || (CONCENTRATION.test(unit) && !isDoseUnit(unit));
}

/** True if one unit may be spoken for the other. 38.5 °C is not 101.3 °F, and a week is not seven days. */
export function areSameUnit(one: Unit, other: Unit): boolean {
  if (one === other) return true;
  const both = [one, other];
  // In a note the letter is also a month: `hace 5 m`.
  if (both.includes('m') && both.includes('month')) return true;
  // Of oxygen: `con dos litros`.
  if (both.includes('l/minute') && both.includes('l')) return true;
  if (both.includes('degree')) return both.some((unit) => unit === 'celsius' || unit === 'fahrenheit');
  return both.includes('/minute') && both.some((unit) => unit === 'beat' || unit === 'breath');
}

/** How many of the base unit one of each unit is, for units that are spoken for each other: 90 minutes, an hour and a half. */
const SCALES_OF_BASE: Readonly<Record<Unit, readonly [base: Unit, factor: number]>> = {
  second: ['second', 1],
  minute: ['second', 60],
  hour: ['second', 3600],
  day: ['second', 86_400],
  night: ['second', 86_400],
  week: ['second', 604_800],
  month: ['month', 1],
  year: ['month', 12],
  mcg: ['mcg', 1],
  mg: ['mcg', 1000],
  g: ['mcg', 1_000_000],
  kg: ['mcg', 1_000_000_000],
  ml: ['ml', 1],
  dl: ['ml', 100],
  l: ['ml', 1000],
  mm: ['mm', 1],
  cm: ['mm', 10],
  m: ['mm', 1000],
};

/** The same for amounts that are the same: `5400 second`. */
export function baseOf(value: number, unit: Unit | undefined): string | undefined {
  const scale = unit === undefined ? undefined : SCALES_OF_BASE[unit];
  return scale && `${Math.round(value * scale[1] * 1000) / 1000} ${scale[0]}`;
}

export function unitOfWord({ word, stem }: Token): Unit | undefined {
  return BY_WORD.get(word) ?? BY_WORD.get(stem);
}

export type FoundUnit = { readonly unit: Unit; readonly end: number };

/** The unit at this place; a hyphen may be before it: `54-year-old`. */
export function readUnit(tokens: readonly Token[], first: number): FoundUnit | undefined {
  const start = tokens[first]?.word === '-' ? first + 1 : first;
  const token = tokens[start];
  if (token === undefined) return undefined;
  if (PER.has(token.word)) return perMinute(tokens, start);
  // "38 ºC", but not "1º".
  if (token.word === 'º') return readScale(tokens, start + 1);
  const unit = unitOfWord(token);
  if (unit === undefined) return readScale(tokens, start);
  if (unit === 'degree') return readScale(tokens, start + 1) ?? withOf(tokens, start) ?? { unit, end: start + 1 };
  if (unit === 'mm' && tokens[start + 1]?.word === 'hg') return { unit: 'mmhg', end: start + 2 };
  if (unit === 'mm' && /^mercur/.test(tokens[start + 2]?.word ?? '')) return { unit: 'mmhg', end: start + 3 };
  if (token.word === 'lpm' && isFew(tokens[start - 1])) return { unit: 'l/minute', end: start + 1 };
  if (unit === 'beat' || unit === 'breath') return { unit, end: perMinute(tokens, start + 1)?.end ?? start + 1 };
  if (unit === 'unit' && /^internat?/.test(tokens[start + 1]?.word ?? '')) return { unit, end: start + 2 };
  return withDenominator(tokens, unit, start + 1);
}

function isFew(number: Token | undefined): boolean {
  return number?.kind === 'number' && Number(number.word.replace(',', '.')) <= MOST_LITRES_A_MINUTE;
}

/** Reads `C` and `Fahrenheit`. */
function readScale(tokens: readonly Token[], first: number): FoundUnit | undefined {
  // Behind the `c` of `c/8 h` is a slash.
  if (tokens[first + 1]?.word === '/') return undefined;
  const unit = SCALES.get(tokens[first]?.stem ?? '');
  return unit === undefined ? undefined : { unit, end: first + 1 };
}

/** Reads `grados de Fahrenheit`. */
function withOf(tokens: readonly Token[], first: number): FoundUnit | undefined {
  return tokens[first + 1]?.word === 'de' ? readScale(tokens, first + 2) : undefined;
}

function perMinute(tokens: readonly Token[], first: number): FoundUnit | undefined {
  if (tokens[first]?.word === 'por' && /^cien?to$/.test(tokens[first + 1]?.word ?? '')) {
    return { unit: 'percent', end: first + 2 };
  }
  const isMinute =
    PER.has(tokens[first]?.word ?? '') && ['minute', 'min', 'minuto'].includes(tokens[first + 1]?.stem ?? '');
  if (isMinute) return { unit: '/minute', end: first + 2 };
  return tokens[first]?.word === 'a' && tokens[first + 1]?.word === 'minute'
    ? { unit: '/minute', end: first + 2 }
    : undefined;
}

function withDenominator(tokens: readonly Token[], unit: Unit, end: number): FoundUnit {
  const below = tokens[end + 1];
  const denominator = below && PER.has(tokens[end]?.word ?? '') ? unitOfWord(below) : undefined;
  if (denominator === undefined || !DENOMINATORS.has(denominator)) return { unit, end };
  return { unit: `${unit}/${denominator}`, end: end + 2 };
}
