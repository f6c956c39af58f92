// What /ops/sites takes and answers, for validation and for the OpenAPI document.
import { z } from 'zod';

const MAX_RECONCILED = 10_000;
export const PAUSES = ['intake', 'model', 'write', 'all'] as const;

const yesOrNo = (description: string) =>
  z.boolean({ error: 'must be true or false' }).default(false).meta({ description });

export const sitePath = z.object({
  site: z.string().meta({ description: 'Name of the site: of its folder in MAPPINGS_DIR.', examples: ['mercy'] }),
});

export const probeBody = z
  .strictObject({
    writeTest: yesOrNo('Also make a test patient with documents, and remove all of it again.'),
    forget: yesOrNo('Forget first what was learned of this EHR before.'),
  })
  .meta({ id: 'ProbeOrder' });

const limitRule = `must be a whole number from 1 to ${MAX_RECONCILED}`;
export const reconcileBody = z
  .strictObject({
    limit: z
      .int({ error: limitRule })
      .min(1, { error: limitRule })
      .max(MAX_RECONCILED, { error: limitRule })
      .optional()
      .meta({ description: 'At most so many of what was written, those first that were looked at longest ago.' }),
  })
  .meta({ id: 'ReconcileOrder' });

const FINDING_KINDS = ['duplicate', 'missing', 'foreign', 'unknown', 'encounter'] as const;
const mode = z.enum(['off', 'shadow', 'live']);
const auth = z.enum(['none', 'basic', 'bearer', 'client-credentials', 'backend-services']);
const time = (description: string) => z.string().meta({ description, format: 'date-time' });

const FEEDS = ['amqp', 'subscription', 'push', 'poll', 'catch-up'] as const;
const ALARMS = ['silent', 'no-heartbeat', 'subscription', 'catch-up', 'topology'] as const;

export const pause = z.object({
  what: z.enum(PAUSES),
  reason: z.string(),
  since: time('Since when.'),
});

const feed = z.object({
  kind: z.enum(FEEDS),
  lastEventAt: time('When an event last came this way.').optional(),
  searchedUntil: time('Up to when the EHR was searched for what was missed.').optional(),
  subscription: z.string().optional(),
  subscriptionStatus: z.string().optional(),
  alarm: z
    .object({ kind: z.enum(ALARMS), since: time('Since when.').optional(), message: z.string().optional() })
    .optional()
    .meta({ description: 'What is wrong with it, and what to do; absent where all is well.' }),
});

const site = z.object({
  name: z.string(),
  organization: z.string().optional(),
  mode,
  ehr: z.object({ baseUrl: z.string(), auth }),
  mappings: z.string().meta({ description: 'Version of its settings and mappings: a hash of its files.' }),
  isStale: z.boolean().meta({ description: 'Its files have problems, and it goes on as it last was.' }),
  warning: z.string().optional(),
  findings: z
    .partialRecord(z.enum(FINDING_KINDS), z.int().min(1))
    .meta({ description: 'Open findings of the reconciler, by kind.' }),
  lastContact: time('When the EHR last answered this engine; absent where it has not since the start.').optional(),
  paused: z.array(pause).meta({ description: 'What an operator has stopped.' }),
  feeds: z.array(feed).meta({ description: 'The ways in which its events come.' }),
});

export const siteListResponse = z
  .object({
    sites: z.array(site),
    unavailable: z
      .array(z.string())
      .meta({ description: 'Sites whose files have problems and that never were in force.' }),
  })
  .meta({
    id: 'SiteList',
    examples: [
      {
        sites: [
          {
            name: 'mercy',
            organization: 'mercy-general',
            mode: 'live',
            ehr: { baseUrl: 'https://ehr.example.org/fhir/R4', auth: 'client-credentials' },
            mappings: '5f0c2a9b7d3e',
            isStale: false,
            findings: { duplicate: 1 },
            lastContact: '2026-11-21T08:00:00.000Z',
            paused: [{ what: 'write', reason: 'EHR upgrade', since: '2026-11-21T07:30:00.000Z' }],
            feeds: [{ kind: 'amqp', lastEventAt: '2026-11-21T07:59:00.000Z' }],
          },
        ],
        unavailable: [],
      },
    ],
  });

const step = z.object({
  name: z.string(),
  result: z.enum(['passed', 'failed', 'not-tried']),
  why: z.string(),
});

const probedType = z.object({
  type: z.string(),
  documents: z.array(z.string()).meta({ description: 'What the site writes of it; empty where it is only read.' }),
  offers: z
    .object({ read: z.boolean(), search: z.boolean(), create: z.boolean(), update: z.boolean() })
    .optional()
    .meta({ description: 'As the EHR says; absent where it says nothing.' }),
  findBy: z.string().optional().meta({ description: 'By what it can be found again.' }),
  isTaken: z.boolean().optional(),
});

export const probeResponse = z
  .object({
    site: z.string(),
    mode,
    ehr: z.object({ baseUrl: z.string(), auth, software: z.string().optional(), fhirVersion: z.string().optional() }),
    isUsable: z.boolean().meta({ description: 'It answers, lets the engine in, and can be written to.' }),
    steps: z.array(step),
    types: z.array(probedType),
    ladder: z
      .array(z.object({ rung: z.string(), isUsable: z.boolean(), isNext: z.boolean(), why: z.string() }))
      .meta({ description: 'The ways of writing, the safest first; `isNext` is the one that will be used.' }),
    learned: z.array(
      z.object({ name: z.string(), value: z.union([z.string(), z.number()]), learnedAt: time('When.') }),
    ),
    forgotten: z.int().min(0).optional(),
    warnings: z.array(z.string()),
    writeTest: z
      .object({
        identifier: z.string().meta({ description: 'What the test patient carries, as a search has it.' }),
        steps: z.array(step),
        leftBehind: z.array(z.string()).meta({ description: 'Test data that could not be removed.' }),
      })
      .optional(),
  })
  .meta({
    id: 'ProbeReport',
    examples: [
      {
        site: 'mercy',
        mode: 'shadow',
        ehr: { baseUrl: 'https://ehr.example.org/fhir/R4', auth: 'none', software: 'HAPI 7.4', fhirVersion: '4.0.1' },
        isUsable: true,
        steps: [{ name: 'reached', result: 'passed', why: 'It is HAPI 7.4.' }],
        types: [
          {
            type: 'Condition',
            documents: ['condition'],
            offers: { read: true, search: true, create: true, update: true },
            findBy: 'identifier',
            isTaken: true,
          },
        ],
        ladder: [{ rung: 'transaction', isUsable: true, isNext: true, why: 'All at once or nothing.' }],
        learned: [],
        warnings: ['It takes no Flag: flag will not be in the chart.'],
      },
    ],
  });

const finding = z.object({
  site: z.string(),
  kind: z.enum(FINDING_KINDS).meta({
    description:
      'duplicate: there more than once. missing: not there any more. foreign: at another patient. unknown: named as ours, and not known here. encounter: its encounter was cancelled, or is somebody else’s.',
  }),
  identity: z.string().meta({ description: 'The value of its identifier.' }),
  references: z.array(z.string()),
});

export const reconcileResponse = z
  .object({
    site: z.string(),
    checked: z.int().min(0).meta({ description: 'How many written resources were looked at.' }),
    findings: z.array(finding),
    cancelled: z.array(z.object({ site: z.string(), encounter: z.string(), session: z.string() })).meta({
      description: 'Sessions whose encounter is not what it was: what was drafted for them should be taken back.',
    }),
    problems: z.array(z.string()).meta({ description: 'What could not be looked at.' }),
  })
  .meta({
    id: 'ReconcileReport',
    examples: [
      {
        site: 'mercy',
        checked: 120,
        findings: [
          { site: 'mercy', kind: 'missing', identity: 'e-1/session-1/composition', references: ['Composition/12'] },
        ],
        cancelled: [],
        problems: [],
      },
    ],
  });

export type ReconcileAnswer = z.output<typeof reconcileResponse>;
export type SiteListAnswer = z.output<typeof siteListResponse>;
export type SiteAnswer = SiteListAnswer['sites'][number];
