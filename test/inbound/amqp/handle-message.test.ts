// The handling of one message, with a clock of the test.
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ConsumeMessage } from 'amqplib';
import { AppError } from '../../../src/domain/errors.ts';
import type { DeadLetter } from '../../../src/inbound/amqp/dead-letters.ts';
import { type AmqpEvent, type HandleMessage, makeHandleMessage } from '../../../src/inbound/amqp/handle-message.ts';
import { type FinishedSpan, makeTracing } from '../../../src/platform/tracing/tracing.ts';
import type { QuarantineOrder } from '../../../src/ports/inbox.ts';
import { type FakeAccept, makeFakeAccept } from '../../fakes/amqp-accept.ts';
import { type FakeRuntime, makeFakeRuntime } from '../../fakes/runtime.ts';
import { siteAtBroker } from './door-bench.ts';

const site = siteAtBroker('mercy');

let runtime: FakeRuntime;
let accept: FakeAccept;
let handle: HandleMessage;
let dead: DeadLetter[];
let aside: QuarantineOrder[];
let events: AmqpEvent[];
/** How many further dead letters the broker refuses. */
let refused: number;
let life: AbortController;
let spans: FinishedSpan[];

beforeEach(() => {
  runtime = makeFakeRuntime();
  accept = makeFakeAccept();
  dead = [];
  aside = [];
  events = [];
  refused = 0;
  spans = [];
  life = new AbortController();
  handle = makeHandleMessage({
    acceptEvent: accept.acceptEvent,
    inbox: { quarantine: async (delivery) => aside.push(delivery) > 0 },
    deadLetters: {
      publish: async (letter) => {
        refused -= 1;
        if (refused >= 0) return false;
        return dead.push(letter) > 0;
      },
    },
    onEvent: (event) => events.push(event),
    logger: { warn: () => undefined },
    tracing: makeTracing({ exporter: { add: (span) => void spans.push(span) } }),
    runtime,
  });
});

function aMessage(body: string | Buffer, properties: Partial<ConsumeMessage['properties']> = {}): ConsumeMessage {
  const fields = { deliveryTag: 1, redelivered: false, exchange: 'ehr.events', routingKey: 'encounter.finished' };
  return {
    content: Buffer.from(body),
    fields: { ...fields, consumerTag: 'c-1' },
    properties: { headers: {}, ...properties } as ConsumeMessage['properties'],
  };
}

const work = (message: ConsumeMessage) => handle({ site, message, signal: life.signal });
const outcomes = () => events.map(({ outcome }) => outcome);

describe('a message', () => {
  it('is acknowledged when it is stored; an unreadable one goes to the dead letters first', async () => {
    expect(await work(aMessage('Encounter/1'))).toBe('taken');
    expect(dead).toEqual([]);
    expect(await work(aMessage('bad'))).toBe('taken');
    expect(dead).toMatchObject([{ site: 'mercy', reason: 'It is not an event that is known' }]);
  });

  it('is acknowledged if it is unreadable and stored, even if the dead letters refuse it', async () => {
    refused = 1;
    expect(await work(aMessage('bad'))).toBe('taken');
    expect(outcomes()).toEqual(['dead-letter-failed']);
  });

  it('returns to the queue if the database is unavailable, which is no failure', async () => {
    accept.setAway(true);
    expect(await work(aMessage('Encounter/1'))).toBe('away');
    expect([...events, ...runtime.pauses]).toEqual([]);
  });

  it('is retried five times with growing pauses and then goes to the dead letters', async () => {
    accept.fail('Encounter/1', new Error('a bug'));
    expect(await work(aMessage('Encounter/1'))).toBe('taken');
    expect(accept.came).toHaveLength(5);
    expect(runtime.pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(dead).toMatchObject([{ reason: 'internal' }]);
    expect(outcomes()).toEqual(['failed', 'failed', 'failed', 'failed', 'failed']);
  });

  it('stays unacknowledged if it fails and the dead letters refuse it, because it is stored nowhere', async () => {
    accept.fail('Encounter/1', new AppError('internal', 'a bug'));
    refused = 2;
    expect(await work(aMessage('Encounter/1'))).toBe('taken');
    expect(runtime.pauses.slice(4)).toEqual([30_000, 30_000]);
    expect(dead).toHaveLength(1);
  });

  it('keeps its number of tries across deliveries', async () => {
    accept.fail('Encounter/1', new Error('a bug'));
    const first = work(aMessage('Encounter/1'));
    life.abort(new Error('the channel is closed'));
    expect(await first).toBe('left');
    life = new AbortController();
    const before = accept.came.length;
    expect(await work(aMessage('Encounter/1'))).toBe('taken');
    expect(accept.came.length - before).toBeLessThan(5);
    expect(outcomes().filter((outcome) => outcome === 'failed')).toHaveLength(5);
  });

  it('has its own number of tries if its id or content differs', async () => {
    accept.fail('Encounter/1', new Error('a bug'));
    await work(aMessage('Encounter/1', { messageId: 'm-1' }));
    accept.fail('Encounter/2', new Error('a bug'));
    await work(aMessage('Encounter/2', { messageId: 'm-1' }));
    await work(aMessage('Encounter/1', { messageId: 'm-2' }));
    expect(accept.came).toHaveLength(15);
  });

  it('is quarantined unread after many unacknowledged deliveries, because it may end the process', async () => {
    expect(await work(aMessage('Encounter/1', { headers: { 'x-delivery-count': 14 } }))).toBe('taken');
    expect(aside).toEqual([]);
    expect(await work(aMessage('Encounter/2', { headers: { 'x-delivery-count': 15 } }))).toBe('taken');
    expect(aside).toMatchObject([
      { site: 'mercy', outcome: 'not-understood', why: expect.stringContaining('15 times') },
    ]);
    expect(dead).toHaveLength(1);
    expect(accept.stored()).toEqual(['Encounter/1']);
  });

  it('is read with any number of headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, count) => [`x-${count}`, 'text']));
    await work(aMessage('Encounter/1', { headers: { ...many }, contentType: 7, messageId: '' }));
    await work(aMessage('Encounter/2', { headers: { long: 'x'.repeat(5_000), __proto__: 'odd' } }));
    const [first, second] = accept.came;
    expect(Object.keys(first?.headers ?? {})).toHaveLength(100);
    expect(first).not.toHaveProperty('messageId');
    expect(second?.headers).toEqual({});
  });
});

describe('the trace of a message', () => {
  const traceparent = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

  it.each<[string, Record<string, unknown>, string]>([
    ['its header', { traceparent: traceparent('a') }, 'a'],
    ['its CloudEvent, in which it arose', { cloudEvents_traceparent: traceparent('b') }, 'b'],
    [
      'its header, also if its CloudEvent names another',
      { traceparent: traceparent('a'), ce_traceparent: traceparent('b') },
      'a',
    ],
  ])('is that of %s', async (_title, headers, digit) => {
    await work(aMessage('Encounter/1', { headers }));
    expect(spans).toMatchObject([{ traceId: digit.repeat(32), parentSpanId: digit.repeat(16), kind: 'consumer' }]);
  });

  it.each<Record<string, unknown>>([{}, { traceparent: 'canary' }, { traceparent: 7 }])(
    'is a new one with the headers %j',
    async (headers) => {
      await work(aMessage('Encounter/1', { headers }));
      expect(spans).toMatchObject([{ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), parentSpanId: undefined }]);
    },
  );

  it('names the queue, not the routing key, which may hold the number of a patient', async () => {
    const message = aMessage('Encounter/1');
    await work({ ...message, fields: { ...message.fields, routingKey: 'encounter.canary-4711' } });
    expect(spans).toMatchObject([{ name: 'process chartwright.mercy.encounters' }]);
    expect(JSON.stringify(spans)).not.toContain('canary');
  });
});
