// What a list of drafts shows of each: the triage, and how much the check has marked. Counts and codes without a word of the draft, so that they
// can be stored beside the run and read without its results.
import type { Diagnosis, TriageLevel } from '../diagnosis/diagnosis.ts';
import { type CheckedStatement, type CheckReport, type Effect, type Verdict, verdictOf } from '../note/check-report.ts';

/** Marks of one verdict and one severity: `hold` is the severest. */
export type DraftMarks = { readonly verdict: Verdict; readonly effect: Effect; readonly count: number };

export type DraftFacts = {
  /** Absent if the session has no diagnosis. */
  readonly triage?: TriageLevel;
  /** Of statements that are not supported, the severest first. */
  readonly marks: readonly DraftMarks[];
  /** How many things were said that the note does not have. */
  readonly missing: number;
};

export function draftFacts(report: CheckReport | undefined, diagnosis: Diagnosis | undefined): DraftFacts {
  const triage = diagnosis?.triage.triage_level;
  const { statements = [], missing = [] } = report ?? {};
  return { ...(triage !== undefined && { triage }), marks: marksOf(statements), missing: missing.length };
}

const SEVERITIES = ['none', 'mark', 'hold'] as const satisfies readonly Effect[];
/** More than any severity, so that each RED draft comes before all others. */
const RED_RANK = SEVERITIES.length;

/** Drafts with a higher rank come first; those of one rank by their age. */
export function draftRank({ triage, marks }: DraftFacts): number {
  const severity = Math.max(0, ...marks.map(({ effect }) => SEVERITIES.indexOf(effect)));
  return severity + (triage === 'RED' ? RED_RANK : 0);
}

/** The lowest rank of a RED draft. */
export const LOWEST_RED_RANK = RED_RANK;

function marksOf(statements: readonly CheckedStatement[]): readonly DraftMarks[] {
  const counts = new Map<string, DraftMarks>();
  for (const statement of statements) {
    const verdict = verdictOf(statement);
    if (verdict === 'supported') continue;
    // Reports of earlier versions have no effect: then their statements were marked.
    const { effect = 'mark' } = statement;
    const before = counts.get(`${effect} ${verdict}`)?.count ?? 0;
    counts.set(`${effect} ${verdict}`, { verdict, effect, count: before + 1 });
  }
  return [...counts.values()].toSorted(
    (one, other) => SEVERITIES.indexOf(other.effect) - SEVERITIES.indexOf(one.effect) || other.count - one.count,
  );
}
