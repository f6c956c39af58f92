// What the engine tells others about a run: references, and nothing that anybody said.
import type { WrittenDocument } from './chart-write.ts';

export const OUTCOME_KINDS = ['documented', 'parked', 'skipped', 'held', 'retracted', 'attention'] as const;
export type OutcomeKind = (typeof OUTCOME_KINDS)[number];

export type OutcomeEvent = {
  readonly runId: string;
  readonly site: string;
  readonly encounter: string;
  readonly patient?: string;
  readonly session?: string;
  readonly status: string;
  readonly resources: readonly WrittenDocument[];
  /** An instant. */
  readonly occurredAt: string;
};

export function routingKey(site: string, kind: OutcomeKind): string {
  return `${site}.encounter.${kind}`;
}
