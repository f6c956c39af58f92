// A request for each endpoint below /ops: about something that a site has, or about something that does not exist.
import { randomBytes } from 'node:crypto';
import type { Router } from 'express';
import { aKeptRun, CHECKED_RESULTS, HELD } from '../../../support/stored-runs.ts';
import { askOps } from './ops-asking.ts';
import { aPerson, aToken } from './ops-callers.ts';
import type { OpsEngine } from './ops-engine.ts';

/** What the requests of one site are about. */
export type Target = {
  readonly site: string;
  readonly encounter: string;
  readonly ids: Readonly<Record<string, string>>;
};

export const NOTHING: Target = {
  site: 'nowhere',
  encounter: 'Encounter/nothing',
  ids: {
    runs: '00000000-0000-4000-8000-00000000dead',
    reviews: '00000000-0000-4000-8000-00000000dead',
    aside: '00000000-0000-4000-8000-00000000dead',
    reviewers: '00000000deadbeef',
    people: '00000000deadbeef',
    colleagues: '00000000deadbeef',
    sessions: '00000000deadbeef',
    tokens: '00000000deadbeef',
    keys: '00000000deadbeef',
  },
};

let made = 0;

/** Makes one of each thing that an endpoint can name. */
export async function aTarget(engine: OpsEngine, site: string): Promise<Target> {
  made += 1;
  const encounter = `Encounter/${site}-${made}`;
  const [session, patient] = [`s-${site}-${made}`, `Patient/${site}-${made}`];
  const run = await aKeptRun(engine.stores, {
    site,
    encounter,
    session,
    patient,
    results: CHECKED_RESULTS,
    model: 'example-model',
    end: HELD,
  });
  const grants = [{ role: 'viewer', site }] as const;
  const person = await aPerson(engine, { grants });
  const [open] = await engine.personSessions.list({ scope: 'all', person: person.id, limit: 1 });
  const token = await aToken(engine, { grants });
  const practitioner = `Practitioner/colleague-${made}`;
  const colleague = await aPerson(engine, { grants: [{ role: 'reviewer', site, practitioner }] });
  const ids = {
    runs: run.id,
    reviews: run.id,
    aside: await aDelivery(engine, site),
    reviewers: await aReviewer(engine, site),
    people: person.id,
    colleagues: colleague.id,
    sessions: open?.id ?? '',
    tokens: token.id,
    keys: '00000000deadbeef',
  };
  return { site, encounter, ids };
}

/** The id comes from the list, as it does for an operator. */
async function aDelivery(engine: OpsEngine, site: string): Promise<string> {
  const receivedAt = new Date('2026-11-21T07:00:00Z');
  const why = 'The body is not valid JSON';
  const content = { key: `quarantined-${made}`, body: Buffer.from('Mrs. Example'), contentType: 'text/plain' };
  await engine.stores.inbox.quarantine({
    site,
    source: 'push',
    outcome: 'not-understood',
    why,
    receivedAt,
    ...content,
  });
  const { key } = await aToken(engine, { grants: [{ role: 'operator', site }] });
  const { answer } = await askOps(engine, `GET /aside?site=${site}&limit=1`, { key });
  return answer.deliveries[0].id;
}

async function aReviewer({ reviewers }: OpsEngine, site: string): Promise<string> {
  const id = randomBytes(8).toString('hex');
  const names = { practitioner: `Practitioner/${site}-${made}`, name: 'Dr. Example' };
  await reviewers.create({ id, site, ...names, secretDigest: new Uint8Array(32) });
  return id;
}

/** Requests whose body or query names the site. */
const BODIES: Readonly<Record<string, (target: Target) => unknown>> = {
  'POST /runs': ({ site, encounter }) => ({ site, encounter }),
  'POST /runs/recall': () => ({ model: 'example-model', dryRun: true }),
  'POST /runs{/Run}/:id/release': () => ({ reason: 'The consent is there.' }),
  'POST /runs{/Run}/:id/break-glass': () => ({ reason: 'Called to the ward.' }),
  'POST /runs{/Run}/:id/review': () => ({ decision: 'approve' }),
  'POST /runs{/Run}/:id/delegate': ({ ids }) => ({ to: ids['colleagues'] }),
  'POST /sites{/Site}/:site/pause': () => ({ what: 'write', reason: 'An update.' }),
  'POST /sites{/Site}/:site/explain': ({ encounter }) => ({ of: encounter }),
  'PUT /me/purpose': () => ({ purpose: 'TREAT' }),
  'POST /people': ({ site }) => ({ name: 'B. Example', roles: [{ role: 'viewer', site }] }),
  'PUT /people{/Person}/:id': () => ({ name: 'C. Example' }),
  'PUT /people{/Person}/:id/roles': ({ site }) => ({ roles: [{ role: 'viewer', site }] }),
  'POST /tokens': ({ site }) => ({ label: 'a report', roles: [{ role: 'viewer', site }] }),
  'POST /reviewers': ({ site }) => ({ site, practitioner: 'Practitioner/7', name: 'Dr. Example' }),
};

export type Request = { readonly method: string; readonly path: string; readonly body?: unknown };

/** `GET /runs{/Run}/:id` about a run of the target. */
export function requestFor(endpoint: string, target: Target, query = ''): Request {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const [, room = ''] = /^\/(\w+)/.exec(pattern) ?? [];
  const path = pattern
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(':site', target.site)
    .replaceAll(/:\w+/g, target.ids[room] ?? 'nothing');
  const body = BODIES[endpoint]?.(target);
  return { method, path: `${path}${query}`, ...(method !== 'GET' && { body: body ?? {} }) };
}

/** The endpoints that the engine serves, as the table of permissions writes them. */
export async function servedEndpoints(engine: OpsEngine): Promise<readonly string[]> {
  const routers = engine.app.router.stack.map(({ handle }) => handle as unknown as Partial<Router>);
  const ops = routers.find(({ stack }) => stack !== undefined);
  const paths = (ops?.stack ?? []).flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  const served: string[] = [];
  for (const path of paths) {
    const methods = await allowedFor(engine, path);
    served.push(...methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`));
  }
  return served;
}

/** No endpoint takes OPTIONS, so that the refusal names what it takes. */
async function allowedFor(engine: OpsEngine, path: string): Promise<readonly string[]> {
  const { key } = await aToken(engine, { grants: [] });
  const url = `${engine.baseUrl}/ops${requestFor(`OPTIONS ${path}`, NOTHING).path}`;
  const response = await fetch(url, { method: 'OPTIONS', headers: { authorization: `Bearer ${key}` } });
  if (response.status !== 405) throw new Error(`OPTIONS ${path} is answered with ${response.status}`);
  return (response.headers.get('allow') ?? '').split(', ');
}
