// Handles one message: it is acknowledged only after it is stored. An unreadable message goes to the dead letters. A message that fails by an
// error of the engine is retried here after a pause and does not return to the queue.
import { createHash } from 'node:crypto';
import type { ConsumeMessage } from 'amqplib';
import { backoffMs } from '../../domain/backoff.ts';
import { asAppError } from '../../domain/errors.ts';
import type { DeliveryOutcome, RawDelivery } from '../../domain/event/delivery.ts';
import type { AcceptEvent } from '../../flows/intake/accept-event.ts';
import { hashKey } from '../../flows/intake/formats/reading.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SpanStart, Tracing } from '../../platform/tracing/tracing.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { DeadLetters } from './dead-letters.ts';
import { readDelivery, readHeaders, refusalOf } from './raw-delivery.ts';
import { encountersQueue } from './site-topology.ts';

/**
 * `taken`: acknowledge it. `away`: the database is unavailable, and the message returns to the queue. `left`: it stays unacknowledged until
 * the channel is closed.
 */
export type Verdict = 'taken' | 'away' | 'left';

/** Never throws. The signal ends pauses; it does not interrupt storing. */
export type HandleMessage = (work: {
  readonly site: LoadedSite;
  readonly message: ConsumeMessage;
  readonly signal: AbortSignal;
}) => Promise<Verdict>;

/** Events that the flows do not count: refused, failed, or not accepted by the dead letters. */
export type AmqpEvent = {
  readonly source: 'amqp';
  readonly outcome: 'not-understood' | 'failed' | 'dead-letter-failed';
};

export type HandlerParts = {
  readonly acceptEvent: AcceptEvent;
  readonly inbox: Pick<Inbox, 'quarantine'>;
  readonly deadLetters: Pick<DeadLetters, 'publish'>;
  readonly onEvent: (event: AmqpEvent) => void;
  readonly logger: Pick<Logger, 'warn'>;
  readonly tracing: Pick<Tracing, 'inSpan'>;
  readonly runtime: Pick<Runtime, 'now' | 'pause'>;
};

const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
/** The pause before the dead letters are tried again with a message that could not be stored. */
const DEAD_LETTER_PAUSE_MS = 30_000;
const MAX_COUNTED = 1_000;
/** The same limit as for all quarantined events. */
const MAX_KEPT_BYTES = 1_048_576;

type Work = Parameters<HandleMessage>[0];
type Taken = { readonly outcome: DeliveryOutcome | 'repeated'; readonly why?: string };

export function makeHandleMessage(parts: HandlerParts): HandleMessage {
  const { onEvent, logger, runtime } = parts;
  /** The tries of each message, also across its deliveries. */
  const failures = new Map<string, number>();

  async function tryAll(work: Work): Promise<Verdict> {
    const { message, signal, site } = work;
    for (;;) {
      const error = await take(parts, work).then(() => undefined, asAppError);
      if (error === undefined) return 'taken';
      if (error.retryability === 'transient') return 'away';
      const name = hashOf(message);
      const count = (failures.get(name) ?? 0) + 1;
      note(failures, name, count);
      onEvent({ source: 'amqp', outcome: 'failed' });
      logger.warn(`a message of ${site.name} could not be processed`, { component: 'amqp', count, thrown: error });
      if (count >= MAX_FAILURES) return await giveUp(parts, work);
      await runtime.pause(backoffMs(count - 1, { firstMs: FIRST_PAUSE_MS }), signal);
    }
  }

  // Only the pauses throw, and only because the signal was aborted.
  return (work) => parts.tracing.inSpan(spanOf(work), () => tryAll(work)).catch(() => 'left');
}

/** It continues the trace of its sender; a CloudEvent may name the trace in which it arose. Its routing key may hold a number of a patient. */
function spanOf({ site, message: { properties } }: Work): SpanStart {
  const { traceparent, 'ce-traceparent': origin } = readHeaders(properties.headers ?? {});
  const queue = encountersQueue(site.name);
  return {
    name: `process ${queue}`,
    kind: 'consumer',
    parent: { traceparent: traceparent ?? origin },
    attributes: {
      'messaging.system': 'rabbitmq',
      'messaging.destination.name': queue,
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'chartwright.site': site.name,
    },
  };
}

async function take(parts: HandlerParts, { site, message, signal }: Work): Promise<void> {
  const refusal = refusalOf(message);
  const delivery = readDelivery(message, parts.runtime.now());
  const taken: Taken =
    refusal === undefined
      ? await parts.acceptEvent({ site, delivery })
      : await setAside(parts, { site, delivery }, refusal);
  if (taken.outcome !== 'not-understood' && taken.outcome !== 'id-reused') return;
  const letter = { site: site.name, message, reason: taken.why ?? taken.outcome };
  // The event is stored with its reason, so a failure to publish the dead letter does not delay the acknowledgement.
  if (!(await parts.deadLetters.publish(letter, signal)))
    parts.onEvent({ source: 'amqp', outcome: 'dead-letter-failed' });
}

/** A message that cannot be stored can only go to the dead letters. */
async function giveUp({ deadLetters, onEvent, runtime }: HandlerParts, work: Work): Promise<Verdict> {
  const { site, message, signal } = work;
  while (!signal.aborted) {
    if (await deadLetters.publish({ site: site.name, message, reason: 'internal' }, signal)) return 'taken';
    onEvent({ source: 'amqp', outcome: 'dead-letter-failed' });
    await runtime.pause(DEAD_LETTER_PAUSE_MS, signal);
  }
  return 'left';
}

async function setAside(
  { inbox, onEvent }: HandlerParts,
  { site, delivery }: { readonly site: LoadedSite; readonly delivery: RawDelivery },
  why: string,
): Promise<Taken> {
  const { source, contentType, body, receivedAt } = delivery;
  await inbox.quarantine({
    site: site.name,
    source,
    outcome: 'not-understood',
    key: hashKey(body),
    why,
    receivedAt,
    ...(contentType !== '' && { contentType }),
    ...(body.length <= MAX_KEPT_BYTES && { body }),
  });
  onEvent({ source: 'amqp', outcome: 'not-understood' });
  return { outcome: 'not-understood', why };
}

function hashOf({ content, properties }: ConsumeMessage): string {
  return createHash('sha256')
    .update(JSON.stringify([String(properties.messageId ?? '')]))
    .update(content)
    .digest('base64');
}

/** Drops the oldest counters first; a dropped message is counted from the start again. */
function note(failures: Map<string, number>, name: string, count: number): void {
  failures.delete(name);
  failures.set(name, count);
  const [oldest] = failures.keys();
  if (failures.size > MAX_COUNTED && oldest !== undefined) failures.delete(oldest);
}
