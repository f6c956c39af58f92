// People, roles, links, sessions and tokens over HTTP: what admins of every site, admins of one site, and the operator key may do.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EVERY_SITE, type Role } from '../../../../src/domain/people/role.ts';
import { meResponse, sessionListResponse } from '../../../../src/wire/me.ts';
import { madePersonResponse, peopleResponse, personResponse, roleListResponse } from '../../../../src/wire/people.ts';
import { madeTokenResponse, tokenListResponse } from '../../../../src/wire/tokens.ts';
import { type Ask, askOps } from './ops-asking.ts';
import { type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const ask = (request: string, how?: Ask) => askOps(engine, request, how);
const someone = (role: Role, site: string = EVERY_SITE) => engine.accounts.someone({ role, site });
const SAM = { name: 'Sam Example', roles: [{ role: 'operator', site: 'mercy' }] };
const REVIEWER = { role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7' };

describe('an admin of every site', () => {
  it('makes a person with roles, whose one-time link is shown only then', async () => {
    const { id: admin, key } = await someone('admin');
    const body = { ...SAM, email: 'sam@example.org' };
    const { status, answer } = await ask('POST /people', { key, body });
    expect([status, madePersonResponse.safeParse(answer).error]).toEqual([201, undefined]);
    expect(answer).toMatchObject({
      ...SAM,
      email: 'sam@example.org',
      origin: 'local',
      unconfirmed: [],
      link: expect.stringMatching(/^https:\/\/charts\.example\.org\/sign-in\/link\/[\w-]{43}$/),
      linkExpiresAt: '2026-11-24T08:00:00.000Z',
    });
    const token = answer.link.split('/').at(-1);
    const shown = await ask(`GET /people/Person/${answer.id}`, { key });
    expect(personResponse.safeParse(shown.answer).error).toBeUndefined();
    expect(JSON.stringify(shown.answer)).not.toContain(token);
    expect(engine.audit.entries.at(-1)).toMatchObject({
      action: 'person.create',
      actor: `person/${admin}`,
      site: 'mercy',
      details: { person: answer.id, roles: ['operator@mercy'] },
    });
    expect(JSON.stringify(engine.audit.entries)).not.toMatch(/Sam|example\.org/);
    expect(JSON.stringify(engine.audit.entries)).not.toContain(token);
  });

  it('changes the name, and replaces the roles, of a person', async () => {
    const { key } = await someone('admin');
    const { answer: made } = await ask('POST /people', { key, body: SAM });
    const renamed = await ask(`PUT /people/${made.id}`, { key, body: { name: 'Sam Sample' } });
    expect([renamed.status, renamed.answer.name]).toEqual([200, 'Sam Sample']);
    const roles = [
      { role: 'viewer', site: '*' },
      { role: 'auditor', site: 'Site/general' },
    ];
    const set = await ask(`PUT /people/${made.id}/roles`, { key, body: { roles } });
    expect(set.answer.roles.map(({ role, site }: { role: string; site: string }) => `${role}@${site}`)).toEqual([
      'auditor@general',
      'viewer@*',
    ]);
    expect(engine.audit.entries.at(-1)).toMatchObject({
      action: 'person.change',
      details: { person: made.id, added: ['viewer@*', 'auditor@general'], taken: ['operator@mercy'] },
    });
  });

  it.each([
    [{ roles: [] }, /name is required/],
    [{ ...SAM, email: 'nowhere' }, /email must be an e-mail address/],
    [{ ...SAM, roles: [{ role: 'boss', site: 'mercy' }] }, /must be one of viewer/],
    [{ ...SAM, roles: [{ role: 'viewer', site: '../mercy' }] }, /must be the name of a site, or \*/],
    [{ ...SAM, roles: [{ role: 'reviewer', site: 'mercy' }] }, /A reviewer needs the practitioner/],
    [{ ...SAM, roles: [{ ...REVIEWER, site: '*' }] }, /A reviewer is one of a site/],
    [{ ...SAM, roles: [{ ...REVIEWER, role: 'viewer' }] }, /Only a reviewer has a practitioner/],
    [{ ...SAM, roles: [REVIEWER, REVIEWER] }, /roles name reviewer@mercy twice/],
    [{ ...SAM, roles: [{ ...REVIEWER, practitioner: 'Practitioner/404' }] }, /has no Practitioner\/404/],
  ])('cannot make a person from %j', async (body, message) => {
    const { key } = await someone('admin');
    const { status, answer } = await ask('POST /people', { key, body });
    expect([status, String(answer.message)]).toEqual([400, expect.stringMatching(message)]);
    expect((await ask('GET /people', { key })).answer.people).toHaveLength(1);
  });

  it('cannot give a role at a site that does not exist', async () => {
    const { key } = await someone('admin');
    const body = { ...SAM, roles: [{ role: 'viewer', site: 'mery' }] };
    const { status, answer } = await ask('POST /people', { key, body });
    expect([status, answer.message]).toEqual([404, 'There is no site mery; did you mean mercy?']);
  });

  it('makes one Practitioner one person', async () => {
    const { key } = await someone('admin');
    const first = await ask('POST /people', { key, body: { ...SAM, roles: [REVIEWER] } });
    expect([first.status, first.answer.unconfirmed]).toEqual([201, []]);
    const second = await ask('POST /people', { key, body: { ...SAM, roles: [REVIEWER] } });
    expect([second.status, second.answer.message]).toEqual([
      409,
      'Another person signs as Practitioner/7 at mercy already',
    ]);
    const again = await ask(`PUT /people/${first.answer.id}/roles`, { key, body: { roles: [REVIEWER] } });
    expect(again.status).toBe(200);
  });

  it('disables a person, whose sessions end, and enables them again', async () => {
    const { key } = await someone('admin');
    const other = await someone('operator', 'mercy');
    const disabled = await ask(`POST /people/${other.id}/disable`, { key });
    expect([disabled.status, disabled.answer.disabledAt]).toEqual([200, '2026-11-21T08:00:00.000Z']);
    expect((await ask('GET /me', { key: other.key })).status).toBe(401);
    expect((await ask(`POST /people/${other.id}/link`, { key })).status).toBe(409);
    const enabled = await ask(`POST /people/${other.id}/enable`, { key });
    expect(enabled.answer).not.toHaveProperty('disabledAt');
    expect((await ask('GET /me', { key: other.key })).status).toBe(401);
    const acts = engine.audit.entries.filter(({ actor }) => actor.startsWith('person/'));
    expect(acts.map(({ action }) => action)).toEqual([
      'person.sign-in',
      'person.sign-in',
      'person.disable',
      'person.enable',
    ]);
  });

  it('the last one cannot be disabled, or lose the role', async () => {
    const { id, key } = await someone('admin');
    const last = 'This is the last admin of every site: make another one first';
    const roles = [{ role: 'admin', site: 'mercy' }];
    const answers = [
      await ask(`POST /people/${id}/disable`, { key }),
      await ask(`PUT /people/${id}/roles`, { key, body: { roles } }),
    ];
    expect(answers.map(({ status, answer }) => [status, answer.message])).toEqual([
      [409, last],
      [409, last],
    ]);
    expect((await ask('GET /me', { key })).answer.roles).toEqual([{ role: 'admin', site: '*' }]);
    await someone('admin');
    expect((await ask(`PUT /people/${id}/roles`, { key, body: { roles } })).status).toBe(200);
  });

  it('two who take the role from each other at the same moment do not both lose it', async () => {
    const [one, other] = [await someone('admin'), await someone('admin')];
    const body = { roles: [] };
    const answers = await Promise.all([
      ask(`PUT /people/${other.id}/roles`, { key: one.key, body }),
      ask(`PUT /people/${one.id}/roles`, { key: other.key, body }),
    ]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    const { people } = await engine.people.list({ scope: 'all', limit: 9 });
    expect(people.some(({ grants }) => grants.some(({ role }) => role === 'admin'))).toBe(true);
  });
});

describe('an admin of one site', () => {
  it('sees only the people of the site, and of them only the roles there', async () => {
    const { key, id } = await someone('admin', 'mercy');
    const elsewhere = await someone('operator', 'general');
    const both = await engine.accounts.someone({ role: 'viewer', site: 'mercy' }, { role: 'viewer', site: 'general' });
    const { answer } = await ask('GET /people', { key });
    expect(peopleResponse.safeParse(answer).error).toBeUndefined();
    expect(answer.people.map((person: { id: string }) => person.id)).toEqual([both.id, id]);
    const shown = await ask(`GET /people/${both.id}`, { key });
    expect(shown.answer.roles).toEqual([{ role: 'viewer', site: 'mercy', origin: 'admin' }]);
    const [hidden, absent] = [
      await ask(`GET /people/${elsewhere.id}`, { key }),
      await ask('GET /people/ffffffffffffffff', { key }),
    ];
    expect([hidden.status, hidden.answer]).toEqual([404, absent.answer]);
  });

  it('gives and takes roles at the site only, and the others stay', async () => {
    const { key } = await someone('admin', 'mercy');
    const both = await engine.accounts.someone({ role: 'viewer', site: 'mercy' }, { role: 'viewer', site: 'general' });
    const set = (...roles: readonly unknown[]) => ask(`PUT /people/${both.id}/roles`, { key, body: { roles } });
    expect((await set({ role: 'auditor', site: 'mercy' })).answer.roles).toHaveLength(1);
    expect((await engine.people.find(both.id))?.grants).toMatchObject([
      { role: 'auditor', site: 'mercy' },
      { role: 'viewer', site: 'general' },
    ]);
    for (const site of ['general', '*', 'nowhere']) {
      expect((await set({ role: 'viewer', site })).status).toBe(403);
    }
  });

  it('makes no link to an account with roles elsewhere, which would give its maker more than they have', async () => {
    const { key } = await someone('admin', 'mercy');
    const both = await engine.accounts.someone({ role: 'viewer', site: 'mercy' }, { role: 'operator', site: '*' });
    const body = { name: 'Other Name' };
    const statuses = [
      await ask(`POST /people/${both.id}/link`, { key }),
      await ask(`PUT /people/${both.id}`, { key, body }),
      await ask(`POST /people/${both.id}/disable`, { key }),
      await ask(`DELETE /people/${both.id}/sessions`, { key }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403, 403]);
  });

  it('does not give a role to themselves', async () => {
    const { id, key } = await someone('admin', 'mercy');
    const roles = [
      { role: 'admin', site: 'mercy' },
      { role: 'operator', site: 'mercy' },
    ];
    const { status, answer } = await ask(`PUT /people/${id}/roles`, { key, body: { roles } });
    expect([status, answer.message]).toEqual([403, 'An admin gives no role to themselves: ask another admin']);
  });

  it('makes and revokes only tokens of the site', async () => {
    const { key } = await someone('admin', 'mercy');
    const admin = await someone('admin');
    const body = (site: string) => ({ label: 'report', roles: [{ role: 'viewer', site }] });
    expect((await ask('POST /tokens', { key, body: body('mercy') })).status).toBe(201);
    expect((await ask('POST /tokens', { key, body: body('*') })).status).toBe(403);
    expect((await ask('POST /tokens', { key, body: body('general') })).status).toBe(403);
    const far = await ask('POST /tokens', { key: admin.key, body: body('general') });
    const wide = { label: 'wide', roles: [...body('mercy').roles, ...body('general').roles] };
    const both = await ask('POST /tokens', { key: admin.key, body: wide });
    expect((await ask('GET /tokens', { key })).answer.tokens).toHaveLength(2);
    expect((await ask(`DELETE /tokens/${far.answer.id}`, { key })).status).toBe(404);
    expect((await ask(`DELETE /tokens/${both.answer.id}`, { key })).status).toBe(403);
  });
});

describe('the operator key', () => {
  it('makes the first admin, and afterwards only lists people and makes admins', async () => {
    const admin = { name: 'Ada Example', roles: [{ role: 'admin', site: '*' }] };
    expect((await ask('GET /me')).answer).toMatchObject({ kind: 'bootstrap', actor: 'operator' });
    expect((await ask('POST /people', { body: admin })).status).toBe(201);
    expect((await ask('POST /people', { body: { ...admin, name: 'Bea Example' } })).status).toBe(201);
    expect((await ask('GET /people')).answer.people).toHaveLength(2);
    const more = { ...admin, roles: [...admin.roles, { role: 'operator', site: '*' }] };
    for (const body of [SAM, more, { ...admin, roles: [{ role: 'admin', site: 'mercy' }] }]) {
      const { status, answer } = await ask('POST /people', { body });
      expect([status, answer.message]).toEqual([403, expect.stringContaining('only makes admins of every site')]);
    }
    for (const request of ['GET /runs', 'GET /me', 'GET /keys', 'GET /tokens', 'GET /roles', 'GET /audit']) {
      const { status, answer } = await ask(request);
      expect([request, status]).toEqual([request, 403]);
      expect(answer.message).toContain('npm run cli -- login');
    }
  });
});

describe('a person who has signed in', () => {
  it('sees who they are, and says why patient data is read', async () => {
    const { id, key } = await someone('operator', 'mercy');
    const before = await ask('GET /me', { key });
    expect(meResponse.safeParse(before.answer).error).toBeUndefined();
    expect(before.answer).toMatchObject({
      kind: 'person',
      person: id,
      roles: [{ role: 'operator', site: 'mercy' }],
      session: { kind: 'cli', way: 'device', address: '192.0.2.7', endsAt: '2026-11-21T20:00:00.000Z' },
    });
    expect(before.answer).not.toHaveProperty('purpose');
    expect((await ask('GET /aside/0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a78', { key })).status).toBe(403);
    expect((await ask('PUT /me/purpose', { key, body: { purpose: 'BTG' } })).status).toBe(400);
    expect((await ask('PUT /me/purpose', { key, body: { purpose: 'TREAT' } })).answer).toEqual({ purpose: 'TREAT' });
    expect((await ask('GET /me', { key })).answer).toMatchObject({ purpose: 'TREAT', session: { purpose: 'TREAT' } });
    expect((await ask('GET /aside/0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a78', { key })).status).toBe(404);
    expect(engine.audit.entries.at(-1)).toMatchObject({
      action: 'person.purpose',
      actor: `person/${id}`,
      details: { purpose: 'TREAT' },
    });
  });

  it('ends this session, or all of theirs', async () => {
    const { id, key } = await someone('viewer', 'mercy');
    const [second, third] = [await engine.accounts.signIn(id), await engine.accounts.signIn(id)];
    const own = await ask('GET /me/sessions', { key });
    expect(sessionListResponse.safeParse(own.answer).error).toBeUndefined();
    expect(own.answer.sessions).toHaveLength(3);
    expect((await ask('DELETE /me/session', { key: second })).status).toBe(204);
    expect((await ask('GET /me', { key: second })).status).toBe(401);
    expect((await ask('DELETE /me/sessions', { key })).answer.ended).toHaveLength(2);
    expect((await ask('GET /me', { key })).status).toBe(401);
    expect((await ask('GET /me', { key: third })).status).toBe(401);
  });

  it('sees what each role may do', async () => {
    const { key } = await someone('viewer', 'mercy');
    const { answer } = await ask('GET /roles', { key });
    expect(roleListResponse.safeParse(answer).error).toBeUndefined();
    const roles: readonly { readonly role: string; readonly may: readonly string[] }[] = answer.roles;
    const mayOf = (name: Role) => roles.find(({ role }) => role === name)?.may;
    expect(mayOf('operator')).toContain('POST /ops/runs/{id}/cancel');
    expect(mayOf('auditor')).toContain('GET /ops/audit');
    expect(mayOf('viewer')).not.toContain('GET /ops/people');
    expect(mayOf('admin')).toContain('GET /ops/people');
    expect(mayOf('admin')).not.toContain('GET /ops/runs/{id}');
  });

  it.each(['GET /people', 'POST /people', 'GET /sessions', 'GET /tokens', 'POST /tokens'])(
    'needs the role admin for %s',
    async (request) => {
      for (const role of ['viewer', 'operator', 'integrator', 'auditor'] as const) {
        const { key } = await someone(role);
        const { status, answer } = await ask(request, { key });
        expect([status, answer.message]).toEqual([403, 'This needs the role admin: an admin of the site gives it']);
      }
    },
  );
});

describe('sessions', () => {
  it('an admin lists and ends those of the people of the site', async () => {
    const { key } = await someone('admin', 'mercy');
    const [near, far] = [await someone('viewer', 'mercy'), await someone('viewer', 'general')];
    const { answer } = await ask('GET /sessions', { key });
    expect(answer.sessions.map(({ person }: { person: string }) => person)).toContain(near.id);
    expect(answer.sessions.map(({ person }: { person: string }) => person)).not.toContain(far.id);
    const idOf = (bearer: string) => bearer.split('_')[1];
    expect((await ask(`DELETE /sessions/Session/${idOf(near.key)}`, { key })).status).toBe(204);
    expect((await ask(`DELETE /sessions/${idOf(far.key)}`, { key })).status).toBe(404);
    expect((await ask('GET /me', { key: near.key })).status).toBe(401);
    expect((await ask('GET /me', { key: far.key })).status).toBe(200);
    await engine.accounts.signIn(near.id);
    expect((await ask(`GET /people/${near.id}/sessions`, { key })).answer.sessions).toHaveLength(1);
    expect((await ask(`DELETE /people/${near.id}/sessions`, { key })).answer.ended).toHaveLength(1);
    expect(engine.audit.entries.at(-1)).toMatchObject({ action: 'session.end', details: { why: 'by-admin' } });
  });
});

describe('a token for a script', () => {
  const body = { label: 'night report', roles: [{ role: 'viewer', site: 'mercy' }] };

  it('is shown once, works with its roles until it ends, and is refused when it is revoked', async () => {
    const { key } = await someone('admin');
    const { status, answer } = await ask('POST /tokens', { key, body });
    expect([status, madeTokenResponse.safeParse(answer).error]).toEqual([201, undefined]);
    expect(answer).toMatchObject({ ...body, expiresAt: '2027-02-19T08:00:00.000Z' });
    const own = await ask('GET /me', { key: answer.token });
    expect(own.answer).toEqual({ kind: 'token', actor: `token/${answer.id}`, name: 'night report', roles: body.roles });
    expect((await ask('GET /runs', { key: answer.token })).status).toBe(200);
    expect((await ask('PUT /me/purpose', { key: answer.token, body: { purpose: 'TREAT' } })).status).toBe(409);
    const listed = await ask('GET /tokens', { key });
    expect(tokenListResponse.safeParse(listed.answer).error).toBeUndefined();
    expect(JSON.stringify(listed.answer)).not.toContain(answer.token.split('_')[2]);
    expect((await ask(`DELETE /tokens/Token/${answer.id}`, { key })).status).toBe(204);
    expect((await ask('GET /runs', { key: answer.token })).status).toBe(401);
    expect(engine.audit.entries.map(({ action }) => action)).toEqual([
      'person.sign-in',
      'token.create',
      'token.revoke',
      'key.refused',
    ]);
  });

  it('is refused once its time is over', async () => {
    const { key } = await someone('admin');
    const { answer } = await ask('POST /tokens', { key, body: { ...body, expiresAt: '2026-11-21T09:00:00Z' } });
    engine.setTime('2026-11-21T08:59:59Z');
    expect((await ask('GET /runs', { key: answer.token })).status).toBe(200);
    engine.setTime('2026-11-21T09:00:00Z');
    expect((await ask('GET /runs', { key: answer.token })).status).toBe(401);
  });

  it.each([
    [{ ...body, expiresAt: '2026-11-21' }, 400, 'expiresAt must be in the future'],
    [{ ...body, expiresAt: '2027-11-23' }, 400, 'expiresAt must be within a year'],
    [{ ...body, roles: [] }, 400, 'roles must hold at least one'],
    [{ ...body, roles: [REVIEWER] }, 400, 'A token cannot be a reviewer: only a clinician decides about drafts'],
    [{ ...body, roles: [{ role: 'viewer', site: 'mery' }] }, 404, 'There is no site mery; did you mean mercy?'],
  ])('is not made from %j', async (order, status, message) => {
    const { key } = await someone('admin');
    const refused = await ask('POST /tokens', { key, body: order });
    expect([refused.status, [refused.answer.message].flat()]).toEqual([status, [message]]);
  });

  it('makes no tokens itself', async () => {
    const { key } = await someone('admin');
    const roles = [{ role: 'admin', site: '*' }];
    const { answer } = await ask('POST /tokens', { key, body: { label: 'robot', roles } });
    const again = await ask('POST /tokens', { key: answer.token, body });
    expect([again.status, again.answer.message]).toEqual([
      403,
      expect.stringMatching(/^A person answers for this, no token/),
    ]);
  });
});
