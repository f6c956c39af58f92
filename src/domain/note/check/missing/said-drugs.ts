// Drugs that are prescribed, given, started, stopped or changed, and doses of drugs.
import type { Language } from '../../../language.ts';
import { readSpokenDrugChanges } from '../acts/change-claims.ts';
import type { DrugChange } from '../acts/drug-changes.ts';
import { groupsNamedIn } from '../chart/drug-groups.ts';
import { assignDrugs } from '../dose-drugs.ts';
import type { TextFacts } from '../text-facts.ts';
import type { Noted } from './noted.ts';
import { isByClinician, isByOther, isOfAnother, type SaidAct, type SpokenSentence, saidAs, type Talk } from './talk.ts';

/** The clinician gives or orders it. */
const GIVING: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:ill give|well give|give you|gave|ill start|well start|start\w*|prescrib\w*|take|put you on|have|well add|add|need\w*|use|keep|continue|carry on|stop|hold\w*|no|avoid)\b/,
  es: /\b(?:le doy|te doy|doy|damos|le pongo|ponemos|pondran|receto|le mando|inici\w*|empez\w+|agreg\w+|anad\w+|tom[ae]\w*|sub\w+|baj\w+|sig\w+|segu\w+|dej\w+|suspend\w+|nada de|no hace falta|no (?:le|te) doy|evit\w+|manten\w+)\b/,
  pt: /\b(?:vou (?:dar|passar|comecar|receitar|suspender)|te dou|passo|comec\w+|toma|tome|mant\w+|continu\w+|aument\w+|par\w+|suspend\w+|fac\w+|faz\w*|receit\w+|vai para|passa para|nada de|nao precisa|evit\w+)\b/,
};
const TAKING: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:i|she|he)(?:m| am| is|s)? (?:take|takes|taking|on|use|uses|using)\b|\bim on\b/,
  es: /\b(?:tomo|toma|uso|usa|me pongo|se pone)\b/,
  pt: /\b(?:tomo|toma|uso|usa|tomando|usando)\b/,
};
const CHANGED = new Set(['stop', 'more', 'less']);

export function missingDrugs({ sentences, spoken, language }: Talk, noted: Noted): readonly SaidAct[] {
  const changes = changesIn(spoken.readings, language);
  const bySentence = Map.groupBy(changes, ({ utterance, first }) => {
    return `${utterance} ${spoken.readings[utterance]?.tokens[first]?.sentence ?? 0}`;
  });
  return sentences.flatMap((sentence) => {
    if (sentence.isQuestion || isOfAnother(sentence, language)) return [];
    const own = bySentence.get(`${sentence.utterance} ${sentence.sentence}`) ?? [];
    const changed = [...ofChanges(sentence, own, noted), ...ofGroups(sentence, noted, language)];
    return changed.length > 0 ? changed : ofDrugs(sentence, own, noted, language);
  });
}

function changesIn(readings: readonly TextFacts[], language: Language): readonly Changed[] {
  const byDrug = readSpokenDrugChanges({ readings }, language);
  return [...byDrug].flatMap(([id, changes]) => changes.map((change) => ({ ...change, id })));
}

type Changed = DrugChange & { readonly id: string; readonly utterance: number };

function ofChanges(sentence: SpokenSentence, changes: readonly Changed[], noted: Noted): readonly SaidAct[] {
  const made = changes.filter((one) => one.status === 'affirmed' && CHANGED.has(one.change) && isMeant(one, sentence));
  const missing = made.find(({ id, drugs }) => !id.startsWith('thing:') && !isChangeNoted(drugs, noted));
  return missing === undefined ? [] : [saidAs('drug-change', sentence)];
}

/** Without the drug in its sentence, a short one with its pronoun: `They put it up`. The pressure goes up, too. */
function isMeant({ isNear, first }: Changed, { words, tokens, reading }: SpokenSentence): boolean {
  if (NO_CHANGE.test(reading.tokens[first]?.word ?? '')) return false;
  return isNear || (tokens.length <= MOST_WITH_PRONOUN && PRONOUN.test(words));
}

const PRONOUN = /\b(?:it|them|that one|lo|la|los|las|esa|ese|esas|esos|essa|esse)\b/;
const MOST_WITH_PRONOUN = 16;
/** `Para` is mostly `for`. */
const NO_CHANGE = /^(?:para|parto|parte|pared|pareja|parec\w*|pares|subid[oa])$/;

function isChangeNoted(drugs: readonly string[], { hasDrug, changedDrugs, statements }: Noted): boolean {
  if (!hasDrug(drugs)) return false;
  if (drugs.some((id) => changedDrugs.has(id))) return true;
  // `Bisoprolol 2.5 → 5 mg`, `No warfarin tonight`
  return statements.some(
    (one) => drugs.some((id) => one.drugs.has(id)) && (one.values.size > 0 || STOPS.test(one.folded)),
  );
}

const STOPS = /\b(?:no|not|stop\w*|hold|held|off|without|sin|sem|susp\w+|avoid\w*|evit\w+|dej\w+|par\w+)\b/;

function ofDrugs(
  sentence: SpokenSentence,
  changes: readonly Changed[],
  noted: Noted,
  language: Language,
): readonly SaidAct[] {
  const { reading, start, tokens, words } = sentence;
  const drugs = reading.drugs.filter(({ first }) => first >= start && first < start + tokens.length);
  if (OFFER[language].test(words)) return [];
  if (drugs.length === 0) return unnamedDose(sentence, noted, language);
  const doses = assignDrugs(reading.tokens, reading.measures, reading.drugs);
  const isGiven = isByClinician(sentence) && GIVING[language].test(words);
  const isTaken = isByOther(sentence) && TAKING[language].test(words);
  return drugs.flatMap(({ ids, first }): readonly SaidAct[] => {
    const own = doses.filter(({ drug }) => drug?.first === first).map(({ measure }) => measure);
    if (!(isGiven || isTaken || (own.length > 0 && sentence.role !== undefined))) return [];
    const isDenied = changes.some((one) => ids.includes(one.id) && one.change === 'named' && one.status === 'denied');
    if (!noted.hasDrug(ids)) return isDenied && !isByClinician(sentence) ? [] : [saidAs('drug', sentence)];
    if (!isByClinician(sentence)) return [];
    const near = noted.statements.filter((one) => ids.some((id) => one.drugs.has(id)));
    if (isDenied) return near.some(({ folded }) => STOPS.test(folded)) ? [] : [saidAs('drug', sentence)];
    const values = own.flatMap((measure) => (measure.kind === 'amount' && isDose(measure.unit) ? measure.values : []));
    const isDoseNoted = values.length === 0 || near.some((one) => values.some((value) => hasValue(one.values, value)));
    return isDoseNoted ? [] : [saidAs('dose', sentence)];
  });
}

/** `Twenty-one milligrams, one a day, from today`: the drug was named before. */
function unnamedDose(
  { reading, sentence, words, ...who }: SpokenSentence,
  noted: Noted,
  language: Language,
): readonly SaidAct[] {
  const own = reading.measures.filter(({ first }) => reading.tokens[first]?.sentence === sentence);
  const doses = own.flatMap((one) => (one.kind === 'amount' && /^(?:mg|mcg)$/.test(one.unit ?? '') ? one.values : []));
  const isTaken = own.some(({ kind }) => kind === 'frequency') || GIVING[language].test(words) || EXTRA.test(words);
  if (doses.length === 0 || !isTaken || who.role === 'patient') return [];
  return doses.some((dose) => hasValue(noted.values, dose))
    ? []
    : [saidAs('dose', { ...who, reading, sentence, words })];
}

const EXTRA = /\b(?:dose|extra|toma|dosis|tableta|pastilla|comprimido|adesivo|parche|patch|rescue|rescate|resgate)\b/;

/** It is thought of, and not done. */
const OFFER: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:rather not|perhaps|maybe|might|could (?:try|have|give)|we can think|id avoid|not before)\b/,
  es: /\b(?:quizas?|tal vez|podriamos|podria|preferiria no|lo pensamos)\b/,
  pt: /\b(?:talvez|poderia|podemos pensar|prefiro nao|quem sabe)\b/,
};

/** `1 g` and `1000 mg` */
function hasValue(values: ReadonlySet<number>, value: number): boolean {
  return values.has(value) || values.has(value * 1000) || values.has(value / 1000);
}

function isDose(unit: string | undefined): boolean {
  return unit === undefined || /^(?:mg|g|mcg|ml|unit)$/.test(unit);
}

/** `I'm holding the blood thinner injection` */
function ofGroups(sentence: SpokenSentence, noted: Noted, language: Language): readonly SaidAct[] {
  if (!isByClinician(sentence) || !WITHHELD.test(sentence.words)) return [];
  const groups = groupsNamedIn(sentence.tokens, [language]).filter(({ id }) => !noted.hasGroup(id));
  return groups.length > 0 ? [saidAs('drug-change', sentence)] : [];
}

const WITHHELD = /\b(?:holding|hold|stop\w*|withh\w+|suspend\w*|retir\w*|parar|pare)\b/;
