// What /ops takes and answers, for validation and for the OpenAPI document. A field that is not known is an error here:
// a limit or a filter with a slip in its name must not pass for none.
import { z } from 'zod';
import { DEFAULT_PLAN_NAME } from '../../../domain/access/plan.ts';
import { OPERATIONS } from '../../../domain/access/usage.ts';
import { emptyAsAbsent, required } from '../api/schemas.ts';

export const KEY_PAGE = { defaultLimit: 50, maxLimit: 500 } as const;
const MAX_OVERLAP_HOURS = 720;
/** Fits the smallest counter that it is compared with. */
const MAX_PLAN_NUMBER = 1_000_000_000;

const NAME_RULE = 'must be 1 to 200 characters without control characters';

export function lineOfText(description: string) {
  return z
    .string({ error: required(NAME_RULE) })
    .trim()
    .min(1, { error: NAME_RULE })
    .max(200, { error: NAME_RULE })
    .refine((value) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value), { error: NAME_RULE })
    .meta({ description });
}

const dayOrTime = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
const YEARS = { first: 1970, last: 9998 } as const;

/** A day stands for its beginning in UTC. */
export function moment(description: string) {
  return z
    .string({ error: 'must be text' })
    .refine((value) => dayOrTime.safeParse(value).success && isUsableYear(value), {
      error: 'must be a day like 2027-01-31 (from 00:00 UTC) or a time like 2027-01-31T08:00:00Z',
    })
    .transform((value) => new Date(value))
    .meta({
      description: `${description} A day (from 00:00 UTC) or a time with its offset.`,
      examples: ['2027-01-31'],
    });
}

function isUsableYear(value: string): boolean {
  const year = new Date(value).getUTCFullYear();
  return year >= YEARS.first && year <= YEARS.last;
}

const planNameRule = 'must be 1 to 64 of a-z, 0-9 and -';
const planName = z
  .string({ error: planNameRule })
  .regex(/^[a-z0-9-]{1,64}$/, { error: planNameRule })
  .meta({ description: 'Name of the plan.', examples: [DEFAULT_PLAN_NAME] });

export const planPath = z.object({ name: planName });

export const createKeyBody = z
  .strictObject({
    organization: lineOfText('Whose key it is; usage is counted for it.').meta({ examples: ['my-clinic'] }),
    plan: emptyAsAbsent(planName.optional()).meta({ description: `Absent: ${DEFAULT_PLAN_NAME}.` }),
    label: emptyAsAbsent(lineOfText('What the key is for.').optional()),
    expiresAt: emptyAsAbsent(moment('When the key ends. Absent: never.').optional()),
  })
  .meta({ id: 'NewKey' });

const overlapRule = `must be a number from 0 to ${MAX_OVERLAP_HOURS}`;
export const rotateKeyBody = z
  .strictObject({
    overlapHours: z
      .number({ error: overlapRule })
      .min(0, { error: overlapRule })
      .max(MAX_OVERLAP_HOURS, { error: overlapRule })
      .default(24)
      .meta({ description: 'For how long the old key stays good.' }),
  })
  .meta({ id: 'KeyRotation' });

const planNumberRule = `must be a whole number from 0 to ${MAX_PLAN_NUMBER}; leave it out for no limit`;
const planNumber = (description: string) =>
  z
    .int({ error: planNumberRule })
    .min(0, { error: planNumberRule })
    .max(MAX_PLAN_NUMBER, { error: planNumberRule })
    .optional()
    .meta({ description: `${description} Absent: no limit.` });

const planNumbers = {
  requestsPerMinute: planNumber('Requests a minute, for each key.'),
  requestsPerMonth: planNumber('Requests a calendar month (UTC), for the organization.'),
  audioSecondsPerMonth: planNumber('Seconds of audio a calendar month (UTC), for the organization.'),
};

export const planBody = z
  .strictObject(planNumbers)
  .meta({ id: 'PlanLimits', examples: [{ requestsPerMinute: 60, requestsPerMonth: 10_000 }] });

export const ONCE = 'must be given once';

const limitRule = `must be a whole number from 1 to ${KEY_PAGE.maxLimit}`;
/** Of every list. */
export const pageFields = {
  limit: emptyAsAbsent(
    z
      .string({ error: ONCE })
      .regex(/^\d{1,4}$/, { error: limitRule })
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= KEY_PAGE.maxLimit, { error: limitRule })
      .optional()
      .meta({ description: `At most so many; ${KEY_PAGE.defaultLimit} where absent, ${KEY_PAGE.maxLimit} at most.` }),
  ),
  cursor: emptyAsAbsent(
    z.string({ error: ONCE }).max(300, { error: 'must be the `next` of an earlier answer' }).optional().meta({
      description: 'The `next` of an earlier answer.',
    }),
  ),
};

export const keyListQuery = z.strictObject(pageFields);

/** Taken bare or as `Key/<id>`. */
export const keyId = z
  .string({ error: ONCE })
  .transform((value) => value.replace(/^Key\//, ''))
  .refine((value) => /^[0-9a-f]{16}$/.test(value), { error: 'must be the id of a key: 16 of 0-9 and a-f' })
  .meta({ description: 'Id of a key, bare or as `Key/<id>`.', examples: ['5f0c2a9b7d3e4816'] });

export const usageQuery = z.strictObject({
  organization: emptyAsAbsent(lineOfText('Only of this organization.').optional()),
  key: emptyAsAbsent(keyId.optional()),
  from: emptyAsAbsent(moment('Absent: the beginning of this month.').optional()),
  to: emptyAsAbsent(moment('Exclusive. Absent: the end of this month.').optional()),
  format: emptyAsAbsent(z.enum(['json', 'csv'], { error: 'must be one of json, csv' }).default('json')),
});

const time = (description: string) => z.string().meta({ description, format: 'date-time' });

const keyFacts = {
  id: z.string().meta({ description: 'Names the key; no secret.' }),
  organization: z.string(),
  plan: z.string(),
  label: z.string().optional(),
  expiresAt: time('When it ends.').optional(),
};

const keyText = z.string().meta({ description: 'What the client sends as x-api-key. Shown this once.' });
const exampleKey = { id: '5f0c2a9b7d3e4816', organization: 'my-clinic', plan: 'standard' };
const exampleKeyText = 'cw_5f0c2a9b7d3e4816_EXAMPLE-NOT-A-KEY';

export const issuedKeyResponse = z
  .object({ ...keyFacts, key: keyText })
  .meta({ id: 'IssuedKey', examples: [{ ...exampleKey, key: exampleKeyText }] });

export const rotatedKeyResponse = z
  .object({
    ...keyFacts,
    key: keyText,
    replaces: z.string().meta({ description: 'Id of the old key.' }),
    oldKeyEndsAt: time('When the old key ends at the latest.'),
  })
  .meta({
    id: 'RotatedKey',
    examples: [
      { ...exampleKey, key: exampleKeyText, replaces: '0b1c2d3e4f5a6978', oldKeyEndsAt: '2027-01-31T08:00:00.000Z' },
    ],
  });

const KEY_STATUSES = ['active', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof KEY_STATUSES)[number];

const listedKey = z.object({
  ...keyFacts,
  status: z.enum(KEY_STATUSES),
  createdAt: time('When it was made.'),
  revokedAt: time('When it was revoked.').optional(),
  lastUsedAt: time('When it was last used, to the minute or so.').optional(),
});

export const keyListResponse = z
  .object({
    keys: z.array(listedKey).meta({ description: 'Newest first.' }),
    next: z.string().optional().meta({ description: 'The cursor of the next page; absent on the last.' }),
  })
  .meta({
    id: 'KeyList',
    examples: [{ keys: [{ ...exampleKey, status: 'active', createdAt: '2026-11-21T08:00:00.000Z' }] }],
  });

export const planResponse = z
  .object({ name: z.string(), ...planNumbers })
  .meta({ id: 'Plan', examples: [{ name: 'standard', requestsPerMinute: 600 }] });

export const planListResponse = z.object({ plans: z.array(planResponse) }).meta({
  id: 'PlanList',
  examples: [{ plans: [{ name: 'standard', requestsPerMinute: 600 }, { name: 'unlimited' }] }],
});

const count = (description: string) => z.number().min(0).meta({ description });

const usageRow = z.object({
  organization: z.string(),
  key: z.string(),
  operation: z.enum(OPERATIONS),
  requests: count('All requests, also failed and cancelled ones.'),
  failures: count('Requests that failed.'),
  cancelled: count('Requests whose client left before the answer.'),
  audioSeconds: count('Seconds of audio that were transcribed.'),
  aiMs: count('Milliseconds that the AI engines took.'),
  durationMs: count('Milliseconds that the requests took in all.'),
});

export const USAGE_COLUMNS = Object.keys(usageRow.shape) as readonly (keyof z.output<typeof usageRow>)[];

export const usageResponse = z
  .object({
    usage: z.array(usageRow),
    from: time('From when it was counted.'),
    to: time('Until when; exclusive.'),
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

export type KeyList = z.output<typeof keyListResponse>;
export type UsageAnswer = z.output<typeof usageResponse>;
export type UsageAnswerRow = UsageAnswer['usage'][number];

export const readinessResponse = z
  .object({
    status: z.enum(['ok', 'degraded', 'down']),
    components: z.array(z.object({ name: z.string(), status: z.enum(['ok', 'degraded', 'down']), detail: z.string() })),
  })
  .meta({
    id: 'Readiness',
    examples: [{ status: 'ok', components: [{ name: 'database', status: 'ok', detail: 'PostgreSQL answers.' }] }],
  });
