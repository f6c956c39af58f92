// The engine's session at the broker: two connections, one to receive and one to send. A broker that is short of memory stops
// reading from connections that send, and would not read the acknowledgements of received messages either. Starting never fails.
import type { Channel, ConfirmChannel } from 'amqplib';
import { keepLink, type LinkRuntime, type LinkState, type OpenChannel } from './amqp-session-link.ts';

export type AmqpState = LinkState;

export type AmqpSession = {
  /** Connected if both connections are; blocked if nothing can be sent. */
  readonly state: () => AmqpState;
  /** The state of the sending connection alone. */
  readonly sendingState: () => AmqpState;
  /** Waits for the connection. Rejects with the signal's reason, or with the broker's refusal of a channel. */
  readonly openReceiving: (signal: AbortSignal) => Promise<OpenChannel<Channel>>;
  readonly openSending: (signal: AbortSignal) => Promise<OpenChannel<ConfirmChannel>>;
  /** Closes both connections, as if the broker were gone, and reopens them when the returned function is called. */
  readonly hold: () => () => void;
  readonly close: () => Promise<void>;
};

type SessionParts = {
  readonly url: string;
  /** A broker that vanished is noticed after two to three times this long. */
  readonly heartbeatSeconds?: number;
  /** Called at each change. */
  readonly onState?: (state: AmqpState) => void;
  readonly runtime: LinkRuntime;
};

const DEFAULT_HEARTBEAT_SECONDS = 6;

export function makeAmqpSession({ url, heartbeatSeconds, onState, runtime }: SessionParts): AmqpSession {
  let reported = '';
  const tell = (): void => {
    const state = combined(receiving.state(), sending.state());
    const sign = `${state.kind} ${state.reason ?? ''}`;
    if (sign === reported) return;
    reported = sign;
    onState?.(state);
  };
  const parts = { url, heartbeatSeconds: heartbeatSeconds ?? DEFAULT_HEARTBEAT_SECONDS, onState: tell, runtime };
  const receiving = keepLink(parts);
  const sending = keepLink(parts);
  return {
    state: () => combined(receiving.state(), sending.state()),
    sendingState: sending.state,
    openReceiving: receiving.openChannel,
    openSending: sending.openConfirmChannel,
    hold() {
      const releases = [receiving.hold(), sending.hold()];
      return () => {
        for (const release of releases) release();
      };
    },
    async close() {
      await Promise.all([receiving.close(), sending.close()]);
    },
  };
}

function combined(receiving: AmqpState, sending: AmqpState): AmqpState {
  const away = [receiving, sending].filter(({ kind }) => kind === 'connecting');
  if (away.length > 0) return away.reduce((one, other) => (other.since < one.since ? other : one));
  if (sending.kind === 'blocked') return sending;
  return { kind: 'connected', since: receiving.since > sending.since ? receiving.since : sending.since };
}
