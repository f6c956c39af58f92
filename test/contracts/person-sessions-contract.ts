// What every store of people's sessions promises.
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { People } from '../../src/ports/people.ts';
import type { NewSession, PersonSessions } from '../../src/ports/person-sessions.ts';
import { aPerson, aPersonId, viewerOf } from './people-contract.ts';

export type SessionsSubject = {
  readonly people: People;
  readonly sessions: PersonSessions;
  /** As if this much time had gone by. */
  readonly pass: (ms: number) => Promise<void>;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SECRET = secret(1);
const PROVIDER = { issuer: 'https://id.example.org', subject: 'ada', sessionId: 'sid-1' };

function secret(number: number): Uint8Array {
  return new Uint8Array(32).fill(number);
}

export function aSession(person: string, parts: Partial<NewSession> = {}): NewSession {
  const limits = { idleMs: 15 * MINUTE_MS, totalMs: 12 * HOUR_MS };
  const how = { kind: 'browser', way: 'oidc', address: '192.0.2.7' } as const;
  return { id: aPersonId(), person, ...how, secretDigest: SECRET, ...limits, ...parts };
}

export function personSessionsContract(name: string, makeSubject: () => Promise<SessionsSubject>): void {
  describe(`the sessions of ${name}`, () => {
    let subject: SessionsSubject;
    let ada: string;
    const made = async (parts: Partial<NewSession> = {}, person = ada) =>
      (await subject.sessions.create(aSession(person, parts))).id;
    const isOpen = async (id: string, secretDigest = SECRET) =>
      (await subject.sessions.use(id, secretDigest)) !== undefined;
    beforeEach(async () => {
      subject = await makeSubject();
      ada = (await subject.people.create(aPerson({ grants: [viewerOf('mercy')] }))).id;
    });

    it('are used with their secret, and show the person as she is now, and who opened what from where', async () => {
      const { sessions, people } = subject;
      const opened = { site: 'mercy', encounter: 'Encounter/1', patient: 'Patient/1' };
      const given = aSession(ada, { kind: 'frame', way: 'launch', opened, agent: 'A browser' });
      const session = await sessions.create(given);
      const { secretDigest: _, idleMs: __, totalMs: ___, ...shown } = given;
      const times = { createdAt: expect.any(Date), lastUsedAt: expect.any(Date) };
      expect(session).toEqual({ ...shown, ...times, idleAt: expect.any(Date), endsAt: expect.any(Date) });
      expect(session.idleAt.getTime() - session.lastUsedAt.getTime()).toBe(given.idleMs);
      expect(session.endsAt.getTime() - session.createdAt.getTime()).toBe(given.totalMs);
      await people.setGrants({
        id: ada,
        origin: 'admin',
        grants: [{ role: 'operator', site: 'clinic' }],
        by: 'operator',
      });
      const used = await sessions.use(session.id, SECRET);
      expect(used?.session).toEqual(session);
      expect(used?.person).toEqual({ ...(await people.find(ada)), lastSeenAt: expect.any(Date) });
      expect(used?.person.grants).toEqual([{ role: 'operator', site: 'clinic', origin: 'admin' }]);
    });

    it('that an EHR opened without a visit are of its site alone', async () => {
      const session = await subject.sessions.create(aSession(ada, { way: 'launch', opened: { site: 'mercy' } }));
      expect((await subject.sessions.use(session.id, SECRET))?.session.opened).toEqual({ site: 'mercy' });
    });

    it('are not used with another secret, nor by the id of another session', async () => {
      const [one, other] = [await made(), await made({ secretDigest: secret(2) })];
      expect(await isOpen(one, secret(2))).toBe(false);
      expect(await isOpen(other, SECRET)).toBe(false);
      expect(await isOpen(one, new Uint8Array(0))).toBe(false);
      expect(await isOpen(aPersonId())).toBe(false);
    });

    it('end without use after their idle time, and each use begins it anew', async () => {
      const { sessions, pass } = subject;
      const id = await made();
      for (const _ of [1, 2, 3]) {
        await pass(14 * MINUTE_MS);
        expect(await isOpen(id)).toBe(true);
      }
      const before = await sessions.use(id, SECRET);
      expect(before?.session.idleAt.getTime()).toBeGreaterThan(
        (before?.session.lastUsedAt.getTime() ?? 0) + 14 * MINUTE_MS,
      );
      await pass(15 * MINUTE_MS);
      expect(await isOpen(id)).toBe(false);
      expect(await sessions.list({ scope: 'all', limit: 10 })).toEqual([]);
    });

    it('end after their idle time also if an answer that goes on asks for them all the time', async () => {
      const id = await made();
      const isWatched = async () => (await subject.sessions.use(id, SECRET, { isWatching: true })) !== undefined;
      await subject.pass(8 * MINUTE_MS);
      expect(await isWatched()).toBe(true);
      await subject.pass(8 * MINUTE_MS);
      expect(await isWatched()).toBe(false);
    });

    it('end no more than 30 seconds early if they are used all the time, and never late', async () => {
      const { pass } = subject;
      const id = await made();
      for (let used = 0; used < 8; used += 1) {
        await pass(7_000);
        expect(await isOpen(id)).toBe(true);
      }
      await pass(14 * MINUTE_MS + 29_000);
      expect(await isOpen(id)).toBe(true);
      await pass(15 * MINUTE_MS);
      expect(await isOpen(id)).toBe(false);
    });

    it('end after their whole time, however much they are used, and say so beforehand', async () => {
      const { sessions, pass } = subject;
      const id = await made({ totalMs: 20 * MINUTE_MS });
      await pass(10 * MINUTE_MS);
      const used = await sessions.use(id, SECRET);
      expect(used?.session.idleAt).toEqual(used?.session.endsAt);
      await pass(9 * MINUTE_MS);
      expect(await isOpen(id)).toBe(true);
      await pass(MINUTE_MS);
      expect(await isOpen(id)).toBe(false);
    });

    it('have their secret replaced once it is old enough, and know the former one for a few seconds', async () => {
      const { sessions, pass } = subject;
      const id = await made();
      const renew = (former: number, next: number) =>
        sessions.renew(id, { former: secret(former), next: secret(next), afterMs: 5 * MINUTE_MS });
      await pass(4 * MINUTE_MS);
      expect(await renew(1, 2)).toBe(false);
      expect(await isOpen(id, secret(2))).toBe(false);
      await pass(MINUTE_MS);
      expect(await renew(9, 2)).toBe(false);
      expect(await renew(1, 2)).toBe(true);
      expect(await isOpen(id, secret(1))).toBe(true);
      expect(await isOpen(id, secret(2))).toBe(true);
      expect(await renew(1, 3)).toBe(false);
      expect(await renew(2, 3)).toBe(false);
      await pass(10_000);
      expect(await isOpen(id, secret(1))).toBe(false);
      await pass(5 * MINUTE_MS);
      expect(await renew(2, 3)).toBe(true);
      expect(await isOpen(id, secret(1))).toBe(false);
      expect(await isOpen(id, secret(3))).toBe(true);
    });

    it('have their secret replaced by one of two requests at the same moment', async () => {
      const { sessions } = subject;
      const id = await made();
      const renewed = await Promise.all(
        [2, 3, 4].map((next) => sessions.renew(id, { former: SECRET, next: secret(next), afterMs: 0 })),
      );
      expect(renewed.filter(Boolean)).toHaveLength(1);
      expect(await isOpen(id, secret(2 + renewed.indexOf(true)))).toBe(true);
    });

    it('that have ended get no other secret', async () => {
      const { sessions } = subject;
      const id = await made();
      await sessions.end({ id }, 'signed-out');
      expect(await sessions.renew(id, { former: SECRET, next: secret(2), afterMs: 0 })).toBe(false);
      expect(await isOpen(id, secret(2))).toBe(false);
    });

    it('end while they are only watched, and say so at once', async () => {
      const { sessions, pass } = subject;
      const id = await made();
      const watched = async () => (await sessions.use(id, SECRET, { isWatching: true })) !== undefined;
      await pass(14 * MINUTE_MS);
      expect(await watched()).toBe(true);
      await pass(MINUTE_MS);
      expect(await watched()).toBe(false);
      expect(await isOpen(id)).toBe(false);
    });

    it('keep their purpose', async () => {
      const { sessions } = subject;
      const id = await made();
      expect((await sessions.use(id, SECRET))?.session).not.toHaveProperty('purpose');
      await sessions.setPurpose(id, 'TREAT');
      expect((await sessions.use(id, SECRET))?.session.purpose).toBe('TREAT');
    });

    it('of a person who is disabled end for good, and there is no new one', async () => {
      const { sessions, people } = subject;
      const id = await made();
      await people.disable(ada);
      expect(await isOpen(id)).toBe(false);
      await expect(sessions.create(aSession(ada))).rejects.toMatchObject({ code: 'forbidden' });
      await expect(sessions.create(aSession(aPersonId()))).rejects.toMatchObject({ code: 'forbidden' });
      await people.enable(ada);
      expect(await isOpen(id)).toBe(false);
      expect(await isOpen(await made())).toBe(true);
    });

    it('are ended one by one, or all but the own one, or all of a person, and only those that were open are named', async () => {
      const { sessions, people, pass } = subject;
      const bob = (await people.create(aPerson())).id;
      const [one, two, three] = [await made(), await made(), await made()];
      const foreign = await made({}, bob);
      expect(await sessions.end({ id: one }, 'signed-out')).toEqual([one]);
      expect(await sessions.end({ id: one }, 'signed-out')).toEqual([]);
      expect(await sessions.end({ person: ada, except: three }, 'signed-out')).toEqual([two]);
      expect(await isOpen(one)).toBe(false);
      expect(await isOpen(two)).toBe(false);
      expect(await isOpen(three)).toBe(true);
      expect(await sessions.end({ person: ada }, 'by-admin')).toEqual([three]);
      expect(await isOpen(foreign)).toBe(true);
      await pass(15 * MINUTE_MS);
      expect(await sessions.end({ person: bob }, 'by-admin')).toEqual([]);
    });

    it('are ended by the session of the provider, or by the subject, of this issuer only', async () => {
      const { sessions } = subject;
      const elsewhere = { ...PROVIDER, issuer: 'https://other.example.org' };
      const first = await made({ provider: PROVIDER });
      const second = await made({ provider: { ...PROVIDER, sessionId: 'sid-2' } });
      const foreign = await made({ provider: elsewhere });
      const without = await made();
      const { issuer, subject: ofAda } = PROVIDER;
      expect(await sessions.end({ issuer, providerSession: 'sid-1' }, 'by-provider')).toEqual([first]);
      expect(await sessions.end({ issuer, providerSession: 'sid-1' }, 'by-provider')).toEqual([]);
      expect(await sessions.end({ issuer, subject: 'bob' }, 'by-provider')).toEqual([]);
      expect(await sessions.end({ issuer, subject: ofAda }, 'by-provider')).toEqual([second]);
      for (const id of [foreign, without]) expect(await isOpen(id)).toBe(true);
    });

    it('are listed newest first: of people of the sites in the scope, and none opened for an encounter elsewhere', async () => {
      const { sessions, people, pass } = subject;
      const bob = (await people.create(aPerson({ grants: [viewerOf('clinic'), viewerOf('mercy')] }))).id;
      const cleo = (await people.create(aPerson({ grants: [viewerOf('clinic')] }))).id;
      const ids: string[] = [];
      const opened = { site: 'clinic', encounter: 'Encounter/1' };
      const orders = [{ person: ada }, { person: bob }, { person: bob, opened }, { person: cleo }];
      for (const { person, ...parts } of orders) {
        ids.push(await made(parts, person));
        await pass(1_000);
      }
      const [ofAda, ofBob, inFrame, ofCleo] = ids;
      const list = async (query: Partial<Parameters<PersonSessions['list']>[0]>) =>
        (await sessions.list({ scope: 'all', limit: 10, ...query })).map(({ id }) => id);
      expect(await list({})).toEqual([ofCleo, inFrame, ofBob, ofAda]);
      expect(await list({ limit: 2 })).toEqual([ofCleo, inFrame]);
      expect(await list({ person: bob })).toEqual([inFrame, ofBob]);
      expect(await list({ scope: ['mercy'] })).toEqual([ofBob, ofAda]);
      expect(await list({ scope: ['mercy'], person: cleo })).toEqual([]);
      expect(await list({ scope: [] })).toEqual([]);
      await sessions.end({ person: bob }, 'by-admin');
      expect(await list({ scope: ['mercy'] })).toEqual([ofAda]);
    });

    it('are swept a day after their end, and open ones never', async () => {
      const { sessions, pass } = subject;
      const long = await made({ idleMs: 3 * DAY_MS, totalMs: 3 * DAY_MS });
      const ended = await made();
      await sessions.end({ id: ended }, 'signed-out');
      await sessions.sweep();
      await pass(DAY_MS + HOUR_MS);
      await sessions.sweep();
      expect(await isOpen(long)).toBe(true);
      // The id is free again only if its row is gone.
      expect(await made({ id: ended })).toBe(ended);
    });
  });
}
