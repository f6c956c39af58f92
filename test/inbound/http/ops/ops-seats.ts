// Callers with each role, for the tests of the table of permissions: what the table says about each, in words of its own.
import { randomBytes } from 'node:crypto';
import { PERMISSIONS, type Permission, WITHOUT_PATIENT_DATA } from '../../../../src/domain/people/permissions.ts';
import type { Purpose } from '../../../../src/domain/people/purpose.ts';
import { EVERY_SITE, type Grant, ROLES, type Role } from '../../../../src/domain/people/role.ts';
import { askOps } from './ops-asking.ts';
import { aPerson, aToken } from './ops-callers.ts';
import type { OpsEngine } from './ops-engine.ts';
import type { Request, Target } from './ops-requests.ts';

export const OWN = 'mercy';
export const FOREIGN = 'general';

/** A caller, and what the table is to be asked about them. */
export type Seat = {
  readonly name: string;
  /** Absent: no Authorization header. */
  readonly key?: string;
  readonly grants: readonly Grant[];
  readonly hasPurpose: boolean;
  /** How the caller is refused. */
  readonly refusal: 401 | 403;
};

export type Verdict = 'admitted' | 401 | 403;

/** The table in words of its own, apart from the decision that the engine takes. */
export function verdictFor(
  { key = '', grants, hasPurpose, refusal }: Seat,
  permission: Permission,
  isBrief = false,
): Verdict {
  const { roles, patientData, reach, site = OWN } = permission;
  const hasPatientData = patientData === 'always' || (patientData === 'unless-brief' && !isBrief);
  const may = (role: Role) => roles.includes(role) && !(hasPatientData && WITHOUT_PATIENT_DATA.has(role));
  const sites = reach === 'engine' ? [EVERY_SITE] : [site, EVERY_SITE];
  if (!grants.some((grant) => may(grant.role) && sites.includes(grant.site))) return refusal;
  const isMissing = (hasPatientData && !hasPurpose) || (permission.isForPeople === true && key.startsWith('st_'));
  return isMissing ? 403 : 'admitted';
}

export type Answer = { readonly status: number; readonly headers: string; readonly body: string };

/** One of each role, with and without a purpose, for the own site and for every site; and others who come. */
export async function makeSeats(engine: OpsEngine, own: Target): Promise<readonly Seat[]> {
  return [...(await seatsOfRoles(engine)), ...(await otherSeats(engine, own))];
}

export function grantOf(role: Role, site: string): Grant {
  return role === 'reviewer' ? { role, site, practitioner: 'Practitioner/7' } : { role, site };
}

async function seatsOfRoles(engine: OpsEngine): Promise<readonly Seat[]> {
  const made: Seat[] = [];
  for (const role of ROLES) {
    // A reviewer has one site.
    for (const site of role === 'reviewer' ? [OWN] : [OWN, EVERY_SITE]) {
      for (const purpose of ['TREAT', undefined] as const)
        made.push(await seatOf(engine, [grantOf(role, site)], purpose));
    }
  }
  return made;
}

export async function seatOf(engine: OpsEngine, grants: readonly Grant[], purpose?: Purpose): Promise<Seat> {
  const { key } = await aToken(engine, { grants, ...(purpose !== undefined && { purpose }) });
  const [held] = grants;
  const name = `${held?.role ?? 'no role'} of ${held?.site ?? 'no site'}, ${purpose ?? 'no purpose'}`;
  return { name, key, grants, hasPurpose: purpose !== undefined, refusal: 403 };
}

async function otherSeats(engine: OpsEngine, own: Target): Promise<readonly Seat[]> {
  const everything = ROLES.map((role) => grantOf(role, EVERY_SITE));
  const expired = await aToken(engine, {
    grants: everything,
    purpose: 'TREAT',
    expiresAt: new Date('2026-11-21T07:59:59Z'),
  });
  const revoked = await aToken(engine, { grants: everything, purpose: 'TREAT' });
  await engine.serviceTokens.revoke(revoked.id);
  const person = await aPerson(engine, { grants: [grantOf('operator', OWN)], purpose: 'HOPERAT' });
  const admin = await aPerson(engine, { grants: [grantOf('admin', OWN)] });
  // No two people sign as one Practitioner.
  const practitioner = `Practitioner/${randomBytes(8).toString('hex')}`;
  const signing = { role: 'reviewer', site: OWN, practitioner } as const;
  const fromEhr = await aPerson(engine, {
    grants: [signing, grantOf('operator', EVERY_SITE), grantOf('admin', EVERY_SITE)],
    purpose: 'TREAT',
    opened: { site: OWN, encounter: own.encounter },
  });
  const unknown = { grants: [], hasPurpose: false, refusal: 401 } as const;
  return [
    { name: 'nobody', ...unknown },
    { name: 'a wrong key', key: 'wrong', ...unknown },
    { name: 'an expired token', key: expired.key, ...unknown },
    { name: 'a revoked token', key: revoked.key, ...unknown },
    { name: 'a token with another secret', key: `${revoked.key.slice(0, -1)}_`, ...unknown },
    await seatOf(engine, [], 'TREAT'),
    { name: 'an admin', key: admin.key, grants: [grantOf('admin', OWN)], hasPurpose: false, refusal: 403 },
    { name: 'a person', key: person.key, grants: [grantOf('operator', OWN)], hasPurpose: true, refusal: 403 },
    {
      name: 'a person from the EHR',
      key: fromEhr.key,
      grants: [grantOf('reviewer', OWN)],
      hasPurpose: true,
      refusal: 403,
    },
    { ...(await reviewerKey(engine)), grants: [grantOf('reviewer', OWN)], hasPurpose: true, refusal: 401 },
  ];
}

async function reviewerKey(engine: OpsEngine): Promise<Pick<Seat, 'name' | 'key'>> {
  const { key: admin } = await aPerson(engine, { grants: [grantOf('admin', OWN)] });
  const body = { site: OWN, practitioner: 'Practitioner/7', name: 'Dr. Example' };
  const { answer } = await askOps(engine, 'POST /reviewers', { key: admin, body });
  return { name: "a reviewer's key", key: answer.key };
}

export function isAsTold(verdict: Verdict, { status }: Answer): boolean {
  return verdict === 'admitted' ? ![401, 403, 500].includes(status) : status === verdict;
}

/** A stream of events is asked for with HEAD, which it answers and ends. */
export async function send(
  { baseUrl }: OpsEngine,
  { key }: Pick<Seat, 'key'>,
  { method, path, body }: Request,
): Promise<Answer> {
  const response = await fetch(`${baseUrl}/ops${path}`, {
    method: path.startsWith('/events') ? 'HEAD' : method,
    headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
  return { status: response.status, headers: JSON.stringify(headers), body: await response.text() };
}

/** The same for two targets, if the answers are the same but for what the requests named. */
export function withoutNames({ status, headers, body }: Answer, target: Target): Answer {
  const names = [target.encounter, ...Object.values(target.ids), target.site].filter((name) => name !== '');
  const nameless = names.reduce((text, name) => text.replaceAll(name, '…'), body);
  return { status, headers: headers.replaceAll(/\["(content-length|etag)","[^\]]+"\],?/g, ''), body: nameless };
}

const endpoints = Object.entries(PERMISSIONS);
/** Each view of an endpoint that the table tells apart. */
export const views = endpoints.flatMap(([endpoint, permission]) => {
  const isBriefKnown = permission.patientData === 'unless-brief';
  const all = [{ endpoint, permission, query: '', isBrief: false }];
  return isBriefKnown ? [...all, { endpoint, permission, query: '?brief=true', isBrief: true }] : all;
});
