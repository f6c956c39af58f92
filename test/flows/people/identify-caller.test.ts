// Who calls, by what the request proves: the operator key, a session, or a service token; with the fakes of the stores.
import { describe, expect, it } from '@jest/globals';
import { makeIdentifyCaller } from '../../../src/flows/people/identify-caller.ts';
import { makeOpenSession } from '../../../src/flows/people/open-session.ts';
import type { ServiceTokens } from '../../../src/ports/service-tokens.ts';
import { aPerson, aPersonId, viewerOf } from '../../contracts/people-contract.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakePeople } from '../../fakes/people.ts';
import { makeFakePersonSessions } from '../../fakes/person-sessions.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { makeFakeServiceTokens } from '../../fakes/service-tokens.ts';

const ADDRESS = '192.0.2.7';
const KEY = 'the operator key';
const SECRET = 'A'.repeat(43);
const MINUTE_MS = 60_000;
const ADMIN = { role: 'admin', site: '*' } as const;

async function aDoor() {
  const runtime = makeFakeRuntime();
  const people = makeFakePeople(runtime);
  const personSessions = makeFakePersonSessions({ people, now: runtime.now });
  const serviceTokens = makeFakeServiceTokens(runtime);
  const openSession = makeOpenSession({ personSessions, audit: makeFakeAudit({ now: runtime.now }), runtime });
  const parts = { people, personSessions, serviceTokens, runtime, operatorKeyDigest: runtime.digest(KEY) };
  const makeEngine = () => makeIdentifyCaller({ ...parts, manageReviewers: { authenticate: async () => undefined } });
  const ada = await people.create(aPerson({ grants: [viewerOf('mercy')] }));
  return { ...parts, makeEngine, identify: makeEngine(), openSession, ada };
}

const withBearer = (bearer: string) => ({ bearer, address: ADDRESS });
const withCookie = (cookie: string) => ({ bearer: '', cookie, address: ADDRESS });

describe('the operator key', () => {
  it('is every role for every site until there is an admin of every site, and then only makes admins', async () => {
    const { identify, makeEngine, people, ada } = await aDoor();
    expect(await identify(withBearer(KEY))).toMatchObject({ kind: 'bootstrap', actor: 'operator', address: ADDRESS });
    await people.setGrants({ id: ada.id, origin: 'admin', grants: [{ role: 'admin', site: 'mercy' }], by: 'operator' });
    expect((await identify(withBearer(KEY)))?.kind).toBe('bootstrap');
    await people.setGrants({ id: ada.id, origin: 'admin', grants: [ADMIN], by: 'operator' });
    for (const engine of [identify, makeEngine()]) {
      expect(await engine(withBearer(KEY))).toMatchObject({ kind: 'lone-key', grants: [ADMIN] });
    }
  });

  it('does not get its former rights back when the admin is disabled and loses the role, also after a restart', async () => {
    const { makeEngine, people, ada } = await aDoor();
    await people.setGrants({ id: ada.id, origin: 'admin', grants: [ADMIN], by: 'operator' });
    await people.disable(ada.id);
    await people.setGrants({ id: ada.id, origin: 'admin', grants: [], by: 'operator' });
    expect((await makeEngine()(withBearer(KEY)))?.kind).toBe('lone-key');
  });

  it('is no cookie, and no other key is it', async () => {
    const { identify } = await aDoor();
    expect(await identify(withCookie(KEY))).toBeUndefined();
    for (const bearer of ['', 'another key', `${KEY} `, 'rv_unknown']) {
      expect(await identify(withBearer(bearer))).toBeUndefined();
    }
  });
});

describe('a session', () => {
  it('names its person with the roles of now, in a cookie and as a bearer', async () => {
    const { identify, openSession, people, ada } = await aDoor();
    const opened = { site: 'mercy', encounter: 'Encounter/1' };
    const order = { person: ada.id, kind: 'browser', way: 'oidc', address: '192.0.2.9', opened } as const;
    const { session, secretText } = await openSession(order);
    const grants = [{ role: 'operator', site: 'mercy' }] as const;
    await people.setGrants({ id: ada.id, origin: 'admin', grants, by: 'operator' });
    const who = { kind: 'person', actor: `person/${ada.id}`, person: ada.id, name: ada.name, session: session.id };
    const expected = { ...who, opened, address: ADDRESS, grants: [{ ...grants[0], origin: 'admin' }] };
    expect(await identify(withCookie(secretText))).toEqual(expected);
    expect(await identify(withBearer(`ps_${secretText}`))).toEqual(expected);
    expect(await identify({ ...withCookie(secretText), bearer: 'another key' })).toBeUndefined();
  });

  it('is refused with another secret, after its end, and for a person who is disabled', async () => {
    const { identify, openSession, people, personSessions, runtime, ada } = await aDoor();
    const order = { person: ada.id, kind: 'browser', way: 'oidc', address: ADDRESS } as const;
    const [first, second, third] = [await openSession(order), await openSession(order), await openSession(order)];
    const wrong = [
      `${first.session.id}_${SECRET}`,
      `${aPersonId()}${first.secretText.slice(16)}`,
      first.secretText.slice(1),
    ];
    for (const text of [...wrong, `${first.secretText}A`, first.session.id, '']) {
      expect(await identify(withCookie(text))).toBeUndefined();
      expect(await identify(withBearer(`ps_${text}`))).toBeUndefined();
    }
    await personSessions.end({ id: first.session.id }, 'signed-out');
    expect(await identify(withCookie(first.secretText))).toBeUndefined();
    runtime.advance(15 * MINUTE_MS);
    expect(await identify(withCookie(second.secretText))).toBeUndefined();
    const last = await openSession(order);
    await people.disable(ada.id);
    for (const { secretText } of [third, last]) expect(await identify(withCookie(secretText))).toBeUndefined();
  });

  it('ends while an answer that goes on only asks whether it is still there', async () => {
    const { identify, openSession, runtime, ada } = await aDoor();
    const order = { person: ada.id, kind: 'browser', way: 'oidc', address: ADDRESS } as const;
    const [watched, used] = [await openSession(order), await openSession(order)];
    runtime.advance(14 * MINUTE_MS);
    expect(await identify({ ...withCookie(watched.secretText), isWatching: true })).toBeDefined();
    expect(await identify(withCookie(used.secretText))).toBeDefined();
    runtime.advance(2 * MINUTE_MS);
    expect(await identify({ ...withCookie(watched.secretText), isWatching: true })).toBeUndefined();
    expect(await identify(withCookie(used.secretText))).toBeDefined();
  });
});

describe('a service token', () => {
  const grants = [{ role: 'operator', site: 'mercy' }] as const;
  const aToken = async (tokens: ServiceTokens, runtime: ReturnType<typeof makeFakeRuntime>) => {
    const id = aPersonId();
    const expiresAt = new Date(runtime.now().getTime() + 60 * MINUTE_MS);
    const whose = { id, label: 'the nightly report', grants, purpose: 'HOPERAT', madeBy: 'operator' } as const;
    await tokens.create({ ...whose, expiresAt, secretDigest: runtime.digest(SECRET) });
    return { id, text: `st_${id}_${SECRET}` };
  };

  it('names itself with its roles and purpose, and when it was used; watching is no use', async () => {
    const { identify, serviceTokens, runtime } = await aDoor();
    const { id, text } = await aToken(serviceTokens, runtime);
    const expected = { kind: 'token', actor: `token/${id}`, name: 'the nightly report', purpose: 'HOPERAT' };
    expect(await identify({ ...withBearer(text), isWatching: true })).toEqual({
      ...expected,
      grants,
      address: ADDRESS,
    });
    expect(await serviceTokens.find(id)).not.toHaveProperty('lastUsedAt');
    expect(await identify(withBearer(text))).toEqual({ ...expected, grants, address: ADDRESS });
    expect((await serviceTokens.find(id))?.lastUsedAt).toEqual(runtime.now());
  });

  it('is refused with another secret, in a cookie, after its end, and once it is revoked', async () => {
    const { identify, serviceTokens, runtime } = await aDoor();
    const [one, other] = [await aToken(serviceTokens, runtime), await aToken(serviceTokens, runtime)];
    const wrong = [
      `st_${one.id}_${'B'.repeat(43)}`,
      `st_${aPersonId()}_${SECRET}`,
      one.text.slice(0, -1),
      `${one.text}A`,
    ];
    for (const text of wrong) expect(await identify(withBearer(text))).toBeUndefined();
    expect(await identify(withCookie(one.text))).toBeUndefined();
    expect(await identify(withBearer(`ps_${one.id}_${SECRET}`))).toBeUndefined();
    await serviceTokens.revoke(one.id);
    expect(await identify(withBearer(one.text))).toBeUndefined();
    expect(await identify(withBearer(other.text))).toBeDefined();
    runtime.advance(60 * MINUTE_MS);
    expect(await identify(withBearer(other.text))).toBeUndefined();
  });
});
