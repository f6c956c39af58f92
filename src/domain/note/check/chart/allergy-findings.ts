// Allergies and drugs of a statement against the allergies of the chart.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { DrugMention } from '../../../../clinical-text/drugs/find-drugs.ts';
import type { Allergy } from '../allergies.ts';
import { isOfRelative } from '../relatives.ts';
import type { ChartFacts, ReadEntry } from './chart-facts.ts';
import { crossReactiveGroups, groupsNamedIn, isCrossReactive, isMemberOf } from './drug-groups.ts';
import type { ChartFinding, ReadStatement } from './stated-in-note.ts';

/** A statement about a reaction, or about what has to be avoided, orders no drug. */
const NOT_GIVEN =
  /\b(?:allerg|alerg|intoler|anaphyla|anafila|rash|hives|urticari|angioedem|exantem|reaction|reaccion|reacao|\bram\b|avoid|evit|contraindic|nkda|namc|instead of|en lugar de|en vez de|em vez de|no lugar de|stop|ceas|discontinu|suspen|retir|hace dano|hizo dano|cae mal|sienta mal|faz mal|fez mal|disagree|upsets)/;
/** What an allergy does to the skin: who tells of it tells what the drug did. */
const SKIN_REACTIONS: ReadonlySet<string> = new Set(['rash', 'itching']);
/** `NKDA` and `no drug allergies` say nothing about latex or nuts. */
const OF_DRUGS_ONLY = /\b(?:nkda|namc|drug|medic|medicament|remedio|farmac|antibiot)/;

export function allergyFindings(
  statement: ReadStatement,
  { allergies, noAllergies }: ChartFacts,
): readonly ChartFinding[] {
  if (allergies === undefined) return [];
  const cues = cuesOf(statement.language);
  const stated = [...statement.allergies, ...noReactions(statement)]
    .filter(({ first, isDenied }) => isDenied || !isOfRelative(statement.tokens, first, cues))
    .flatMap((allergy) => statedAllergy(statement, allergy, { allergies, noAllergies }));
  if (stated.length > 0 || NOT_GIVEN.test(statement.folded) || hasReaction(statement)) return stated;
  const denied = statement.polarity.findDenied(statement.drugs);
  const given = statement.drugs
    .filter(({ first }, index) => denied[index] !== true && !isOfRelative(statement.tokens, first, cues))
    .flatMap((drug) => givenDespite(drug, allergies));
  return [...given, ...givenByName(statement, allergies)];
}

function hasReaction({ findings }: ReadStatement): boolean {
  return findings.some(({ id, isDenied }) => SKIN_REACTIONS.has(id) && !isDenied);
}

/** Spanish charts write `no RAM`, no adverse reactions to drugs. */
function noReactions({ tokens, language }: ReadStatement): readonly Allergy[] {
  if (language !== 'es') return [];
  const at = tokens.findIndex(
    ({ word }, index) => word === 'ram' && /^(?:no|sin|niega)$/.test(tokens[index - 1]?.word ?? ''),
  );
  const none = { substances: [], isAll: true, isDenied: true, isIntolerance: false };
  return at < 0 ? [] : [{ ...none, first: at - 1, end: at + 1 }];
}

/** Substances that no list has. */
function givenByName({ tokens, polarity }: ReadStatement, entries: readonly ReadEntry[]): readonly ChartFinding[] {
  return entries.flatMap(({ name, source }) => {
    if (name.length === 0) return [];
    const first = tokens.findIndex((_, index) => name.every((stem, ahead) => tokens[index + ahead]?.stem === stem));
    if (first < 0 || polarity.findDenied([{ first, end: first + name.length }])[0] === true) return [];
    return [{ kind: 'drug' as const, first, end: first + name.length, isConflict: true, source }];
  });
}

function statedAllergy(
  statement: ReadStatement,
  allergy: Allergy,
  { allergies: entries = [], noAllergies }: Pick<ChartFacts, 'allergies' | 'noAllergies'>,
): readonly ChartFinding[] {
  const { first, end, isDenied } = allergy;
  const named = namedBy(statement, allergy);
  const place = { kind: 'allergy' as const, first, end };
  if (isDenied && named.length === 0) {
    if (noAllergies !== undefined) return [{ ...place, isConflict: false, source: noAllergies }];
    const isOfDrugs = OF_DRUGS_ONLY.test(statement.folded);
    const against = entries.filter((entry) => !isOfDrugs || !isNoDrug(entry));
    return against.map(({ source }) => ({ ...place, isConflict: true, source }));
  }
  return entries
    .filter((entry) => named.some((substance) => isAllergyTo(entry, substance)))
    .map(({ source }) => ({ ...place, isConflict: isDenied, source }));
}

/** The substances of the statement, with the groups that it names as a whole near the word. */
function namedBy(statement: ReadStatement, { substances, first, end }: Allergy): readonly string[] {
  const sentence = statement.tokens[first]?.sentence;
  const groups = groupsNamedIn(statement.tokens, [statement.language])
    .filter((group) => statement.tokens[group.first]?.sentence === sentence && group.first <= end + 2)
    .map(({ id }) => `group:${id}`);
  return [...substances.filter((id) => !id.startsWith('word:')), ...groups];
}

function isNoDrug({ drugs, groups, allergens }: ReadEntry): boolean {
  return drugs.size === 0 && groups.size === 0 && allergens.size > 0;
}

function isAllergyTo(entry: ReadEntry, substance: string): boolean {
  if (substance.startsWith('drug:')) return isAllergyToDrug(entry, substance.slice('drug:'.length));
  if (!substance.startsWith('group:')) return entry.allergens.has(substance);
  const group = substance.slice('group:'.length);
  return entry.groups.has(group) || [...entry.drugs].some((drug) => isMemberOf(group, drug));
}

function isAllergyToDrug({ drugs, groups }: ReadEntry, drug: string): boolean {
  if (drugs.has(drug)) return true;
  const own = crossReactiveGroups(drug);
  return [...groups].some((group) => isCrossReactive(group) && own.includes(group));
}

/** The drug of the allergy itself, or one of a group of which one allergy is a warning for all. */
function givenDespite({ ids, first, end }: DrugMention, entries: readonly ReadEntry[]): readonly ChartFinding[] {
  const groups = ids.flatMap(crossReactiveGroups);
  return entries
    .filter(
      (entry) =>
        ids.some((id) => isAllergyToDrug(entry, id)) ||
        [...entry.drugs].some((drug) => crossReactiveGroups(drug).some((group) => groups.includes(group))),
    )
    .map(({ source }) => ({ kind: 'drug' as const, first, end, isConflict: true, source }));
}
