// Assigns each amount to a drug: the one named before it, or the one right behind it (`500 mg of amoxicillin`, `500 metformin and 10
// lisinopril`).
import type { DrugMention } from '../../../clinical-text/drugs/find-drugs.ts';
import type { Measure } from '../../../clinical-text/measures/measures.ts';
import { type Token, wordsBetween } from '../../../clinical-text/tokens/tokens.ts';

type Place = { readonly measure: Measure; readonly drug: DrugMention | undefined };

/** Words between an amount and the drug behind it. */
const OF = new Set(['of', 'de', 'do', 'da', 'del', 'the']);
const NEXT_ITEM = new Set(['+', '&', 'and', 'y', 'e', 'then', 'luego', 'depois']);
const NEAR = 2;
const FAR = 6;

export function assignDrugs(
  tokens: readonly Token[],
  measures: readonly Measure[],
  drugs: readonly DrugMention[],
): readonly Place[] {
  const used = new Set<string>();
  let [next, ownEnd] = [0, 0];
  return measures.map((measure): Place => {
    while ((drugs[next]?.first ?? Number.POSITIVE_INFINITY) < measure.end) next += 1;
    const [before, behind] = [drugs[next - 1], drugs[next]];
    const gap = before === undefined ? 0 : wordsBetween(tokens, Math.max(before.end, ownEnd), measure.first);
    const isBehind = isOfBehind({ tokens, measure, before, behind, gap, used });
    const drug = isBehind ? behind : (before ?? nearBehind(tokens, measure, behind));
    if (drug) used.add(usedKey(drug, measure));
    if (drug === before) ownEnd = measure.end;
    return { measure, drug };
  });
}

/** A drug has one amount of each kind. */
function usedKey({ first }: DrugMention, measure: Measure): string {
  return `${first} ${measure.kind === 'amount' ? (measure.unit ?? '') : measure.kind}`;
}

type Choice = {
  readonly tokens: readonly Token[];
  readonly measure: Measure;
  readonly before: DrugMention | undefined;
  readonly behind: DrugMention | undefined;
  /** Words between the amount and the drug before it, or the last amount of that drug. */
  readonly gap: number;
  readonly used: ReadonlySet<string>;
};

function isOfBehind({ tokens, measure, before, behind, gap, used }: Choice): boolean {
  if (behind === undefined || tokens[behind.first]?.sentence !== tokens[measure.first]?.sentence) return false;
  const between = tokens.slice(measure.end, Math.min(behind.first, measure.end + NEAR + 1));
  if (between.length > NEAR || !between.every(({ word, stem }) => OF.has(word) || OF.has(stem))) return false;
  if (between.length > 0 || before === undefined) return true;
  // `metformin 500 lisinopril 10`: the drug right before an amount is its own, unless that drug has its amount already.
  return used.has(usedKey(before, measure)) || gap > 1;
}

function nearBehind(
  tokens: readonly Token[],
  measure: Measure,
  behind: DrugMention | undefined,
): DrugMention | undefined {
  if (behind === undefined || tokens[behind.first]?.sentence !== tokens[measure.first]?.sentence) return undefined;
  // `4.5 g q8h + clindamycin`: the drug behind begins the next item of a list.
  if (tokens.slice(measure.end, behind.first).some(({ word }) => NEXT_ITEM.has(word))) return undefined;
  return wordsBetween(tokens, measure.end, behind.first, FAR) <= FAR ? behind : undefined;
}
