// Adds the verdicts of the second check to the report of the first. It only adds marks: no claim of the first check goes away or gets a
// milder verdict, so that a model that is wrong, or was talked into something by the text that it read, hides nothing.
import type { Transcript } from '../recording/transcript.ts';
import { claimsByStatement } from './check/claims-by-statement.ts';
import { countUnsupported, heldKinds, withEffects } from './check-note.ts';
import type { CheckSettings } from './check-policy.ts';
import {
  type CheckedStatement,
  type CheckReport,
  EFFECTS,
  type Effect,
  STATEMENT_KINDS,
  type StatementEvidence,
  type StatementKind,
} from './check-report.ts';
import { checkedTexts } from './checked-text.ts';
import type { WrittenNote } from './note.ts';

/** `partly`: a part of the statement was said, and the rest was not. */
export const STATEMENT_VERDICTS = ['supported', 'partly', 'contradicted', 'not-mentioned'] as const;

export type StatementVerdict = {
  /** The id of a statement in the report: `st-1`. */
  readonly id: string;
  readonly verdict: (typeof STATEMENT_VERDICTS)[number];
  /** Indexes of the utterances that decide, first one that has the words; empty if none does, or if the chart decides. */
  readonly utterances: readonly number[];
  /** The words that decide, verbatim; empty if none were said. */
  readonly words: string;
};

type Parts = {
  readonly report: CheckReport;
  readonly verdicts: readonly StatementVerdict[];
  readonly note: WrittenNote;
  readonly transcript: Pick<Transcript, 'utterances'>;
  readonly settings: CheckSettings;
};

/** A statement that the first check doubts already gets no second mark; any other one at most one. */
export function addVerdicts({ report, verdicts, note, transcript, settings }: Parts): CheckReport {
  const byId = new Map(verdicts.map((verdict) => [verdict.id, verdict]));
  const added = (report.evidence ?? []).flatMap((statement) => {
    const verdict = byId.get(statement.id);
    return verdict === undefined || isDoubted(statement) ? [] : claimFor(statement, verdict, transcript);
  });
  if (added.length === 0) return report;
  const claims = inOrder([...report.statements, ...added], note);
  const unsupported = countUnsupported(claims);
  const statements = withEffects(claims, settings, unsupported);
  const own = claimsByStatement(report.evidence ?? [], statements);
  const evidence = (report.evidence ?? []).map((one, index) => withClaims(one, own[index] ?? [], transcript));
  return { ...report, statements, evidence, unsupported, exceeded: heldKinds(statements) };
}

function isDoubted({ verdict }: StatementEvidence): boolean {
  return verdict !== 'supported' && verdict !== 'unchecked';
}

/** Over the whole statement. */
function claimFor(
  { section, from, to, kind }: StatementEvidence,
  { verdict, utterances: [utterance = -1] }: StatementVerdict,
  { utterances }: Parts['transcript'],
): readonly CheckedStatement[] {
  if (verdict === 'supported') return [];
  const claim = { kind: kindOf(kind), section, from, to, by: 'verifier' } as const;
  if (verdict !== 'contradicted') return [{ ...claim, verdict: 'unsupported' }];
  const startSeconds = utterances[utterance]?.startSeconds;
  const said = startSeconds === undefined ? {} : { said: { utterance, startSeconds } };
  return [{ ...claim, verdict: 'contradicted', ...said }];
}

/** What the first check could read nothing in is marked as a finding is: it holds the note only if the site says so. */
function kindOf(kind: StatementEvidence['kind']): StatementKind {
  return STATEMENT_KINDS.find((known) => known === kind) ?? 'finding';
}

function withClaims(
  statement: StatementEvidence,
  own: readonly CheckedStatement[],
  { utterances }: Parts['transcript'],
): StatementEvidence {
  const effects = own.map(({ effect = 'none' }) => EFFECTS.indexOf(effect));
  const effect = EFFECTS[Math.max(0, ...effects)] as Effect;
  const added = own.find(({ by }) => by === 'verifier');
  if (added?.verdict === undefined) return { ...statement, effect };
  const spoken = new Set([...statement.moments.map(({ utterance }) => utterance), added.said?.utterance ?? -1]);
  const moments = [...spoken]
    .toSorted((a, b) => a - b)
    .flatMap((utterance) => {
      const { startSeconds, endSeconds } = utterances[utterance] ?? {};
      return startSeconds === undefined || endSeconds === undefined ? [] : [{ utterance, startSeconds, endSeconds }];
    });
  return { ...statement, effect, verdict: added.verdict, moments };
}

function inOrder(claims: readonly CheckedStatement[], note: WrittenNote): readonly CheckedStatement[] {
  const order = new Map(checkedTexts(note).map(([name], index) => [name, index]));
  const placeOf = ({ section }: CheckedStatement) => order.get(section) ?? 0;
  return claims.toSorted((a, b) => placeOf(a) - placeOf(b) || a.from - b.from || a.to - b.to);
}
