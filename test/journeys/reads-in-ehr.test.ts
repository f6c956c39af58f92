// A hospital that wants to know who reads in the engine finds each read in its own EHR, as an AuditEvent; an EHR that is away costs no one a read.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent } from '@medplum/fhirtypes';
import { validateResources } from '../../src/validation/validate-resource.ts';
import type { Engine } from '../support/engine.ts';
import { eventually, untilRun } from '../support/journey-runs.ts';
import { startWorld, type World } from '../support/run-world.ts';

const LIMIT_MS = 150_000;

let world: World;
let engine: Engine;
let silent: string;
beforeAll(async () => {
  world = await startWorld({ sites: 2 });
  silent = world.sites[1] ?? '';
  await world.writeSite(world.sites[0] ?? '', 'audit: { toEhr: true }');
  engine = await world.start();
}, LIMIT_MS);
afterAll(() => world?.close());

async function tokenOf(site: string): Promise<string> {
  const order = { label: 'quality', roles: [{ role: 'operator', site }], purpose: 'HOPERAT' };
  return ((await engine.ops('POST', '/tokens', order)) as { readonly token: string }).token;
}

async function view(run: string, token: string): Promise<number> {
  const response = await fetch(`${engine.url}/ops/runs/${run}`, { headers: { authorization: `Bearer ${token}` } });
  await response.text();
  return response.status;
}

const metricsText = async () => (await fetch(`${engine.url}/metrics`)).text();

const eventsIn = (site: string) => world.ehrOf(site).store.all('AuditEvent') as readonly AuditEvent[];

it(
  'a run that a script views as a token is in the EHR of its site, as sound FHIR, and not in the EHR of a site that did not ask',
  async () => {
    const [site = ''] = world.sites;
    const token = await tokenOf(site);
    const visit = world.admit();
    const other = world.admit({ site: silent });
    await world.tell(visit);
    await world.tell(other);
    const [run, quiet] = [await untilRun(engine, visit.encounter), await untilRun(engine, other.encounter)];
    expect(await view(run.id, token)).toBe(200);
    expect(await view(quiet.id, token)).toBe(404);
    await engine.ops('GET', `/runs/${quiet.id}`);
    const [event] = await eventually(() => (eventsIn(site).length > 0 ? eventsIn(site) : undefined), {
      what: 'an AuditEvent',
    });
    expect(event?.entity?.map(({ what }) => what?.reference ?? what?.identifier?.value)).toEqual([
      visit.patient,
      visit.encounter,
      `run/${run.id}`,
    ]);
    expect(event?.agent[2]).toMatchObject({
      requestor: true,
      who: { identifier: { value: expect.stringMatching(/^token\//) } },
      purposeOfUse: [{ coding: [{ code: 'HOPERAT' }] }],
    });
    expect(validateResources([event])).toEqual([]);
    expect([eventsIn(site).length, eventsIn(silent)]).toEqual([1, []]);
    expect(await metricsText()).toMatch(/^chartwright_audit_events_total\{outcome="sent"\} 1$/m);
  },
  LIMIT_MS,
);

it(
  'a run can be viewed while the EHR is away, which gets the AuditEvent afterwards',
  async () => {
    const [site = ''] = world.sites;
    const token = await tokenOf(site);
    const visit = world.admit();
    await world.tell(visit);
    const run = await untilRun(engine, visit.encounter);
    const before = eventsIn(site).length;
    await world.ehr.goDown();
    expect(await view(run.id, token)).toBe(200);
    await eventually(async () => ((await metricsText()).includes('outcome="postponed"') ? true : undefined), {
      what: 'a try that failed',
    });
    await world.ehr.comeBack();
    await eventually(() => (eventsIn(site).length > before ? true : undefined), { what: 'the AuditEvent' });
    expect(eventsIn(site).at(-1)?.entity?.[0]?.what?.reference).toBe(visit.patient);
  },
  LIMIT_MS,
);
