// What /ops/sites/{site}/probe takes and answers.
import { z } from 'zod';
import { type Answer, timestamp } from './fields.ts';
import { ehrAuth, siteMode } from './sites.ts';

const flag = (description: string) =>
  z.boolean({ error: 'must be true or false' }).default(false).meta({ description });

export const probeBody = z
  .strictObject({
    writeTest: flag('Also create a test patient with documents, and delete it again.'),
    forget: flag('First forget what the engine has learned about this EHR.'),
  })
  .meta({ id: 'ProbeOrder' });

const step = z.object({
  name: z.string(),
  result: z.enum(['passed', 'failed', 'not-tried']),
  why: z.string(),
});

const probedType = z.object({
  type: z.string(),
  documents: z
    .array(z.string())
    .meta({ description: 'Documents of the site that use this type; empty if the site only reads it.' }),
  needs: z
    .array(z.enum(['read', 'search', 'create', 'update', 'delete']))
    .meta({ description: 'The rights that the engine’s client needs.' }),
  offers: z
    .object({ read: z.boolean(), search: z.boolean(), create: z.boolean(), update: z.boolean() })
    .optional()
    .meta({ description: 'As stated by the EHR; absent if it states nothing.' }),
  findBy: z.string().optional().meta({ description: 'The search parameter that finds the resource again.' }),
  isTaken: z.boolean().optional(),
});

export const probeResponse = z
  .object({
    site: z.string(),
    mode: siteMode,
    ehr: z.object({
      baseUrl: z.string(),
      auth: ehrAuth,
      software: z.string().optional(),
      fhirVersion: z.string().optional(),
    }),
    isUsable: z.boolean().meta({ description: 'The EHR answers, accepts the credentials, and can be written to.' }),
    steps: z.array(step),
    types: z.array(probedType),
    ladder: z
      .array(z.object({ rung: z.string(), isUsable: z.boolean(), isNext: z.boolean(), why: z.string() }))
      .meta({ description: 'The write strategies, safest first; `isNext` marks the one that will be used.' }),
    learned: z.array(
      z.object({
        name: z.string(),
        value: z.union([z.string(), z.number()]),
        learnedAt: timestamp('When the engine learned it.'),
      }),
    ),
    forgotten: z.int().min(0).optional(),
    warnings: z.array(z.string()),
    writeTest: z
      .object({
        identifier: z.string().meta({ description: 'Identifier of the test patient, as a search parameter.' }),
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
            needs: ['read', 'search', 'create', 'update'],
            offers: { read: true, search: true, create: true, update: true },
            findBy: 'identifier',
            isTaken: true,
          },
        ],
        ladder: [{ rung: 'transaction', isUsable: true, isNext: true, why: 'All at once or nothing.' }],
        learned: [],
        warnings: ['It accepts no Flag: flag will not be in the chart.'],
      },
    ],
  });

export type ProbeAnswer = Answer<typeof probeResponse>;
export type ProbeStepAnswer = ProbeAnswer['steps'][number];
export type ProbedTypeAnswer = ProbeAnswer['types'][number];
