// What /ops/keys takes and answers.
import { z } from 'zod';
import { DEFAULT_PLAN_NAME } from '../domain/access/plan.ts';
import {
  type Answer,
  emptyAsAbsent,
  lineOfText,
  moment,
  nextCursor,
  ONCE_RULE,
  pageFields,
  timestamp,
} from './fields.ts';
import { planName } from './plans.ts';

const MAX_OVERLAP_HOURS = 720;

export const createKeyBody = z
  .strictObject({
    organization: lineOfText('The owner of the key; usage is counted for it.').meta({ examples: ['my-clinic'] }),
    plan: emptyAsAbsent(planName.optional()).meta({ description: `Default: ${DEFAULT_PLAN_NAME}.` }),
    label: emptyAsAbsent(lineOfText('What the key is for.').optional()),
    expiresAt: emptyAsAbsent(moment('When the key expires. Default: never.').optional()),
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
      .meta({ description: 'For how many hours the old key stays valid.' }),
  })
  .meta({ id: 'KeyRotation' });

export const keyCallbacksBody = z
  .strictObject({
    origins: z
      .array(z.string().max(300))
      .max(10)
      .meta({ description: 'Where the addresses of call-backs may be; an empty list ends them.' }),
  })
  .meta({ id: 'KeyCallbacks', examples: [{ origins: ['https://clinic.example.org'] }] });

export const keyCallbacksResponse = z
  .object({
    id: z.string(),
    origins: z.array(z.string()),
    secret: z
      .string()
      .meta({ description: 'Signs the call-backs (Standard Webhooks). It is new, and shown only once.' }),
  })
  .meta({
    id: 'IssuedKeyCallbacks',
    examples: [
      { id: '5f0c2a9b7d3e4816', origins: ['https://clinic.example.org'], secret: 'whsec_EXAMPLE-NOT-A-SECRET' },
    ],
  });

export const keyListQuery = z.strictObject(pageFields);

export const keyId = z
  .string({ error: ONCE_RULE })
  .transform((value) => value.replace(/^Key\//, ''))
  .refine((value) => /^[0-9a-f]{16}$/.test(value), { error: 'must be the id of a key: 16 of 0-9 and a-f' })
  .meta({ description: 'Id of a key, bare or as `Key/<id>`.', examples: ['5f0c2a9b7d3e4816'] });

const keyFacts = {
  id: z.string().meta({ description: 'Id of the key; not a secret.' }),
  organization: z.string(),
  plan: z.string(),
  label: z.string().optional(),
  expiresAt: timestamp('When it expires.').optional(),
};

const keyText = z.string().meta({ description: 'What the client sends as x-api-key. It is shown only once.' });
export const exampleKey = { id: '5f0c2a9b7d3e4816', organization: 'my-clinic', plan: 'standard' };
const exampleKeyText = 'cw_5f0c2a9b7d3e4816_EXAMPLE-NOT-A-KEY';

export const issuedKeyResponse = z
  .object({ ...keyFacts, key: keyText })
  .meta({ id: 'IssuedKey', examples: [{ ...exampleKey, key: exampleKeyText }] });

export const rotatedKeyResponse = z
  .object({
    ...keyFacts,
    key: keyText,
    replaces: z.string().meta({ description: 'Id of the old key.' }),
    oldKeyEndsAt: timestamp('When the old key expires at the latest.'),
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
  createdAt: timestamp('Time of creation.'),
  revokedAt: timestamp('When it was revoked.').optional(),
  lastUsedAt: timestamp('When it was last used, to about a minute.').optional(),
});

export const keyListResponse = z
  .object({
    keys: z.array(listedKey).meta({ description: 'Newest first.' }),
    next: nextCursor,
  })
  .meta({
    id: 'KeyList',
    examples: [{ keys: [{ ...exampleKey, status: 'active', createdAt: '2026-11-21T08:00:00.000Z' }] }],
  });

export type IssuedKeyAnswer = Answer<typeof issuedKeyResponse>;
export type KeyCallbacksAnswer = Answer<typeof keyCallbacksResponse>;
export type RotatedKeyAnswer = Answer<typeof rotatedKeyResponse>;
export type KeyListAnswer = Answer<typeof keyListResponse>;
export type KeyAnswer = KeyListAnswer['keys'][number];
