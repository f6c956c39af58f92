// One run with its steps and their results (transcript, note, diagnosis), which are patient data.
import { z } from 'zod';
import { KEPT_REASONS, PLANNED_ACTIONS } from '../domain/chart/planned-change.ts';
import { CODE_SYSTEMS } from '../domain/coding/code-system.ts';
import { CHART_LISTS, EFFECTS, STATEMENT_KINDS, VERDICTS } from '../domain/note/check-report.ts';
import { EVENT_SOURCES, RUN_STEPS } from '../domain/run/run.ts';
import { diagnosisResponse } from './diagnosis.ts';
import { type Answer, timestamp } from './fields.ts';
import { exampleRun, runFields } from './run.ts';

const BRIEF_RULE = 'must be true or false';
export const runQuery = z.strictObject({
  brief: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z
      .enum(['true', 'false'], { error: BRIEF_RULE })
      .default('false')
      .meta({
        description: 'Without patient data: no transcript, note, diagnosis or documents.',
        examples: ['true'],
      }),
  ),
});

const step = z.object({
  name: z.enum(RUN_STEPS),
  status: z.enum(['pending', 'running', 'done', 'failed', 'skipped']),
  attempts: z.int().min(0),
  startedAt: timestamp('When its last attempt started.').optional(),
  finishedAt: timestamp('When it finished.').optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

const event = z.object({
  source: z.enum(EVENT_SOURCES),
  eventId: z.string().optional(),
  receivedAt: timestamp('Time of receipt.'),
  repeats: z.int().min(0).meta({ description: 'How often the same event was received again.' }),
});

const transcript = z.object({
  language: z.string(),
  durationSeconds: z.number(),
  utterances: z.array(
    z.object({
      speaker: z.int().meta({ description: 'Number of the speaker, from 0.' }),
      text: z.string(),
      startSeconds: z.number(),
      endSeconds: z.number(),
      confidence: z.number(),
    }),
  ),
});

const note = z.object({
  title: z.string(),
  sections: z.array(z.object({ key: z.string(), title: z.string(), text: z.string() })),
  dynamicFields: z.record(z.string(), z.string()).optional(),
});

const moment = z.object({ utterance: z.int(), startSeconds: z.number() });

const check = z.object({
  statements: z.array(
    z.object({
      kind: z.enum(STATEMENT_KINDS),
      section: z.string(),
      from: z.int(),
      to: z.int(),
      verdict: z.enum(VERDICTS).optional().meta({ description: 'Absent in runs of earlier versions.' }),
      effect: z.enum(EFFECTS).optional(),
      said: moment.optional(),
      chart: z
        .object({ list: z.enum(CHART_LISTS), text: z.string(), reference: z.string().optional() })
        .optional()
        .meta({ description: 'The entry of the chart that supports it, or with which it is in conflict.' }),
      by: z.literal('verifier').optional().meta({ description: 'The second check has added it.' }),
    }),
  ),
  evidence: z
    .array(z.unknown())
    .optional()
    .meta({ description: 'Of each statement; GET /ops/runs/{id}/evidence has it with all words.' }),
  missing: z.array(z.object({ kind: z.enum(STATEMENT_KINDS), text: z.string(), ...moment.shape })).optional(),
  reasons: z.array(z.unknown()).optional().meta({ description: 'What the differential diagnosis rests on.' }),
  unsupported: z.partialRecord(z.enum(STATEMENT_KINDS), z.int()),
  exceeded: z.array(z.enum(STATEMENT_KINDS)),
  overSilence: z.array(z.int()),
  coverage: z.number().optional(),
  verifier: z
    .object({ model: z.string(), outcome: z.enum(['checked', 'failed']), unjudged: z.int().optional() })
    .optional()
    .meta({ description: 'The second check; absent if there was none. failed: the note has the first check alone.' }),
});

const codes = z.object({
  list: z
    .object({ system: z.enum(CODE_SYSTEMS), version: z.string() })
    .optional()
    .meta({ description: 'The official list that was used; absent if none is imported.' }),
  official: z.int().min(0).meta({ description: 'Codes in the list or, without one, in the table of the site.' }),
  unverified: z
    .int()
    .min(0)
    .meta({ description: 'Codes that the table does not have, without a list to verify them.' }),
  unknown: z.int().min(0).meta({ description: 'Codes that the list does not have; not written.' }),
});

const removed = z.object({
  markup: z.int().min(0).meta({ description: 'Tags, scripts, Markdown images and the like.' }),
  addresses: z.int().min(0).meta({
    description: 'Addresses that were not said, and links to publishers that are not in the list of sources.',
  }),
  dosages: z.int().min(0).meta({ description: 'Dosages of drugs that cannot be meant.' }),
});

const difference = z.object({
  document: z.string(),
  reference: z.string().optional(),
  change: z.enum(['new', 'changed', 'gone', 'same']).meta({ description: 'The new result compared with the chart.' }),
  elements: z.array(z.string()),
  would: z.enum(PLANNED_ACTIONS).optional().meta({
    description:
      'What a replay would do to it. `park`: a person changed it, so the replay would be parked and write nothing at all.',
  }),
  why: z.enum(KEPT_REASONS).optional().meta({ description: 'Why it would be kept although it differs.' }),
});

export const runViewResponse = z
  .object({
    ...runFields,
    events: z.array(event),
    steps: z.array(step).length(RUN_STEPS.length).meta({ description: 'All steps, in their order.' }),
    codes: codes.optional().meta({ description: 'How many codes of the diagnosis are official.' }),
    removed: removed
      .optional()
      .meta({ description: "What was taken out of the reasoner's note and diagnosis; absent if nothing." }),
    transcript: transcript.optional(),
    note: note.optional(),
    diagnosis: diagnosisResponse.optional(),
    check: check.optional().meta({ description: 'Which statements of the note the transcript supports, and where.' }),
    bundle: z
      .object({
        resourceType: z.literal('Bundle'),
        type: z.literal('collection'),
        entry: z.array(z.object({ fullUrl: z.string(), resource: z.unknown() })),
      })
      .optional()
      .meta({ description: 'The mapped FHIR documents.' }),
    differences: z
      .array(difference)
      .optional()
      .meta({ description: 'Only for a dry run: differences from the current chart.' }),
  })
  .meta({
    id: 'RunView',
    examples: [
      {
        ...exampleRun,
        events: [{ source: 'amqp', eventId: 'evt-1', receivedAt: '2026-11-21T08:00:00.000Z', repeats: 1 }],
        steps: RUN_STEPS.map((name) => ({ name, status: 'done', attempts: 1 })),
        note: { title: 'Cough', sections: [{ key: 'PLAN', title: 'Plan', text: 'Chest X-ray today.' }] },
      },
    ],
  });

export type RunViewAnswer = Answer<typeof runViewResponse>;
export type RunCodesAnswer = NonNullable<RunViewAnswer['codes']>;
export type RunStepAnswer = RunViewAnswer['steps'][number];
export type DifferenceAnswer = NonNullable<RunViewAnswer['differences']>[number];
