// What a run does with a statement that is not supported: by what it is about, and by the verdict on it. A site may change each entry.
import type { Effect, StatementKind, Verdict } from './check-report.ts';
import { STATEMENT_KINDS } from './check-report.ts';

export const DOUBTFUL_VERDICTS = [
  'unsupported',
  'contradicted',
  'misplaced',
  'conflict',
] as const satisfies readonly Verdict[];
export type DoubtfulVerdict = (typeof DOUBTFUL_VERDICTS)[number];
/** `pass`: the statement stays as it is, without a mark. */
export const POLICY_ACTIONS = ['pass', 'mark', 'hold'] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

/** What is absent is as in the default. */
export type CheckPolicy = Readonly<
  Partial<Record<StatementKind, Readonly<Partial<Record<DoubtfulVerdict, PolicyAction>>>>>
>;

/** What a site decides about statements that are not supported. */
export type CheckSettings = {
  /** The limit of each kind: a note with more of it is held. A kind without an entry has no limit. */
  readonly maxUnsupported: Readonly<Record<string, number>>;
  /** Absent: the default. */
  readonly policy?: CheckPolicy;
};

type Row = Readonly<Record<DoubtfulVerdict, PolicyAction>>;

/** What harms a patient if it is wrong and is acted upon before anyone looks again. */
const HARMFUL: Row = { unsupported: 'hold', contradicted: 'hold', misplaced: 'mark', conflict: 'mark' };
const MARKED: Row = { unsupported: 'mark', contradicted: 'mark', misplaced: 'mark', conflict: 'mark' };

const HARMFUL_KINDS: ReadonlySet<StatementKind> = new Set([
  'drug',
  'dose',
  'drug-change',
  'allergy',
  'order',
  'procedure',
  'consent',
  'attestation',
  'pregnancy',
  'resuscitation',
  'self-harm',
]);

export const DEFAULT_POLICY: Readonly<Record<StatementKind, Row>> = Object.fromEntries(
  STATEMENT_KINDS.map((kind) => [kind, HARMFUL_KINDS.has(kind) ? HARMFUL : MARKED] as const),
) as Record<StatementKind, Row>;

type Judged = CheckSettings & {
  readonly kind: StatementKind;
  readonly verdict: Verdict;
  /** How many claims of this kind the note has that are not supported. */
  readonly count: number;
};

/** A limit of the site for a kind decides when the note is held for it, unless its policy has an entry of its own. */
export function effectOf({ policy, maxUnsupported, kind, verdict, count }: Judged): Effect {
  if (verdict === 'supported') return 'none';
  const limit = maxUnsupported[kind];
  const byDefault = limit === undefined ? DEFAULT_POLICY[kind][verdict] : 'mark';
  const action = policy?.[kind]?.[verdict] ?? byDefault;
  if (action === 'pass') return 'none';
  return limit !== undefined && count > limit ? 'hold' : action;
}
