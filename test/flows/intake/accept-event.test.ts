import { describe, expect, it } from '@jest/globals';
import type { Encounter, Resource } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import { type AcceptParts, makeAcceptEvent } from '../../../src/flows/intake/accept-event.ts';
import { makeUnderstandEvent } from '../../../src/flows/intake/understand-event.ts';
import type { Accepted, AcceptOrder, QuarantineOrder } from '../../../src/ports/inbox.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import {
  aBackportStatus,
  aBundle,
  aDelivery,
  aDocument,
  aListeningSite,
  aNotification,
  anAdt,
  anEncounter,
  entryOf,
  hl7Delivery,
  NOW,
} from '../../support/event-samples.ts';

const site = aListeningSite();
const plain = { eventId: 'ev-1', encounter: 'Encounter/1' };
const heartbeat = aNotification(aBackportStatus({ type: 'heartbeat' }));
const empty = aNotification(aBackportStatus({ events: [{ number: 12 }] }));
const tooBig = `{"text":"${'x'.repeat(1_100_000)}"}`;

/** The flow, and what it did, in order. The inbox knows a repeat and an id that is used for something else, and nothing more. */
function anIntake(changes: Partial<AcceptParts> = {}) {
  const done: string[] = [];
  const accepted: AcceptOrder[] = [];
  const aside: QuarantineOrder[] = [];
  const notes: unknown[] = [];
  const runtime = makeFakeRuntime({ start: NOW.toISOString() });
  const contents = new Map<string, string>();
  const take = ({ key, content, encounters }: AcceptOrder): Accepted => {
    const known = contents.get(key);
    if (known !== undefined && known !== content) return { kind: 'id-reused' };
    contents.set(key, content);
    const runs = encounters.map(({ encounter }) => `run of ${encounter}`);
    return known === undefined ? { kind: 'accepted', runs } : { kind: 'repeated', runs };
  };
  const flow = makeAcceptEvent({
    inbox: {
      async accept(order) {
        accepted.push(order);
        done.push('accept');
        return take(order);
      },
      async quarantine(delivery) {
        aside.push(delivery);
        done.push('set aside');
        return true;
      },
    },
    feeds: {
      async note(name, kind, change) {
        notes.push([name, kind, change]);
        done.push('note');
        return { site: name, kind, firstSeenAt: NOW };
      },
    },
    understand: makeUnderstandEvent(),
    async trackUpdate(_site, { subscription, mustSearch }) {
      done.push(`heed ${subscription?.kind ?? ''}${mustSearch ? ' search' : ''}`);
    },
    onAccepted: () => done.push('wake'),
    onEvent: ({ source, outcome }) => done.push(`${source} ${outcome}`),
    runtime,
    ...changes,
  });
  return { ...flow, done, accepted, aside, notes, runtime };
}

describe('an event about an encounter', () => {
  it('the event is stored, then the worker is woken and the feed is noted', async () => {
    const { acceptEvent, done, accepted, notes } = anIntake();
    const answer = await acceptEvent({ site, delivery: aDelivery(plain) });
    expect(answer).toMatchObject({ outcome: 'accepted', runs: ['run of Encounter/1'], content: { key: 'id:ev-1' } });
    expect(done).toEqual(['accept', 'amqp accepted', 'wake', 'note']);
    expect(accepted).toEqual([
      {
        site: 'mercy',
        organization: 'mercy',
        source: 'amqp',
        key: 'id:ev-1',
        content: '["encounters","Encounter/1"]',
        eventId: 'ev-1',
        receivedAt: NOW,
        encounters: [{ encounter: 'Encounter/1', isUrgent: false }],
        settleMs: 5_000,
        contentType: 'application/json',
        body: Buffer.from(JSON.stringify(plain)),
      },
    ]);
    expect(notes).toEqual([['mercy', 'amqp', { lastEventAt: NOW }]]);
  });

  it('the run counts for the organization of the site, if it has one', async () => {
    const { acceptEvent, accepted } = anIntake();
    const ofGroup = { ...site, settings: { ...site.settings, organization: 'mercy-general' } };
    await acceptEvent({ site: ofGroup, delivery: aDelivery(plain) });
    expect(accepted).toMatchObject([{ organization: 'mercy-general' }]);
  });

  it('a repeated event does not wake the worker again, whatever else has changed in it', async () => {
    const { acceptEvent, done } = anIntake();
    await acceptEvent({
      site,
      delivery: aDelivery({ ...plain, occurredAt: '2026-11-21T10:00:00Z', status: 'finished' }),
    });
    done.length = 0;
    const later = aDelivery({ ...plain, occurredAt: '2026-11-21T11:00:00Z', status: 'cancelled' });
    expect(await acceptEvent({ site, delivery: later })).toMatchObject({
      outcome: 'repeated',
      runs: ['run of Encounter/1'],
    });
    expect(done).toEqual(['accept', 'amqp repeated']);
  });

  it('the order of the entries of a Bundle does not matter', async () => {
    const { acceptEvent } = anIntake();
    const entries = [entryOf(anEncounter()), entryOf(anEncounter({ id: '2', class: { code: 'EMER' } }))];
    const send = (list: readonly unknown[]) => acceptEvent({ site, delivery: aDelivery(aBundle('history', list)) });
    expect(await send(entries)).toMatchObject({ outcome: 'accepted' });
    expect(await send(entries.toReversed())).toMatchObject({ outcome: 'repeated' });
  });

  it('an event with the id of another event is refused, and its body is passed to the store', async () => {
    const { acceptEvent, done, accepted } = anIntake();
    await acceptEvent({ site, delivery: aDelivery(plain) });
    done.length = 0;
    const answer = await acceptEvent({ site, delivery: aDelivery({ ...plain, encounter: 'Encounter/2' }) });
    expect(answer).toMatchObject({ outcome: 'id-reused', runs: [], why: expect.stringMatching(/id was used before/) });
    expect(done).toEqual(['accept', 'amqp id-reused']);
    expect(accepted[1]?.body).toBeDefined();
  });

  it('a reused id with more than a megabyte is reported without its body', async () => {
    const { acceptEvent, accepted } = anIntake();
    const big = (encounter: string) => aDelivery({ ...plain, encounter, text: 'x'.repeat(1_100_000) });
    await acceptEvent({ site, delivery: big('Encounter/1') });
    const { why } = await acceptEvent({ site, delivery: big('Encounter/2') });
    expect(why).toMatch(/not stored$/);
    expect(accepted[1]).not.toHaveProperty('body');
  });

  it('an HL7 v2 message is stored by its visit number', async () => {
    const { acceptEvent, accepted } = anIntake();
    expect(await acceptEvent({ site, delivery: hl7Delivery(anAdt()) })).toMatchObject({ outcome: 'accepted' });
    const key = 'hl7:ADTSYS|MERCY|MSG00042|20261121100000-0600';
    expect(accepted).toMatchObject([{ source: 'push', key, eventId: 'MSG00042' }]);
  });

  it('an event that cannot be stored is not accepted, and has no other effect', async () => {
    const accept = () => Promise.reject(new AppError('overloaded', 'The database cannot be reached'));
    const { acceptEvent, done } = anIntake({ inbox: { accept, quarantine: accept } });
    for (const body of [plain, 'nonsense', heartbeat]) {
      await expect(acceptEvent({ site, delivery: aDelivery(body) })).rejects.toMatchObject({ code: 'overloaded' });
    }
    expect(done).toEqual([]);
  });
});

describe('a quarantined event', () => {
  it('an event that cannot be parsed is quarantined with its reason and body', async () => {
    const { acceptEvent, done, aside } = anIntake();
    const delivery = aDelivery('nonsense', { source: 'push', contentType: 'text/plain' });
    const why = 'The body is not valid JSON';
    expect(await acceptEvent({ site, delivery })).toEqual({
      outcome: 'not-understood',
      content: { kind: 'not-understood', why },
      runs: [],
      why,
    });
    expect(done).toEqual(['set aside', 'push not-understood']);
    expect(aside).toMatchObject([
      { site: 'mercy', source: 'push', outcome: 'not-understood', why, body: delivery.body },
    ]);
    expect(aside).toMatchObject([
      { receivedAt: NOW, contentType: 'text/plain', key: expect.stringMatching(/^sha256:/) },
    ]);
  });

  it('a body of more than a megabyte is not stored, and the reason says so', async () => {
    const { acceptEvent, aside } = anIntake();
    const { why } = await acceptEvent({ site, delivery: aDelivery(tooBig) });
    expect(why).toMatch(/\. It is larger than 1 MB, and was not stored$/);
    expect(aside).toMatchObject([{ why }]);
    expect(aside[0]).not.toHaveProperty('body');
  });

  it('an event without encounters is stored without its body', async () => {
    const { acceptEvent, aside, done } = anIntake();
    const answer = await acceptEvent({ site, delivery: aDelivery({ resourceType: 'Patient', id: 'p-1' }) });
    expect(answer).toMatchObject({ outcome: 'nothing', runs: [] });
    expect(answer).not.toHaveProperty('why');
    expect(aside[0]).not.toHaveProperty('body');
    expect(done).toEqual(['set aside', 'amqp nothing']);
  });

  it('headers distinguish events with empty bodies', async () => {
    const { acceptEvent, aside } = anIntake();
    for (const name of ['Patient/1', 'Patient/2', 'Patient/1']) {
      await acceptEvent({ site, delivery: aDelivery({}, { headers: { 'x-medplum-deleted-resource': name } }) });
    }
    const [one, other, again] = aside.map(({ key }) => key);
    expect(one).not.toBe(other);
    expect(again).toBe(one);
  });
});

describe('the subscription status of a notification', () => {
  it('the status is tracked after the event is stored', async () => {
    const { acceptEvent, done } = anIntake();
    const full = aNotification(aBackportStatus({ events: [{ number: 1, focus: 'Encounter/1' }] }), [
      entryOf(anEncounter()),
    ]);
    await acceptEvent({ site, delivery: aDelivery(full, { source: 'subscription' }) });
    expect(done).toEqual(['accept', 'subscription accepted', 'wake', 'heed event-notification', 'note']);
  });

  it('a heartbeat is tracked, but does not count as an event of the feed', async () => {
    const { acceptEvent, done } = anIntake();
    await acceptEvent({ site, delivery: aDelivery(heartbeat, { source: 'subscription' }) });
    expect(done).toEqual(['set aside', 'subscription nothing', 'heed heartbeat']);
  });

  it('a notification that does not say what has changed leads to a search', async () => {
    const { acceptEvent, done } = anIntake();
    await acceptEvent({ site, delivery: aDelivery(empty, { source: 'subscription' }) });
    await acceptEvent({ site, delivery: aDelivery('', { source: 'subscription' }) });
    expect(done.filter((each) => each.startsWith('heed'))).toEqual(['heed event-notification search', 'heed  search']);
    expect(done.filter((each) => each === 'note')).toHaveLength(1);
  });

  it('a failed status update loses no event; a failed search makes the sender send again', async () => {
    const heedNews = () => Promise.reject(new AppError('ehrUnavailable', 'The EHR cannot be reached'));
    const { acceptEvent, done } = anIntake({ trackUpdate: heedNews });
    const full = aNotification(aBackportStatus({ events: [{ number: 1, focus: 'Encounter/1' }] }), [
      entryOf(anEncounter()),
    ]);
    expect(await acceptEvent({ site, delivery: aDelivery(full) })).toMatchObject({ outcome: 'accepted' });
    expect(await acceptEvent({ site, delivery: aDelivery(heartbeat) })).toMatchObject({ outcome: 'nothing' });
    await expect(acceptEvent({ site, delivery: aDelivery(empty) })).rejects.toMatchObject({ code: 'overloaded' });
    expect(done).toContain('accept');
  });
});

describe('the time of the last event of a feed', () => {
  it('it is noted at most once in ten seconds for each site and feed', async () => {
    const { acceptEvent, notes, runtime } = anIntake();
    const send = (source: 'amqp' | 'push', name = 'mercy') =>
      acceptEvent({ site: { ...site, name }, delivery: aDelivery(plain, { source, receivedAt: runtime.now() }) });
    for (let count = 0; count < 5; count += 1) await send('amqp');
    await send('push');
    await send('amqp', 'north');
    expect(notes).toHaveLength(3);
    runtime.advance(9_999);
    await send('amqp');
    expect(notes).toHaveLength(3);
    runtime.advance(1);
    await send('amqp');
    expect(notes[3]).toEqual(['mercy', 'amqp', { lastEventAt: new Date(NOW.getTime() + 10_000) }]);
  });

  it('a failure to note it does no harm, and is tried again', async () => {
    let tries = 0;
    const note = () => {
      tries += 1;
      return Promise.reject(new AppError('overloaded', 'The database cannot be reached'));
    };
    const { acceptEvent } = anIntake({ feeds: { note } });
    expect(await acceptEvent({ site, delivery: aDelivery(plain) })).toMatchObject({ outcome: 'accepted' });
    expect(await acceptEvent({ site, delivery: aDelivery(plain) })).toMatchObject({ outcome: 'repeated' });
    expect(tries).toBe(2);
  });
});

describe('resources that a search has found', () => {
  const find = (resources: readonly unknown[], intake = anIntake()) =>
    intake.acceptFound({ site, source: 'poll', receivedAt: NOW, resources: resources as readonly Resource[] });

  it('found resources have the same keys as their events', async () => {
    const intake = anIntake();
    await intake.acceptEvent({ site, delivery: aDelivery(anEncounter()) });
    const found = [anEncounter(), anEncounter({ id: '2' }), aDocument(), aDocument([], { id: 'd-10' })];
    expect(await find(found, intake)).toEqual({ accepted: 2, repeated: 1 });
    expect(intake.accepted.map(({ key }) => key)).toEqual([
      'Encounter/1/_history/3',
      'Encounter/1/_history/3',
      'Encounter/2/_history/3',
      'DocumentReference/d-9/_history/2',
    ]);
    expect(intake.accepted[3]).toMatchObject({ source: 'poll', encounters: [{ encounter: 'Encounter/1' }] });
    expect(await find(found, intake)).toEqual({ accepted: 0, repeated: 3 });
  });

  it('what a search finds again is not counted as an event', async () => {
    const intake = anIntake();
    const counted = () => intake.done.filter((what) => what.startsWith('poll '));
    await find([anEncounter(), anEncounter({ id: '2' })], intake);
    expect(counted()).toEqual(['poll accepted', 'poll accepted']);
    await find([anEncounter(), anEncounter({ id: '2' }), anEncounter({ id: '3' })], intake);
    expect(counted()).toEqual(['poll accepted', 'poll accepted', 'poll accepted']);
  });

  it('without versions the key is the last change, otherwise all of the content', async () => {
    const intake = anIntake();
    const changed = (text: string): unknown => anEncounter({ meta: { lastUpdated: '2026-11-21T10:00:00Z' }, text });
    expect(await find([changed('one'), changed('other')], intake)).toEqual({ accepted: 1, repeated: 1 });
    const bare: Partial<Encounter> = { resourceType: 'Encounter', id: '5' };
    expect(await find([bare, bare, { ...bare, status: 'finished' }], intake)).toEqual({ accepted: 2, repeated: 1 });
  });

  it('only new resources count as a sign of life of the feed', async () => {
    const intake = anIntake();
    await find([anEncounter()], intake);
    intake.runtime.advance(60_000);
    await find([anEncounter(), { resourceType: 'Patient', id: 'p-1' }], intake);
    expect(intake.notes).toEqual([['mercy', 'poll', { lastEventAt: NOW }]]);
    expect(intake.done.filter((each) => each === 'wake')).toHaveLength(1);
  });

  it('a resource that cannot be stored is found again by the next search', async () => {
    const accept = () => Promise.reject(new AppError('overloaded', 'The database cannot be reached'));
    await expect(find([anEncounter()], anIntake({ inbox: { accept, quarantine: accept } }))).rejects.toMatchObject({
      code: 'overloaded',
    });
  });
});

describe('a batch of HL7 v2 messages', () => {
  const message = (controlId: string, visit: string) => anAdt({ controlId, visit });
  const batchOf = (messages: readonly string[], count = messages.length) =>
    ['FHS|^~\\&|ADTSYS\r', 'BHS|^~\\&|ADTSYS\r', ...messages, `BTS|${count}\r`, 'FTS|1\r'].join('');
  const deliver = (text: string) => ({ site, delivery: hl7Delivery(text, { messageId: 'batch-1' }) });
  const outcomes = ({ messages = [] }: { readonly messages?: readonly { readonly outcome: string }[] }) =>
    messages.map(({ outcome }) => outcome);

  it('each message is an event of its own, with the key that it has alone', async () => {
    const { acceptEvent, accepted } = anIntake();
    await acceptEvent({ site, delivery: hl7Delivery(message('m-1', 'V-1')) });
    const answer = await acceptEvent(deliver(batchOf([message('m-1', 'V-1'), message('m-2', 'V-2')])));
    expect([answer.outcome, answer.runs, outcomes(answer)]).toEqual([
      'accepted',
      ['run of visit:V-1', 'run of visit:V-2'],
      ['repeated', 'accepted'],
    ]);
    expect(accepted.map(({ key, eventId }) => [key, eventId])).toEqual([
      ['hl7:ADTSYS|MERCY|m-1|20261121100000-0600', 'm-1'],
      ['hl7:ADTSYS|MERCY|m-1|20261121100000-0600', 'm-1'],
      ['hl7:ADTSYS|MERCY|m-2|20261121100000-0600', 'm-2'],
    ]);
  });

  it('messages without control ids differ by their bytes, not by the id of the batch', async () => {
    const { acceptEvent } = anIntake();
    const answer = await acceptEvent(deliver(batchOf([message('', 'V-1'), message('', 'V-2')])));
    expect(outcomes(answer)).toEqual(['accepted', 'accepted']);
  });

  it('a message that cannot be understood is quarantined by itself, and the others are accepted', async () => {
    const { acceptEvent, aside } = anIntake();
    const bad = message('m-2', '');
    const answer = await acceptEvent(deliver(batchOf([message('m-1', 'V-1'), bad, message('m-3', 'V-3')])));
    const why = 'It has no visit number that can be used (PV1-19)';
    expect(answer).toMatchObject({ outcome: 'not-understood', why: `1 of the 3 messages of the batch: ${why}` });
    expect(outcomes(answer)).toEqual(['accepted', 'not-understood', 'accepted']);
    expect(aside).toMatchObject([{ outcome: 'not-understood', why, body: Buffer.from(bad) }]);
  });

  it('an incomplete batch is quarantined as a whole, and what is there is accepted', async () => {
    const { acceptEvent, accepted, aside } = anIntake();
    const text = batchOf([message('m-1', 'V-1')], 2);
    const answer = await acceptEvent(deliver(text));
    const why = 'The batch is not complete: it has 1 messages, and its trailer counts 2 (BTS-1)';
    expect([answer.outcome, answer.why, outcomes(answer)]).toEqual(['not-understood', why, ['accepted']]);
    expect([accepted.length, aside]).toMatchObject([1, [{ why, body: Buffer.from(text) }]]);
  });

  it('a batch that is stored only in part throws, and can be sent again', async () => {
    let isAway = true;
    const { acceptEvent, accepted } = anIntake({
      onEvent: () => {
        if (isAway) throw new AppError('overloaded', 'The database does not answer');
      },
    });
    const order = deliver(batchOf([message('m-1', 'V-1'), message('m-2', 'V-2')]));
    await expect(acceptEvent(order)).rejects.toMatchObject({ code: 'overloaded' });
    expect(accepted).toHaveLength(1);
    isAway = false;
    expect(outcomes(await acceptEvent(order))).toEqual(['repeated', 'accepted']);
  });

  it('a batch without messages is nothing', async () => {
    const { acceptEvent, done } = anIntake();
    expect(await acceptEvent(deliver(batchOf([])))).toMatchObject({ outcome: 'nothing', runs: [], messages: [] });
    expect(done).toEqual([]);
  });
});
