// Reads the age and sex of the patient: "58yo F", "niña de 3 años", "RN de 10 dias". Ages of relatives and durations are no ages of the
// patient.

import { SMALL_NUMBERS } from '../../clinical-text/numbers/number-words.ts';
import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { Person } from './history-facts.ts';
import { patientRelative, sexOfRelative } from './patient-relative.ts';
import { isLetterBefore, sexByAge, sexByNoun, sexByPronoun } from './person-sex.ts';
import {
  AGE_BEHIND,
  BABIES,
  CHILD_PEOPLE,
  EVENTS,
  GLUED_UNIT_YEARS,
  GROWN_PEOPLE,
  PERSON_NOUNS,
  POSTS,
  PREGNANCY_WORDS,
  RELATIVE_WORDS,
  SEX_WORDS,
  SINCE_EVENT,
  UNIT_YEARS,
} from './person-words.ts';

type Age = { readonly years: number; readonly at: number; readonly to: number; readonly rank: number };

const OLDEST = 120;
const ONE_DAY = 1 / 365;
const WEEKS_AND_LESS = 0.05;
const MIN_GROWN = 16;
/** Words of an occupation. */
const LONGEST_CALLING = 5;
const COUNTED =
  /^(days?|weeks?|wks?|months?|hours?|hrs?|min|mins|minutes?|dias?|semanas?|sem|mes|meses|horas?|hs|h|d|w|x|kg|kilos?|quilos|cm|kids|children|filhos|hijos|cig.*|packs?|times|veces|vezes|mg|ml|weeker)$/;
const NO_AGE_BEFORE = new Set(
  'for since x over past last within every em ate hasta to dentro daqui per hace desde durante por ha faz cada every in en hara lleva llevo after tras apos ultimos ultimas dm dm2 de'.split(
    ' ',
  ),
);

/** `ageAt`: the indexes of the tokens of ages. */
export type PersonReading = { readonly person: Person; readonly ageAt: ReadonlySet<number> };

/** `isMeasured` is true of tokens that belong to a measured value. */
export function readPerson(tokens: readonly WordToken[], isMeasured: (at: number) => boolean): PersonReading {
  const patient = patientRelative(tokens);
  const ages = tokens.flatMap((_, at) => (isMeasured(at) ? [] : (ageAt(tokens, at, patient) ?? [])));
  const age = ages.reduce<Age | undefined>(
    (best, one) => (best === undefined || one.rank > best.rank ? one : best),
    undefined,
  );
  const sex = sexByAge(tokens, age) ?? sexOfRelative(patient) ?? sexByNoun(tokens) ?? sexByPronoun(tokens);
  return {
    person: { ...(age !== undefined && { ageYears: age.years }), ...(sex !== undefined && { sex }) },
    ageAt: new Set([
      ...ages
        .filter(({ rank }) => rank > 1 || rank === age?.rank)
        .flatMap(({ at }) => (monthsBehind(tokens, at + 2) === 0 ? [at] : [at, at + 3])),
      ...tokens.flatMap((_, at) => (isAgeOfRelative(tokens, at) || isMonthOfPregnancy(tokens, at) ? [at] : [])),
    ]),
  };
}

/** True if the patient is the writer's child: then "my son" is the patient. */
export function isAboutChild(tokens: readonly WordToken[], { ageYears }: Person): boolean {
  if (ageYears !== undefined) return ageYears < 18;
  return tokens.some(
    ({ text }, at) =>
      CHILD_PEOPLE.has(text) &&
      tokens
        .slice(Math.max(0, at - 5), at)
        .some((before) =>
          /^(my|mi|meu|minha|our|nuestr|noss|brings|brought|bringing|trae|traz|trouxe)/.test(before.text),
        ),
  );
}

function ageAt(tokens: readonly WordToken[], at: number, patient: string | undefined): Age | undefined {
  const token = tokens[at];
  const number = token?.number ?? SMALL_NUMBERS.get(token?.text ?? '');
  if (token === undefined || number === undefined || number > 1200 || isOfRelative(tokens, at, patient))
    return undefined;
  const unit = tokens[at + 1];
  // In "amlodipina de diez, yo creo" the comma shows that "yo" is no unit.
  const isApart = unit === undefined || unit.before > (unit.text === 'yo' ? 0 : 1);
  const years =
    unit === undefined || isApart
      ? undefined
      : (UNIT_YEARS.get(unit.text) ?? (unit.isGlued && !unit.isCapital ? GLUED_UNIT_YEARS.get(unit.text) : undefined));
  if (years === undefined) return ageWithoutUnit(tokens, at, number);
  const more = years === 1 ? monthsBehind(tokens, at + 2) / 12 : 0;
  const age = { years: number * years + more - (isUnder(tokens, at) ? ONE_DAY : 0), at, to: at + 2 };
  // These are no ages: "de 39 a 40", "de cinco a diez", "embarazada de 32 semanas".
  const upTo = tokens[at + 2];
  const isRange =
    unit?.text === 'a' && upTo?.before === 0 && (upTo.number ?? SMALL_NUMBERS.get(upTo.text)) !== undefined;
  const isOther = isOfPregnancy(tokens, at, years) || (years < 1 && isSinceEvent(tokens, at));
  if (age.years > OLDEST || isRange || (isOther && !isBabyBefore(tokens, at))) return undefined;
  if (unit?.text === 'yo' || unit?.text === 'y/o' || unit?.text === 'yom' || unit?.text === 'yof')
    return { ...age, rank: 5 };
  const after = [tokens[at + 2]?.text, tokens[at + 3]?.text];
  const before = tokens[at - 1]?.text ?? '';
  // "Two months' supply" and "forty a day" are no ages.
  if (/^(supply|worth|course)$/.test(after[0] ?? '') || (unit?.text === 'a' && after[0] === 'day')) return undefined;
  if (years < 1 && isToldOfBaby(tokens, at)) return { ...age, rank: 4 };
  // "Un mes" is rather a duration, but not in "nena de un mes".
  if (
    token.number === undefined &&
    number === 1 &&
    !(before === 'de' && BABIES.has(tokens[at - 2]?.text ?? '')) &&
    !after.some((text) => text === 'old' || text === 'vida' || text === 'edad' || text === 'idade')
  )
    return undefined;
  if (after.includes('old') || after.includes('edad') || after.includes('idade') || after.includes('vida'))
    return { ...age, to: at + 3, rank: 5 };
  // "Desde hace 8 meses, embarazada" is a duration, although a person follows.
  const isTime = before !== 'de' && NO_AGE_BEFORE.has(before);
  if (hasPersonBefore(tokens, at, patient) || (!isTime && hasPersonBehind(tokens, at + 2))) return { ...age, rank: 4 };
  if (years === 1 && (isLetterBefore(tokens, at) || isWorkerBefore(tokens, at))) return { ...age, rank: 3 };
  if (/^(tengo|tenho|mis|meus|im|am|aged|age|edad|idade|turned)$/.test(before) && years === 1)
    return { ...age, rank: 4 };
  if (/^(tiene|tem)$/.test(before) && years === 1) return { ...age, rank: 3 };
  const isWeak =
    token.number !== undefined &&
    !NO_AGE_BEFORE.has(before) &&
    !/^(ago|atras|evolucion|history|later|despues|depois)$/.test(after[0] ?? '') &&
    years === 1 &&
    number > 1;
  return isWeak && (tokens[at]?.before ?? 0) >= 1 ? { ...age, rank: 1 } : undefined;
}

/** True at the beginning of a sentence behind one about a baby: "… ao bebé. Tem cinco semanas, …", "She is two months". */
function isToldOfBaby(tokens: readonly WordToken[], at: number): boolean {
  const from = /^(ela|ele|el|ella|she|he)$/.test(tokens[at - 2]?.text ?? '') ? at - 2 : at - 1;
  const isBeginning = /^(tem|tiene|is|shes|hes)$/.test(tokens[at - 1]?.text ?? '') && tokens[from]?.before === 3;
  const isTime = /^(que|with|de|com|con|since|late|early|overdue|post)$/.test(tokens[at + 2]?.text ?? '');
  return isBeginning && !isTime && tokens.slice(0, from).some(({ text }) => BABIES.has(text));
}

/** Returns the months of "2 anos e 3 meses". */
function monthsBehind(tokens: readonly WordToken[], at: number): number {
  const isMore = /^(e|y|and)$/.test(tokens[at]?.text ?? '') && /^(meses|mes|months?)$/.test(tokens[at + 2]?.text ?? '');
  const months = tokens[at + 1]?.number ?? SMALL_NUMBERS.get(tokens[at + 1]?.text ?? '') ?? 0;
  return isMore && months < 12 ? months : 0;
}

/** True of "su hermana de 5 años", which is no duration either. */
function isAgeOfRelative(tokens: readonly WordToken[], at: number): boolean {
  return (
    tokens[at]?.number !== undefined && tokens[at - 1]?.text === 'de' && RELATIVE_WORDS.has(tokens[at - 2]?.text ?? '')
  );
}

/** "Lactante varón de 5 semanas" is an age, even if the text mentions a pregnancy. */
export function isBabyBefore(tokens: readonly WordToken[], at: number): boolean {
  const before = tokens.slice(Math.max(0, at - 4), at);
  return (tokens[at]?.number ?? 0) <= 12 && before.some(({ text }) => BABIES.has(text));
}

/** True of weeks near a word of pregnancy, and of months right behind it: "embarazada de 5 meses". */
function isOfPregnancy(tokens: readonly WordToken[], at: number, unitYears: number): boolean {
  if (unitYears >= WEEKS_AND_LESS) return isMonthOfPregnancy(tokens, at);
  return (
    tokens.slice(Math.max(0, at - 4), at + 6).some(({ text }) => PREGNANCY_WORDS.has(text)) || isBabyInside(tokens, at)
  );
}

/** "32 weeks, baby hasn't moved since yesterday" is no age of a baby. */
function isBabyInside(tokens: readonly WordToken[], at: number): boolean {
  const number = tokens[at]?.number ?? 0;
  const behind = tokens.slice(at + 2, at + 12);
  const isAge = behind.slice(0, 2).some(({ text }) => AGE_BEHIND.has(text));
  return (
    number >= 20 && number <= 42 && !isAge && behind.some(({ text }) => /^(kick|mov|patad|chut|pontap|mex)/.test(text))
  );
}

function isMonthOfPregnancy(tokens: readonly WordToken[], at: number): boolean {
  const isMonths = /^(months?|mes|meses)$/.test(tokens[at + 1]?.text ?? '');
  const from = tokens[at - 1]?.text === 'de' ? at - 1 : at;
  const isBehind = tokens.slice(from, at + 1).every(({ before }) => before === 0);
  return isMonths && isBehind && PREGNANCY_WORDS.has(tokens[from - 1]?.text ?? '');
}

/** True of the time since an event: "paciente de 3 días de operada", "woman 10 days post surgery", "recién parida, 12 días". */
function isSinceEvent(tokens: readonly WordToken[], at: number): boolean {
  const before = clauseBefore(tokens, at, 8);
  const behind = tokens.slice(at + 2, at + 7);
  const isAge = behind.slice(0, 2).some(({ text }) => AGE_BEHIND.has(text));
  if (isAge || before.some((text) => BABIES.has(text) || CHILD_PEOPLE.has(text))) return false;
  if (before.slice(0, 4).some((text) => EVENTS.has(text) || GROWN_PEOPLE.has(text))) return true;
  const [next] = behind;
  if (next === undefined || !(SINCE_EVENT.has(next.text) || POSTS.has(next.text))) return false;
  const end = behind.findIndex(({ before: gap }) => gap > 0);
  return behind.slice(0, end < 0 ? behind.length : end).some(({ text }) => EVENTS.has(text));
}

/** Returns the words before, the nearest first, up to the end of a clause. */
function clauseBefore(tokens: readonly WordToken[], at: number, most: number): string[] {
  const words: string[] = [];
  for (let back = at - 1; back >= Math.max(0, at - most) && (tokens[back + 1]?.before ?? 0) <= 1; back--)
    words.push(tokens[back]?.text ?? '');
  return words;
}

/** True of "lactante menor de 3 meses". */
function isUnder(tokens: readonly WordToken[], at: number): boolean {
  const before = `${tokens[at - 2]?.text} ${tokens[at - 1]?.text}`;
  return (
    /^(menor|menos) de$|^(less|younger) than$| under$/.test(before) &&
    /^(months?|meses|mes|weeks?|semanas?)$/.test(tokens[at + 1]?.text ?? '')
  );
}

/** True of an occupation ("costurera de 47 años", "peón rural de 37 años"), and not of "sordera de 3 años". */
function isWorkerBefore(tokens: readonly WordToken[], at: number): boolean {
  if (tokens[at - 1]?.text !== 'de' || tokens[at + 3]?.text === 'evolucion') return false;
  const words = clauseBefore(tokens, at - 1, 3);
  const text = words.at(-1) ?? '';
  return tokens[at - 1 - words.length]?.before === 3 && WORKER.test(text) && !NO_WORKER.test(text);
}

const WORKER =
  /(ista|er[oa]|[dst]ora?|i[cv][oa]|^peon|^ama|ari[oa]|^antigu[oa]|ante|ent[ea]|ienta|nil|gesta|logo|loga|jubilad[oa]|abogad[oa]|emplead[oa]|casad[oa]|jefa|chofer)$/;
const NO_WORKER =
  /^(sord|cegu|coj|ronqu|rengu|floj|borrach|ulc|ciatic|colic|clinic|cronic|basic|unic|accid|incid|anteced|const|quist)/;

/** Reads years without a unit: "58F", "M 45", "aged 30", "im 18". */
function ageWithoutUnit(tokens: readonly WordToken[], at: number, years: number): Age | undefined {
  const token = tokens[at];
  if (token?.number === undefined || years < 1 || years > 110 || !Number.isInteger(years)) return undefined;
  const next = tokens[at + 1];
  const before = tokens[at - 1]?.text ?? '';
  const age = { years, at, to: at + 1 };
  const isLetter = next !== undefined && /^[fmhw]$/.test(next.text) && next.isCapital && next.before === 0;
  if (isLetter && token.isGlued === false) return { ...age, rank: next.isGlued ? 5 : 4 };
  if (/^(aged|age|edad|idade)$/.test(before)) return { ...age, rank: 5 };
  // "Homem 35 dor torácica": the number behind an adult counts nothing, so that it is an age.
  const isGrown =
    years >= MIN_GROWN && SEX_WORDS[before] !== undefined && before.length > 1 && !COUNTED.test(next?.text ?? '');
  const isFollowed =
    !isGrown &&
    next !== undefined &&
    next.before === 0 &&
    next.marks === '' &&
    !/^(and|male|female|with|y|e|con|com)$/.test(next.text);
  if (isFollowed || next?.marks.startsWith('/') || next?.marks.startsWith('%')) return undefined;
  if (/^(im|am)$/.test(before)) return { ...age, rank: 3 };
  if (isSetOff(tokens, at) && years >= MIN_GROWN) return { ...age, rank: 2 };
  // "Girl of 5" is an age.
  if (before === 'of' && PERSON_NOUNS.has(tokens[at - 2]?.text ?? '')) return { ...age, rank: 4 };
  const isPerson = (SEX_WORDS[before] !== undefined && before.length > 1) || RELATIVE_WORDS.has(before);
  return isPerson && token.before <= 1 ? { ...age, rank: 3 } : undefined;
}

/** True of a number between commas at the beginning: "Teacher, 41, has …", "Sound engineer, 44, with …". */
function isSetOff(tokens: readonly WordToken[], at: number): boolean {
  if (at < 1 || at > LONGEST_CALLING) return false;
  const isAlone = [tokens[at], tokens[at + 1]].every((one) => (one?.before ?? BREAKS.sentence) >= BREAKS.comma);
  const calling = tokens.slice(0, at);
  return isAlone && calling.every(({ before, number }, more) => number === undefined && (more === 0 || before === 0));
}

function hasPersonBefore(tokens: readonly WordToken[], at: number, patient: string | undefined): boolean {
  for (let back = at - 1; back >= Math.max(0, at - 4); back--) {
    if ((tokens[back + 1]?.before ?? 0) > 1) return false;
    if (NO_AGE_BEFORE.has(tokens[back]?.text ?? '') && tokens[back]?.text !== 'de') return false;
    const text = tokens[back]?.text;
    // In "ya son cuatro meses" the word "son" is a verb.
    if (text === 'son' && /^(anos?|mes|meses|semanas?|dias?)$/.test(tokens[at + 1]?.text ?? '')) return false;
    if (text !== undefined && (PERSON_NOUNS.has(text) || text === patient)) return true;
  }
  return false;
}

function hasPersonBehind(tokens: readonly WordToken[], to: number): boolean {
  for (let at = to; at < to + 2; at++) {
    if ((tokens[at]?.before ?? 3) > 1) return false;
    const text = tokens[at]?.text ?? '';
    if (PERSON_NOUNS.has(text) || (/^[fm]$/.test(text) && tokens[at]?.isCapital === true)) return true;
  }
  return false;
}

/** True of "father MI at 50", "hermano de 5 años", "5-year-old sister". A son or daughter with an age is the patient. */
function isOfRelative(tokens: readonly WordToken[], at: number, patient: string | undefined): boolean {
  for (let back = at - 1; back >= Math.max(0, at - 5); back--) {
    if ((tokens[back + 1]?.before ?? 0) >= 2) break;
    const text = tokens[back]?.text ?? '';
    if (/^(brings|trae|traz|trouxe|brought|her|su|his|de)$/.test(text) && back === at - 1 && text !== 'de') break;
    if (
      /^(brings|trae|traz|trouxe|brought|bringing|hijo|hija|filho|filha|son|daughter|nino|nina|patient|paciente)$/.test(
        text,
      )
    )
      break;
    if (text !== '' && text === patient) break;
    if (RELATIVE_WORDS.has(text)) return true;
  }
  for (let next = at + 1; next < at + 5; next++) {
    if ((tokens[next]?.before ?? 3) >= 1 && tokens[next]?.marks !== '-') break;
    if (RELATIVE_WORDS.has(tokens[next]?.text ?? '')) return true;
    if (
      PERSON_NOUNS.has(tokens[next]?.text ?? '') ||
      /^(with|con|com|and|brought|whose)$/.test(tokens[next]?.text ?? '')
    )
      break;
  }
  return false;
}
