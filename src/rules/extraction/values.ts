// Reads the measured values of a text: "T 38,5ºC", "TA 180/110", "PA 14 x 9", "SpO2 91%". All readings are returned, and the caller picks
// the worst. A usual value of the patient ("usual 145/80") is not read.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { ValueName } from '../knowledge/knowledge.ts';
import { isBabyBefore } from './person.ts';
import { PREGNANCY_WORDS } from './person-words.ts';
import { MMOL_MOST, MMOL_PER_MG, toCelsius, VALUE_RULES, type ValueRule } from './value-rules.ts';

/** `from` and `to` are token indexes; `to` is behind the last token. */
export type ValueReading = {
  readonly of: ValueName;
  readonly value: number;
  readonly from: number;
  readonly to: number;
};

const USUAL = new Set([
  'usual',
  'usually',
  'normally',
  'baseline',
  'habitual',
  'habitualmente',
  'basal',
  'target',
  'objetivo',
  'meta',
  'previa',
  'goal',
]);
/** Words that may be between a name and its number. */
const FILLERS = new Set(
  (
    'of is was at de en es era fue a in to the el la no na do da em foi com con now ahora agora today hoy hoje axilar tympanic oral rectal timpanica up ' +
    'jejum capilar ayunas fasting random medida measured around about reading x level rate score aproximadamente art arterial max maxima hasta ate ' +
    'digital finger basal aa ra i make it venosa central registrada casa home mediram medi estava tava ta esta subiu chegou bateu aferida aferiu tengo tenho marca marco marcou marcaba deu dio ' +
    'al del le bajo cae cayo subio llego salio sangre ambiental ambiente periferica tiene tenia dele dela his her only apenas so solo ' +
    'deitado deitada sentado sentada acostado acostada tumbado tumbada lying supine sitting standing seated pe pie'
  ).split(' '),
);
const MOST_FILLERS = 3;

export function readValues(tokens: readonly WordToken[]): ValueReading[] {
  const readings: ValueReading[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) continue;
    if (token.number === undefined) readings.push(...namedReadings(tokens, at));
    else readings.push(...bareReadings(tokens, at));
  }
  return readings.filter(
    (one) =>
      !isUsual(tokens, one.from) && !isOfFetus(tokens, one) && !isOfHeights(tokens, one) && !isOfExercise(tokens, one),
  );
}

/** "Sat 91 % a 2.700 metros" is normal at that altitude. */
function isOfHeights(tokens: readonly WordToken[], { of, value, to }: ValueReading): boolean {
  if (of !== 'oxygen-saturation' || value < 90) return false;
  return (
    /^(a|at)$/.test(tokens[to]?.text ?? '') &&
    tokens[to + 1]?.number !== undefined &&
    // "2.700" may be two tokens.
    [2, 3].some((more) => /^(metros|msnm|m|metres|meters)$/.test(tokens[to + more]?.text ?? ''))
  );
}

/** Reads a name with its number behind it. */
function namedReadings(tokens: readonly WordToken[], at: number): ValueReading[] {
  for (const rule of VALUE_RULES.get(tokens[at]?.text ?? '') ?? []) {
    const end = nameEnd(tokens, at, rule);
    if (end === undefined) continue;
    let next = end;
    for (let skipped = 0; skipped < MOST_FILLERS; skipped++) {
      const token = tokens[next];
      if (token === undefined || token.number !== undefined || !FILLERS.has(token.text)) break;
      next++;
    }
    const token = tokens[next];
    if (token?.number === undefined || /[;.]/.test(token.marks.replace(/[.:]$/, ''))) continue;
    // "Glucose 4+" is the result of a urine stick.
    if (tokens[next + 1]?.marks.startsWith('+') === true) continue;
    const found = rule.read(tokens, next);
    if (found.length > 0) return found.map((one) => ({ ...one, from: at, to: Math.max(one.to, next + 1) }));
  }
  return [];
}

function nameEnd(tokens: readonly WordToken[], at: number, { words, isCapital }: ValueRule): number | undefined {
  if (isCapital === true && tokens[at]?.isCapital !== true) return undefined;
  const isIt = words.every((word, index) => tokens[at + index]?.text === word);
  return isIt ? at + words.length : undefined;
}

/** Reads a number that needs no name: "120/80 mmHg", "38,5ºC", "8/10", "110 bpm". */
function bareReadings(tokens: readonly WordToken[], at: number): ValueReading[] {
  const value = tokens[at]?.number ?? 0;
  const next = tokens[at + 1];
  const unit = next?.number === undefined ? (next?.text ?? '') : '';
  const one = (of: ValueName, number: number, to: number): ValueReading[] => [{ of, value: number, from: at, to }];
  if (next?.marks.startsWith('/') && next.number !== undefined) {
    if (next.number === 10 && value <= 10 && !isDay(tokens, at) && !isOfSight(tokens, at))
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
  if (unit.startsWith('mmol') && value >= 1 && value <= MMOL_MOST && isNear(tokens, at, SUGAR))
    return one('glucose', Math.round(value * MMOL_PER_MG), at + 2);
  if (/^(out|sobre|em|de)$/.test(unit) && value <= 10) {
    const tenth = tokens[at + 2]?.text === 'of' ? at + 3 : at + 2;
    if (tokens[tenth]?.number === 10) return one('pain-scale', value, tenth + 1);
  }
  const isHeart = /^(bpm|lpm|ppm)$/.test(unit) || /^(pulsaciones|latidos)$/.test(unit);
  if (isHeart && value >= 20 && value <= 300) return one('heart-rate', value, at + 2);
  if (/^(rpm|irpm|ipm|mrpm|respiraciones)$/.test(unit) && value >= 4 && value <= 120)
    return one('respiratory-rate', value, at + 2);
  if (
    /^(weeks|week|wks|wk|w|semanas|semana|sem|s)$/.test(unit) &&
    value >= 4 &&
    value <= 43 &&
    isPregnancyNear(tokens, at) &&
    !isBabyBefore(tokens, at)
  )
    return one('gestation', value, at + 2);
  // "SDG" means "semanas de gestación".
  if (unit === 'sdg' && value >= 4 && value <= 43) return one('gestation', value, at + 2);
  const isDegrees = /^(c|grados|graus|degrees|celsius|centigrados)$/.test(unit);
  if (isDegrees && value >= 30 && value <= 43) return one('temperature', value, at + 2);
  // Example: "39 de fiebre".
  if (unit === 'de' && FEVER.test(tokens[at + 2]?.text ?? '') && value >= 34 && value <= 43)
    return one('temperature', value, at + 3);
  // Example: "fiebre, 39 y medio".
  const isHalf = unit === 'y' && tokens[at + 2]?.text === 'medio' && isNear(tokens, at + 1, FEVER);
  if (isHalf && value >= 34 && value <= 42) return one('temperature', value + 0.5, at + 3);
  // Example: "el oxímetro de la vecina le dio 83".
  const isShown = SHOWN.has(tokens[at - 1]?.text ?? '') && isNear(tokens, at, OXIMETER);
  if (isShown && value >= 50 && value <= 100) return one('oxygen-saturation', value, at + 1);
  if (/^(f|fahrenheit|degrees)$/.test(unit) && value >= 93 && value <= 110)
    return one('temperature', toCelsius(value), at + 2);
  // Numbers with tenths in the range of a fever are degrees: "febre 39,2", "a 38.6 fever", "le subió a 39,5".
  if (
    !Number.isInteger(value) &&
    value >= 37.5 &&
    value <= 42.5 &&
    (isNear(tokens, at, FEVER) || isAlone(tokens, at) || isAtTime(tokens, at))
  )
    return one('temperature', value, at + 1);
  return pressureSaid(tokens, at);
}

/** Reads two numbers that can only be a pressure: "me tomé la presión en la farmacia, 16 y 10,5", "con el aparatito me salió 92 con 50". */
function pressureSaid(tokens: readonly WordToken[], at: number): ValueReading[] {
  const lower = tokens[at + 2]?.number;
  const upper = tokens[at]?.number;
  if (
    upper === undefined ||
    lower === undefined ||
    !/^(con|y|x|por|sobre|com|e|over)$/.test(tokens[at + 1]?.text ?? '')
  )
    return [];
  const before = tokens.slice(Math.max(0, at - 14), at).map(({ text }) => text);
  const isHad = upper >= 130 && lower >= 80 && HAD.test(tokens[at - 1]?.text ?? '');
  if (!isHad && !before.some((word) => GAUGE.test(word))) return [];
  const times = upper < 30 && lower < 20 ? 10 : 1;
  const [systolic, diastolic] = [upper * times, lower * times];
  if (systolic < 50 || systolic > 260 || diastolic < 30 || diastolic > 150 || systolic < diastolic + 15) return [];
  return [
    { of: 'systolic', value: systolic, from: at, to: at + 3 },
    { of: 'diastolic', value: diastolic, from: at, to: at + 3 },
  ];
}

/** Verbs before a pressure: "tiene 150 con 100". */
const HAD = /^(tiene|tengo|tenia|anda|ando|marco|marca|salio|dio|esta|estaba|tem|tenho|deu|marcou|has|had|got)$/;
const GAUGE = /^(presion|tension|pressao|tensao|tensiometro|aparatito|aparato|aparelho|cuff|baumanometro|esfigmo)/;
const FEVER =
  /^(fever|febril|febre|fiebre|temp|calentura|destemplanza|termometro|thermometer|boiling|burning|roasting|hot|shiver)/;
const OXIMETER = /^(oximetr|saturometr|pulsioximetr)/;
const SHOWN = new Set(['dio', 'da', 'marco', 'marca', 'marcaba', 'salio', 'dice', 'deu', 'marcou', 'mostrou']);
const SUGAR = /^(finger|prick|sugar|gluc|azucar|glic|acucar|capilar|bm|dedo)/;

function isNear(tokens: readonly WordToken[], at: number, what: RegExp): boolean {
  for (let near = Math.max(0, at - 6); near < Math.min(tokens.length, at + 4); near++)
    if (what.test(tokens[near]?.text ?? '')) return true;
  return false;
}

/** True behind a comma and before a time: "it's less now, 37.8 this morning". */
function isAlone(tokens: readonly WordToken[], at: number): boolean {
  const next = tokens[at + 1];
  return (
    (tokens[at]?.before ?? 0) >= BREAKS.comma &&
    /^(this|last|today|yesterday|at|now|when|after|before|on|in|again|recien|hoy|ahora|ayer|anoche|ahorita|agora|hoje|ontem|axilar)$/.test(
      next?.text ?? '',
    )
  );
}

/** True behind a time and without a unit: "y esta mañana 38,6.", "anoche 39,2 y hoy 38,4". */
function isAtTime(tokens: readonly WordToken[], at: number): boolean {
  const isTime = /^(manana|noche|tarde|hoy|anoche|ayer|ahora|ahorita|manha|noite|hoje|ontem|agora|tonight|morning)$/;
  const next = tokens[at + 1];
  const isEnd = next === undefined || next.before >= BREAKS.comma || /^(y|e|and|con|com|with)$/.test(next.text);
  return isTime.test(tokens[at - 1]?.text ?? '') && isEnd;
}

/** True of "tengo 33 semanas, es mi primer bebé", "estou com 30 semanas da minha segunda filha". */
function isFarAlong(tokens: readonly WordToken[], at: number): boolean {
  if (!/^(tengo|llevo|cumpli|ando|de|com|completei|im|am)$/.test(tokens[at - 1]?.text ?? '')) return false;
  for (let near = at + 2; near < at + 7 && (tokens[near]?.before ?? BREAKS.sentence) < BREAKS.sentence; near++) {
    const isFirst = /^(mi|meu|minha|my)$/.test(tokens[near]?.text ?? '');
    const isOrdinal = /^(primer|primera|segundo|segunda|tercer|tercera|primeiro|primeira|terceiro|first|second|third)$/;
    if (isFirst && isOrdinal.test(tokens[near + 1]?.text ?? '')) return true;
  }
  return false;
}

/** True if a word of pregnancy is in the same sentence, a few words before or behind. */
function isPregnancyNear(tokens: readonly WordToken[], at: number): boolean {
  if (isFarAlong(tokens, at)) return true;
  for (let near = at; near >= Math.max(0, at - 5); near--) {
    if (PREGNANCY_WORDS.has(tokens[near]?.text ?? '')) return true;
    if (tokens[near]?.before === BREAKS.sentence) break;
  }
  for (let near = at + 1; near < at + 6 && (tokens[near]?.before ?? BREAKS.sentence) < BREAKS.sentence; near++) {
    if (PREGNANCY_WORDS.has(tokens[near]?.text ?? '')) return true;
  }
  return false;
}

const DAY_BEFORE = new Set(['on', 'el', 'dia', 'em', 'date', 'fecha', 'data', 'desde', 'since', 'apgar', 'del', 'al']);

function isDay(tokens: readonly WordToken[], at: number): boolean {
  return DAY_BEFORE.has(tokens[at - 1]?.text ?? '') || tokens[at + 2]?.marks.startsWith('/') === true;
}

/** Words before a visual acuity: "ve 10/10 con gafas". */
const SIGHT_BEFORE = /^(ve|sees|vision|visao|visual|acuity|agudeza|acuidade)$/;

function isOfSight(tokens: readonly WordToken[], at: number): boolean {
  return SIGHT_BEFORE.test(tokens[at - 1]?.text ?? '');
}

function isUsual(tokens: readonly WordToken[], from: number): boolean {
  return (
    USUAL.has(tokens[from]?.text ?? '') ||
    USUAL.has(tokens[from - 1]?.text ?? '') ||
    USUAL.has(tokens[from - 2]?.text ?? '')
  );
}

const FETUS = /^(fetal|fetales|fetais|foetal|fetus|foetus|feto|fcf|lcf|bcf|fhr|fhh|ctg)$/;

/** The heart rate of a fetus is not the mother's: "FCF 145 lpm", "fetal heart rate 150", "148 latidos fetales". */
function isOfFetus(tokens: readonly WordToken[], { of, from, to }: ValueReading): boolean {
  if (of !== 'heart-rate') return false;
  let begin = from;
  while (begin > from - 3 && tokens[begin]?.before === 0) begin--;
  const end = tokens[to]?.before === 0 ? to + 1 : to;
  return tokens.slice(Math.max(0, begin), end).some(({ text }) => FETUS.test(text));
}

/** Sport does not explain a higher heart rate. */
const MOST_OF_SPORT = 190;
const SPORT =
  /^(gym|treadmill|peloton|parkrun|spinning|zumba|workout|strava|jogging|jog|sprints|rower|gimnasio|caminadora|trotadora|trotando|trote|esteira|academia|ergometro|ergometria)$/;
const OF_SPORT =
  /^(bike|bici|bicicleta|ciclismo|cycling|cycle|ran|run|running|corriendo|correr|corrida|correndo|exercise|exercising|ejercicio|exercicio)$/;
const WENT = /^(on|in|at|after|during|went|for|my|en|tras|al|haciendo|na|no|depois|fazendo|durante|the|a|la|el)$/;

/** True of a heart rate in sport: "on the gym bike, heart rate 160". */
function isOfExercise(tokens: readonly WordToken[], { of, value, from, to }: ValueReading): boolean {
  if (of !== 'heart-rate' || value >= MOST_OF_SPORT) return false;
  // Example: "178 on the last hill".
  for (let at = to; at < to + 5 && (tokens[at]?.before ?? BREAKS.comma) < BREAKS.comma; at++)
    if (/^(hill|hills|lap|laps|sprint|sprints|km|subida|cuesta|ladeira)$/.test(tokens[at]?.text ?? '')) return true;
  for (let at = from - 1; at >= Math.max(0, from - 6); at--) {
    if ((tokens[at + 1]?.before ?? 0) >= BREAKS.sentence) return false;
    const text = tokens[at]?.text ?? '';
    if (SPORT.test(text) || (OF_SPORT.test(text) && WENT.test(tokens[at - 1]?.text ?? ''))) return true;
  }
  return false;
}
