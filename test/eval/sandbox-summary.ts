// The visits of the sandbox as a few figures: all languages together, then each.
import type { Language } from '../../src/domain/language.ts';
import type { Misread } from './misread-facts.ts';
import type { VisitScore } from './score-visit.ts';
import { EVERYBODY, ofLanguage, type Share, shareOf, sum } from './summary.ts';

export type SandboxSummary = {
  readonly language: Language | 'all';
  readonly count: number;
  /** Of the visits, those whose run ended as the story says. */
  readonly ended: Share;
  readonly placed: Share;
  readonly invented: number;
  readonly top1: Share;
  readonly top3: Share;
  readonly mustNotMiss: Share;
  readonly underCalls: Share;
  readonly overCalls: Share;
  /** Diseases among the first three that must not be there. */
  readonly wrong: number;
  /** Facts in the chart that must not be there; small talk is none. */
  readonly misread: number;
  /** Of the visits, those with the right resources in their chart; those of which no checker complains. */
  readonly resources: Share;
  readonly checked: Share;
};

export type SandboxMisses = { readonly id: string; readonly what: string; readonly isKnown: boolean };
export type SandboxMisread = Misread & { readonly id: string };
export type SandboxReport = {
  readonly rows: readonly SandboxSummary[];
  /** Each for itself, in the order of the visits. */
  readonly misses: readonly SandboxMisses[];
  readonly misread: readonly SandboxMisread[];
};

export function summariseSandbox(scores: readonly VisitScore[]): SandboxReport {
  return {
    rows: EVERYBODY.map((language) => summariseVisits(language, ofLanguage(scores, language))),
    misses: scores.flatMap(({ id, misses, newMisses }) =>
      misses.map((what) => ({ id, what, isKnown: !newMisses.includes(what) })),
    ),
    misread: scores.flatMap(misreadOf),
  };
}

function summariseVisits(language: Language | 'all', scores: readonly VisitScore[]): SandboxSummary {
  const notes = scores.map(({ note }) => note);
  const answers = scores.map(({ diagnosis }) => diagnosis).filter((answer) => answer !== undefined);
  const triaged = (wanted: 'RED' | 'WHITE', judged: 'under' | 'over') =>
    shareOf(
      answers.filter((answer) => answer.wanted === wanted),
      ({ triage }) => triage === judged,
    );
  return {
    language,
    count: scores.length,
    ended: shareOf(scores, ({ isEndedRight }) => isEndedRight),
    placed: { met: sum(notes.map(({ placed }) => placed)), of: sum(notes.map(({ wanted }) => wanted)) },
    invented: sum(notes.map(({ invented }) => invented.length)),
    top1: shareOf(answers, ({ isFirst }) => isFirst),
    top3: shareOf(answers, ({ isAmong3 }) => isAmong3),
    mustNotMiss: { met: sum(answers.map(({ found }) => found)), of: sum(answers.map((one) => one.mustNotMiss)) },
    underCalls: triaged('RED', 'under'),
    overCalls: triaged('WHITE', 'over'),
    wrong: sum(answers.map(({ wrong }) => wrong.length)),
    misread: scores.flatMap(misreadOf).filter(isFact).length,
    resources: shareOf(scores, ({ isRightlyWritten }) => isRightlyWritten),
    checked: shareOf(scores, ({ complaints }) => complaints.length === 0),
  };
}

function misreadOf({ id, misread, misreadLate = [] }: VisitScore): readonly SandboxMisread[] {
  return [...misread.map((one) => ({ id, ...one })), ...misreadLate.map((one) => ({ id: `${id}-late`, ...one }))];
}

export function isFact({ kind }: Misread): boolean {
  return kind !== 'small-talk';
}
