// Callers of /ops with an account: service tokens and people with a session.
import { randomBytes } from 'node:crypto';
import type { OpenedEncounter } from '../../../../src/domain/people/caller.ts';
import type { Purpose } from '../../../../src/domain/people/purpose.ts';
import type { Grant } from '../../../../src/domain/people/role.ts';
import { present } from '../../../../src/domain/present.ts';
import { systemRuntime } from '../../../../src/platform/system-runtime.ts';
import type { OpsEngine } from './ops-engine.ts';

const DAY_MS = 86_400_000;
/** The clock of the engine begins on 2026-11-21. */
const LATER = new Date('2027-01-01T00:00:00Z');

export type KnownCaller = { readonly id: string; readonly key: string };

type TokenParts = {
  readonly grants: readonly Grant[];
  readonly purpose?: Purpose;
  readonly expiresAt?: Date;
};

export async function aToken(
  { serviceTokens }: Pick<OpsEngine, 'serviceTokens'>,
  parts: TokenParts,
): Promise<KnownCaller> {
  const { id, secret, secretDigest } = aSecret();
  const { expiresAt = LATER } = parts;
  await serviceTokens.create({ ...parts, id, label: 'a script', madeBy: 'operator', expiresAt, secretDigest });
  return { id, key: `st_${id}_${secret}` };
}

type PersonParts = {
  readonly grants: readonly Grant[];
  readonly purpose?: Purpose;
  readonly opened?: OpenedEncounter;
};

/** `id`: of the person; `key`: of a session at the command line. */
export async function aPerson(
  { people, personSessions }: Pick<OpsEngine, 'people' | 'personSessions'>,
  { grants, purpose, opened }: PersonParts,
): Promise<KnownCaller> {
  const person = randomBytes(8).toString('hex');
  const origin = 'admin' as const;
  const held = grants.map((grant) => ({ ...grant, origin }));
  await people.create({ id: person, name: 'A. Example', origin: 'local', grants: held });
  const { id, secret, secretDigest } = aSecret();
  const session = { id, person, kind: 'cli', way: 'link', address: '192.0.2.1' } as const;
  const life = { idleMs: DAY_MS, totalMs: DAY_MS };
  await personSessions.create(present({ ...session, ...life, opened, secretDigest }));
  if (purpose !== undefined) await personSessions.setPurpose(id, purpose);
  return { id: person, key: `ps_${id}_${secret}` };
}

function aSecret() {
  const secret = randomBytes(32).toString('base64url');
  return { id: randomBytes(8).toString('hex'), secret, secretDigest: systemRuntime.digest(secret) };
}
