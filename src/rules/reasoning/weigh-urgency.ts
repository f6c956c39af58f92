// Whether a story is told as emergencies are told: what was heard and the words around it, added up as log-odds that were learnt
// from stories of which the triage is known. It decides doubts and nothing else. A danger is urgent however calmly it is told.
import type { ExtractedFinding, HistoryFacts } from '../extraction/heard.ts';
import type { Knowledge, Tone } from '../knowledge/knowledge.ts';
import { isThere } from './patient-fit.ts';
import { compareIds } from './rank-conditions.ts';

export type Telling = {
  readonly isUrgent: boolean;
  /** What speaks for it most, strongest first. */
  readonly findings: readonly ExtractedFinding[];
  /** As they were written. */
  readonly words: readonly string[];
};

/** Log-odds: a word that weighs less is named to nobody. */
const TELLING = 0.3;

type Weighed<T> = { readonly what: T; readonly weight: number };

/** Undefined: of such a story nothing was learnt. */
export function weighTone({ tone }: Knowledge, heard: HistoryFacts): Telling | undefined {
  if (tone === undefined || heard.language === undefined) return undefined;
  if (heard.words.size < tone.shortest || heard.words.size > tone.longest) return undefined;
  const findings = weighFindings(tone, heard);
  const words = weighWords(tone.words[heard.language], heard);
  const score = sum(words, sum(findings, tone.start));
  return {
    isUrgent: score >= tone.urgentFrom,
    findings: findings.map(({ what }) => what),
    words: words.filter(({ weight }) => weight >= TELLING).map(({ what }) => heard.words.get(what) ?? what),
  };
}

function weighFindings(tone: Tone, heard: HistoryFacts): readonly Weighed<ExtractedFinding>[] {
  const there = [...heard.findings.values()].filter(({ id }) => isThere(heard, id));
  return there
    .map((what) => ({ what, weight: tone.findings.get(what.id) ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight || compareIds(one.what.id, other.what.id));
}

function weighWords(weights: ReadonlyMap<string, number>, { words }: HistoryFacts): readonly Weighed<string>[] {
  return Array.from(words.keys(), (what) => ({ what, weight: weights.get(what) ?? 0 }))
    .filter(({ weight }) => weight !== 0)
    .sort((one, other) => other.weight - one.weight || compareIds(one.what, other.what));
}

/** Always in the same order: the order of what was said changes nothing. */
function sum(weighed: readonly Weighed<unknown>[], start: number): number {
  return weighed.reduce((total, { weight }) => total + weight, start);
}
