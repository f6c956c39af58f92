// Outcome events on their way from the outbox to the broker.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeRelayOutcomes, type RelayOutcomes } from '../../src/flows/relay-outcomes.ts';
import { makeAbsentEvents } from '../../src/outbound/amqp/absent-events.ts';
import type { Events } from '../../src/ports/events.ts';
import { anOutcome, type FakeEvents, makeFakeEvents } from '../fakes/events.ts';
import { type FakeOutbox, makeFakeOutbox } from '../fakes/outbox.ts';
import { type FakeRuntime, makeFakeRuntime } from '../fakes/runtime.ts';

const LEASE_MS = 30_000;
const { signal } = new AbortController();

let runtime: FakeRuntime;
let outbox: FakeOutbox;
let events: FakeEvents;
let ended: string[];

beforeEach(() => {
  runtime = makeFakeRuntime();
  outbox = makeFakeOutbox({ now: runtime.now });
  events = makeFakeEvents();
  ended = [];
});

function relayTo(way: Events = events): RelayOutcomes {
  return makeRelayOutcomes({ outbox, events: way, onEnded: ({ kind, end }) => ended.push(`${kind} ${end}`) });
}

function put(count: number) {
  return Array.from({ length: count }, () => outbox.put('documented', anOutcome().event));
}

describe('a pass of the relay', () => {
  it('it sends waiting events in order and marks them as sent', async () => {
    const rows = put(3);
    expect(await relayTo()(signal)).toBe(3);
    expect(events.published.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(await outbox.counts()).toEqual(new Map([['sent', 3]]));
    expect(await relayTo()(signal)).toBe(0);
    expect(ended).toEqual(['documented sent', 'documented sent', 'documented sent']);
  });

  it('it marks events without a listener, and does not send them again', async () => {
    put(2);
    events.setHeard(false);
    await relayTo()(signal);
    expect(await outbox.counts()).toEqual(new Map([['unheard', 2]]));
    runtime.advance(LEASE_MS * 10);
    expect(await relayTo()(signal)).toBe(0);
    expect(events.published).toHaveLength(2);
  });

  it('it marks all events if no broker is configured', async () => {
    put(2);
    await relayTo(makeAbsentEvents())(signal);
    expect(await outbox.counts()).toEqual(new Map([['no-broker', 2]]));
  });

  it('it stops at the first event that cannot be sent, keeps the earlier ones, and sends the rest in the next pass', async () => {
    const rows = put(4);
    const flaky: Events = {
      publish: async (row, stop) => {
        if (row.id === rows[2]?.id) events.setAway(true);
        return events.publish(row, stop);
      },
    };
    await expect(relayTo(flaky)(signal)).rejects.toMatchObject({ code: 'vendorUnavailable' });
    expect(await outbox.counts()).toEqual(
      new Map([
        ['sent', 2],
        ['waiting', 2],
      ]),
    );
    events.setAway(false);
    expect(await relayTo()(signal)).toBe(2);
    expect(events.published.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  it('it sends nothing more once the engine stops, and marks what it has sent', async () => {
    put(3);
    const stopping = new AbortController();
    const last: Events = {
      publish: async (row, stop) => {
        const end = await events.publish(row, stop);
        stopping.abort(new Error('the engine is stopping'));
        return end;
      },
    };
    await expect(relayTo(last)(stopping.signal)).rejects.toThrow('the engine is stopping');
    expect(await outbox.counts()).toEqual(
      new Map([
        ['sent', 1],
        ['waiting', 2],
      ]),
    );
  });
});
