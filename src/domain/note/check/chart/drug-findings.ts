// Drugs of a statement against the drugs that the chart lists: whether they are taken, and how much of them.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { DrugMention } from '../../../../clinical-text/drugs/find-drugs.ts';
import type { Measure } from '../../../../clinical-text/measures/measures.ts';
import { baseOf } from '../../../../clinical-text/measures/units.ts';
import { assignDrugs } from '../dose-drugs.ts';
import { isOfRelative } from '../relatives.ts';
import type { ChartFacts, ReadEntry } from './chart-facts.ts';
import { groupsNamedIn, isMemberOf } from './drug-groups.ts';
import { type ChartFinding, type ReadStatement, sentenceAt, wordsOf } from './stated-in-note.ts';

type Named = Pick<DrugMention, 'ids' | 'first' | 'end'> & { readonly group?: string };

/** The patient has stopped it, or it was stopped: no order to stop it. */
const STOPPED =
  /\b(?:stopped|ceased|discontinued|came off|come off|off|no longer|quit|weaned off|suspendio|suspendid[oa]s?|suspendeu|suspens[oa]s?|dejo|abandono|abandonou|interrumpio|interrompeu|retirad[oa]s?|parou|deixou|ya no (?:toma|usa)|sin uso|sem uso|nao (?:toma|usa|faz uso) mais|nao mais (?:toma|usa))\b/;
/** Right before a drug it denies that the drug is taken. */
const NOT_TAKING =
  /(?:\b(?:not (?:on|taking|using)|denies (?:use of|taking|using)|does not take|doesnt take|no longer (?:on|takes|taking)|no toma|no usa|niega(?: el)? (?:uso|consumo|toma)(?: de)?|niega|sin(?: uso de)?|sem(?: uso de)?|nao (?:toma|usa|faz uso de)|nega(?: uso de)?|ni|nem|nor)) ?$/;
const WORDS_BEFORE = 4;
const WORDS_BEHIND = 5;
/** What is to become of a dose, or is given once, is no dose that is taken now. */
const CHANGE =
  /→|->|\b(?:increase(?!d)|reduce(?!d)|decrease(?!d)|raise(?!d)|lower(?!ed)|titrat|uptitrat|double(?!d)|halve(?!d)|change(?!d)|switch|back on|restart|reinici|retom|aument(?:ar|o a|amos)|subir|sube|subimos|reduc(?:ir|imos)|bajar|reduzir|dobrar|passar? para|vai para|stat|now|given|administ|bolus|loading|initiat|start(?:ed)? on|dose of|prn|as needed|sos|if needed)/;
const GOING_ON =
  /\b(?:continu|mantener|manten|manter|mantem|mantid|seguir|sigue|same dose|carry on|keep|en uso|em uso)/;
const MASSES = new Set(['mg', 'g', 'mcg']);

export function drugFindings(statement: ReadStatement, { drugs }: ChartFacts): readonly ChartFinding[] {
  if (drugs === undefined || drugs.length === 0) return [];
  const cues = cuesOf(statement.language);
  const named = namedIn(statement);
  return named.flatMap((one) => {
    const entries = drugs.filter((entry) => isEntryOf(entry, one));
    if (entries.length === 0 || isOfRelative(statement.tokens, one.first, cues)) return [];
    const place = { first: one.first, end: one.end };
    if (!statement.isPlan && isNotTaken(statement, one, named)) {
      return entries.map(({ source }) => ({ kind: 'drug-change' as const, ...place, isConflict: true, source }));
    }
    if (statement.isPlan && !GOING_ON.test(sentenceAt(statement, one.first))) return [];
    const support = entries.map(({ source }) => ({ kind: 'drug' as const, ...place, isConflict: false, source }));
    return [...(one.group === undefined ? support : []), ...doseFindings(statement, one, entries)];
  });
}

function namedIn({ drugs, tokens, language }: ReadStatement): readonly Named[] {
  const groups = groupsNamedIn(tokens, [language]).map(({ id, first, end }) => ({ ids: [], group: id, first, end }));
  return [...drugs, ...groups.filter(({ first }) => !drugs.some((drug) => drug.first === first))];
}

function isEntryOf({ drugs, groups }: ReadEntry, { ids, group }: Named): boolean {
  if (group !== undefined) return groups.has(group) || [...drugs].some((drug) => isMemberOf(group, drug));
  return ids.some((id) => drugs.has(id));
}

function isNotTaken({ tokens }: ReadStatement, { first, end }: Named, named: readonly Named[]): boolean {
  const sentence = tokens[first]?.sentence;
  const before = tokens.slice(Math.max(0, first - WORDS_BEFORE), first).filter((token) => token.sentence === sentence);
  if (NOT_TAKING.test(wordsOf(before)) || STOPPED.test(wordsOf(before))) return true;
  // `Takes apixaban, stopped donepezil` stops what is behind.
  const next = named.find((one) => one.first >= end)?.first ?? tokens.length;
  const isNextNear = next < end + WORDS_BEHIND;
  const behind = tokens.slice(end, Math.min(next, end + WORDS_BEHIND)).filter((token) => token.sentence === sentence);
  return !isNextNear && STOPPED.test(wordsOf(behind));
}

function doseFindings(statement: ReadStatement, drug: Named, entries: readonly ReadEntry[]): readonly ChartFinding[] {
  const { tokens, measures, drugs } = statement;
  const [entry] = entries;
  // With two entries of one drug, or a combination, it is not known which amount belongs to which.
  if (entry === undefined || entries.length > 1 || drug.ids.length !== 1 || entry.drugs.size !== 1) return [];
  const own = assignDrugs(tokens, measures, drugs)
    .filter((place) => place.drug?.first === drug.first)
    .map(({ measure }) => measure);
  const listed = { doses: entry.measures.flatMap(massesOf), often: entry.measures.flatMap(countOf) };
  const stated = { doses: own.flatMap(massesOf), often: own.flatMap(countOf) };
  const isCompared = !CHANGE.test(sentenceAt(statement, drug.first)) && !isSameSum(stated, listed);
  return own.flatMap((measure): readonly ChartFinding[] => {
    const [values, others] =
      measure.kind === 'amount' ? [massesOf(measure), listed.doses] : [countOf(measure), listed.often];
    if (values.length === 0 || others.length === 0) return [];
    const isSame = values.some((value) => others.includes(value));
    if (!isSame && (!isCompared || isEachDay(statement, measure))) return [];
    const place = { first: measure.first, end: measure.end };
    return [{ kind: 'dose', ...place, isConflict: !isSame, source: entry.source }];
  });
}

/** `Every day` does not say how often a day. */
function isEachDay({ tokens }: ReadStatement, { first, end }: Measure): boolean {
  return /^(?:every day|each day|cada dia|todos los dias|todos os dias|todo dia)$/.test(
    wordsOf(tokens.slice(first, end)),
  );
}

/** In micrograms. */
function massesOf(measure: Measure): readonly number[] {
  if (measure.kind !== 'amount' || measure.unit === undefined || !MASSES.has(measure.unit)) return [];
  return measure.values.map((value) => Number(baseOf(value, measure.unit)?.split(' ')[0]));
}

/** Times a day. */
function countOf(measure: Measure): readonly number[] {
  return measure.kind === 'frequency' && /^\d+$/.test(measure.key) ? [Number(measure.key)] : [];
}

type Taken = { readonly doses: readonly number[]; readonly often: readonly number[] };

/** `500 mg twice daily` and `1 g once daily` are as much a day. */
function isSameSum(stated: Taken, listed: Taken): boolean {
  const sums = new Set(stated.doses.flatMap((dose) => stated.often.map((count) => dose * count)));
  return listed.doses.some((dose) => listed.often.some((count) => sums.has(dose * count)));
}
