import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import type { EhrAuth } from '../../../src/domain/site/site.ts';
import { makeFhirEhrs } from '../../../src/outbound/fhir/fhir-ehrs.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aSite } from '../../support/chart-facts.ts';
import { makeLocalServers } from '../../support/local-servers.ts';
import { startTokenServer, type TokenBehaviour } from '../../support/token-server.ts';
import { until } from '../../support/until.ts';
import { type ScriptedEhr, siteAt, startScriptedEhr } from './scripted-ehr.ts';

const never = new AbortController().signal;
const PATIENT = { resourceType: 'Patient', id: '1' };

function siteWith(baseUrl: string, auth: EhrAuth): LoadedSite {
  const site = siteAt(baseUrl);
  const { ehr } = site.settings;
  return ehr ? { ...site, settings: { ...site.settings, ehr: { ...ehr, auth } } } : site;
}

const refuseToken: TokenBehaviour['onToken'] = (response) => void response.writeHead(401).end('<html>');

const open = () => makeFhirEhrs({ knowledge: makeFakeEhrKnowledge(), runtime: makeFakeRuntime() });

let server: ScriptedEhr | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('The EHRs of all sites', () => {
  it('the same settings share an EHR, and other settings have another', () => {
    const ehrs = open();
    const site = siteAt('https://ehr.example.org/fhir');
    const reloaded = { ...structuredClone({ ...site, mappings: new Map() }), version: '2' };
    const ehr = ehrs.of(site);
    expect(ehrs.of(reloaded)).toBe(ehr);
    expect(ehrs.of({ ...site, name: 'grace' })).not.toBe(ehr);
    expect(ehrs.of(siteAt('https://ehr.example.org/fhir', 3))).not.toBe(ehr);
    ehrs.close();
  });

  it('a new password is a change of settings', () => {
    const ehrs = open();
    const withPassword = (password: string) =>
      siteWith('https://ehr.example.org/fhir', { type: 'basic', username: 'chartwright', password });
    const before = ehrs.of(withPassword('old'));
    expect(ehrs.of(withPassword('old'))).toBe(before);
    expect(ehrs.of(withPassword('new'))).not.toBe(before);
  });

  it('a token server that refuses once makes its callers wait, and one that goes on refusing is an error for a person', async () => {
    const servers = makeLocalServers();
    const { baseUrl, behaviour } = await startTokenServer(servers, { onToken: refuseToken });
    const runtime = makeFakeRuntime();
    const clock = { nowMs: Date.parse('2026-11-21T12:00:00Z') };
    const now = () => new Date(clock.nowMs);
    behaviour.now = now;
    const ehrs = makeFhirEhrs({ knowledge: makeFakeEhrKnowledge(), runtime: { ...runtime, now } });
    const { id: clientId, secret: clientSecret } = behaviour.client;
    const auth = { type: 'client-credentials', clientId, clientSecret } as const;
    const ehr = ehrs.of(siteWith(baseUrl, auth));
    const read = () => ehr.read('Patient/1', never).catch((thrown: unknown) => thrown);
    const message = expect.stringContaining('The token server refuses us (HTTP 401): check ehr.auth.clientId');
    expect(await read()).toMatchObject({ code: 'ehrUnavailable', retryAfterSeconds: 30, message });
    clock.nowMs += 330_000;
    expect(await read()).toMatchObject({ code: 'ehrRefused', message });
    clock.nowMs += 30_000;
    behaviour.onToken = undefined;
    expect(await read()).not.toHaveProperty('code', 'ehrRefused');
    ehrs.close();
    await servers.close();
  });

  it('a site without an EHR gets an error that names the missing setting', () => {
    expect(() => open().of(aSite())).toThrow('mercy has no EHR: set ehr.baseUrl in its site.yaml');
  });

  it('a site that signs nothing has no keys, and neither has one without an EHR', async () => {
    expect(await open().jwks(siteAt('https://ehr.example.org/fhir'))).toBeUndefined();
    expect(await open().jwks(aSite())).toBeUndefined();
  });

  it('every call is reported with its result', async () => {
    server = await startScriptedEhr(({ method }) =>
      method === 'GET' ? { status: 200, body: PATIENT } : { status: 422 },
    );
    await server.ehr.read('Patient/1', never);
    await server.ehr.create({ type: 'Condition', body: '{}' }, never);
    await server.ehr.read('Patient/2', never).catch(() => undefined);
    await server.ehr.read('Patient/1', AbortSignal.abort()).catch(() => undefined);
    expect(server.calls.map(({ site, operation, outcome }) => [site, operation, outcome])).toEqual([
      ['mercy', 'read', 'success'],
      ['mercy', 'create', 'refused'],
      ['mercy', 'read', 'ehrAnswer'],
      ['mercy', 'read', 'cancelled'],
    ]);
  });

  it('the old connections are closed after a change of settings, but not during a call', async () => {
    const gate = Promise.withResolvers<void>();
    let openSockets = 0;
    const slow = http.createServer(async (_, response) => {
      await gate.promise;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(PATIENT));
    });
    slow.on('connection', (socket) => {
      openSockets += 1;
      socket.on('close', () => {
        openSockets -= 1;
      });
    });
    // Without this, the server would close them itself, a little later.
    slow.keepAliveTimeout = 0;
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const baseUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/fhir`;
    const ehrs = open();
    const reading = ehrs.of(siteAt(baseUrl)).read('Patient/1', never);
    await until(() => openSockets === 1);
    ehrs.of(siteAt(baseUrl, 5));
    expect(openSockets).toBe(1);
    gate.resolve();
    expect(await reading).toMatchObject({ reference: 'Patient/1' });
    const answeredMs = performance.now();
    await until(() => openSockets === 0);
    // Idle connections are closed after a quarter of a minute.
    expect(performance.now() - answeredMs).toBeLessThan(10_000);
    ehrs.close();
    slow.close();
  });

  it('a caller with the EHR of the old settings can continue to use it', async () => {
    server = await startScriptedEhr(() => ({ status: 200, body: PATIENT }));
    const old = server.ehr;
    await old.read('Patient/1', never);
    expect(server.ehrs.of(siteAt(server.baseUrl, 5))).not.toBe(old);
    expect(await old.read('Patient/1', never)).toMatchObject({ reference: 'Patient/1' });
  });
});

describe('The paths of a hospital’s server', () => {
  afterEach(() => nock.cleanAll());
  afterAll(() => nock.restore());

  it.each(['https://ehr.example.org/fhir/R4', 'https://ehr.example.org/fhir/R4/', 'https://ehr.example.org'])(
    'all requests below %s use the base address without double slashes',
    async (baseUrl) => {
      const { origin, pathname } = new URL(baseUrl);
      const base = pathname.replace(/\/$/, '');
      const bundle = { resourceType: 'Bundle', type: 'transaction-response', entry: [] };
      const calls = nock(origin)
        .get(`${base}/Patient/1`)
        .reply(200, PATIENT, { 'content-type': 'application/fhir+json;charset=utf-8' })
        .get(`${base}/Patient`)
        .query({ _count: '5', name: 'x' })
        .reply(200, { resourceType: 'Bundle' }, { 'content-type': 'application/json' })
        .post(base === '' ? '/' : base, '{"type":"transaction"}')
        .reply(200, bundle, { 'content-type': 'application/fhir+json' })
        .get(`${base}/metadata`)
        .reply(404);
      const ehr = open().of(siteAt(baseUrl));
      expect(await ehr.read('Patient/1', never)).toMatchObject({ reference: 'Patient/1' });
      await ehr.search({ type: 'Patient', parameters: { name: 'x' }, maxResources: 5 }, never);
      expect(await ehr.transact('{"type":"transaction"}', never)).toMatchObject({ kind: 'stored' });
      expect(await ehr.capabilities(never)).toMatchObject({ isKnown: false });
      expect(calls.isDone()).toBe(true);
    },
  );
});
