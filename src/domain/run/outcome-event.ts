// What the engine tells others about a run: references, and nothing that anybody said.
import type { WrittenDocument } from '../chart/chart-write.ts';

export const OUTCOME_KINDS = ['documented', 'parked', 'skipped', 'held', 'retracted', 'attention'] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

export const ATTENTION_CAUSES = [
  /** A RED triage: at once. */
  'red',
  /** It is parked, or held for another reason than a review, and nothing has changed for `attention.after`. */
  'needs-person',
  /** Nobody has decided about the draft for `review.remindAfter`. */
  'review-due',
  /** The same for `review.escalateAfter`. */
  'review-overdue',
] as const;
export type AttentionCause = (typeof ATTENTION_CAUSES)[number];

export type OutcomeEvent = {
  readonly runId: string;
  readonly site: string;
  readonly encounter: string;
  readonly patient?: string;
  readonly session?: string;
  readonly status: string;
  readonly resources: readonly WrittenDocument[];
  /** Of `attention`, and of nothing else. */
  readonly because?: AttentionCause;
  /** An instant. */
  readonly occurredAt: string;
};

export function routingKey(site: string, kind: OutcomeKind): string {
  return `${site}.encounter.${kind}`;
}
