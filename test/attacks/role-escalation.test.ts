// Attacks on roles over /ops: each tries to have more than was given. They are played against the real routes, with stores in memory.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EVERY_SITE, type Grant, type Role } from '../../src/domain/people/role.ts';
import { askOps } from '../inbound/http/ops/ops-asking.ts';
import { aPerson, aToken, type KnownCaller } from '../inbound/http/ops/ops-callers.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine } from '../inbound/http/ops/ops-engine.ts';
import { aTarget, type Target } from '../inbound/http/ops/ops-requests.ts';

let engine: OpsEngine;
/** Admin of mercy alone. */
let attacker: KnownCaller;
let own: Target;
let foreign: Target;

beforeAll(async () => {
  engine = await startOpsEngine();
  await aPerson(engine, { grants: [{ role: 'admin', site: EVERY_SITE }] });
  attacker = await aPerson(engine, { grants: [{ role: 'admin', site: 'mercy' }] });
  [own, foreign] = [await aTarget(engine, 'mercy'), await aTarget(engine, 'general')];
});
afterAll(() => engine.stop());

const ask = (request: string, key: string, body?: unknown) => askOps(engine, request, { key, body });
const grantsOf = async (id: string) =>
  (await engine.people.find(id))?.grants.map(({ role, site }) => `${role}@${site}`);
const everyone = async () => (await engine.people.list({ scope: 'all', limit: 1_000 })).people.length;
const tokens = async () => (await engine.serviceTokens.list('all')).length;

/** Sites that are not the attacker's, also in disguise. */
const ELSEWHERE = ['general', '*', '**', ' *', 'mercy,general', 'MERCY', 'mercy\u0000', 'mercy ', '__proto__', ''];

describe('an admin of one site', () => {
  it.each(ELSEWHERE)('gives no role for the site "%s" to anyone', async (site) => {
    const before = [await everyone(), await tokens()];
    const roles = [{ role: 'viewer', site }];
    const answers = [
      await ask('POST /people', attacker.key, { name: 'Puppet', roles }),
      await ask(`PUT /people/${own.ids['people']}/roles`, attacker.key, { roles }),
      await ask('POST /tokens', attacker.key, { label: 'puppet', roles }),
      // One that may be given does not carry the other one along.
      await ask('POST /people', attacker.key, { name: 'Puppet', roles: [{ role: 'viewer', site: 'mercy' }, ...roles] }),
    ];
    const given = answers.map(({ status, answer }) => (status < 300 ? answer.roles.map((one: Grant) => one.site) : []));
    // White space around a name is no other site.
    expect(given.flat().filter((name) => name !== 'mercy')).toEqual([]);
    if (site.trim() !== 'mercy') expect([await everyone(), await tokens()]).toEqual(before);
    expect(await grantsOf(own.ids['people'] ?? '')).toEqual(['viewer@mercy']);
  });

  it.each([
    [{ role: 'admin', site: '*' }],
    [{ role: 'operator', site: 'mercy' }],
    [{ role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7' }],
  ])('does not raise themselves to %j', async (more) => {
    const roles = [{ role: 'admin', site: 'mercy' }, more];
    expect((await ask(`PUT /people/${attacker.id}/roles`, attacker.key, { roles })).status).toBe(403);
    expect(await grantsOf(attacker.id)).toEqual(['admin@mercy']);
  });

  it('does not raise themselves by a token that they make', async () => {
    const made = await ask('POST /tokens', attacker.key, {
      label: 'ladder',
      roles: [{ role: 'admin', site: 'mercy' }],
    });
    expect(made.status).toBe(201);
    const { token } = made.answer;
    const roles = [
      { role: 'admin', site: 'mercy' },
      { role: 'operator', site: 'mercy' },
    ];
    const before = [await everyone(), await tokens()];
    const statuses = [
      await ask(`PUT /people/${attacker.id}/roles`, token, { roles }),
      await ask('POST /people', token, { name: 'Puppet', roles }),
      await ask(`POST /people/${own.ids['people']}/link`, token),
      await ask('POST /tokens', token, { label: 'next', roles }),
      await ask('POST /reviewers', token, { site: 'mercy', practitioner: 'Practitioner/7', name: 'Puppet' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403, 403]);
    expect([await everyone(), await tokens(), await grantsOf(attacker.id)]).toEqual([...before, ['admin@mercy']]);
  });

  it('does not take over an account that reaches further', async () => {
    const far = await aPerson(engine, {
      grants: [
        { role: 'viewer', site: 'mercy' },
        { role: 'operator', site: 'general' },
      ],
    });
    for (const request of [`POST /people/${far.id}/link`, `POST /people/${far.id}/enable`, `PUT /people/${far.id}`]) {
      expect([request, (await ask(request, attacker.key, { name: 'Mine' })).status]).toEqual([request, 403]);
    }
  });

  it('does not become a clinician whom the identity provider names', async () => {
    const id = '00000000c1111c1a';
    const grants = [{ role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/named', origin: 'claims' }] as const;
    await engine.people.create({ id, name: 'Dr. Named', origin: 'oidc', grants });
    const { status, answer } = await ask(`POST /people/${id}/link`, attacker.key);
    expect([status, answer.message]).toEqual([409, 'This person signs in with the identity provider']);
  });

  it('reaches no person, session or token of another site', async () => {
    const { people, sessions, tokens: token } = foreign.ids;
    const requests = [
      `GET /people/${people}`,
      `PUT /people/${people}/roles`,
      `POST /people/${people}/link`,
      `POST /people/${people}/disable`,
      `DELETE /people/${people}/sessions`,
      `DELETE /sessions/${sessions}`,
      `DELETE /tokens/${token}`,
    ];
    for (const request of requests) {
      const body = request.startsWith('PUT') ? { roles: [{ role: 'viewer', site: 'mercy' }] } : undefined;
      expect([request, (await ask(request, attacker.key, body)).status]).toEqual([request, 404]);
    }
    expect(await grantsOf(people ?? '')).toEqual(['viewer@general']);
  });
});

describe('a role without patient data', () => {
  it.each(['?brief=true&brief=false', '?brief=TRUE', '?brief[]=true', '?brief=', '?Brief=true', '?brief=true%00'])(
    'does not see a whole run by %s',
    async (query) => {
      const { key } = await aToken(engine, { grants: [{ role: 'viewer', site: EVERY_SITE }], purpose: 'TREAT' });
      const { status, answer } = await ask(`GET /runs/${own.ids['runs']}${query}`, key);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(answer).not.toHaveProperty('note');
    },
  );

  it.each([
    `GET /RUNS/${'ID'}`,
    'GET /runs/Run/ID',
    'GET /runs/ID/',
    'GET /runs/ID/evidence?brief=true',
    'GET //runs/ID',
    'GET /keys/../runs/ID',
    'GET /runs/ID%2Fevidence',
  ])('does not see a whole run by %s', async (request) => {
    const { key } = await aToken(engine, { grants: [{ role: 'viewer', site: EVERY_SITE }], purpose: 'TREAT' });
    const { status, answer } = await ask(request.replace('ID', own.ids['runs'] ?? ''), key);
    expect([400, 403, 404]).toContain(status);
    expect(answer).not.toHaveProperty('note');
  });

  it.each(['x-http-method-override', 'x-method-override', 'x-http-method'])(
    'does not act by the header %s',
    async (name) => {
      const { key } = await aToken(engine, { grants: [{ role: 'viewer', site: EVERY_SITE }] });
      const headers = { [name]: 'DELETE' };
      const { status } = await askOps(engine, 'GET /runs', { key, headers });
      expect(status).toBe(200);
    },
  );
});

describe('a purpose', () => {
  it.each(['BTG', 'treatment', '', 'TREAT,BTG'])('"%s" is not taken as one of a person', async (purpose) => {
    const { key } = await aPerson(engine, { grants: [{ role: 'operator', site: 'mercy' }] });
    expect((await ask('PUT /me/purpose', key, { purpose })).status).toBe(400);
    expect((await ask(`GET /runs/${own.ids['runs']}`, key)).status).toBe(403);
  });

  it('is not given to a token after it was made', async () => {
    const { key } = await aToken(engine, { grants: [{ role: 'operator', site: 'mercy' }] });
    expect((await ask('PUT /me/purpose', key, { purpose: 'TREAT' })).status).toBe(409);
    expect((await ask(`GET /runs/${own.ids['runs']}`, key)).status).toBe(403);
  });
});

describe('a person who came from the EHR', () => {
  it('does not use the other roles that they hold', async () => {
    const all: readonly Role[] = ['viewer', 'operator', 'integrator', 'auditor', 'admin'];
    const grants: readonly Grant[] = [
      ...all.map((role) => ({ role, site: EVERY_SITE })),
      { role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/from-ehr' },
    ];
    const opened = { site: 'mercy', encounter: own.encounter };
    const { key } = await aPerson(engine, { grants, purpose: 'TREAT', opened });
    for (const request of ['GET /runs', 'GET /audit', 'GET /keys', 'GET /people', 'GET /aside', 'GET /events']) {
      expect([request, (await ask(request, key)).status]).toEqual([request, 403]);
    }
    expect((await ask(`GET /runs/${own.ids['runs']}`, key)).status).toBe(200);
  });
});

describe('a key', () => {
  it('that is wrong is not made up for by a session in the cookie', async () => {
    const { key } = await aPerson(engine, { grants: [{ role: 'viewer', site: 'mercy' }] });
    const headers = { cookie: `__Host-chartwright=${key.replace('ps_', '')}`, 'sec-fetch-site': 'same-origin' };
    expect((await askOps(engine, 'GET /runs', { key: 'wrong', headers })).status).toBe(401);
  });

  it('of a token does not pass for a session, nor a session for a token', async () => {
    const token = await aToken(engine, { grants: [{ role: 'viewer', site: 'mercy' }] });
    const person = await aPerson(engine, { grants: [{ role: 'viewer', site: 'mercy' }] });
    for (const key of [token.key.replace('st_', 'ps_'), person.key.replace('ps_', 'st_')]) {
      expect((await ask('GET /runs', key)).status).toBe(401);
    }
  });

  it('of the operator does not come back to what it opened before there was an admin', async () => {
    const roles = [{ role: 'operator', site: '*' }];
    for (const request of ['GET /runs', 'POST /tokens', 'GET /keys', 'POST /reviewers', `GET /people/${attacker.id}`]) {
      const body = request.startsWith('POST') ? { label: 'back', roles } : undefined;
      expect([request, (await ask(request, OPERATOR_KEY, body)).status]).toEqual([request, 403]);
    }
    expect((await ask('POST /people', OPERATOR_KEY, { name: 'Puppet', roles })).status).toBe(403);
  });
});
