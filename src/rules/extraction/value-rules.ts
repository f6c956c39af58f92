// The names of measured values in the three languages, each with the reader of the number behind it.

import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { ValueName } from '../knowledge/knowledge.ts';

export type NumberRead = { readonly of: ValueName; readonly value: number; readonly to: number };

export type ValueRule = {
  readonly words: readonly string[];
  /** A single letter is a name only as a capital letter: "T 38". */
  readonly isCapital?: boolean;
  readonly read: (tokens: readonly WordToken[], at: number) => readonly NumberRead[];
};

type Limits = { readonly from: number; readonly to: number };
type Read = ValueRule['read'];

const within = (of: ValueName, { from, to }: Limits): Read => {
  return (tokens, at) => {
    const value = tokens[at]?.number;
    return value !== undefined && value >= from && value <= to ? [{ of, value, to: at + 1 }] : [];
  };
};

export function toCelsius(fahrenheit: number): number {
  return Math.round(((fahrenheit - 32) / 1.8) * 10) / 10;
}

const temperature: Read = (tokens, at) => {
  const value = tokens[at]?.number ?? 0;
  const isFahrenheit = value >= 93 && value <= 110;
  if (!isFahrenheit && (value < 30 || value > 43)) return [];
  return [{ of: 'temperature', value: isFahrenheit ? toCelsius(value) : value, to: at + 1 }];
};

const OTHER_UNIT = /^(kg|kilos?|quilos?|g|mg|ng|cm|mm|m|l|ml|anos|semanas|meses|dias|horas|por|x|a)$/;

/** Reads a number that looks like a fever and has no other unit: "bebê com 38,5", "mediu 39,2". */
const bareFever: Read = (tokens, at) => {
  const value = tokens[at]?.number ?? 0;
  const isFever = value >= 37.5 && value <= 42 && !Number.isInteger(value);
  const isOther = OTHER_UNIT.test(tokens[at + 1]?.text ?? '');
  return isFever && !isOther ? [{ of: 'temperature', value, to: at + 1 }] : [];
};

/** Reads "180/110", "120 por 80", "14 x 9" (in tens), "164x96", or the upper value alone. */
const pressure: Read = (tokens, at) => {
  const upper = tokens[at]?.number ?? 0;
  const joint = tokens[at + 1];
  const isSlash = joint?.number !== undefined && /^[/-]/.test(joint.marks);
  const isWord =
    joint !== undefined && /^(x|por|over|sobre|con|y)$/.test(joint.text) && tokens[at + 2]?.number !== undefined;
  const to = isSlash ? at + 2 : at + 3;
  const lower = isSlash ? joint.number : isWord ? tokens[at + 2]?.number : undefined;
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
const pressurePair: Read = (tokens, at) => {
  const found = pressure(tokens, at);
  return found.length === 2 ? found : [];
};

export const MMOL_PER_MG = 18;
/** Without a unit: no patient has so few mg/dL, and hardly any patient so many mmol/L. */
const MMOL_BELOW = 20;
export const MMOL_MOST = 34;

const glucose: Read = (tokens, at) => {
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
const comaParts: Read = (tokens, at) => {
  const [eyes, voice, motor] = [at, at + 2, at + 4].map((part) => tokens[part]?.number);
  const isIt = tokens[at + 1]?.text === 'v' && tokens[at + 3]?.text === 'm';
  if (!isIt || eyes === undefined || voice === undefined || motor === undefined) return [];
  const sum = eyes + voice + motor;
  return eyes <= 4 && voice <= 5 && motor <= 6 && sum >= 3 ? [{ of: 'coma-scale', value: sum, to: at + 5 }] : [];
};

const heartRate = within('heart-rate', { from: 20, to: 300 });
/** "FR 96 UI" is a rheumatoid factor, not a rate. */
const breathing: Read = (tokens, at) =>
  /^(ui|iu|u)$/.test(tokens[at + 1]?.text ?? '') ? [] : within('respiratory-rate', { from: 4, to: 120 })(tokens, at);
const oxygen = within('oxygen-saturation', { from: 50, to: 100 });
/** A lower value is the oxygen that is given: "oxígeno al 50 %". */
const oxygenOfPatient = within('oxygen-saturation', { from: 70, to: 100 });
/** Reads "respira 36 veces por minuto". */
const breathsCounted: Read = (tokens, at) => (tokens[at + 1]?.text === 'veces' ? breathing(tokens, at) : []);
const coma = within('coma-scale', { from: 3, to: 15 });
const painScale = within('pain-scale', { from: 0, to: 10 });
const weeks = within('gestation', { from: 4, to: 43 });

const NAMES: readonly (readonly [string, Read])[] = [
  ['temp|temperature|temperatura|tax|taxilar|febre|fiebre|fever|calentura|febrile|febril|tt', temperature],
  [
    'com|con|tem|tiene|has|mediu|marcou|marcava|marco|marca|marcaba|termometro|tengo|tenia|hizo|horas|ahora|tenho|tinha|fez|agora',
    bareFever,
  ],
  [
    'heart rate|hr|fc|pulse|pulso|pulso contado a mano|pulso tomado a mano|pulso a mano|pulso manual|pulso radial|manual pulse|radial pulse|pulsaciones|latidos por minuto|frecuencia cardiaca|frec cardiaca|frequencia cardiaca|freq cardiaca|taquicardico|taquicardica|bradicardico|bradicardica|pols',
    heartRate,
  ],
  [
    'resp rate|respiratory rate|rr|fr|resps|resp|frecuencia respiratoria|frec respiratoria|frequencia respiratoria|freq respiratoria|taquipneico|taquipneica|polipneico|polipneica',
    breathing,
  ],
  [
    'bp|ta|pa|blood pressure|tension|tension arterial|presion|presion arterial|pressao|pressao arterial|p/a|t/a|sbp|pas|tas|systolic|sistolica',
    pressure,
  ],
  [
    'spo 2|spo|sato 2|sat o 2|satu|satu o 2|sat|sats|sato|sao 2|saturation|saturations|saturacion|saturacao|saturating|saturando|satura|saturimetria|saturometro|saturaba|desatura|saturacion de oxigeno|saturacion arterial de oxigeno|saturacion periferica|saturacion de o 2|saturacion o 2|saturacao de oxigenio|saturacao periferica|oxigenacion|pulsioximetria|pulsioximetro|so 2|o 2 sat|o 2 sats|oxygen|pulse ox|oximetry|oximetro|oximetria|sp o 2|finger reading',
    oxygen,
  ],
  [
    'glucose|glucemia|glicemia|glicose|glucosa|bm|bms|hgt|bg|cbg|bsl|blood sugar|sugar|sugars|azucar|acucar|dextro|dxt|dtx|destrostix|dextrostix|hemoglucotest|glucometria|glucometro|glucometer|haemoglucotest|glucotest|gluco|glu|rbs|fbs|gmr',
    glucose,
  ],
  ['oxigeno|oxigeno en sangre', oxygenOfPatient],
  ['respira|respirando', breathsCounted],
  ['gcs|glasgow|glasgow coma scale|glasgow coma score|escala de glasgow|escala de coma de glasgow|ecg|ecgl', coma],
  ['pain|eva|vas|nrs|dolor|dor|pain score|pain scale|end|escala', painScale],
  [
    'pressao alta|pressao elevada|tensao alta|tensao elevada|pressao arterial alta|tension alta|presion alta',
    pressurePair,
  ],
  ['ig|eg|edad gestacional|idade gestacional|gestational age|ega', weeks],
];
/** Names that count only as capital letters: "T 38.1", "P 104". */
const CAPITALS: readonly (readonly [string, Read])[] = [
  ['t', temperature],
  ['p', heartRate],
  ['e', comaParts],
];

/** The rules by the first word of their name, the longest names first. */
export const VALUE_RULES: ReadonlyMap<string, readonly ValueRule[]> = Map.groupBy(
  [
    ...NAMES.flatMap(([names, read]) => names.split('|').map((name): ValueRule => ({ words: name.split(' '), read }))),
    ...CAPITALS.map(([name, read]): ValueRule => ({ words: [name], isCapital: true, read })),
  ].sort((a, b) => b.words.length - a.words.length),
  ({ words }) => words[0] ?? '',
);
