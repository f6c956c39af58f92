// What /ops/me and /ops/sessions take and answer.
import { z } from 'zod';
import { PURPOSES } from '../domain/people/purpose.ts';
import { ROLES } from '../domain/people/role.ts';
import { type Answer, ONCE_RULE, required, timestamp } from './fields.ts';

const SESSION_KINDS = ['browser', 'frame', 'cli'] as const;
const SIGN_IN_WAYS = ['oidc', 'launch', 'passkey', 'password', 'link', 'device'] as const;
const CALLER_KINDS = ['bootstrap', 'reviewer-key', 'person', 'token'] as const;

export const purposeField = z
  .enum(PURPOSES, { error: required(`must be one of ${PURPOSES.join(', ')}`) })
  .meta({ description: 'TREAT treatment, ETREAT emergency treatment, HOPERAT healthcare operations, HPAYMT payment.' });

export const purposeBody = z.strictObject({ purpose: purposeField }).meta({ id: 'PurposeOrder' });

export const purposeResponse = z
  .object({ purpose: z.enum(PURPOSES) })
  .meta({ id: 'Purpose', examples: [{ purpose: 'TREAT' }] });

export const sessionId = z
  .string({ error: ONCE_RULE })
  .transform((value) => value.replace(/^Session\//, ''))
  .refine((value) => /^[0-9a-f]{16}$/.test(value), { error: 'must be the id of a session' })
  .meta({ description: 'Id of a session, bare or as `Session/<id>`.', examples: ['2b9d4f6081a3c5e7'] });

export const sessionPath = z.object({ id: sessionId });

const sessionFields = {
  id: z.string(),
  person: z.string().meta({ description: 'Id of the person.' }),
  kind: z.enum(SESSION_KINDS).meta({ description: '`frame`: in a frame of the EHR; `cli`: the command line.' }),
  way: z.enum(SIGN_IN_WAYS).meta({ description: 'How the person proved who they are.' }),
  purpose: z.enum(PURPOSES).optional(),
  address: z.string().meta({ description: 'The network address of the sign-in.' }),
  agent: z.string().optional().meta({ description: 'What the browser or program calls itself.' }),
  createdAt: timestamp('When it began.'),
  lastUsedAt: timestamp('The last request.'),
  idleAt: timestamp('It ends then without a further request.'),
  endsAt: timestamp('It ends then at the latest.'),
};

const exampleSession = {
  id: '2b9d4f6081a3c5e7',
  person: '7c1e0b5a9d3f2468',
  kind: 'cli',
  way: 'device',
  purpose: 'TREAT',
  address: '192.0.2.7',
  createdAt: '2026-11-21T08:00:00.000Z',
  lastUsedAt: '2026-11-21T08:10:00.000Z',
  idleAt: '2026-11-21T20:00:00.000Z',
  endsAt: '2026-11-21T20:00:00.000Z',
};

export const meResponse = z
  .object({
    kind: z.enum(CALLER_KINDS).meta({ description: '`bootstrap`: the operator key before there is an admin.' }),
    actor: z.string().meta({ description: 'The name in the audit trail.' }),
    name: z.string(),
    person: z.string().optional().meta({ description: 'Id of the person; absent for keys and tokens.' }),
    roles: z.array(z.object({ role: z.enum(ROLES), site: z.string(), practitioner: z.string().optional() })),
    purpose: z.enum(PURPOSES).optional().meta({ description: 'Why patient data is read; absent: none is.' }),
    session: z.object(sessionFields).optional(),
  })
  .meta({
    id: 'Me',
    examples: [
      {
        kind: 'person',
        actor: 'person/7c1e0b5a9d3f2468',
        name: 'Sam Example',
        person: '7c1e0b5a9d3f2468',
        roles: [{ role: 'operator', site: 'mercy' }],
        purpose: 'TREAT',
        session: exampleSession,
      },
    ],
  });

export const sessionListResponse = z
  .object({ sessions: z.array(z.object(sessionFields)).meta({ description: 'Newest first.' }) })
  .meta({ id: 'SessionList', examples: [{ sessions: [exampleSession] }] });

export const endedSessionsResponse = z
  .object({ ended: z.array(z.string()).meta({ description: 'Ids of the sessions that were open.' }) })
  .meta({ id: 'EndedSessions', examples: [{ ended: ['2b9d4f6081a3c5e7'] }] });

export type MeAnswer = Answer<typeof meResponse>;
export type SessionListAnswer = Answer<typeof sessionListResponse>;
export type SessionAnswer = SessionListAnswer['sessions'][number];
export type EndedSessionsAnswer = Answer<typeof endedSessionsResponse>;
