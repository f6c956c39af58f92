// One lasting connection to the broker: opened in the background, reopened after each loss, and found out if it is half open. Callers
// that need a channel wait for it. No error of it ends the process.
import { Duplex } from 'node:stream';
import type { Channel, ChannelModel, ConfirmChannel } from 'amqplib';
import { type BackoffLimits, backoffMs } from '../domain/backoff.ts';
import { HELD_REASON, makeHoldSwitch } from './amqp-session-hold.ts';
import { describeLoss } from './amqp-session-reasons.ts';

export type LinkRuntime = {
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly chance: () => number;
};

export type LinkState = {
  /** `blocked`: the broker takes no messages, because its memory or disk is full. */
  readonly kind: 'connecting' | 'connected' | 'blocked';
  readonly since: Date;
  /** Why it is `connecting`, for people and without any address. */
  readonly reason?: string;
};

export type OpenChannel<Kind extends Channel> = {
  readonly channel: Kind;
  /** Resolves when it is closed, by either side. */
  readonly ended: Promise<void>;
  /** Unacknowledged messages return to their queue. Bounded in time, also if the broker does not answer. */
  readonly close: () => Promise<void>;
};

export type Link = {
  readonly state: () => LinkState;
  /** Waits for the connection. Rejects with the signal's reason, or with the broker's refusal of a channel. */
  readonly openChannel: (signal: AbortSignal) => Promise<OpenChannel<Channel>>;
  readonly openConfirmChannel: (signal: AbortSignal) => Promise<OpenChannel<ConfirmChannel>>;
  /** Behaves as if the broker were gone, until the returned function is called. */
  readonly hold: () => () => void;
  readonly close: () => Promise<void>;
};

type LinkParts = {
  readonly url: string;
  readonly heartbeatSeconds: number;
  readonly onState: () => void;
  readonly runtime: LinkRuntime;
};

const CONNECT_TIMEOUT_MS = 4_000;
const RECONNECT: BackoffLimits = { firstMs: 500, longestMs: 5_000, spread: [0.7, 1] };
/** A connection that ends sooner is a failed try: else a broker that closes it at once would be tried without a pause. */
const STABLE_MS = 10_000;
const CLOSE_TIMEOUT_MS = 1_000;
const CHANNEL_CLOSE_TIMEOUT_MS = 500;

export function keepLink({ url, heartbeatSeconds, onState, runtime }: LinkParts): Link {
  const stopping = new AbortController();
  const { signal } = stopping;
  const address = withHeartbeat(url, heartbeatSeconds);
  let state: LinkState = { kind: 'connecting', since: runtime.now() };
  let next = Promise.withResolvers<OpenModel>();
  let life = new AbortController();
  const { hold, isHeld, released } = makeHoldSwitch(() => life.abort());

  const enter = (kind: LinkState['kind'], reason?: string): void => {
    // How long it has been away counts from the loss, not from the last try.
    const since = state.kind === kind ? state.since : runtime.now();
    state = { kind, since, ...(reason !== undefined && { reason }) };
    onState();
  };

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      const pauseMs = failures === 0 ? 0 : backoffMs(failures - 1, RECONNECT, runtime.chance());
      await runtime.pause(pauseMs, signal);
      while (isHeld()) {
        enter('connecting', HELD_REASON);
        await orAborted(released(), [signal]);
        failures = 0;
      }
      life = new AbortController();
      const startedMs = runtime.monotonicMs();
      let wasOpen = false;
      const over = Promise.withResolvers<void>();
      const onOpen = (model: ChannelModel): void => {
        wasOpen = true;
        next.resolve({ model, over: over.promise });
      };
      const either = AbortSignal.any([signal, life.signal]);
      const why = await liveOnce({ address, signal: either, enter, onOpen }).catch((thrown: unknown) => thrown);
      // After a failed try the waiting callers go on waiting for the same promise.
      if (wasOpen) next = Promise.withResolvers();
      over.resolve();
      enter('connecting', isHeld() ? HELD_REASON : describeLoss(why));
      if (runtime.monotonicMs() - startedMs >= STABLE_MS) failures = -1;
    }
  }

  // It ends by the signal alone.
  const running = run().catch(() => undefined);
  /** A connection that is closing is as good as none: the caller waits for the next one. */
  async function openOn<Opened>(stop: AbortSignal, make: (model: ChannelModel) => Promise<Opened>): Promise<Opened> {
    for (;;) {
      const { model, over } = await orAborted(next.promise, [signal, stop]);
      try {
        return await make(model);
      } catch (thrown) {
        if (!isClosing(thrown)) throw thrown;
        await orAborted(over, [signal, stop]);
      }
    }
  }
  return {
    state: () => state,
    openChannel: async (stop) => watchChannel(await openOn(stop, (model) => model.createChannel())),
    openConfirmChannel: async (stop) => watchChannel(await openOn(stop, (model) => model.createConfirmChannel())),
    hold,
    async close() {
      stopping.abort(new Error('the engine is stopping'));
      // A running try ends by itself, so it is not waited for.
      await atMost(2 * CLOSE_TIMEOUT_MS, running);
    },
  };
}

type OpenModel = {
  readonly model: ChannelModel;
  /** Resolves when the connection is gone, and callers wait for the next one. */
  readonly over: Promise<void>;
};

/** What amqplib says of a channel that is asked for while its connection closes. */
function isClosing(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'IllegalOperationError';
}

type Life = {
  readonly address: string;
  readonly signal: AbortSignal;
  readonly enter: (kind: LinkState['kind']) => void;
  readonly onOpen: (model: ChannelModel) => void;
};

/** Runs from the connection to its end, and returns why it ended. */
async function liveOnce({ address, signal, enter, onOpen }: Life): Promise<unknown> {
  // Here, because an engine without a broker does not need it.
  const { connect } = await import('amqplib');
  const model = await connect(address, { timeout: CONNECT_TIMEOUT_MS, noDelay: true });
  const { promise: lost, resolve } = Promise.withResolvers<unknown>();
  model.on('error', () => undefined);
  model.on('handler-error', () => undefined);
  model.on('close', resolve);
  model.on('blocked', () => enter('blocked'));
  model.on('unblocked', () => enter('connected'));
  const close = (): void => void closeModel(model);
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) {
    close();
    return lost;
  }
  enter('connected');
  onOpen(model);
  const why = await lost;
  signal.removeEventListener('abort', close);
  cutSoon(model);
  return why;
}

function withHeartbeat(url: string, heartbeatSeconds: number): string {
  const address = new URL(url);
  if (!address.searchParams.has('heartbeat')) address.searchParams.set('heartbeat', String(heartbeatSeconds));
  return address.href;
}

/** The library waits for the broker's close frame for ever, also after its own heartbeat has failed. */
async function closeModel(model: ChannelModel): Promise<void> {
  const closing = model.close().catch(() => undefined);
  await atMost(CLOSE_TIMEOUT_MS, closing);
  cut(model);
}

/** The library only ends its side: towards a peer that does not answer, the socket would stay for a quarter of an hour. */
function cutSoon(model: ChannelModel): void {
  setTimeout(() => cut(model), CLOSE_TIMEOUT_MS).unref();
}

function cut(model: ChannelModel): void {
  const connection: object = model.connection;
  // Without an error the library would not hear of it, and go on sending heartbeats.
  const reason = new Error('the connection was given up');
  if ('stream' in connection && connection.stream instanceof Duplex) connection.stream.destroy(reason);
}

function watchChannel<Kind extends Channel>(channel: Kind): OpenChannel<Kind> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  channel.on('error', () => undefined);
  channel.on('handler-error', () => undefined);
  channel.on('close', resolve);
  return {
    channel,
    ended,
    async close() {
      // Its answer never comes if the connection is lost meanwhile.
      const closing = channel.close().catch(() => undefined);
      await atMost(CHANNEL_CLOSE_TIMEOUT_MS, Promise.race([closing, ended]));
    },
  };
}

/** Rejects with the reason of the first signal that is aborted. */
export async function orAborted<Value>(promise: Promise<Value>, signals: readonly AbortSignal[]): Promise<Value> {
  // A later rejection would have no handler.
  promise.catch(() => undefined);
  const any = AbortSignal.any([...signals]);
  any.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(any.reason);
  any.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    any.removeEventListener('abort', abort);
  }
}

/** The value of the promise; undefined if it takes longer. */
export async function atMost<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), timeoutMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
