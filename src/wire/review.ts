// The decision of a clinician about a draft, which POST /ops/runs/{id}/review takes. The answer is the run.
import { z } from 'zod';
import { emptyAsAbsent, pageFields, required } from './fields.ts';
import { optionalSite } from './ids.ts';

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

export const draftsQuery = z.strictObject({ limit: pageFields.limit, site: optionalSite });

export const reviewBody = z
  .strictObject({
    decision: z.enum(['approve', 'edit', 'reject'], { error: required('must be one of approve, edit, reject') }),
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
      reasonText
        .optional()
        .meta({ description: 'For `reject`: stored in the chart with the retraction, and nowhere else.' }),
    ),
    revision: z.int({ error: REVISION_RULE }).min(1, { error: REVISION_RULE }).optional().meta({
      description:
        'The revision that the reviewer has seen; also as `If-Match: "<n>"`. Required if there were several.',
    }),
  })
  .superRefine(({ decision, sections, reason }, context) => {
    const fail = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (decision === 'reject' && reason === undefined) fail('reason', 'is required to reject');
    if (decision !== 'reject' && reason !== undefined) fail('reason', 'is only for reject');
    if (decision !== 'edit' && sections !== undefined) fail('sections', 'is only for edit');
    const texts = Object.values(sections ?? {});
    if (decision === 'edit' && texts.length === 0) fail('sections', 'is required to edit, with one section or more');
    const sizeBytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    if (sizeBytes > MAX_EDIT_BYTES) fail('sections', 'must be at most 100 KB of text');
  })
  .meta({ id: 'ReviewOrder' });
