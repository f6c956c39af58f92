// What /ops/usage takes and answers.
import { z } from 'zod';
import { OPERATIONS } from '../domain/access/usage.ts';
import { type Answer, emptyAsAbsent, moment, optionalLine, timestamp } from './fields.ts';
import { exampleKey, keyId } from './keys.ts';

export const usageQuery = z.strictObject({
  organization: optionalLine('Only usage of this organization.', 'my-clinic'),
  key: emptyAsAbsent(keyId.optional()),
  from: emptyAsAbsent(moment('Default: the beginning of this month.').optional()),
  to: emptyAsAbsent(moment('Exclusive. Default: the end of this month.').optional()),
  format: emptyAsAbsent(
    z
      .enum(['json', 'csv'], { error: 'must be one of json, csv' })
      .default('json')
      .meta({ examples: ['csv'] }),
  ),
});

const count = (description: string) => z.number().min(0).meta({ description });

const usageRow = z.object({
  organization: z.string(),
  key: z.string(),
  operation: z.enum(OPERATIONS),
  requests: count('All requests, including failed and cancelled ones.'),
  failures: count('Requests that failed.'),
  cancelled: count('Requests whose client disconnected before the answer.'),
  audioSeconds: count('Seconds of audio that were transcribed.'),
  aiMs: count('Milliseconds that the AI engines took.'),
  durationMs: count('Milliseconds that the requests took in total.'),
});

export const USAGE_COLUMNS = Object.keys(usageRow.shape) as readonly (keyof z.output<typeof usageRow>)[];

export const usageResponse = z
  .object({
    usage: z.array(usageRow),
    from: timestamp('Start of the period.'),
    to: timestamp('End of the period, exclusive.'),
  })
  .meta({
    id: 'UsageReport',
    examples: [
      {
        usage: [
          {
            organization: 'my-clinic',
            key: exampleKey.id,
            operation: 'transcribe',
            requests: 12,
            failures: 1,
            cancelled: 0,
            audioSeconds: 5400.5,
            aiMs: 96_000,
            durationMs: 101_000,
          },
        ],
        from: '2026-11-01T00:00:00.000Z',
        to: '2026-12-01T00:00:00.000Z',
      },
    ],
  });

export type UsageAnswer = Answer<typeof usageResponse>;
export type UsageAnswerRow = UsageAnswer['usage'][number];
