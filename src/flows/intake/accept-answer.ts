// What became of a delivery. The type has a file of its own, because batches are made of deliveries.
import type { DeliveryOutcome, EventContent } from '../../domain/event/delivery.ts';

export type AcceptAnswer = {
  readonly outcome: DeliveryOutcome | 'repeated';
  readonly content: EventContent;
  readonly runs: readonly string[];
  /** For `not-understood` and `id-reused`, in plain words. */
  readonly why?: string;
  /** For a batch: the answer to each of its messages. */
  readonly messages?: readonly AcceptAnswer[];
};
