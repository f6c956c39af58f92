// Publishes the encounters of the hospital to a broker, like an EHR that is connected by AMQP. If the broker is unavailable, the event is lost
// there; the EHR's Subscriptions send it anyway.
import type { Encounter } from '@medplum/fhirtypes';
import { makeAmqpSession } from '../../platform/amqp-session.ts';
import type { LinkRuntime } from '../../platform/amqp-session-link.ts';
import { keepPublisher, NotPublishedError } from '../../platform/amqp-session-publisher.ts';
import type { PublishEncounter } from './open-hospital.ts';

const EXCHANGE = 'ehr.events';
const DEADLINE_MS = 3_000;

export type BrokerEvents = { readonly publish: PublishEncounter; readonly close: () => Promise<void> };

export function openBrokerEvents({
  url,
  runtime,
}: {
  readonly url: string;
  readonly runtime: LinkRuntime;
}): BrokerEvents {
  const session = makeAmqpSession({ url, runtime });
  const publisher = keepPublisher({ session, exchange: EXCHANGE, runtime, deadlineMs: DEADLINE_MS });
  const closing = new AbortController();
  return {
    publish: (encounter) => publisher.publish(asMessage(encounter), closing.signal).then(done, forgiven),
    async close() {
      closing.abort();
      await publisher.stop();
      await session.close();
    },
  };
}

function asMessage(encounter: Encounter) {
  const { id, status, meta } = encounter;
  return {
    routingKey: `encounter.${status}`,
    body: Buffer.from(JSON.stringify(encounter)),
    options: {
      persistent: true,
      messageId: `Encounter/${id}/_history/${meta?.versionId}`,
      contentType: 'application/fhir+json',
      appId: 'sandbox-hospital',
    },
  };
}

function done(): void {}

function forgiven(thrown: unknown): void {
  if (!(thrown instanceof NotPublishedError) && !isAbort(thrown)) throw thrown;
}

function isAbort(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'name' in thrown && thrown.name === 'AbortError';
}
