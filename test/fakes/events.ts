// The outlet of outcome events, in memory. The test decides whether there is a listener and a broker.
import { randomUUID } from 'node:crypto';
import { AppError } from '../../src/domain/errors.ts';
import type { OutcomeKind } from '../../src/domain/run/outcome-event.ts';
import type { Events } from '../../src/ports/events.ts';
import type { OutboxRow } from '../../src/ports/outbox.ts';

export type FakeEvents = Events & {
  readonly published: readonly OutboxRow[];
  /** False: every event is `unheard`. */
  readonly setHeard: (isHeard: boolean) => void;
  readonly setAway: (isAway: boolean) => void;
};

export function makeFakeEvents(): FakeEvents {
  const published: OutboxRow[] = [];
  let isHeard = true;
  let isAway = false;
  return {
    published,
    setHeard: (given) => {
      isHeard = given;
    },
    setAway: (given) => {
      isAway = given;
    },
    publish: async (row, signal) => {
      signal.throwIfAborted();
      if (isAway) throw new AppError('vendorUnavailable', 'RabbitMQ cannot be reached');
      published.push(structuredClone(row));
      return isHeard ? 'sent' : 'unheard';
    },
  };
}

/** Returns a row of the outbox, as the end of a run puts it there. */
export function anOutcome({
  site = 'mercy',
  kind = 'documented' as OutcomeKind,
  id = randomUUID() as string,
} = {}): OutboxRow {
  return {
    id,
    kind,
    event: {
      runId: 'run-1',
      site,
      encounter: 'Encounter/1',
      patient: 'Patient/1',
      session: 'rec-1',
      status: 'written',
      resources: [{ document: 'composition', reference: 'Composition/1', status: 'created' }],
      occurredAt: '2026-03-02T10:00:00.000Z',
    },
  };
}
