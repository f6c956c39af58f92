// Counts what clinicians did with cards. Neither their words nor whose chart it was is kept.
import type { CdsOutcome, CdsServiceId, OverrideReason } from '../../domain/cds/cds-services.ts';
import { present } from '../../domain/present.ts';
import type { CardFeedback, CdsFeedback } from '../../ports/cds-feedback.ts';

export type TakeFeedback = (order: {
  readonly site: string;
  readonly service: CdsServiceId;
  readonly feedback: readonly {
    readonly card: string;
    readonly outcome: CdsOutcome;
    readonly reason?: OverrideReason | undefined;
    readonly at: Date;
  }[];
}) => Promise<void>;

export type TakeFeedbackParts = {
  readonly cdsFeedback: Pick<CdsFeedback, 'record'>;
  readonly onTaken: (feedback: { readonly service: CdsServiceId; readonly outcome: CdsOutcome }) => void;
};

export function makeTakeFeedback({ cdsFeedback, onTaken }: TakeFeedbackParts): TakeFeedback {
  return async ({ site, service, feedback }) => {
    await cdsFeedback.record(feedback.map((one): CardFeedback => present({ site, service, ...one })));
    for (const { outcome } of feedback) onTaken({ service, outcome });
  };
}
