// The health of the broker for /readyz.
import { expect, it } from '@jest/globals';
import { makeAmqpHealth } from '../../../src/inbound/amqp/broker-health.ts';
import type { AmqpState } from '../../../src/platform/amqp-session.ts';

const since = new Date('2026-03-02T10:00:00.000Z');
const healthOf = (state: AmqpState, problem?: string) =>
  makeAmqpHealth({ session: { state: () => state }, problem: () => problem })();

it.each<[string, AmqpState, string | undefined, string, string]>([
  ['connected', { kind: 'connected', since }, undefined, 'ok', 'RabbitMQ is connected.'],
  [
    'away',
    { kind: 'connecting', since, reason: 'it does not answer' },
    undefined,
    'degraded',
    'RabbitMQ cannot be reached since 2026-03-02 10:00 UTC (it does not answer); events wait there; REST is served.',
  ],
  [
    'not there yet',
    { kind: 'connecting', since },
    undefined,
    'degraded',
    'RabbitMQ cannot be reached since 2026-03-02 10:00 UTC; events wait there; REST is served.',
  ],
  [
    'full',
    { kind: 'blocked', since },
    undefined,
    'degraded',
    'RabbitMQ takes no messages since 2026-03-02 10:00 UTC: its memory or disk is full. Outcome events wait here; events still come in.',
  ],
  ['connected, and not as it should be', { kind: 'connected', since }, 'Delete it.', 'degraded', 'Delete it.'],
])('a broker that is %s', async (_, state, problem, status, detail) => {
  expect(await healthOf(state, problem)).toEqual({ name: 'broker', status, detail });
});
