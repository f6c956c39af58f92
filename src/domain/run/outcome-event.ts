// The events that the engine sends about runs. They hold references, never clinical content.
import type { WrittenDocument } from '../chart/chart-write.ts';
import type { RunEnd } from './run-end.ts';

export const OUTCOME_KINDS = ['documented', 'parked', 'skipped', 'held', 'retracted', 'attention'] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

export const ATTENTION_CAUSES = [
  /** A RED triage; it is sent at once. */
  'red',
  /** The encounter of documents in a chart belongs to another patient now; it is sent at once. */
  'moved',
  /** The run is parked, or held for another reason than a review, and has not changed for `attention.after`. */
  'needs-person',
  /** The draft has had no decision for `review.remindAfter`. */
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
  /** Only for `attention`. */
  readonly because?: AttentionCause;
  /** Only for `moved`: the encounter's patient now. `patient` is the one in whose chart the documents are. */
  readonly movedTo?: string;
  /** An instant. */
  readonly occurredAt: string;
};

/** The exchange at RabbitMQ. Receivers bind their queues to it. */
export const OUTCOMES_EXCHANGE = 'chartwright.events';

export function routingKey(site: string, kind: OutcomeKind): string {
  return `${site}.encounter.${kind}`;
}

/** The event that the end of a run sends. Undefined for an end that is not final: the run goes on later. */
export function outcomeOf({ status }: RunEnd): OutcomeKind | undefined {
  switch (status) {
    case 'written':
      return 'documented';
    case 'parked':
    case 'skipped':
    case 'held':
    case 'retracted':
      return status;
    case 'waiting':
    case 'cancelled':
    case 'queued':
      return undefined;
  }
}
