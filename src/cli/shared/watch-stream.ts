// Follows changes of runs. After a lost connection it reconnects and continues where it was, so that no change is missed or shown twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../domain/backoff.ts';
import type { RunEventAnswer } from '../../wire/run.ts';
import { EngineAway, type EventConnection, type OpsClient } from './ops-client.ts';

export type WatchEvent =
  /** The connection is open, for the first time or again. */
  { readonly kind: 'connected' } | { readonly kind: 'change'; readonly change: RunEventAnswer };

type WatchParts = {
  readonly client: Pick<OpsClient, 'listen'>;
  /** Aborting it ends the stream. */
  readonly signal: AbortSignal;
  /** Shows a message to the person at the terminal, apart from the result. */
  readonly warn: (text: string) => void;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const CLOCKS_MS = 60_000;
/** More changes than the engine sends again after a lost connection. */
const REMEMBERED = 5_000;

/** Throws a CliError if the first connection fails or the engine refuses it. */
export async function* watchRuns({ client, signal, warn }: WatchParts): AsyncGenerator<WatchEvent> {
  const isNew = makeMemory(REMEMBERED);
  const place: Place = { position: undefined, firstWaitMs: FIRST_WAIT_MS };
  let failures = 0;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    let listening: EventConnection | undefined;
    try {
      listening = await client.listen({ path: '/events', lastEventId: place.position, signal });
      if (failures > 0) warn('The engine is back.\n');
      failures = 0;
      place.position ??= positionAt(listening.startedAt);
      yield { kind: 'connected' };
      yield* newChanges(listening, place, isNew);
    } catch (thrown) {
      if (signal.aborted) return;
      // A first connection that fails is an error at once: most often the address is wrong.
      if (!(thrown instanceof EngineAway) || (isFirst && listening === undefined)) throw thrown;
    } finally {
      listening?.close();
    }
    if (signal.aborted) return;
    if (failures === 0) warn('The connection to the engine is lost; trying until it is back. Control-C ends this.\n');
    await waitFor(backoffMs(failures, { firstMs: place.firstWaitMs, longestMs: LONGEST_WAIT_MS }), signal);
    failures += 1;
  }
}

type Place = { position: string | undefined; firstWaitMs: number };

async function* newChanges(
  { events }: EventConnection,
  place: Place,
  isNew: (data: string) => boolean,
): AsyncGenerator<WatchEvent> {
  for await (const { id, event, data, retryMs } of events) {
    place.position = id ?? place.position;
    place.firstWaitMs = retryMs ?? place.firstWaitMs;
    const change = event === 'run' && isNew(data) ? readChange(data) : undefined;
    if (change !== undefined) yield { kind: 'change', change };
  }
}

/**
 * Where to continue if the connection is lost before the first change: a minute earlier, because the database's clock, which dates
 * changes, may differ. An old change is better than a missed one. The engine reads only the time of this id.
 */
function positionAt(time: Date): string {
  return `${new Date(time.getTime() - CLOCKS_MS).toISOString()}_00000000-0000-0000-0000-000000000000`;
}

/** Resolves early if the signal is aborted. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function makeMemory(size: number): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text)) return false;
    seen.add(text);
    if (seen.size > size) for (const oldest of seen.values().take(1)) seen.delete(oldest);
    return true;
  };
}

/** Returns undefined for events that only another version of the engine sends. */
function readChange(data: string): RunEventAnswer | undefined {
  try {
    const change = JSON.parse(data);
    const { id, site, encounter, status, changedAt } = change;
    const isWhole = [id, site, encounter, status, changedAt].every((member) => typeof member === 'string');
    return isWhole ? change : undefined;
  } catch {
    return undefined;
  }
}
