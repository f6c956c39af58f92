// Judges the changes of drugs that a note states by those that were said of the same drug.
import { meaningsOf } from '../../../../clinical-text/drugs/find-drugs.ts';
import type { Language } from '../../../language.ts';
import type { SpokenFacts } from '../spoken-facts.ts';
import { append } from '../spoken-measures.ts';
import type { Change } from './change-words.ts';
import { type DrugChange, drugsOf, readSpokenChanges } from './drug-changes.ts';
import type { ActJudgement } from './judge-act.ts';

export type SpokenChange = DrugChange & { readonly utterance: number };
export type SpokenChanges = ReadonlyMap<string, readonly SpokenChange[]>;

/** Utterances in which `it` still means the drug that was named last. */
const CARRY_REACH = 3;

export function readSpokenDrugChanges({ readings }: Pick<SpokenFacts, 'readings'>, language: Language): SpokenChanges {
  let last: { readonly ids: readonly string[]; readonly utterance: number } = { ids: [], utterance: 0 };
  const byDrug = new Map<string, SpokenChange[]>();
  readings.forEach((reading, utterance) => {
    const before = {
      ids: utterance - last.utterance <= CARRY_REACH ? last.ids : [],
      isFresh: utterance - last.utterance === 1,
    };
    const mentions = drugsOf(reading, language);
    for (const change of readSpokenChanges(reading.tokens, mentions, before, language)) {
      for (const id of change.drugs) append(byDrug, id, { ...change, utterance });
    }
    const named = mentions.at(-1);
    if (named !== undefined) last = { ids: named.ids, utterance };
  });
  return byDrug;
}

const UNSUPPORTED: ActJudgement = { verdict: 'unsupported' };

/** Undefined if the drug itself was not said: that is another claim. */
export function judgeChange(claim: DrugChange, spoken: SpokenChanges): ActJudgement | undefined {
  const said = claim.drugs.flatMap((id) => meaningsOf(id).flatMap((meaning) => spoken.get(meaning) ?? []));
  if (said.length === 0) return undefined;
  // What is not stopped goes on.
  if (claim.status === 'denied') return claim.change === 'stop' ? judge('same', said) : judgeDenied(claim.change, said);
  const isOpen = claim.status !== 'affirmed';
  const judgement = judge(claim.change, isOpen ? said.map((one) => settled(one)) : said);
  // A talk tells of a change in endless ways: `the naproxen, out`, `eighty from now on`. Only its opposite is
  // clear, and that a drug was only named as one that may come, or will not.
  return judgement.verdict === 'unsupported' && claim.change !== 'start' ? undefined : judgement;
}

function settled(one: SpokenChange): SpokenChange {
  return one.status === 'denied' ? one : { ...one, status: 'affirmed' };
}

/** A switch stops one drug and starts another. */
function isLike(claimed: Change | 'named', said: Change | 'named'): boolean {
  if (claimed === said) return true;
  if (claimed === 'switch') return said === 'stop' || said === 'start';
  return said === 'switch' && (claimed === 'stop' || claimed === 'start');
}

/** More is no denial of a start, and what goes on may be more of it. */
const OPPOSITES: Readonly<Record<Change, readonly (Change | 'named')[]>> = {
  start: ['stop'],
  stop: ['start', 'more', 'less', 'same'],
  more: ['less', 'stop', 'same'],
  less: ['more', 'stop', 'same'],
  same: ['stop', 'switch'],
  switch: ['same'],
};

function isOpposite(claimed: Change | 'named', said: Change | 'named'): boolean {
  return claimed !== 'named' && OPPOSITES[claimed].includes(said);
}

function judge(change: Change | 'named', said: readonly SpokenChange[]): ActJudgement {
  const made = said.filter(({ status }) => status === 'affirmed' || status === 'offered');
  const own = made.filter((one) => isLike(change, one.change));
  const stopped = made.findLast((one) => isLike('stop', one.change) && one.isClear === true);
  const [supporting] = own;
  if (change === 'same') {
    const kept = own.at(-1);
    if (stopped !== undefined && (kept === undefined || kept.utterance < stopped.utterance))
      return contradicted(stopped);
    return supported(kept ?? said[0]);
  }
  if (change === 'start') {
    const last = made.at(-1);
    if (last === undefined) return UNSUPPORTED;
    const isRefused =
      stopped !== undefined && stopped.utterance === last.utterance && own.at(-1)?.utterance !== last.utterance;
    return isRefused ? contradicted(stopped) : supported(supporting ?? last);
  }
  if (supporting !== undefined) return supported(supporting);
  if (change === 'stop') {
    // `The clonazepam is not coming back`
    const refused = said.findLast((one) => one.status === 'denied' && one.change !== 'stop');
    if (refused !== undefined) return supported(refused);
  }
  const other = said.findLast(
    (one) => one.status === 'affirmed' && isOpposite(change, one.change) && one.isClear === true,
  );
  return other === undefined ? UNSUPPORTED : contradicted(other);
}

function judgeDenied(change: Change | 'named', said: readonly SpokenChange[]): ActJudgement {
  const made = said.find((one) => one.change === change && one.status === 'affirmed' && one.isClear === true);
  const denied = said.find((one) => one.status === 'denied' || one.change === 'same' || one.change === 'stop');
  if (denied !== undefined) return supported(denied);
  return made === undefined ? supported(said[0]) : contradicted(made);
}

function supported(one: SpokenChange | undefined): ActJudgement {
  return one === undefined ? { verdict: 'supported' } : { verdict: 'supported', utterance: one.utterance };
}

function contradicted({ utterance }: SpokenChange): ActJudgement {
  return { verdict: 'contradicted', utterance };
}
