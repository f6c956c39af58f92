// Finds the patient of a text that a relative wrote: "my husband, 71, …", "minha mãe está com dor no peito". That word then means the
// patient, and no relative.

import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { Sex } from '../knowledge/knowledge.ts';
import { PERSON_NOUNS, RELATIVE_WORDS, UNIT_YEARS } from './person-words.ts';

/** The patient is named at the beginning of a text. */
const TOLD_WITHIN = 12;
const OWN = /^(my|our|mi|meu|minha|nosso|nossa)$/;
/** Words between "my" and the relative: "my 78-year-old father", "my poor old nan". */
const BETWEEN =
  /^(year|years|yr|yrs|yo|month|months|old|elderly|poor|dear|little|baby|newborn|big|own|pobre|querida|querido)$/;
/** A relative who does something now is no family history: "Nan ate leaves", "Abuela se cayó". */
const DOES =
  /^(ate|swallowed|drank|fell|took|is|woke|just|keeps|stopped|cant|wont|collapsed|comio|trago|bebio|cayo|tomo|esta|desperto|dejo|comeu|engoliu|bebeu|caiu|tomou|acordou|parou)$/;
/** With an article, only events count: "a mãe acordou com a boca torta", "la abuela se cayó". */
const ACTS = /^(acordou|caiu|desmaiou|parou|engoliu|comeu|amanheceu|desperto|cayo|trago|comio|amanecio)$/;
const FAILS = /^(acorda|fala|responde|respira|mexe|levanta|anda|reage|despierta|habla|reacciona)$/;
const ARTICLE = /^(a|o|la|el)$/;
const AGE_PREPOSITIONS = new Set(['de', 'of']);
/** These words show that the writer is the patient. */
const SELF = /^(tenho|tive|sinto|senti|sofro|tomo|fumo|acordei|comecei|tengo|tuve|siento|padezco|ive)$/;
const SELF_BEFORE = /^(i|im|estou|to|tou|ando|fico|estoy|yo|eu|achei)$/;
const SELF_BEHIND =
  /^(am|have|had|feel|felt|get|got|take|smoke|woke|com|con|tendo|tenho|sentindo|doente|mal|embarazada|gravida|pregnant|enferma|enfermo|um|uma)$/;
const FEARS = /^(medo|miedo|ele|ela|ella|el|to)$/;
const FEMALE_RELATIVES =
  /^(mother|mum|mom|sister|aunt|grandmother|grandma|gran|granny|nan|nana|wife|girlfriend|missus|niece|madre|mama|hermana|tia|abuela|esposa|mujer|mulher|novia|suegra|mae|mamae|irma|vo|avo|vovo|sogra|namorada|nora|cunhada|companheira)$/;
const MALE_RELATIVES =
  /^(father|dad|brother|uncle|grandfather|grandpa|grandad|granddad|husband|nephew|padre|papa|hermano|tio|abuelo|esposo|marido|novio|suegro|pai|papai|irmao|sogro|namorado|genro|cunhado|companheiro)$/;
const MORE_RELATIVES = /^(vo|vovo|sogra|sogro|suegra|suegro|mulher|mujer|cunhado|cunhada|nora|genro|mamae|papai)$/;

export function patientRelative(tokens: readonly WordToken[]): string | undefined {
  const near = tokens.slice(0, TOLD_WITHIN);
  const relatives = near.flatMap(({ text }, at) => (isOwnRelative(tokens, at) ? [{ text, at }] : []));
  const aged = relatives.find(({ at }) => hasAge(tokens, at));
  if (aged !== undefined) return aged.text;
  const [first] = relatives;
  // Without an age, the relative is the patient only if no other person can be meant.
  const isSomebody = ({ text }: WordToken, at: number) => PERSON_NOUNS.has(text) && !isOwn(tokens, at);
  const isOther = first === undefined || tokens.some(isSomebody) || isAboutSelf(tokens);
  return isOther ? undefined : first.text;
}

export function sexOfRelative(relative: string | undefined): Sex | undefined {
  if (relative === undefined) return undefined;
  if (FEMALE_RELATIVES.test(relative)) return relative === 'avo' ? undefined : 'female';
  return MALE_RELATIVES.test(relative) ? 'male' : undefined;
}

function isOwnRelative(tokens: readonly WordToken[], at: number): boolean {
  const text = tokens[at]?.text ?? '';
  // Examples: "Grandad, 81, fell off a step" and "abuela de 80 años".
  const isAged = tokens[1]?.number !== undefined && tokens[1].before === 1;
  const isAlone = !tokens.some((token) => PERSON_NOUNS.has(token.text));
  const isOfAge = AGE_PREPOSITIONS.has(tokens[1]?.text ?? '') && tokens[2]?.number !== undefined;
  const [verb = '', behind = ''] = [tokens[2]?.text, tokens[3]?.text];
  const isActing =
    ARTICLE.test(tokens[0]?.text ?? '') &&
    at === 1 &&
    isAlone &&
    (ACTS.test(verb) || (/^(nao|no)$/.test(verb) && FAILS.test(behind)));
  const isFirst = isActing || (at === 0 && (isAged || (isAlone && (isOfAge || DOES.test(tokens[1]?.text ?? '')))));
  return (RELATIVE_WORDS.has(text) || MORE_RELATIVES.test(text)) && (isFirst || isOwn(tokens, at));
}

function isOwn(tokens: readonly WordToken[], at: number): boolean {
  let before = at - 1;
  while (tokens[before]?.number !== undefined || BETWEEN.test(tokens[before]?.text ?? '')) before--;
  return OWN.test(tokens[before]?.text ?? '');
}

function hasAge(tokens: readonly WordToken[], at: number): boolean {
  if (hasAgeBefore(tokens, at)) return true;
  const ageAt = [at + 1, at + 2, at + 3].find((near) => tokens[near]?.number !== undefined);
  // In "mi tía, en 2019, tuvo" the number is a year.
  if (ageAt !== undefined && (tokens[ageAt]?.number ?? 0) > OLDEST) return false;
  if (ageAt === undefined || /^(for|at|since|hace|ha|aos|los)$/.test(tokens[ageAt - 1]?.text ?? '')) return false;
  return tokens[ageAt + 1]?.before === 1 || UNIT_YEARS.has(tokens[ageAt + 1]?.text ?? '');
}

const OLDEST = 120;

/** True of "my 78-year-old father". */
function hasAgeBefore(tokens: readonly WordToken[], at: number): boolean {
  const unitAt = tokens[at - 1]?.text === 'old' ? at - 2 : at - 1;
  return UNIT_YEARS.has(tokens[unitAt]?.text ?? '') && tokens[unitAt - 1]?.number !== undefined;
}

function isAboutSelf(tokens: readonly WordToken[]): boolean {
  return tokens.some(({ text }, at) => {
    // In "mi hermano se tomó" another person took it.
    const isTold =
      text === 'tomo' && tokens.slice(Math.max(0, at - 4), at).some((token) => RELATIVE_WORDS.has(token.text));
    if (SELF.test(text) && !isTold) return true;
    const next = tokens[at + 1]?.text ?? '';
    // "I'm 37" is about the writer.
    if (text === 'im' && tokens[at + 1]?.number !== undefined) return true;
    return SELF_BEFORE.test(text) && SELF_BEHIND.test(next) && !FEARS.test(tokens[at + 2]?.text ?? '');
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
