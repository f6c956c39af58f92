// The engine's place at the broker: lost, found again, and never a reason for the process to end.
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AmqpSession, type AmqpState, makeAmqpSession } from '../../src/platform/amqp-session.ts';
import { describeLoss } from '../../src/platform/amqp-session-reasons.ts';
import { systemRuntime } from '../../src/platform/system-runtime.ts';
import { type LocalServers, makeLocalServers } from '../support/local-servers.ts';
import { type BrokerProxy, startBrokerProxy } from '../support/rabbit-proxy.ts';
import { sharedBroker } from '../support/rabbitmq.ts';
import { until } from '../support/until.ts';

const { signal } = new AbortController();

let broker: Awaited<ReturnType<typeof sharedBroker>>;
const opened: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  broker = await sharedBroker();
});
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

function open(url: string, heartbeatSeconds?: number): { readonly session: AmqpSession; readonly told: AmqpState[] } {
  const told: AmqpState[] = [];
  const session = makeAmqpSession({
    url,
    runtime: systemRuntime,
    onState: (state) => told.push(state),
    ...(heartbeatSeconds !== undefined && { heartbeatSeconds }),
  });
  opened.push(session.close);
  return { session, told };
}

async function openProxied(heartbeatSeconds?: number) {
  const proxy: BrokerProxy = await startBrokerProxy(broker.port);
  opened.push(proxy.close);
  const { session, told } = open(proxy.url, heartbeatSeconds);
  await until(() => session.state().kind === 'connected');
  return { proxy, session, told };
}

function openServers(): LocalServers {
  const servers = makeLocalServers();
  opened.push(servers.close);
  return servers;
}

async function untilReason(session: AmqpSession): Promise<string | undefined> {
  await until(() => session.state().reason !== undefined);
  return session.state().reason;
}

describe('A connection', () => {
  it('that is cut is made again at once, and says since when it was away', async () => {
    const { proxy, session, told } = await openProxied();
    const before = proxy.count();
    proxy.cut();
    await until(() => told.some(({ kind, reason }) => kind === 'connecting' && reason !== undefined));
    await until(() => session.state().kind === 'connected' && proxy.count() === before + 2);
    expect(told.map(({ kind }) => kind).at(-1)).toBe('connected');
    expect(told.find(({ reason }) => reason !== undefined)?.reason).toBe('the connection was cut');
  });

  it('that is half open is noticed by its silence', async () => {
    const { proxy, session } = await openProxied(1);
    proxy.freeze();
    expect(await untilReason(session)).toBe('it was silent for too long');
    const { since } = session.state();
    // Without an answer each new try fails; it has been away since the first.
    await until(() => session.state().reason === 'it does not answer');
    expect(session.state().since).toEqual(since);
    proxy.thaw();
    await until(() => session.state().kind === 'connected');
  });

  it('gives a channel to a caller that waited through several failed tries', async () => {
    const { proxy, session } = await openProxied();
    const before = proxy.count();
    proxy.freeze();
    proxy.cut();
    await untilReason(session);
    const waiting = session.openReceiving(signal);
    await until(() => {
      proxy.cut();
      return proxy.count() >= before + 4;
    });
    proxy.thaw();
    proxy.cut();
    const { channel, close } = await waiting;
    expect(await channel.checkExchange('amq.topic')).toEqual({});
    await close();
  });

  it('goes on when the broker closes a channel over a mistake', async () => {
    const { proxy, session } = await openProxied();
    const before = proxy.count();
    const { channel, ended } = await session.openReceiving(signal);
    await expect(channel.checkQueue('no-such-queue')).rejects.toMatchObject({ code: 404 });
    await ended;
    const next = await session.openReceiving(signal);
    expect(await next.channel.checkExchange('amq.topic')).toEqual({});
    expect(proxy.count()).toBe(before);
  });

  it('drops a waiting caller whose signal is aborted', async () => {
    const { session } = open('amqp://127.0.0.1:1');
    const stopping = new AbortController();
    const waiting = session.openSending(stopping.signal);
    stopping.abort(new Error('the engine is stopping'));
    await expect(waiting).rejects.toThrow('the engine is stopping');
  });
});

describe('A broker that is held back on purpose', () => {
  it('is gone for both connections while it is held, and is back at once after the last release', async () => {
    const { proxy, session, told } = await openProxied();
    const { ended } = await session.openReceiving(signal);
    const before = proxy.count();
    const releases = [session.hold(), session.hold()];
    await ended;
    await until(() => session.state().kind === 'connecting');
    const waiting = session.openSending(signal);
    releases[0]?.();
    releases[0]?.();
    await until(() => session.sendingState().kind === 'connecting');
    expect(session.state().reason).toBe('it is kept away on purpose');
    expect(proxy.count()).toBe(before);
    releases[1]?.();
    const { channel, close } = await waiting;
    expect(await channel.checkExchange('amq.topic')).toEqual({});
    await close();
    await until(() => session.state().kind === 'connected' && proxy.count() === before + 2);
    expect(told.map(({ kind }) => kind).slice(-2)).toEqual(['connecting', 'connected']);
  });

  it('is not waited for by a session that closes, and never reached by one that was not connected yet', async () => {
    const proxy = await startBrokerProxy(broker.port);
    opened.push(proxy.close);
    const { session } = open(proxy.url);
    session.hold();
    expect(await untilReason(session)).toBe('it is kept away on purpose');
    await session.close();
    expect(session.state().kind).toBe('connecting');
    await expect(session.openReceiving(signal)).rejects.toThrow('the engine is stopping');
  });
});

describe('Closing', () => {
  it('rejects callers that wait for a channel, and closes also if the broker does not answer', async () => {
    const { proxy, session } = await openProxied();
    proxy.freeze();
    await session.close();
    await expect(session.openReceiving(signal)).rejects.toThrow('the engine is stopping');
    expect(session.state().kind).toBe('connecting');
  });

  it('ends a session that was never connected', async () => {
    const { session } = open('amqp://127.0.0.1:1');
    await untilReason(session);
    await session.close();
    await session.close();
  });
});

describe('The reason for a missing broker is given in words, without its address', () => {
  it.each([
    [
      'nothing listens there',
      () => 'amqp://user:secret-word@127.0.0.1:1',
      'nothing listens at the address in AMQP_URL',
    ],
    ['its name is unknown', () => 'amqp://user:secret-word@broker.invalid', 'the host in AMQP_URL is not known'],
    [
      'the password is wrong',
      () => `amqp://guest:secret-word@127.0.0.1:${broker.port}`,
      'it refuses the user or password in AMQP_URL',
    ],
    [
      'there is no such virtual host',
      () => `${broker.url}/no-such-part`,
      'it refuses the virtual host in AMQP_URL, or has too many connections',
    ],
    ['it speaks no TLS', () => `amqps://127.0.0.1:${broker.port}`, 'its TLS certificate or protocol is not accepted'],
  ])('where %s', async (_, url, reason) => {
    const { session } = open(url());
    expect(await untilReason(session)).toBe(reason);
  });

  it('a web server that answers is no broker', async () => {
    const origin = await openServers().serve((_, response) => response.writeHead(400).end('what?'));
    const { session } = open(origin.replace('http:', 'amqp:'));
    expect(await untilReason(session)).toBe('what answers there does not speak AMQP as expected');
  });

  it('a connection that is closed at once has its reason', async () => {
    const origin = await openServers().serveRaw((socket) => socket.destroy());
    const { session } = open(origin.replace('http:', 'amqp:'));
    expect(await untilReason(session)).toBe('the connection was cut');
  });

  it('any thrown value has a reason', () => {
    expect(describeLoss(undefined)).toBe('the connection was closed');
    expect(describeLoss(new Error('something at amqp://user:secret-word@host'))).toBe('the connection failed');
    const refused = Object.assign(new Error('Connection closed: 320 (CONNECTION-FORCED) with message "bye"'), {
      code: 320,
    });
    expect(describeLoss(refused)).toBe('it was shut down');
  });
});

it('a broker that closes each connection at once is tried less and less often', async () => {
  const proxy = await startBrokerProxy(broker.port);
  opened.push(proxy.close);
  const pauses: number[] = [];
  const pause = async (ms: number, stop: AbortSignal): Promise<void> => {
    pauses.push(ms);
    await systemRuntime.pause(0, stop);
  };
  const session = makeAmqpSession({ url: proxy.url, runtime: { ...systemRuntime, pause, chance: () => 1 } });
  opened.push(session.close);
  for (let round = 1; round <= 6; round += 1) {
    await until(() => session.state().kind === 'connected' && proxy.count() === round * 2);
    proxy.cut();
  }
  await until(() => pauses.length >= 14);
  // Two connections, each at its own pace.
  expect(pauses.slice(0, 14).toSorted((one, other) => one - other)).toEqual(
    [0, 500, 1_000, 2_000, 4_000, 5_000, 5_000].flatMap((ms) => [ms, ms]),
  );
});
