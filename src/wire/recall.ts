// What POST /ops/runs/recall takes and answers, in a dry run and in earnest.
import { z } from 'zod';
import { type Answer, emptyAsAbsent, optionalLine, optionalMoment } from './fields.ts';
import { optionalSite } from './ids.ts';
import { reasonText } from './review.ts';
import { exampleRun, runIdField, runStatus } from './run.ts';
import { optionalFlag } from './run-orders.ts';

export const recallBody = z
  .strictObject({
    site: optionalSite,
    model: optionalLine('Only results of this model.', 'example-model'),
    mapping: optionalLine('Only results of this version of the mappings.', '5f0c2a9b7d3e'),
    prompt: optionalLine('Only results of this version of the prompt.', '9d4e2b71c05a'),
    from: optionalMoment('Only results from then on.'),
    to: optionalMoment('Only results before then.'),
    reason: emptyAsAbsent(
      reasonText
        .optional()
        .meta({ description: 'Stored in the chart with each retraction. Required, except in a dry run.' }),
    ),
    dryRun: optionalFlag('Only report what would be retracted.'),
  })
  .superRefine(({ reason, dryRun }, context) => {
    if (reason !== undefined || dryRun === true) return;
    context.addIssue({ code: 'custom', path: ['reason'], message: 'is required: it is stored in each chart' });
  })
  .meta({ id: 'RecallOrder' });

const place = z.object({ site: z.string(), encounter: z.string(), session: z.string() });
const examplePlace = { site: 'mercy', encounter: 'Encounter/123', session: exampleRun.session };

const draft = place.extend({ id: runIdField });
const exampleDraft = { ...examplePlace, id: exampleRun.id };

export const recallPreviewResponse = z
  .object({
    count: z.int().min(0).meta({ description: 'Number of sessions whose results are in charts.' }),
    places: z.array(place),
    drafts: z
      .array(draft.extend({ status: runStatus }))
      .meta({ description: 'Runs with such results that are not written yet.' }),
  })
  .meta({
    id: 'RecallPreview',
    examples: [{ count: 1, places: [examplePlace], drafts: [{ ...exampleDraft, status: 'held' }] }],
  });

export const recallResponse = z
  .object({
    withdrawn: z.array(draft.extend({ status: z.enum(['withdrawn', 'at-work']) })).meta({
      description:
        'Runs that can no longer be approved or written. at-work: the run stops after the current step, or is writing to the chart now; recall again.',
    }),
    recalled: z.array(
      place.extend({
        status: z.enum(['retracted', 'parked', 'held', 'skipped', 'written', 'failed']),
        message: z.string().optional(),
      }),
    ),
  })
  .meta({
    id: 'Recalled',
    examples: [
      {
        withdrawn: [{ ...exampleDraft, status: 'withdrawn' }],
        recalled: [{ ...examplePlace, status: 'retracted' }],
      },
    ],
  });

export type RecallPreviewAnswer = Answer<typeof recallPreviewResponse>;
export type RecallAnswer = Answer<typeof recallResponse>;
export type PlaceAnswer = RecallPreviewAnswer['places'][number];
export type DraftAnswer = RecallPreviewAnswer['drafts'][number] | RecallAnswer['withdrawn'][number];
