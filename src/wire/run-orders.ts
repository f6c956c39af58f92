// How runs are started, replayed and cancelled, and the answers.
import { z } from 'zod';
import { RUN_STEPS } from '../domain/run/run.ts';
import { type Answer, emptyAsAbsent, optionalMoment } from './fields.ts';
import { ehrReference, siteName } from './ids.ts';
import { reasonText } from './review.ts';
import { exampleRun, runIdField, runStatus } from './run.ts';

export const optionalFlag = (description: string) =>
  z.boolean({ error: 'must be true or false' }).optional().meta({ description });

export const startBody = z
  .strictObject({
    site: siteName,
    encounter: emptyAsAbsent(ehrReference('Encounter').optional()),
    since: optionalMoment('Instead of one encounter: all encounters of the site since then.'),
    countOnly: optionalFlag('With `since`: only count the encounters.'),
  })
  .superRefine(({ encounter, since, countOnly }, context) => {
    const fail = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (encounter === undefined && since === undefined) fail('encounter', 'or since is required');
    if (encounter !== undefined && since !== undefined) fail('since', 'and encounter exclude each other');
    if (countOnly !== undefined && since === undefined) fail('countOnly', 'is only for since');
  })
  .meta({ id: 'RunOrder' });

export const replayBody = z
  .strictObject({
    from: emptyAsAbsent(
      z
        .enum(RUN_STEPS, { error: `must be one of ${RUN_STEPS.join(', ')}` })
        .optional()
        .meta({ description: 'The step to start from; the results of earlier steps are reused. Default: read-chart.' }),
    ),
    dryRun: optionalFlag('Writes nothing, and reports the differences from the current chart.'),
  })
  .meta({ id: 'ReplayOrder' });

export const releaseBody = z
  .strictObject({
    reason: reasonText.meta({ description: 'Recorded in the audit trail: nothing that was said in the encounter.' }),
    wholeEncounter: optionalFlag('From now on for all sessions of the encounter, not only for that of this run.'),
  })
  .meta({ id: 'ReleaseOrder' });

export const startedResponse = z
  .object({
    id: runIdField,
    earlier: z
      .object({
        id: runIdField,
        status: runStatus,
        reason: z.string().optional(),
        replayedBy: z.string().optional(),
      })
      .optional()
      .meta({
        description:
          'Only for a start: the newest run that the encounter had before. What is documented is not documented again; a replay of that run does it.',
      }),
  })
  .meta({ id: 'StartedRun', examples: [{ id: exampleRun.id }] });

export const startedRunsResponse = z
  .object({
    count: z.int().min(0),
    isComplete: z.boolean().meta({ description: 'False if the search was stopped before its end.' }),
    ids: z.array(z.string()).optional(),
  })
  .meta({ id: 'StartedRuns', examples: [{ count: 1, isComplete: true, ids: [exampleRun.id] }] });

export const cancelResponse = z
  .object({ status: z.enum(['cancelled', 'cancelling']) })
  .meta({ id: 'CancelledRun', examples: [{ status: 'cancelling' }] });

export type StartedAnswer = Answer<typeof startedResponse>;
export type StartedRunsAnswer = Answer<typeof startedRunsResponse>;
