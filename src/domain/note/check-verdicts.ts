// The verdict on each claim of a checked note, with its words.
import {
  type CheckedStatement,
  type CheckReport,
  type Effect,
  type SpokenMoment,
  type Verdict,
  verdictOf,
} from './check-report.ts';
import { checkedText } from './checked-text.ts';
import type { WrittenNote } from './note.ts';

export type JudgedStatement = Omit<CheckedStatement, 'verdict' | 'effect'> & {
  /** Its words in the note. */
  readonly text: string;
  readonly verdict: Verdict;
  readonly effect: Effect;
  /** Where it was said, or the opposite; of an unsupported one, the moments that the note names. */
  readonly moments: readonly SpokenMoment[];
};

export function judgeStatements(parts: {
  readonly note: WrittenNote;
  readonly report: Pick<CheckReport, 'statements' | 'evidence'>;
}): readonly JudgedStatement[] {
  return parts.report.statements.map((statement) => ({
    ...statement,
    text: checkedText(parts.note, statement.section).slice(statement.from, statement.to),
    verdict: verdictOf(statement),
    effect: statement.effect ?? 'none',
    moments: statement.said === undefined ? momentsOf(statement, parts.report) : [statement.said],
  }));
}

function momentsOf(
  { section, from }: CheckedStatement,
  { evidence = [] }: Pick<CheckReport, 'evidence'>,
): readonly SpokenMoment[] {
  const whole = evidence.find((one) => one.section === section && from >= one.from && from < one.to);
  return (whole?.moments ?? []).map(({ utterance, startSeconds }) => ({ utterance, startSeconds }));
}
