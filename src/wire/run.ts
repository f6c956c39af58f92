// A run as /ops/runs and /ops/events return it, without patient data except ids, and the query that lists runs.
import { z } from 'zod';
import { EVENT_SOURCES, RUN_STATUSES, RUN_STEPS } from '../domain/run/run.ts';
import {
  type Answer,
  emptyAsAbsent,
  nextCursor,
  optionalLine,
  optionalMoment,
  pageFields,
  timestamp,
  yesOrNo,
} from './fields.ts';
import { ehrReference, optionalSite } from './ids.ts';

export const runIdField = z.string().meta({ description: 'Id of the run.' });
const encounter = z
  .string()
  .meta({ description: '`Encounter/123`, or `visit:V-77` until the EHR has resolved the visit number.' });
export const runStatus = z.enum(RUN_STATUSES).meta({ id: 'RunStatus' });
const runStep = z.enum(RUN_STEPS).meta({ id: 'RunStep' });

export const written = z.object({
  document: z.string(),
  reference: z.string(),
  status: z.enum(['created', 'updated', 'unchanged', 'retired']),
});

const left = z.object({
  document: z.string(),
  reference: z.string(),
  why: z.enum(['touched', 'signed', 'unchangeable']),
});

export const runFields = {
  id: runIdField,
  site: z.string(),
  organization: z.string(),
  encounter,
  patient: z.string().optional(),
  session: z.string().optional(),
  recordings: z.array(z.string()),
  status: runStatus,
  reason: z.string().optional().meta({ description: 'Code of the reason, from a closed set.' }),
  message: z.string().optional().meta({ description: 'The reason in plain words.' }),
  advice: z.string().optional().meta({ description: 'What to do next.' }),
  waitsUntil: timestamp('When the run is tried again.').optional(),
  waitsFor: z.string().optional(),
  step: runStep.optional().meta({ description: 'The current step, or the next one.' }),
  isUrgent: z.boolean(),
  tries: z.int().min(0),
  crashes: z.int().min(0),
  isCancelling: z.boolean().meta({ description: 'The run stops after the current step.' }),
  isDry: z.boolean().meta({ description: 'A dry run: nothing is written to the chart.' }),
  revision: z
    .int()
    .min(0)
    .meta({ description: 'Number of the draft; it grows with each draft that a reviewer can see.' }),
  review: z
    .object({
      decision: z.enum(['approve', 'edit']),
      reviewer: z.string(),
      name: z.string().optional(),
      time: timestamp('Time of the decision.'),
      revision: z.int().min(0),
    })
    .optional(),
  trigger: z.object({
    source: z.enum(EVENT_SOURCES),
    eventId: z.string().optional(),
    receivedAt: timestamp('Time of receipt.'),
  }),
  traceId: z.string().optional().meta({
    description: 'The trace that the run continues; the log has it as trace_id.',
  }),
  versions: z.object({
    engine: z.string().optional(),
    mapping: z.string().optional(),
    prompt: z.string().optional(),
    model: z.string().optional().meta({ description: 'The model that was asked for.' }),
    answeredBy: z
      .string()
      .optional()
      .meta({ description: 'The model that answered, with its fingerprint, if its vendor says it.' }),
    speech: z.string().optional(),
  }),
  replayOf: z.string().optional(),
  replayedBy: z.string().optional().meta({
    description: 'The replay that has written the session of this parked run, which needs no person any more.',
  }),
  movedTo: z
    .string()
    .optional()
    .meta({ description: 'The patient to whom the encounter was moved after this run; its documents are retracted.' }),
  movedBy: z.string().optional().meta({ description: 'The run that documents the session for that patient.' }),
  resources: z.array(written).meta({ description: 'Resources that the run wrote to the chart.' }),
  left: z
    .array(left)
    .meta({ description: 'Resources that were not changed, because a person has changed or signed them.' }),
  createdAt: timestamp('Time of creation.'),
  startedAt: timestamp('When a worker first processed it.').optional(),
  endedAt: timestamp('When it ended.').optional(),
  changedAt: timestamp('When it last changed.'),
  remindedAt: timestamp('When the last reminder was sent that it waits for a person.').optional(),
  error: z
    .object({ code: z.string(), message: z.string(), advice: z.string().optional() })
    .optional()
    .meta({ description: 'Only for a parked run.' }),
};

export const exampleRun = {
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
  versions: {
    engine: 'chartwright 0.1.0',
    mapping: '5f0c2a9b7d3e',
    model: 'example-model',
    answeredBy: 'example-model-2026-03-05',
  },
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
    runs: z.array(runResponse).meta({ description: 'Newest first.' }),
    next: nextCursor,
  })
  .meta({ id: 'RunList', examples: [{ runs: [exampleRun], next: 'MTIz' }] });

export const runEvent = z
  .object({
    id: runIdField,
    site: z.string(),
    encounter,
    status: runStatus,
    reason: z.string().optional(),
    step: runStep.optional(),
    changedAt: timestamp('Time of the change.'),
  })
  .meta({
    id: 'RunEvent',
    description: 'Data of a `run` event: the current state of a run.',
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

const STATUS_RULE = `must be one of ${RUN_STATUSES.join(', ')}; separate several with commas or repeat the parameter`;
const statuses = z.preprocess(
  splitList,
  z
    .array(z.enum(RUN_STATUSES, { error: STATUS_RULE }), { error: STATUS_RULE })
    .optional()
    .meta({
      description: 'Only runs in these states, separated by commas or given repeatedly.',
      examples: [['held', 'parked']],
    }),
);

function splitList(value: unknown): unknown {
  const texts = [value].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]));
  const given = texts.map((one) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '');
  return given.length === 0 || given[0] === undefined ? undefined : given;
}

export const runListQuery = z.strictObject({
  ...pageFields,
  status: statuses,
  replayed: yesOrNo('With `status`: also parked runs whose replay was written.'),
  looks: yesOrNo('Also unfinished looks at encounters that have a run already.'),
  site: optionalSite,
  patient: emptyAsAbsent(ehrReference('Patient').optional()),
  encounter: emptyAsAbsent(ehrReference('Encounter').optional()),
  q: optionalLine('Id of a run, encounter, patient or session, or the beginning of one.', '0198c5b2'),
  since: optionalMoment('Only runs that changed since then.'),
  model: optionalLine(
    'Only runs that used this model: the one that was asked for, or the one that answered.',
    'example-model',
  ),
  mapping: optionalLine('Only runs that used this version of the mappings.', '5f0c2a9b7d3e'),
});

export type RunAnswer = Answer<typeof runResponse>;
export type RunListAnswer = Answer<typeof runListResponse>;
export type RunEventAnswer = Answer<typeof runEvent>;
