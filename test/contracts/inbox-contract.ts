// What every inbox promises: an event is taken once, with the runs that come of it, and nothing that came is lost.
import { describe, expect, it } from '@jest/globals';
import type { QuarantineOrder, UploadOrder } from '../../src/ports/inbox.ts';
import {
  accepted,
  anEvent,
  anOrder,
  aWait,
  claimedIds,
  claimOne,
  found,
  type MakeRunsSubject,
  PARKED,
  type RunsSubject,
  SITE,
  SKIPPED,
  WRITTEN,
} from './queue-contract.ts';

export function inboxContract(name: string, makeSubject: MakeRunsSubject): void {
  describe(`the inbox of ${name}`, () => {
    acceptContract(makeSubject);
    lookAgainContract(makeSubject);
    uploadContract(makeSubject);
    asideContract(makeSubject);
  });
}

function acceptContract(makeSubject: MakeRunsSubject): void {
  it('takes an event once: the same again makes no second run, whichever way it comes', async () => {
    const subject = await makeSubject();
    const event = anEvent(subject);
    const first = await subject.inbox.accept(event);
    expect(first).toEqual({ kind: 'accepted', runs: [expect.any(String)] });
    const again = { ...event, source: 'subscription', receivedAt: new Date(event.receivedAt.getTime() + 1) } as const;
    expect(await subject.inbox.accept(again)).toEqual({ ...first, kind: 'repeated' });
    expect((await subject.runs.list({ scope: 'all', limit: 10 })).runs).toHaveLength(1);
    const [id] = first.kind === 'accepted' ? first.runs : [];
    expect(await subject.runs.events(id ?? '')).toEqual([
      { source: 'amqp', eventId: event.eventId, receivedAt: event.receivedAt, repeats: 1 },
    ]);
  });

  it('does not count as a repeat what a search of the engine finds again', async () => {
    const subject = await makeSubject();
    const found = { ...anEvent(subject), source: 'poll' } as const;
    const first = await subject.inbox.accept(found);
    expect(await subject.inbox.accept(found)).toEqual({ ...first, kind: 'repeated' });
    const [id] = first.kind === 'accepted' ? first.runs : [];
    expect(await subject.runs.events(id ?? '')).toMatchObject([{ source: 'poll', repeats: 0 }]);
  });

  it('makes one run of twenty deliveries of the same that come at once', async () => {
    const subject = await makeSubject();
    const event = anEvent(subject);
    const answers = await Promise.all(Array.from({ length: 20 }, () => subject.inbox.accept(event)));
    expect(answers.filter(({ kind }) => kind === 'accepted')).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === 'repeated')).toHaveLength(19);
    const { runs } = await subject.runs.list({ scope: 'all', limit: 10 });
    expect(runs).toHaveLength(1);
    expect(await subject.runs.events(runs[0]?.id ?? '')).toMatchObject([{ repeats: 19 }]);
  });

  it('makes one run of twenty events of one encounter that come at once', async () => {
    const subject = await makeSubject();
    const ids = await Promise.all(Array.from({ length: 20 }, () => accepted(subject, 'Encounter/1')));
    expect(new Set(ids).size).toBe(1);
    expect(await subject.runs.events(ids[0] ?? '')).toHaveLength(20);
  });

  it('sets an id aside that was used for another content, once', async () => {
    const subject = await makeSubject();
    const event = anEvent(subject);
    await subject.inbox.accept(event);
    const reused = { ...event, content: 'another', encounters: [{ encounter: 'Encounter/2', isUrgent: false }] };
    expect(await subject.inbox.accept(reused)).toEqual({ kind: 'id-reused' });
    expect(await subject.inbox.accept(reused)).toEqual({ kind: 'id-reused' });
    expect((await subject.runs.list({ scope: 'all', limit: 10 })).runs).toHaveLength(1);
    const { deliveries } = await subject.inbox.listQuarantined({ scope: 'all', limit: 10 });
    expect(deliveries).toMatchObject([{ outcome: 'id-reused', site: SITE, source: 'amqp', repeats: 1 }]);
  });

  it('takes the same name of two sites for two', async () => {
    const subject = await makeSubject();
    const event = anEvent(subject);
    await subject.inbox.accept(event);
    expect((await subject.inbox.accept({ ...event, site: 'elsewhere' })).kind).toBe('accepted');
    expect((await subject.runs.list({ scope: 'all', limit: 10 })).runs).toHaveLength(2);
  });

  it('makes a run for each encounter that an event names, also where it names one twice or none', async () => {
    const subject = await makeSubject();
    const encounters = ['Encounter/2', 'Encounter/1', 'Encounter/2'].map((encounter, n) => ({
      encounter,
      isUrgent: n === 2,
    }));
    const answer = await subject.inbox.accept(anEvent(subject, { encounters }));
    const ids = answer.kind === 'accepted' ? answer.runs : [];
    expect(ids).toHaveLength(2);
    expect(await found(subject, ids[0] ?? '')).toMatchObject({ encounter: 'Encounter/2', isUrgent: true });
    expect(await found(subject, ids[1] ?? '')).toMatchObject({ encounter: 'Encounter/1', isUrgent: false });
    expect(await subject.inbox.accept(anEvent(subject, { encounters: [] }))).toEqual({ kind: 'accepted', runs: [] });
  });

  it('accepts an event with a name that no other store could hold', async () => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'Encounter/1', { key: 'a\0b', content: '\0\ud800', eventId: 'a\0b\ud800' });
    expect(await subject.runs.events(id)).toHaveLength(1);
  });

  it('knows when a site last sent anything; what our own search finds again is no sign of it', async () => {
    const subject = await makeSubject();
    expect(await subject.inbox.lastEventAt(SITE)).toBeUndefined();
    const event = anEvent(subject);
    await subject.inbox.accept(event);
    const first = subject.now();
    subject.pass(60_000);
    await subject.inbox.accept({ ...event, source: 'poll', receivedAt: subject.now() });
    await subject.inbox.accept(anEvent(subject, { site: 'elsewhere' }));
    expect(await subject.inbox.lastEventAt(SITE)).toEqual(first);
    await subject.inbox.accept({ ...event, receivedAt: subject.now() });
    expect(await subject.inbox.lastEventAt(SITE)).toEqual(subject.now());
  });
}

/** What became of the run that looked at `Encounter/1`. */
async function left(subject: RunsSubject, end: Parameters<RunsSubject['queue']['leave']>[1]): Promise<string> {
  const id = await accepted(subject, 'Encounter/1');
  await subject.queue.leave(await claimOne(subject), end);
  return id;
}

function lookAgainContract(makeSubject: MakeRunsSubject): void {
  it('lets a run that was skipped look again', async () => {
    const subject = await makeSubject();
    const id = await left(subject, SKIPPED);
    expect(await accepted(subject, 'Encounter/1', { settleMs: 5000 })).toBe(id);
    const run = await found(subject, id);
    expect(run).toMatchObject({ status: 'queued' });
    expect([run.reason, run.message, run.endedAt]).toEqual([undefined, undefined, undefined]);
    expect(await claimedIds(subject)).toEqual([]);
    subject.pass(5000);
    expect(await claimedIds(subject)).toEqual([id]);
  });

  it.each(['recording', 'encounter'] as const)(
    'lets a run that waits for its %s look sooner, never later',
    async (reason) => {
      const subject = await makeSubject();
      const until = (ms: number) => new Date(subject.now().getTime() + ms);
      const id = await left(subject, aWait(subject, { reason, until: until(60_000), countsAsTry: false }));
      await accepted(subject, 'Encounter/1', { settleMs: 5000 });
      expect(await found(subject, id)).toMatchObject({ status: 'queued' });
      await accepted(subject, 'Encounter/1', { settleMs: 500_000 });
      subject.pass(5000);
      const claim = await claimOne(subject);
      await subject.queue.leave(claim, aWait(subject, { reason, until: until(1000), countsAsTry: false }));
      await accepted(subject, 'Encounter/1', { settleMs: 5000 });
      subject.pass(1000);
      expect(await claimedIds(subject)).toEqual([id]);
    },
  );

  it('leaves a run alone that waits for something else, that is parked, or that was cancelled', async () => {
    const subject = await makeSubject();
    const id = await left(subject, aWait(subject));
    expect(await accepted(subject, 'Encounter/1')).toBe(id);
    expect(await found(subject, id)).toMatchObject({ status: 'waiting', reason: 'retry' });
    subject.pass(60_000);
    await subject.queue.leave(await claimOne(subject), PARKED);
    expect(await accepted(subject, 'Encounter/1')).toBe(id);
    expect(await found(subject, id)).toMatchObject({ status: 'parked' });
    await subject.runs.cancel(id);
    expect(await accepted(subject, 'Encounter/1')).toBe(id);
    expect(await found(subject, id)).toMatchObject({ status: 'cancelled' });
    expect(await subject.runs.events(id)).toHaveLength(4);
  });

  it('starts a run again that is parked or cancelled where an operator says so, with all its tries', async () => {
    const subject = await makeSubject();
    const id = await left(subject, aWait(subject));
    subject.pass(60_000);
    await subject.queue.leave(await claimOne(subject), PARKED);
    expect(await accepted(subject, 'Encounter/1', { source: 'operator' })).toBe(id);
    expect(await found(subject, id)).toMatchObject({ status: 'queued', tries: 0 });
    await subject.runs.cancel(id);
    expect(await accepted(subject, 'Encounter/1', { source: 'operator' })).toBe(id);
    expect(await claimedIds(subject)).toEqual([id]);
  });

  it('makes a new run where the one before has its session', async () => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'Encounter/1');
    const claim = await subject.queue.assignSessions(await claimOne(subject), [{ session: 's-1', recordings: [] }]);
    if (claim === 'none') throw new Error('it is free');
    await subject.queue.leave(claim, WRITTEN);
    expect(await accepted(subject, 'Encounter/1')).not.toBe(id);
  });

  it('never takes urgency back', async () => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'Encounter/1');
    await accepted(subject, 'Encounter/1', { isUrgent: true });
    await accepted(subject, 'Encounter/1');
    expect(await found(subject, id)).toMatchObject({ isUrgent: true });
  });
}

function anUpload(subject: RunsSubject, parts: Partial<UploadOrder> = {}): UploadOrder {
  const { encounters: _, settleMs: __, ...order } = anEvent(subject, { source: 'upload' });
  const upload = { encounter: 'Encounter/1', session: 's-up', recordings: ['upload:r-1'], isUrgent: false };
  return { ...order, ...upload, ...parts };
}

function uploadContract(makeSubject: MakeRunsSubject): void {
  it('makes a run of an upload that has its session and its recording, to be worked on at once', async () => {
    const subject = await makeSubject();
    const answer = await subject.inbox.acceptUpload(anUpload(subject, { isUrgent: true }));
    const claim = await claimOne(subject, { intakeSites: [] });
    expect(answer).toEqual({ kind: 'accepted', runs: [claim.run.id] });
    expect(claim.run).toMatchObject({ session: 's-up', recordings: ['upload:r-1'], isUrgent: true });
    expect(await subject.runs.events(claim.run.id)).toMatchObject([{ source: 'upload' }]);
  });

  it('gives the run that has the session where it is there already, by the same key or another', async () => {
    const subject = await makeSubject();
    const upload = anUpload(subject);
    const first = await subject.inbox.acceptUpload(upload);
    const repeated = { ...first, kind: 'repeated' };
    expect(await subject.inbox.acceptUpload(upload)).toEqual(repeated);
    expect(await subject.inbox.acceptUpload(anUpload(subject, { recordings: ['upload:r-2'] }))).toEqual(repeated);
    expect(await subject.inbox.acceptUpload({ ...upload, content: 'other' })).toEqual({ kind: 'id-reused' });
    expect((await subject.runs.list({ scope: 'all', limit: 10 })).runs).toMatchObject([{ recordings: ['upload:r-1'] }]);
  });

  it('is no look at its encounter', async () => {
    const subject = await makeSubject();
    await subject.inbox.acceptUpload(anUpload(subject));
    await accepted(subject, 'Encounter/1');
    expect(await subject.queue.claim(anOrder())).toHaveLength(2);
  });
}

function aDelivery(subject: RunsSubject, parts: Partial<QuarantineOrder> = {}): QuarantineOrder {
  return {
    site: SITE,
    source: 'push',
    outcome: 'not-understood',
    key: 'sha256:1',
    why: 'This is no JSON.',
    receivedAt: subject.now(),
    contentType: 'text/plain',
    body: Buffer.from('Ada Example'),
    ...parts,
  };
}

function asideContract(makeSubject: MakeRunsSubject): void {
  it('stores a delivery that is not understood once, and lists such deliveries newest first', async () => {
    const subject = await makeSubject();
    for (const key of ['1', '2', '3']) expect(await subject.inbox.quarantine(aDelivery(subject, { key }))).toBe(true);
    expect(await subject.inbox.quarantine(aDelivery(subject, { key: '2' }))).toBe(false);
    expect(await subject.inbox.quarantine(aDelivery(subject, { key: '4', outcome: 'nothing' }))).toBe(true);
    await subject.inbox.quarantine(aDelivery(subject, { key: '2', site: 'elsewhere', why: 'a\0b' }));
    const first = await subject.inbox.listQuarantined({ scope: 'all', site: SITE, limit: 2 });
    expect(first.deliveries.map(({ repeats }) => repeats)).toEqual([0, 1]);
    expect(first.deliveries[0]).toEqual({
      id: expect.any(String),
      site: SITE,
      source: 'push',
      outcome: 'not-understood',
      why: 'This is no JSON.',
      receivedAt: subject.now(),
      repeats: 0,
    });
    const second = await subject.inbox.listQuarantined({
      scope: 'all',
      site: SITE,
      limit: 2,
      cursor: first.next ?? '',
    });
    expect(second.deliveries).toHaveLength(1);
    expect(second.next).toBeUndefined();
    for (const [scope, count] of [
      [['elsewhere'], 1],
      [[SITE], 3],
      [[], 0],
    ] as const) {
      const page = await subject.inbox.listQuarantined({ scope, limit: 10 });
      expect([scope, page.deliveries.length]).toEqual([scope, count]);
    }
    expect((await subject.inbox.listQuarantined({ scope: 'all', limit: 10 })).deliveries).toHaveLength(4);
    expect((await subject.runs.list({ scope: 'all', limit: 10 })).runs).toEqual([]);
  });

  it('gives back a quarantined delivery with its bytes, until it is settled', async () => {
    const subject = await makeSubject();
    await subject.inbox.quarantine(aDelivery(subject));
    const [listed] = (await subject.inbox.listQuarantined({ scope: 'all', limit: 1 })).deliveries;
    const id = listed?.id ?? '';
    const found = await subject.inbox.findQuarantined(id, 'all');
    expect(found).toMatchObject({ ...listed, contentType: 'text/plain' });
    expect(Buffer.from(found?.body ?? []).toString()).toBe('Ada Example');
    expect(await subject.inbox.findQuarantined(id, ['elsewhere'])).toBeUndefined();
    expect(await subject.inbox.findQuarantined(id, [SITE])).toMatchObject({ id });
    await subject.inbox.settleQuarantined(id);
    expect(await subject.inbox.findQuarantined(id, 'all')).toBeUndefined();
    expect(await subject.inbox.findQuarantined('nothing', 'all')).toBeUndefined();
    expect((await subject.inbox.listQuarantined({ scope: 'all', limit: 1 })).deliveries).toEqual([]);
  });

  it('accepts a delivery that was quarantined before and is understood now', async () => {
    const subject = await makeSubject();
    const event = anEvent(subject);
    await subject.inbox.quarantine(aDelivery(subject, { key: event.key }));
    expect((await subject.inbox.accept(event)).kind).toBe('accepted');
  });
}
