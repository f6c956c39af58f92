// The end of every sign-in: a new session with a secret that only the caller gets, and its entry in the audit trail.
import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeCloseSession } from '../../../src/flows/people/close-session.ts';
import { makeOpenSession } from '../../../src/flows/people/open-session.ts';
import type { NewSession, PersonSessions } from '../../../src/ports/person-sessions.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';

const ORDER = { person: 'aaaaaaaaaaaaaaaa', kind: 'browser', way: 'oidc', address: '192.0.2.7' } as const;

function aDoor() {
  const runtime = makeFakeRuntime();
  const audit = makeFakeAudit({ now: runtime.now });
  const stored: NewSession[] = [];
  const create: PersonSessions['create'] = async (session) => {
    stored.push(session);
    const { idleMs, totalMs, secretDigest: _, provider: __, ...rest } = session;
    const now = runtime.now();
    const [idleAt, endsAt] = [new Date(now.getTime() + idleMs), new Date(now.getTime() + totalMs)];
    return { ...rest, createdAt: now, lastUsedAt: now, idleAt, endsAt };
  };
  return { open: makeOpenSession({ personSessions: { create }, audit, runtime }), stored, audit, runtime };
}

describe('a session that is opened', () => {
  it('has a secret of which only the digest is stored, and another one each time', async () => {
    const { open, stored, runtime } = aDoor();
    const [one, other] = [await open(ORDER), await open(ORDER)];
    expect(one.secretText).toMatch(/^[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/);
    expect(other.secretText).not.toBe(one.secretText);
    expect(other.session.id).not.toBe(one.session.id);
    expect(stored[0]?.secretDigest).toEqual(runtime.digest(one.secretText.slice(17)));
    expect(JSON.stringify(stored)).not.toContain(one.secretText.slice(17));
  });

  it('ends after 15 minutes without use and after 12 hours in all, at the command line only after 12 hours', async () => {
    const { open, stored } = aDoor();
    await open(ORDER);
    await open({ ...ORDER, kind: 'frame', way: 'launch' });
    await open({ ...ORDER, kind: 'cli', way: 'device' });
    const limits = stored.map(({ idleMs, totalMs }) => [idleMs / 60_000, totalMs / 60_000]);
    expect(limits).toEqual([
      [15, 720],
      [15, 720],
      [720, 720],
    ]);
  });

  it('is in the audit trail with its way and address, and without its secret', async () => {
    const { open, audit } = aDoor();
    const { session, secretText } = await open({ ...ORDER, opened: { site: 'mercy', encounter: 'Encounter/1' } });
    expect(audit.entries).toMatchObject([
      {
        action: 'person.sign-in',
        actor: `person/${ORDER.person}`,
        site: 'mercy',
        details: { way: 'oidc', kind: 'browser', session: session.id, address: '192.0.2.7' },
      },
    ]);
    expect(JSON.stringify(audit.entries)).not.toContain(secretText.slice(17));
  });

  it('gives no secret out if the trail is away', async () => {
    const { runtime } = aDoor();
    const open = makeOpenSession({ personSessions: { create: aCreate }, audit: AWAY, runtime });
    await expect(open(ORDER)).rejects.toMatchObject({ code: 'overloaded' });
  });

  it('keeps the name of the browser as one short line', async () => {
    const { open, stored } = aDoor();
    await open({ ...ORDER, agent: `Browser\r\n\0 1.0 ${'x'.repeat(500)}` });
    await open({ ...ORDER, agent: '\n' });
    expect(stored[0]?.agent).toMatch(/^Browser 1\.0 x{188}$/);
    expect(stored[1]).not.toHaveProperty('agent');
  });
});

describe('sessions that are closed', () => {
  it('are recorded by what ended them; none that was open leaves no entry', async () => {
    const audit = makeFakeAudit();
    const open = ['a1', 'b2'];
    const close = makeCloseSession({ personSessions: { end: async () => open.splice(0, 1) }, audit });
    const order = { which: { person: ORDER.person }, actor: `person/${ORDER.person}`, address: '192.0.2.7' };
    expect(await close({ ...order, why: 'signed-out' })).toEqual(['a1']);
    expect(await close({ ...order, why: 'by-provider', actor: 'engine' })).toEqual(['b2']);
    expect(await close({ ...order, why: 'signed-out' })).toEqual([]);
    expect(audit.entries).toMatchObject([
      { action: 'person.sign-out', details: { sessions: ['a1'], why: 'signed-out', address: '192.0.2.7' } },
      { action: 'session.end', actor: 'engine', details: { sessions: ['b2'], why: 'by-provider' } },
    ]);
  });
});

const AWAY = {
  append: async () => {
    throw new AppError('overloaded', 'The database is away');
  },
};

async function aCreate(session: NewSession) {
  const now = new Date();
  return { ...session, createdAt: now, lastUsedAt: now, idleAt: now, endsAt: now };
}
