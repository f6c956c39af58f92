// What is done with one message: taken in and stored, and only then may it be acknowledged. One that can never be understood is handed on
// to the dead letters; one that fails for reasons of ours is tried again here, some time later, and never goes back to the queue for it.
import { createHash } from 'node:crypto';
import type { ConsumeMessage } from 'amqplib';
import { backoffMs } from '../../domain/backoff.ts';
import { asAppError } from '../../domain/errors.ts';
import type { DeliveryOutcome, RawDelivery } from '../../domain/event/delivery.ts';
import type { AcceptEvent } from '../../flows/intake/accept-event.ts';
import { hashKey } from '../../flows/intake/formats/reading.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { DeadLetters } from './dead-letters.ts';
import { readDelivery, refusalOf } from './raw-delivery.ts';

/**
 * `taken`: acknowledge it. `away`: it cannot be stored now; so cannot others, and it goes back to the queue. `left`: it stays unacknowledged,
 * until the channel is closed.
 */
export type Verdict = 'taken' | 'away' | 'left';

/** Never throws. Aborting the signal ends waits, not what is being stored. */
export type HandleMessage = (work: {
  readonly site: LoadedSite;
  readonly message: ConsumeMessage;
  readonly signal: AbortSignal;
}) => Promise<Verdict>;

/** What the flows do not count: what this door refused, could not take in, or could not hand on to the dead letters. */
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
  readonly runtime: Pick<Runtime, 'now' | 'pause'>;
};

const MAX_FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
/** Until the dead letters are asked again to take what could not be stored. */
const DEAD_LETTER_PAUSE_MS = 30_000;
const MAX_COUNTED = 1_000;
/** As of all that is set aside. */
const MAX_KEPT_BYTES = 1_048_576;

type Work = Parameters<HandleMessage>[0];
type Taken = { readonly outcome: DeliveryOutcome | 'repeated'; readonly why?: string };

export function makeHandleMessage(parts: HandlerParts): HandleMessage {
  const { onEvent, logger, runtime } = parts;
  /** By message, also from one delivery to the next. */
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
      logger.warn(`a message of ${site.name} could not be taken in`, { component: 'amqp', count, thrown: error });
      if (count >= MAX_FAILURES) return await giveUp(parts, work);
      await runtime.pause(backoffMs(count - 1, { firstMs: FIRST_PAUSE_MS }), signal);
    }
  }

  // Only its waits throw, and those only because the signal was aborted.
  return (work) => tryAll(work).catch(() => 'left');
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
  // It is stored, with its reason: that the sender does not hear of it keeps nobody waiting.
  if (!(await parts.deadLetters.publish(letter, signal)))
    parts.onEvent({ source: 'amqp', outcome: 'dead-letter-failed' });
}

/** The dead letters are the only place that is left for it. */
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

/** The oldest are forgotten first: they are counted anew. */
function note(failures: Map<string, number>, name: string, count: number): void {
  failures.delete(name);
  failures.set(name, count);
  const [oldest] = failures.keys();
  if (failures.size > MAX_COUNTED && oldest !== undefined) failures.delete(oldest);
}
