// Outcome events to RabbitMQ's exchange `chartwright.events`: persistent, and confirmed before they count as sent. They hold references
// and nothing of what was spoken.
import { AppError } from '../../domain/errors.ts';
import { OUTCOMES_EXCHANGE, routingKey } from '../../domain/run/outcome-event.ts';
import type { AmqpSession } from '../../platform/amqp-session.ts';
import { keepPublisher, NotPublishedError } from '../../platform/amqp-session-publisher.ts';
import { errorTypeOf, type SpanStart, type Tracing } from '../../platform/tracing/tracing.ts';
import type { Events } from '../../ports/events.ts';
import type { OutboxRow } from '../../ports/outbox.ts';
import type { Runtime } from '../../ports/runtime.ts';

export type AmqpEvents = Events & {
  /** What a person must change at the broker before anything can be sent. For /readyz. */
  readonly problem: () => string | undefined;
  readonly stop: () => Promise<void>;
};

type AmqpEventsParts = {
  readonly session: Pick<AmqpSession, 'openSending' | 'sendingState'>;
  readonly runtime: Pick<Runtime, 'pause' | 'chance'>;
  readonly tracing: Pick<Tracing, 'startSpan'>;
  /** How long the broker may take to confirm an event. */
  readonly deadlineMs?: number;
};

export function makeAmqpEvents({ session, runtime, tracing, deadlineMs }: AmqpEventsParts): AmqpEvents {
  const exchange = OUTCOMES_EXCHANGE;
  const publisher = keepPublisher({ session, exchange, runtime, ...(deadlineMs !== undefined && { deadlineMs }) });
  return {
    problem: publisher.problem,
    stop: publisher.stop,
    async publish(row, signal) {
      const span = tracing.startSpan(spanOf(row));
      try {
        const end = await publisher.publish(asMessage(row, span.traceparent), signal);
        span.end();
        return end === 'heard' ? 'sent' : 'unheard';
      } catch (thrown) {
        span.end({ errorType: errorTypeOf(thrown) });
        if (!(thrown instanceof NotPublishedError)) throw thrown;
        throw new AppError('vendorUnavailable', thrown.message, { cause: thrown });
      }
    },
  };
}

/** It belongs to the trace that the run continues, whichever engine sends it. */
function spanOf({ kind, event, traceparent }: OutboxRow): SpanStart {
  const destination = `${OUTCOMES_EXCHANGE}:${routingKey(event.site, kind)}`;
  return {
    name: `publish ${destination}`,
    kind: 'producer',
    parent: { traceparent },
    attributes: {
      'messaging.system': 'rabbitmq',
      'messaging.destination.name': destination,
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'chartwright.run.id': event.runId,
      'chartwright.site': event.site,
    },
  };
}

/** `mandatory`: the broker reports a message that no queue receives. The message's id makes a repeat recognisable. */
function asMessage(row: OutboxRow, traceparent: string) {
  const { id, kind, event } = row;
  return {
    routingKey: routingKey(event.site, kind),
    body: Buffer.from(JSON.stringify(event)),
    options: {
      persistent: true,
      mandatory: true,
      messageId: id,
      type: `encounter.${kind}`,
      contentType: 'application/json',
      timestamp: Math.floor(Date.parse(event.occurredAt) / 1000),
      appId: 'chartwright',
      headers: { ...cloudEventHeaders(row), traceparent },
    },
  };
}

/** The attributes of a CloudEvent in binary mode: the body stays the bare event, and its content type is their `datacontenttype`. */
function cloudEventHeaders({ id, kind, event, traceparent }: OutboxRow): Readonly<Record<string, string>> {
  return {
    cloudEvents_specversion: '1.0',
    cloudEvents_id: id,
    cloudEvents_source: `urn:chartwright:${event.site}`,
    cloudEvents_type: `chartwright.encounter.${kind}`,
    cloudEvents_subject: event.encounter,
    cloudEvents_time: event.occurredAt,
    // The trace in which it arose, also where the header of the same name is that of a later sender.
    ...(traceparent !== undefined && { cloudEvents_traceparent: traceparent }),
  };
}
