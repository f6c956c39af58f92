// Reports the health of the broker for /readyz. It is never `down`: without a broker, only its events wait.
import { displayTime } from '../../domain/display-time.ts';
import type { AmqpSession } from '../../platform/amqp-session.ts';
import type { HealthCheck } from '../../ports/health.ts';

type BrokerHealthParts = {
  readonly session: Pick<AmqpSession, 'state'>;
  /** The change that an operator must make at the broker before outcome events can be sent. */
  readonly problem?: () => string | undefined;
};

export function makeAmqpHealth({ session, problem }: BrokerHealthParts): HealthCheck {
  return async () => {
    const detail = degraded(session.state()) ?? problem?.();
    if (detail === undefined) return { name: 'broker', status: 'ok', detail: 'RabbitMQ is connected.' };
    return { name: 'broker', status: 'degraded', detail };
  };
}

function degraded({ kind, since, reason }: ReturnType<AmqpSession['state']>): string | undefined {
  const time = displayTime(since);
  if (kind === 'connected') return undefined;
  if (kind === 'blocked') {
    return `RabbitMQ takes no messages since ${time}: its memory or disk is full. Outcome events wait here; events still come in.`;
  }
  const why = reason === undefined ? '' : ` (${reason})`;
  return `RabbitMQ cannot be reached since ${time}${why}; events wait there; REST is served.`;
}
