// What /ops/tokens takes and answers.
import { z } from 'zod';
import { PURPOSES } from '../domain/people/purpose.ts';
import { ROLES } from '../domain/people/role.ts';
import { type Answer, emptyAsAbsent, lineOfText, moment, ONCE_RULE, timestamp } from './fields.ts';
import { purposeField } from './me.ts';
import { rolesField } from './people.ts';

export const newTokenBody = z
  .strictObject({
    label: lineOfText('What the token is for.').meta({ examples: ['nightly report'] }),
    roles: rolesField,
    purpose: emptyAsAbsent(purposeField.optional()).meta({
      description: 'Why it reads patient data. Without one it reads none.',
    }),
    expiresAt: emptyAsAbsent(moment('When it ends, within a year. Default: in 90 days.').optional()),
  })
  .meta({ id: 'NewToken' });

export const tokenId = z
  .string({ error: ONCE_RULE })
  .transform((value) => value.replace(/^Token\//, ''))
  .refine((value) => /^[0-9a-f]{16}$/.test(value), { error: 'must be the id of a token' })
  .meta({ description: 'Id of a token, bare or as `Token/<id>`.', examples: ['94a6c8e0b2d4f613'] });

export const tokenPath = z.object({ id: tokenId });

const tokenFields = {
  id: z.string(),
  label: z.string(),
  roles: z.array(z.object({ role: z.enum(ROLES), site: z.string() })),
  purpose: z.enum(PURPOSES).optional(),
  madeBy: z.string().meta({ description: 'Who made it, as in the audit trail.' }),
  createdAt: timestamp('When it was made.'),
  expiresAt: timestamp('When it ends.'),
  lastUsedAt: timestamp('The last use, to a minute or so.').optional(),
  revokedAt: timestamp('When it was revoked.').optional(),
};

const exampleToken = {
  id: '94a6c8e0b2d4f613',
  label: 'nightly report',
  roles: [{ role: 'viewer', site: '*' }],
  madeBy: 'person/7c1e0b5a9d3f2468',
  createdAt: '2026-11-21T08:00:00.000Z',
  expiresAt: '2027-02-19T08:00:00.000Z',
};

export const madeTokenResponse = z
  .object({
    ...tokenFields,
    token: z.string().meta({ description: 'What a script sends as Authorization: Bearer. It is shown only once.' }),
  })
  .meta({ id: 'MadeToken', examples: [{ ...exampleToken, token: 'st_94a6c8e0b2d4f613_EXAMPLE-NOT-A-TOKEN' }] });

export const tokenListResponse = z
  .object({ tokens: z.array(z.object(tokenFields)).meta({ description: 'Newest first.' }) })
  .meta({ id: 'TokenList', examples: [{ tokens: [exampleToken] }] });

export type MadeTokenAnswer = Answer<typeof madeTokenResponse>;
export type TokenListAnswer = Answer<typeof tokenListResponse>;
export type TokenAnswer = TokenListAnswer['tokens'][number];
