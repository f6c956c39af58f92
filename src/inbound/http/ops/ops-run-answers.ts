// What the addresses of runs answer, for the OpenAPI document and for the tests that hold every answer to it.
import { z } from 'zod';
import { STATEMENT_KINDS } from '../../../domain/note/check-report.ts';
import { EVENT_SOURCES, RUN_STATUSES, RUN_STEPS } from '../../../domain/run/run.ts';
import { diagnosisResponse } from '../api/response-schemas.ts';
import { PAUSES } from './ops-site-schemas.ts';

const time = (description: string) => z.string().meta({ description, format: 'date-time' });
const id = z.string().meta({ description: 'Names the run.' });
const encounter = z.string().meta({ description: '`Encounter/123`; or `visit:V-77` until the EHR has been asked.' });
const status = z.enum(RUN_STATUSES);

const written = z.object({
  document: z.string(),
  reference: z.string(),
  status: z.enum(['created', 'updated', 'unchanged', 'retired']),
});

const left = z.object({
  document: z.string(),
  reference: z.string(),
  why: z.enum(['touched', 'signed', 'unchangeable']),
});

const runFields = {
  id,
  site: z.string(),
  organization: z.string(),
  encounter,
  patient: z.string().optional(),
  session: z.string().optional(),
  recordings: z.array(z.string()),
  status,
  reason: z.string().optional().meta({ description: 'A code of a closed set.' }),
  message: z.string().optional().meta({ description: 'In plain words.' }),
  advice: z.string().optional().meta({ description: 'What to do.' }),
  waitsUntil: time('When it is looked at again.').optional(),
  waitsFor: z.string().optional(),
  step: z.enum(RUN_STEPS).optional().meta({ description: 'Under way, or next.' }),
  isUrgent: z.boolean(),
  tries: z.int().min(0),
  crashes: z.int().min(0),
  isCancelling: z.boolean().meta({ description: 'It ends at its next step.' }),
  isDry: z.boolean().meta({ description: 'It writes nothing.' }),
  revision: z.int().min(0).meta({ description: 'Counts the drafts that a reviewer can be shown.' }),
  review: z
    .object({
      decision: z.enum(['approve', 'edit']),
      reviewer: z.string(),
      name: z.string().optional(),
      time: time('When it was decided.'),
      revision: z.int().min(0),
    })
    .optional(),
  trigger: z.object({ source: z.enum(EVENT_SOURCES), eventId: z.string().optional(), receivedAt: time('When.') }),
  versions: z.object({
    engine: z.string().optional(),
    mapping: z.string().optional(),
    prompt: z.string().optional(),
    model: z.string().optional(),
    speech: z.string().optional(),
  }),
  replayOf: z.string().optional(),
  resources: z.array(written).meta({ description: 'What was written to the chart.' }),
  left: z.array(left).meta({ description: 'What was left as it is, because it is a person’s.' }),
  createdAt: time('When it was made.'),
  startedAt: time('When somebody first worked on it.').optional(),
  endedAt: time('When it came to its end.').optional(),
  changedAt: time('When it last changed.'),
  remindedAt: time('When people were last told that it waits for them.').optional(),
  error: z
    .object({ code: z.string(), message: z.string(), advice: z.string().optional() })
    .optional()
    .meta({ description: 'Of a run that is parked.' }),
};

const exampleRun = {
  id: '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77',
  site: 'mercy',
  organization: 'mercy-general',
  encounter: 'Encounter/123',
  patient: 'Patient/7',
  session: 's-5f0c2a9b7d3e48165f0c2a9b',
  recordings: ['DocumentReference/9'],
  status: 'written' as const,
  isUrgent: false,
  tries: 0,
  crashes: 0,
  isCancelling: false,
  isDry: false,
  revision: 1,
  trigger: { source: 'amqp' as const, eventId: 'evt-1', receivedAt: '2026-11-21T08:00:00.000Z' },
  versions: { engine: 'chartwright 0.1.0', mapping: '5f0c2a9b7d3e', model: 'example-model' },
  resources: [{ document: 'composition', reference: 'Composition/12', status: 'created' as const }],
  left: [],
  createdAt: '2026-11-21T08:00:00.100Z',
  startedAt: '2026-11-21T08:00:05.200Z',
  endedAt: '2026-11-21T08:01:30.000Z',
  changedAt: '2026-11-21T08:01:30.000Z',
};

export const runResponse = z.object(runFields).meta({ id: 'Run', examples: [exampleRun] });

export const runListResponse = z
  .object({
    runs: z.array(runResponse).meta({ description: 'The newest first.' }),
    next: z.string().optional().meta({ description: 'The `cursor` of the next page; absent on the last.' }),
  })
  .meta({ id: 'RunList', examples: [{ runs: [exampleRun], next: 'MTIz' }] });

const step = z.object({
  name: z.enum(RUN_STEPS),
  status: z.enum(['pending', 'running', 'done', 'failed', 'skipped']),
  attempts: z.int().min(0),
  startedAt: time('When it last began.').optional(),
  finishedAt: time('When it was done.').optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

const event = z.object({
  source: z.enum(EVENT_SOURCES),
  eventId: z.string().optional(),
  receivedAt: time('When.'),
  repeats: z.int().min(0).meta({ description: 'How often the same came again.' }),
});

const transcript = z.object({
  language: z.string(),
  durationSeconds: z.number(),
  utterances: z.array(
    z.object({
      speaker: z.int().meta({ description: 'From 0.' }),
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

const check = z.object({
  statements: z.array(
    z.object({
      kind: z.enum(STATEMENT_KINDS),
      section: z.string(),
      from: z.int(),
      to: z.int(),
      said: z.object({ utterance: z.int(), startSeconds: z.number() }).optional(),
    }),
  ),
  unsupported: z.partialRecord(z.enum(STATEMENT_KINDS), z.int()),
  exceeded: z.array(z.enum(STATEMENT_KINDS)),
  overSilence: z.array(z.int()),
  coverage: z.number().optional(),
});

const difference = z.object({
  document: z.string(),
  reference: z.string().optional(),
  change: z.enum(['new', 'changed', 'gone', 'same']),
  elements: z.array(z.string()),
});

export const runViewResponse = z
  .object({
    ...runFields,
    events: z.array(event),
    steps: z.array(step).length(RUN_STEPS.length).meta({ description: 'All, in their order.' }),
    transcript: transcript.optional(),
    note: note.optional(),
    diagnosis: diagnosisResponse.optional(),
    check: check.optional().meta({ description: 'Which statements of the note were said, and where.' }),
    bundle: z
      .object({
        resourceType: z.literal('Bundle'),
        type: z.literal('collection'),
        entry: z.array(z.object({ fullUrl: z.string(), resource: z.unknown() })),
      })
      .optional()
      .meta({ description: 'The documents as they were mapped.' }),
    differences: z
      .array(difference)
      .optional()
      .meta({ description: 'Of a dry run: what would be different from what stands in the chart.' }),
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

export const startedResponse = z.object({ id }).meta({ id: 'StartedRun', examples: [{ id: exampleRun.id }] });

export const startedRunsResponse = z
  .object({
    count: z.int().min(0),
    isComplete: z.boolean().meta({ description: 'False where there are more than were looked at.' }),
    ids: z.array(z.string()).optional(),
  })
  .meta({ id: 'StartedRuns', examples: [{ count: 1, isComplete: true, ids: [exampleRun.id] }] });

export const cancelResponse = z
  .object({ status: z.enum(['cancelled', 'cancelling']) })
  .meta({ id: 'CancelledRun', examples: [{ status: 'cancelling' }] });

const place = z.object({ site: z.string(), encounter: z.string(), session: z.string() });
const examplePlace = { site: 'mercy', encounter: 'Encounter/123', session: exampleRun.session };

const draft = place.extend({ id });
const exampleDraft = { ...examplePlace, id: exampleRun.id };

export const recallFindResponse = z
  .object({
    count: z.int().min(0).meta({ description: 'How many sessions stand in charts.' }),
    places: z.array(place),
    drafts: z
      .array(draft.extend({ status }))
      .meta({ description: 'Runs that hold such results, and have not written them yet.' }),
  })
  .meta({
    id: 'RecallPreview',
    examples: [{ count: 1, places: [examplePlace], drafts: [{ ...exampleDraft, status: 'held' }] }],
  });

export const recallResponse = z
  .object({
    withdrawn: z.array(draft.extend({ status: z.enum(['withdrawn', 'at-work']) })).meta({
      description:
        'Runs that nobody may approve or write any more. at-work: it ends at its next step, or is being written: recall again.',
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

export const explainResponse = z
  .object({
    sentence: z.string(),
    next: z.string().meta({ description: 'What to do.' }),
    details: z
      .object({
        encounter: z.string().optional(),
        patient: z.string().optional(),
        encounterStatus: z.string().optional(),
        run: z.string().optional().meta({ description: 'What the sentence is about.' }),
        runs: z.array(z.object({ id, status, reason: z.string().optional(), session: z.string().optional() })),
        otherEncounters: z.int().min(0).optional(),
        paused: z.array(z.enum(PAUSES)),
        alarms: z.array(z.string()),
        lastEventAt: time('When anything last came from this site.').optional(),
      })
      .optional(),
  })
  .meta({
    id: 'Explanation',
    examples: [
      {
        sentence: 'The chart has no recording of Encounter/123 that can be used.',
        next: 'See that it is saved to this encounter, as a DocumentReference or Media with audio in it.',
        details: { encounter: 'Encounter/123', runs: [], paused: [], alarms: [] },
      },
    ],
  });

export const runEvent = z
  .object({
    id,
    site: z.string(),
    encounter,
    status,
    reason: z.string().optional(),
    step: z.enum(RUN_STEPS).optional(),
    changedAt: time('When.'),
  })
  .meta({
    id: 'RunEvent',
    description: 'Data of a `run` event: how a run is now.',
    examples: [
      {
        id: exampleRun.id,
        site: 'mercy',
        encounter: 'Encounter/123',
        status: 'running',
        step: 'diagnose',
        changedAt: '2026-11-21T08:01:10.000Z',
      },
    ],
  });

export type RunAnswer = z.output<typeof runResponse>;
export type RunViewAnswer = z.output<typeof runViewResponse>;
export type RunListAnswer = z.output<typeof runListResponse>;
export type RecallFoundAnswer = z.output<typeof recallFindResponse>;
export type RecallAnswer = z.output<typeof recallResponse>;
export type ExplainAnswer = z.output<typeof explainResponse>;
export type RunEventAnswer = z.output<typeof runEvent>;
