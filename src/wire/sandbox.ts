// What /ops/sandbox takes and answers.
import { z } from 'zod';
import { LANGUAGES } from '../domain/language.ts';
import { type Answer, ONCE_RULE, required, timestamp } from './fields.ts';

const NAME = /^[\w.-]{1,64}$/;
const NAME_RULE = 'must be the name of a visit or of a scenario';

/** The name of a visit, bare or as `Encounter/<name>`. */
function visitNamed(description: string, example: string) {
  return z
    .string({ error: required(NAME_RULE) })
    .transform((value) => value.replace(/^Encounter\//, ''))
    .refine((value) => NAME.test(value), { error: NAME_RULE })
    .meta({ description, examples: [example] });
}

export const visitPath = z.object({
  name: visitNamed(
    'Name of the visit, bare or as `Encounter/<name>`. The name of a scenario means its newest visit.',
    'en-chest-pressure-2',
  ),
});

export const drillPath = z.object({
  name: z
    .string({ error: ONCE_RULE })
    .refine((value) => NAME.test(value), { error: 'must be the name of a drill' })
    .meta({ description: 'Name of the drill.', examples: ['ehr-down'] }),
});

export const comeAgainBody = z
  .strictObject({ story: visitNamed('Name of the scenario, or of one of its visits.', 'en-chest-pressure') })
  .meta({ id: 'SandboxVisitOrder' });

const visitFields = {
  name: z.string().meta({ description: 'Name of the visit, which is also the id of the Encounter.' }),
  story: z.string().meta({ description: 'Name of the scenario.' }),
  encounter: z.string(),
  patient: z.string(),
  language: z.enum(LANGUAGES),
  care: z.string().meta({ description: 'The kind of care: `emergency`, `primary` …' }),
  trap: z.string().optional().meta({ description: 'The error that a superficial reader of the conversation makes.' }),
  reason: z.string().meta({ description: 'Why the patient came, in their language.' }),
  status: z.string().meta({ description: 'Current status of the Encounter.' }),
  recordings: z.int().min(0),
};
const exampleVisit = {
  name: 'en-chest-pressure',
  story: 'en-chest-pressure',
  encounter: 'Encounter/en-chest-pressure',
  patient: 'Patient/en-0001',
  language: 'en',
  care: 'emergency',
  reason: 'Pressure in the chest',
  status: 'finished',
  recordings: 1,
} as const;

const visit = z.object(visitFields);
export const visitResponse = visit.meta({ id: 'SandboxVisit', examples: [exampleVisit] });

export const openChartBody = z
  .strictObject({
    practitioner: z
      .string({ error: ONCE_RULE })
      .regex(/^Practitioner\/[A-Za-z0-9\-.]{1,64}$/, 'must be Practitioner/ and an id')
      .optional()
      .meta({
        description: 'Who opens the chart. Without it the one who saw the patient.',
        examples: ['Practitioner/sandbox-nurse'],
      }),
  })
  .meta({ id: 'SandboxChartOrder' });

export const openedChartResponse = z
  .object({
    visit,
    practitioner: z.string().meta({ description: 'Who has opened the chart.' }),
    cards: z.array(
      z.object({
        summary: z.string(),
        indicator: z.string().meta({ description: '`info`, `warning` or `critical`.' }),
        detail: z.string().optional(),
        link: z.object({ label: z.string(), url: z.string(), appContext: z.string().optional() }).optional(),
      }),
    ),
    launchUrl: z
      .string()
      .meta({ description: 'Opens the review from the chart, in a browser: once, and for ten minutes.' }),
  })
  .meta({
    id: 'OpenedSandboxChart',
    examples: [
      {
        visit: exampleVisit,
        practitioner: 'Practitioner/sbx-p-01',
        cards: [{ summary: 'AI draft of this visit waits for a review', indicator: 'info' }],
        launchUrl: 'http://127.0.0.1:3000/launch/sandbox?iss=http%3A%2F%2F127.0.0.1%3A3001%2Ffhir%2FR4&launch=Xy…',
      },
    ],
  });

export const mergedVisitResponse = z
  .object({ ...visitFields, survivor: z.string().meta({ description: 'The patient who owns the chart now.' }) })
  .meta({
    id: 'MergedSandboxVisit',
    examples: [{ ...exampleVisit, patient: 'Patient/en-0001-merged', survivor: 'Patient/en-0001-merged' }],
  });

export const sandboxResponse = z
  .object({ baseUrl: z.string().meta({ description: 'Address of its FHIR server.' }), visits: z.array(visit) })
  .meta({ id: 'Sandbox', examples: [{ baseUrl: 'http://127.0.0.1:3001/fhir/R4', visits: [exampleVisit] }] });

export const chartResponse = z
  .object({
    resourceType: z.literal('Bundle'),
    type: z.literal('collection'),
    entry: z.array(z.looseObject({ resource: z.looseObject({ resourceType: z.string() }) })).optional(),
  })
  .meta({
    id: 'SandboxChart',
    examples: [
      {
        resourceType: 'Bundle',
        type: 'collection',
        entry: [{ resource: { resourceType: 'Encounter', id: 'en-chest-pressure', status: 'finished' } }],
      },
    ],
  });

export const resetResponse = z
  .object({
    visits: z.int().min(0).meta({ description: 'Number of visits after the reset.' }),
    forgotten: z.int().min(0).meta({ description: 'Number of runs that the engine has deleted.' }),
  })
  .meta({ id: 'SandboxReset', examples: [{ visits: 14, forgotten: 6 }] });

const drill = z.object({
  name: z.string(),
  title: z.string().meta({ description: 'What fails in this drill.' }),
  lookFor: z.array(z.string()).meta({ description: 'What to look for during the drill and at its end.' }),
  promise: z.object({
    status: z.enum(['written', 'parked', 'held', 'skipped']),
    reason: z.string().optional(),
    resources: z
      .record(z.string(), z.int().min(0))
      .optional()
      .meta({ description: 'Number of resources of each type that the engine writes to the chart of the visit.' }),
  }),
  maxSeconds: z.number().min(0).meta({ description: 'Seconds after which the drill ends by itself.' }),
  unavailable: z.string().optional().meta({ description: 'Why the drill cannot run here, and what to do.' }),
});
const underWay = z.object({
  drill,
  visit,
  startedAt: timestamp('Start time.'),
  endsAt: timestamp('When the drill ends by itself at the latest.'),
});
const exampleDrill = {
  name: 'ehr-down',
  title: 'The EHR cannot be reached for a while.',
  lookFor: ['The run waits, and goes on by itself.'],
  promise: { status: 'written', resources: { Composition: 1 } },
  maxSeconds: 60,
} as const;
const exampleUnderWay = {
  drill: exampleDrill,
  visit: { ...exampleVisit, name: 'en-chest-pressure-2', encounter: 'Encounter/en-chest-pressure-2' },
  startedAt: '2026-11-21T08:00:00.000Z',
  endsAt: '2026-11-21T08:01:00.000Z',
};

export const drillListResponse = z
  .object({
    drills: z.array(drill),
    underWay: underWay.optional().meta({ description: 'Absent if no drill is running.' }),
  })
  .meta({ id: 'SandboxDrillList', examples: [{ drills: [exampleDrill], underWay: exampleUnderWay }] });

export const drillResponse = underWay.meta({ id: 'SandboxDrillUnderWay', examples: [exampleUnderWay] });

export type VisitAnswer = Answer<typeof visitResponse>;
export type OpenedChartAnswer = Answer<typeof openedChartResponse>;
export type MergedVisitAnswer = Answer<typeof mergedVisitResponse>;
export type SandboxAnswer = Answer<typeof sandboxResponse>;
export type SandboxResetAnswer = Answer<typeof resetResponse>;
export type DrillAnswer = Answer<typeof drill>;
export type DrillUnderWayAnswer = Answer<typeof drillResponse>;
export type DrillListAnswer = Answer<typeof drillListResponse>;
