// AuditEvents reach the EHR of their site, however often it is away, for a day at most, and never hold anything else up.
import { describe, expect, it } from '@jest/globals';
import { type AuditEventEnd, makeSendAuditEvents } from '../../../src/flows/people/send-audit-events.ts';
import type { Ehr, WriteAnswer } from '../../../src/ports/ehr.ts';
import { makeFakeAuditEvents } from '../../fakes/audit-events.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakePauses } from '../../fakes/pauses.ts';
import { aLiveSite } from '../../support/chart-writing.ts';

const MINUTE_MS = 60_000;
const BODY = { resourceType: 'AuditEvent', action: 'R' };

function aRoom() {
  let time = Date.parse('2026-03-02T10:00:00Z');
  const now = () => new Date(time);
  const auditEvents = makeFakeAuditEvents({ now });
  const pauses = makeFakePauses({ now });
  const ends: AuditEventEnd[] = [];
  const ehrs = new Map(['mercy', 'north'].map((name) => [name, makeFakeEhr()]));
  const answers = { answer: undefined as WriteAnswer | undefined };
  const live = (name: string) => {
    const site = aLiveSite({ name });
    return { ...site, settings: { ...site.settings, audit: { toEhr: true } } };
  };
  const sites = new Map(['mercy', 'north'].map((name) => [name, live(name)]));
  const ehrOf = (name: string) => {
    const ehr = ehrs.get(name);
    if (ehr === undefined) throw new Error(`the test has no site ${name}`);
    return ehr;
  };
  const create: Ehr['create'] = (order, signal) => {
    const { answer } = answers;
    const stored = ehrOf('mercy').create(order, signal);
    return answer === undefined ? stored : Promise.resolve(answer);
  };
  const send = makeSendAuditEvents({
    auditEvents,
    sites: { current: () => ({ sites, problems: [], stale: new Set<string>(), unavailable: new Set<string>() }) },
    pauses,
    ehrs: { of: ({ name }) => (name === 'mercy' ? { ...ehrOf(name), create } : ehrOf(name)) },
    runtime: { now, chance: () => 0.5 },
    onEnded: (end) => ends.push(end),
  });
  const triesAt = (name: string) => ehrOf(name).calls.filter(({ call }) => call === 'create').length;
  return {
    ends,
    outcomes: () => ends.map(({ event, outcome }) => `${event.id} ${outcome}`),
    answers,
    sites,
    pauses,
    ehrOf,
    triesAt,
    add: (id: string, site = 'mercy') => auditEvents.add({ id, site, body: JSON.stringify(BODY) }),
    send: () => send(new AbortController().signal),
    stopped: () => send(AbortSignal.abort(new Error('the engine is stopping'))),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('an AuditEvent', () => {
  it('is sent once, as it was put down', async () => {
    const room = aRoom();
    await room.add('one');
    expect(await room.send()).toBe(false);
    room.pass(1_000 * MINUTE_MS);
    await room.send();
    expect(room.outcomes()).toEqual(['one sent']);
    expect(room.ehrOf('mercy').sent).toEqual([JSON.stringify(BODY)]);
  });

  it('for an EHR that is down is tried again at ever longer intervals, and given up after a day', async () => {
    const room = aRoom();
    await room.add('one');
    room.ehrOf('mercy').misbehave({ on: 'create', does: 'throw-unavailable' });
    const minutes: number[] = [];
    for (let minute = 0; minute <= 26 * 60; minute += 1) {
      const before = room.triesAt('mercy');
      await room.send();
      if (room.triesAt('mercy') > before) minutes.push(minute);
      room.pass(MINUTE_MS);
    }
    expect(minutes.slice(0, 8)).toEqual([0, 1, 2, 4, 8, 16, 32, 64]);
    expect(minutes.length).toBeLessThan(25);
    expect(room.outcomes().at(-1)).toBe('one given-up');
    expect(room.outcomes().slice(0, -1)).toEqual(minutes.slice(1).map(() => 'one postponed'));
  });

  it.each([
    ['the credentials are refused (401)', { kind: 'refused', status: 401, isTypeRefused: false, why: 'status 401' }],
    ['rights are missing (403)', { kind: 'refused', status: 403, isTypeRefused: false, why: 'status 403' }],
    ['it takes no AuditEvents', { kind: 'refused', status: 422, isTypeRefused: true, why: 'not-supported' }],
    ['the answer is lost', { kind: 'unknown' }],
    ['it is busy', { kind: 'busy' }],
    ['it names a conflict', { kind: 'conflict' }],
  ] satisfies [string, WriteAnswer][])('is sent again where %s, until the EHR takes it', async (_, answer) => {
    const room = aRoom();
    await room.add('one');
    room.answers.answer = answer;
    await room.send();
    room.answers.answer = undefined;
    room.pass(MINUTE_MS);
    await room.send();
    expect(room.outcomes()).toEqual(['one postponed', 'one sent']);
  });

  it.each([400, 413, 422])(
    'that the EHR refuses as such (%i) is given up, and the next one is sent',
    async (status) => {
      const room = aRoom();
      await room.add('one');
      room.answers.answer = { kind: 'refused', status, isTypeRefused: false, why: 'invalid at AuditEvent.agent' };
      await room.send();
      room.answers.answer = undefined;
      await room.add('two');
      room.pass(1_000 * MINUTE_MS);
      await room.send();
      expect(room.outcomes()).toEqual(['one given-up', 'two sent']);
      expect(room.ends[0]?.why).toBe('invalid at AuditEvent.agent');
    },
  );

  it('is not sent before the time that the EHR asked to wait', async () => {
    const room = aRoom();
    await room.add('one');
    room.answers.answer = { kind: 'busy', retryAfterMs: 10 * MINUTE_MS };
    await room.send();
    room.answers.answer = undefined;
    room.pass(9 * MINUTE_MS);
    await room.send();
    expect(room.outcomes()).toEqual(['one postponed']);
    room.pass(MINUTE_MS);
    await room.send();
    expect(room.outcomes()).toEqual(['one postponed', 'one sent']);
  });

  it('for an EHR that is down makes the others of its site wait without a try, and none of another site', async () => {
    const room = aRoom();
    for (const id of ['one', 'two', 'three']) await room.add(id);
    await room.add('four', 'north');
    room.ehrOf('mercy').misbehave({ on: 'create', does: 'throw-unavailable' });
    await room.send();
    expect(room.triesAt('mercy')).toBe(1);
    expect(room.outcomes().toSorted()).toEqual(['four sent', 'one postponed', 'three postponed', 'two postponed']);
  });

  it('for a site that is paused waits until it is resumed', async () => {
    const room = aRoom();
    await room.add('one');
    await room.pauses.pause('mercy', 'write', 'the EHR is upgraded');
    await room.send();
    expect(room.triesAt('mercy')).toBe(0);
    await room.pauses.resume('mercy', 'write');
    room.pass(MINUTE_MS);
    await room.send();
    expect(room.outcomes()).toEqual(['one postponed', 'one sent']);
  });

  it.each(['shadow', 'off', 'gone', 'without the setting'] as const)(
    'for a site that is %s by now is given up, and nothing is written',
    async (change) => {
      const room = aRoom();
      await room.add('one');
      const site = room.sites.get('mercy');
      if (site === undefined || change === 'gone') room.sites.delete('mercy');
      else if (change === 'without the setting')
        room.sites.set('mercy', { ...site, settings: { ...site.settings, audit: { toEhr: false } } });
      else room.sites.set('mercy', { ...site, settings: { ...site.settings, mode: change } });
      await room.send();
      expect([room.outcomes(), room.triesAt('mercy')]).toEqual([['one given-up'], 0]);
    },
  );

  it('that an engine was sending when it stopped is sent by the next one', async () => {
    const room = aRoom();
    await room.add('one');
    await room.stopped();
    expect(room.ends).toEqual([]);
    room.pass(15 * MINUTE_MS);
    await room.send();
    expect(room.outcomes()).toEqual(['one sent']);
  });

  it('is taken with others, and the rest comes in the next round', async () => {
    const room = aRoom();
    for (let count = 0; count < 12; count += 1) await room.add(`e-${count}`);
    expect(await room.send()).toBe(true);
    expect(await room.send()).toBe(false);
    expect(room.triesAt('mercy')).toBe(12);
  });
});
