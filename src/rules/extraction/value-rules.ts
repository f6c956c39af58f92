// The rules by which the number behind the name of a measured value is read.
import type { ValueName } from '../knowledge/knowledge.ts';
import type { ValueNameList, WordFiles } from '../knowledge/word-lists.ts';
import { type History, isWord } from './history.ts';

export type NumberRead = { readonly of: ValueName; readonly value: number; readonly to: number };

export type ValueRule = {
  readonly words: readonly string[];
  /** A single letter is a name only as a capital letter: "T 38". */
  readonly isCapital?: boolean;
  readonly read: (history: History, at: number) => readonly NumberRead[];
};

/** The rules by the first word of their name, the longest names first. */
export type ValueRules = ReadonlyMap<string, readonly ValueRule[]>;

type Limits = { readonly from: number; readonly to: number };
type Read = ValueRule['read'];

const within = (of: ValueName, { from, to }: Limits): Read => {
  return ({ tokens }, at) => {
    const value = tokens[at]?.number;
    return value !== undefined && value >= from && value <= to ? [{ of, value, to: at + 1 }] : [];
  };
};

export function toCelsius(fahrenheit: number): number {
  return Math.round(((fahrenheit - 32) / 1.8) * 10) / 10;
}

const temperature: Read = ({ tokens }, at) => {
  const value = tokens[at]?.number ?? 0;
  const isFahrenheit = value >= 93 && value <= 110;
  if (!isFahrenheit && (value < 30 || value > 43)) return [];
  return [{ of: 'temperature', value: isFahrenheit ? toCelsius(value) : value, to: at + 1 }];
};

/** Reads a number that looks like a fever and has no other unit: "bebê com 38,5", "mediu 39,2". */
const bareFever: Read = (history, at) => {
  const value = history.tokens[at]?.number ?? 0;
  const isFever = value >= 37.5 && value <= 42 && !Number.isInteger(value);
  return isFever && !isWord(history, at + 1, 'other-unit') ? [{ of: 'temperature', value, to: at + 1 }] : [];
};

/** Reads "180/110", "120 por 80", "14 x 9" (in tens), "164x96", or the upper value alone. */
const pressure: Read = (history, at) => {
  const { tokens } = history;
  const upper = tokens[at]?.number ?? 0;
  const joint = tokens[at + 1];
  const isSlash = joint?.number !== undefined && /^[/-]/.test(joint.marks);
  const isJoined = isWord(history, at + 1, 'pressure-joint') && tokens[at + 2]?.number !== undefined;
  const to = isSlash ? at + 2 : at + 3;
  const lower = isSlash ? joint.number : isJoined ? tokens[at + 2]?.number : undefined;
  if (lower === undefined) return upper >= 50 && upper <= 300 ? [{ of: 'systolic', value: upper, to: at + 1 }] : [];
  const times = upper < 30 && lower < 20 ? 10 : 1;
  const [systolic, diastolic] = [upper * times, lower * times];
  if (systolic < 40 || systolic > 300 || diastolic < 20 || diastolic > 200 || diastolic >= systolic) return [];
  return [
    { of: 'systolic', value: systolic, to },
    { of: 'diastolic', value: diastolic, to },
  ];
};

/** Reads "pressão alta 22 por 13", but not "pressão alta 58 anos". */
const pressurePair: Read = (history, at) => {
  const found = pressure(history, at);
  return found.length === 2 ? found : [];
};

export const MMOL_PER_MG = 18;
/** Without a unit: no patient has so few mg/dL, and hardly any patient so many mmol/L. */
const MMOL_BELOW = 20;
export const MMOL_MOST = 34;

const glucose: Read = ({ tokens }, at) => {
  const value = tokens[at]?.number;
  if (value === undefined || value <= 0 || value > 2000) return [];
  const unit = tokens[at + 1]?.text ?? '';
  const isMmol =
    unit.startsWith('mmol') ||
    (unit !== 'mg' &&
      !unit.startsWith('mg/') &&
      (value < MMOL_BELOW || (value < MMOL_MOST && !Number.isInteger(value))));
  return [
    {
      of: 'glucose',
      value: isMmol ? Math.round(value * MMOL_PER_MG) : value,
      to: at + (isMmol || unit === 'mg' ? 2 : 1),
    },
  ];
};

/** Reads "E3 V4 M6". */
const comaParts: Read = ({ tokens }, at) => {
  const [eyes, voice, motor] = [at, at + 2, at + 4].map((part) => tokens[part]?.number);
  const isIt = tokens[at + 1]?.text === 'v' && tokens[at + 3]?.text === 'm';
  if (!isIt || eyes === undefined || voice === undefined || motor === undefined) return [];
  const sum = eyes + voice + motor;
  return eyes <= 4 && voice <= 5 && motor <= 6 && sum >= 3 ? [{ of: 'coma-scale', value: sum, to: at + 5 }] : [];
};

const heartRate = within('heart-rate', { from: 20, to: 300 });
/** "FR 96 UI" is a rheumatoid factor, not a rate. */
const breathing: Read = (history, at) =>
  isWord(history, at + 1, 'antibody-unit') ? [] : within('respiratory-rate', { from: 4, to: 120 })(history, at);
/** Reads "respira 36 veces por minuto". */
const breathsCounted: Read = (history, at) => (history.tokens[at + 1]?.text === 'veces' ? breathing(history, at) : []);

/** The readers of the numbers behind the names of words/value-names.yaml. */
const READERS: Readonly<Record<ValueNameList, Read>> = {
  temperature,
  'bare-fever': bareFever,
  'heart-rate': heartRate,
  'respiratory-rate': breathing,
  pressure,
  oxygen: within('oxygen-saturation', { from: 50, to: 100 }),
  glucose,
  // A lower value is the oxygen that is given: "oxígeno al 50 %".
  'oxygen-of-patient': within('oxygen-saturation', { from: 70, to: 100 }),
  'breaths-counted': breathsCounted,
  coma: within('coma-scale', { from: 3, to: 15 }),
  'pain-scale': within('pain-scale', { from: 0, to: 10 }),
  'pressure-pair': pressurePair,
  gestation: within('gestation', { from: 4, to: 43 }),
};
/** Names that count only as capital letters: "T 38.1", "P 104". */
const CAPITALS: readonly (readonly [string, Read])[] = [
  ['t', temperature],
  ['p', heartRate],
  ['e', comaParts],
];

export function makeValueRules({ 'value-names': names }: WordFiles): ValueRules {
  const lists = Object.entries(READERS) as [ValueNameList, Read][];
  const rules: ValueRule[] = [
    ...lists.flatMap(([list, read]) => names[list].map((name) => ({ words: name.split(' '), read }))),
    ...CAPITALS.map(([name, read]) => ({ words: [name], isCapital: true, read })),
  ];
  return Map.groupBy(
    rules.sort((a, b) => b.words.length - a.words.length),
    ({ words }) => words[0] ?? '',
  );
}
