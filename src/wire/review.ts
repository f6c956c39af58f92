// The decision of a clinician about a draft, which POST /ops/runs/{id}/review takes. The answer is the run.
import { z } from 'zod';
import { DRAFT_DECISIONS, REJECT_CATEGORIES } from '../domain/run/draft-decision.ts';
import { takeOver } from './drafts.ts';
import { emptyAsAbsent, required } from './fields.ts';

const MAX_REASON = 1_000;
const REASON_RULE = `must be 1 to ${MAX_REASON} characters`;
export const reasonText = z
  .string({ error: required(REASON_RULE) })
  .trim()
  .min(1, { error: REASON_RULE })
  .max(MAX_REASON, { error: REASON_RULE });

const MAX_EDIT_BYTES = 102_400;
const SECTIONS_RULE = 'must name sections by their keys, each with its text';
const REVISION_RULE = 'must be a whole number from 1';

const CATEGORY_RULE = `must be one of ${REJECT_CATEGORIES.join(', ')}`;
const DECISION_RULE = `must be one of ${DRAFT_DECISIONS.join(', ')}`;

export const reviewBody = z
  .strictObject({
    decision: z.enum(DRAFT_DECISIONS, { error: required(DECISION_RULE) }),
    sections: z
      .record(
        z
          .string()
          .min(1)
          .max(100)
          .refine((key) => !/\p{Cc}/u.test(key)),
        z.string({ error: SECTIONS_RULE }),
        { error: SECTIONS_RULE },
      )
      .optional()
      .meta({
        description: 'For `edit`: the new text of some sections of the note; the other sections stay unchanged.',
      }),
    reason: emptyAsAbsent(
      reasonText.optional().meta({
        description:
          'For `reject`: stored in the chart with the retraction, and nowhere else. For `correct`: the instruction for the model.',
      }),
    ),
    category: emptyAsAbsent(
      z
        .enum(REJECT_CATEGORIES, { error: CATEGORY_RULE })
        .optional()
        .meta({ description: 'For `reject` and `correct`: counted in the figures of reviews.' }),
    ),
    takeOver,
    revision: z.int({ error: REVISION_RULE }).min(1, { error: REVISION_RULE }).optional().meta({
      description:
        'The revision that the reviewer has seen; also as `If-Match: "<n>"`. Required if there were several.',
    }),
  })
  .superRefine(({ decision, sections, reason, category }, context) => {
    const fail = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const hasReason = decision === 'reject' || decision === 'correct';
    if (hasReason && reason === undefined) fail('reason', `is required to ${decision}`);
    if (!hasReason && reason !== undefined) fail('reason', 'is only for reject and correct');
    if (!hasReason && category !== undefined) fail('category', 'is only for reject and correct');
    if (decision !== 'edit' && sections !== undefined) fail('sections', 'is only for edit');
    const texts = Object.values(sections ?? {});
    if (decision === 'edit' && texts.length === 0) fail('sections', 'is required to edit, with one section or more');
    const sizeBytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    if (sizeBytes > MAX_EDIT_BYTES) fail('sections', 'must be at most 100 KB of text');
  })
  .meta({ id: 'ReviewOrder' });
