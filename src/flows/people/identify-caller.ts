// Finds out who calls: the holder of the operator key, of a reviewer's key or of a service token, or a person with a session. It does not decide
// what the caller may do.
import type { Caller } from '../../domain/people/caller.ts';
import type { Person } from '../../domain/people/person.ts';
import { EVERY_SITE, ROLES } from '../../domain/people/role.ts';
import { present } from '../../domain/present.ts';
import type { People } from '../../ports/people.ts';
import type { PersonSession, PersonSessions } from '../../ports/person-sessions.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { ServiceTokens } from '../../ports/service-tokens.ts';
import type { ManageReviewers } from '../admin/manage-reviewers.ts';
import { splitSession } from './session-secret.ts';

export type CallerProof = {
  /** The key or token of the Authorization header; empty if there is none. */
  readonly bearer: string;
  /** The value of the session cookie. It is ignored if there is a bearer. */
  readonly cookie?: string | undefined;
  readonly address: string;
  /** Asked again for an answer that goes on: it is no use of the session or token. */
  readonly isWatching?: boolean;
};

/** Undefined if the proof is missing or wrong. Throws what the stores throw. */
export type IdentifyCaller = (proof: CallerProof) => Promise<Caller | undefined>;

export type IdentifyCallerParts = {
  /** `runtime.digest` of the operator's key. */
  readonly operatorKeyDigest: Uint8Array;
  readonly manageReviewers: Pick<ManageReviewers, 'authenticate'>;
  readonly people: Pick<People, 'hasAdmin'>;
  readonly personSessions: Pick<PersonSessions, 'use'>;
  readonly serviceTokens: Pick<ServiceTokens, 'find' | 'noteUse'>;
  readonly runtime: Pick<Runtime, 'now' | 'digest' | 'isSameDigest'>;
};

type CallFrom = { readonly address: string; readonly isWatching: boolean };

const TOKEN = /^st_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

export function makeIdentifyCaller(parts: IdentifyCallerParts): IdentifyCaller {
  const { operatorKeyDigest, runtime } = parts;
  // An engine with an admin never goes back, so this is asked only until there is one.
  let hasAdmin = false;

  async function withOperatorKey(address: string): Promise<Caller> {
    hasAdmin ||= await parts.people.hasAdmin();
    const who = { actor: 'operator', name: 'operator', address } as const;
    if (hasAdmin) return { ...who, kind: 'lone-key', grants: [{ role: 'admin', site: EVERY_SITE }] };
    return { ...who, kind: 'bootstrap', grants: ROLES.map((role) => ({ role, site: EVERY_SITE })) };
  }

  return async ({ bearer, cookie, address, isWatching = false }) => {
    const from = { address, isWatching };
    if (bearer === '') return cookie === undefined ? undefined : withSession(parts, cookie, from);
    if (runtime.isSameDigest(runtime.digest(bearer), operatorKeyDigest)) return withOperatorKey(address);
    if (bearer.startsWith('rv_')) return withReviewerKey(parts, bearer, address);
    if (bearer.startsWith('st_')) return withToken(parts, bearer, from);
    return bearer.startsWith('ps_') ? withSession(parts, bearer, from) : undefined;
  };
}

async function withReviewerKey(
  { manageReviewers }: IdentifyCallerParts,
  bearer: string,
  address: string,
): Promise<Caller | undefined> {
  const reviewer = await manageReviewers.authenticate(bearer);
  if (reviewer === undefined) return undefined;
  const { id, name, site, practitioner } = reviewer;
  const grants = [{ role: 'reviewer', site, practitioner }] as const;
  return { kind: 'reviewer-key', actor: `reviewer/${id}`, name, grants, address };
}

async function withToken(
  { serviceTokens, runtime }: IdentifyCallerParts,
  bearer: string,
  { address, isWatching }: CallFrom,
): Promise<Caller | undefined> {
  const [, id, secret] = TOKEN.exec(bearer) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const token = await serviceTokens.find(id);
  if (token === undefined || !runtime.isSameDigest(runtime.digest(secret), token.secretDigest)) return undefined;
  if (token.revokedAt !== undefined || token.expiresAt <= runtime.now()) return undefined;
  if (!isWatching) await serviceTokens.noteUse(id);
  const { label: name, grants, purpose } = token;
  return present({ kind: 'token', actor: `token/${id}`, name, grants, purpose, address } as const);
}

async function withSession(
  { personSessions, runtime }: IdentifyCallerParts,
  text: string,
  { address, isWatching }: CallFrom,
): Promise<Caller | undefined> {
  const given = splitSession(text);
  const used = given && (await personSessions.use(given.id, runtime.digest(given.secret), { isWatching }));
  return used && callerOfSession(used, address);
}

export function callerOfSession(
  { person, session }: { readonly person: Person; readonly session: PersonSession },
  address: string,
): Caller {
  const { purpose, opened } = session;
  const who = { kind: 'person', actor: `person/${person.id}`, name: person.name, person: person.id } as const;
  return present({ ...who, grants: person.grants, session: session.id, purpose, opened, address });
}
