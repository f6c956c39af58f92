// What /ops/sites/{site}/reconcile takes and answers.
import { z } from 'zod';
import type { Answer } from './fields.ts';
import { FINDING_KINDS } from './sites.ts';

const MAX_RECONCILED = 10_000;

const limitRule = `must be a whole number from 1 to ${MAX_RECONCILED}`;
export const reconcileBody = z
  .strictObject({
    limit: z
      .int({ error: limitRule })
      .min(1, { error: limitRule })
      .max(MAX_RECONCILED, { error: limitRule })
      .optional()
      .meta({
        description: 'Maximum number of resources to check, starting with those that were checked longest ago.',
      }),
  })
  .meta({ id: 'ReconcileOrder' });

const finding = z.object({
  site: z.string(),
  kind: z.enum(FINDING_KINDS).meta({
    description:
      'duplicate: the resource exists more than once. missing: it no longer exists. foreign: it belongs to another patient. unknown: it has an identifier of this engine that the ledger does not contain. encounter: its encounter was cancelled. moved: its encounter belongs to another patient.',
  }),
  identity: z.string().meta({ description: 'Value of the identifier.' }),
  references: z.array(z.string()),
});

export const reconcileResponse = z
  .object({
    site: z.string(),
    checked: z.int().min(0).meta({ description: 'Number of written resources that were checked.' }),
    findings: z.array(finding),
    cancelled: z.array(z.object({ site: z.string(), encounter: z.string(), session: z.string() })).meta({
      description: 'Sessions whose encounter was cancelled; their drafts should be retracted.',
    }),
    problems: z.array(z.string()).meta({ description: 'What could not be checked.' }),
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

export type ReconcileAnswer = Answer<typeof reconcileResponse>;
export type FindingAnswer = ReconcileAnswer['findings'][number];
