// The verdict on each claim of a checked note, with its words.
import { type CheckedStatement, type CheckReport, type Effect, type Verdict, verdictOf } from './check-report.ts';
import { checkedText } from './checked-text.ts';
import type { WrittenNote } from './note.ts';

export type JudgedStatement = Omit<CheckedStatement, 'verdict' | 'effect'> & {
  /** Its words in the note. */
  readonly text: string;
  readonly verdict: Verdict;
  readonly effect: Effect;
};

export function judgeStatements(parts: {
  readonly note: WrittenNote;
  readonly report: Pick<CheckReport, 'statements'>;
}): readonly JudgedStatement[] {
  return parts.report.statements.map((statement) => ({
    ...statement,
    text: checkedText(parts.note, statement.section).slice(statement.from, statement.to),
    verdict: verdictOf(statement),
    effect: statement.effect ?? 'none',
  }));
}
