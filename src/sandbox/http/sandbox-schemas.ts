// What /ops/sandbox takes and answers, for validation and for the OpenAPI document.
import { z } from 'zod';
import { LANGUAGES } from '../../domain/language.ts';
import { required } from '../../inbound/http/api/schemas.ts';
import { ONCE } from '../../inbound/http/ops/ops-schemas.ts';

const NAME = /^[\w.-]{1,64}$/;
const NAME_RULE = 'must be the name of a visit or of a story';

/** Taken bare or as `Encounter/<id>`. */
function visitNamed(description: string, example: string) {
  return z
    .string({ error: required(NAME_RULE) })
    .transform((value) => value.replace(/^Encounter\//, ''))
    .refine((value) => NAME.test(value), { error: NAME_RULE })
    .meta({ description, examples: [example] });
}

export const visitPath = z.object({
  name: visitNamed(
    'Name of the visit, bare or as `Encounter/<name>`; of a story: then it is the newest visit of it.',
    'en-chest-pressure-2',
  ),
});

export const drillPath = z.object({
  name: z
    .string({ error: ONCE })
    .refine((value) => NAME.test(value), { error: 'must be the name of a drill' })
    .meta({ description: 'Name of the drill.', examples: ['ehr-down'] }),
});

export const comeAgainBody = z
  .strictObject({ story: visitNamed('Whose story, or a visit of it.', 'en-chest-pressure') })
  .meta({ id: 'SandboxVisitOrder' });

const visitFields = {
  name: z.string().meta({ description: 'Its name, and the id of the Encounter.' }),
  story: z.string().meta({ description: 'Whose story is played.' }),
  encounter: z.string(),
  patient: z.string(),
  language: z.enum(LANGUAGES),
  care: z.string().meta({ description: 'Which kind of care: `emergency`, `primary` …' }),
  trap: z.string().optional().meta({ description: 'What somebody who only skims the talk gets wrong.' }),
  reason: z.string().meta({ description: 'Why they came, in their language.' }),
  status: z.string().meta({ description: 'Of the Encounter as it is now.' }),
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

export const mergedVisitResponse = z
  .object({ ...visitFields, survivor: z.string().meta({ description: 'Whose the chart is now.' }) })
  .meta({
    id: 'MergedSandboxVisit',
    examples: [{ ...exampleVisit, patient: 'Patient/en-0001-merged', survivor: 'Patient/en-0001-merged' }],
  });

export const sandboxResponse = z
  .object({ baseUrl: z.string().meta({ description: 'Where its FHIR server is reached.' }), visits: z.array(visit) })
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
    visits: z.int().min(0).meta({ description: 'How many visits there are again.' }),
    forgotten: z.int().min(0).meta({ description: 'How many runs the engine knows no more.' }),
  })
  .meta({ id: 'SandboxReset', examples: [{ visits: 14, forgotten: 6 }] });

const drill = z.object({
  name: z.string(),
  title: z.string().meta({ description: 'What goes wrong.' }),
  lookFor: z.array(z.string()).meta({ description: 'What to look for while it goes on, and in the end.' }),
  promise: z.object({
    status: z.enum(['written', 'parked', 'held', 'skipped']),
    reason: z.string().optional(),
    resources: z
      .record(z.string(), z.int().min(0))
      .optional()
      .meta({ description: 'How many resources of each type the engine has written into the chart of the visit.' }),
  }),
  maxSeconds: z.number().min(0).meta({ description: 'It ends by itself after so long at most.' }),
  unavailable: z.string().optional().meta({ description: 'Why it cannot be rehearsed here, and what to do.' }),
});
const underWay = z.object({
  drill,
  visit,
  startedAt: z.string().meta({ format: 'date-time' }),
  endsAt: z.string().meta({ format: 'date-time', description: 'When it ends by itself at the latest.' }),
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
  .object({ drills: z.array(drill), underWay: underWay.optional().meta({ description: 'Absent where none is.' }) })
  .meta({ id: 'SandboxDrillList', examples: [{ drills: [exampleDrill], underWay: exampleUnderWay }] });

export const drillResponse = underWay.meta({ id: 'SandboxDrillUnderWay', examples: [exampleUnderWay] });

export type VisitAnswer = z.output<typeof visitResponse>;
export type DrillAnswer = z.output<typeof drill>;
export type DrillUnderWayAnswer = z.output<typeof drillResponse>;
