// Decides whether a history sounds like an emergency: adds up the log-odds that the urgency model has for its findings and words. It only
// decides uncertain cases. A danger is urgent however calm the history sounds. Its weights are no reasons: an answer never lists them.
import type { HistoryFacts } from '../extraction/history-facts.ts';
import { compareIds } from '../knowledge/findings.ts';
import type { Knowledge, UrgencyModel } from '../knowledge/knowledge.ts';
import { mayBePresent } from './patient-fit.ts';

/** Returns undefined if the model has no data for such a history. */
export function soundsUrgent({ urgency: model }: Knowledge, facts: HistoryFacts): boolean | undefined {
  if (model === undefined || facts.language === undefined) return undefined;
  if (facts.words.size < model.shortest || facts.words.size > model.longest) return undefined;
  const weights = [...findingWeights(model, facts), ...wordWeights(model.words[facts.language], facts)];
  return weights.reduce((total, weight) => total + weight, model.start) >= model.urgentFrom;
}

/** No finding speaks against urgency. */
function findingWeights(model: UrgencyModel, facts: HistoryFacts): readonly number[] {
  const there = [...facts.findings.keys()].filter((id) => mayBePresent(facts, id));
  return there.sort(compareIds).map((id) => Math.max(0, model.findings.get(id) ?? 0));
}

/** In a fixed order, so that the order of the text does not change the rounding. */
function wordWeights(weights: ReadonlyMap<string, number>, { words }: HistoryFacts): readonly number[] {
  return [...words.keys()].sort(compareIds).map((word) => weights.get(word) ?? 0);
}
