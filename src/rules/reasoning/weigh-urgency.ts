// Decides whether a history sounds like an emergency: adds up the log-odds that the urgency model has for its findings and words. It only
// decides uncertain cases. A danger is urgent however calm the history sounds.
import type { ExtractedFinding, HistoryFacts } from '../extraction/history-facts.ts';
import { compareIds } from '../knowledge/findings.ts';
import type { Knowledge, UrgencyModel } from '../knowledge/knowledge.ts';
import { mayBePresent } from './patient-fit.ts';

export type StoryUrgency = {
  readonly isUrgent: boolean;
  /** The findings that speak for urgency, strongest first. */
  readonly findings: readonly ExtractedFinding[];
  /** As they are written in the text. */
  readonly words: readonly string[];
};

/** In log-odds: a word with less weight is not shown. */
const NAMED_FROM = 0.3;

type Weighted<T> = { readonly what: T; readonly weight: number };

/** Returns undefined if the model has no data for such a history. */
export function weighUrgency({ urgency: model }: Knowledge, facts: HistoryFacts): StoryUrgency | undefined {
  if (model === undefined || facts.language === undefined) return undefined;
  if (facts.words.size < model.shortest || facts.words.size > model.longest) return undefined;
  const findings = weighFindings(model, facts);
  const words = weighWords(model.words[facts.language], facts);
  const score = sum(words, sum(findings, model.start));
  return {
    isUrgent: score >= model.urgentFrom,
    findings: findings.map(({ what }) => what),
    words: words.filter(({ weight }) => weight >= NAMED_FROM).map(({ what }) => facts.words.get(what) ?? what),
  };
}

function weighFindings(model: UrgencyModel, facts: HistoryFacts): readonly Weighted<ExtractedFinding>[] {
  const there = [...facts.findings.values()].filter(({ id }) => mayBePresent(facts, id));
  return there
    .map((what) => ({ what, weight: model.findings.get(what.id) ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight || compareIds(one.what.id, other.what.id));
}

function weighWords(weights: ReadonlyMap<string, number>, { words }: HistoryFacts): readonly Weighted<string>[] {
  return Array.from(words.keys(), (what) => ({ what, weight: weights.get(what) ?? 0 }))
    .filter(({ weight }) => weight !== 0)
    .sort((one, other) => other.weight - one.weight || compareIds(one.what, other.what));
}

/** The input is sorted, so the order of the text does not change the rounding. */
function sum(weighed: readonly Weighted<unknown>[], start: number): number {
  return weighed.reduce((total, { weight }) => total + weight, start);
}
