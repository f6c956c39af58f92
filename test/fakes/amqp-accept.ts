// The intake of deliveries, in memory: it recognizes a stored delivery when it arrives again, and never understands a text that begins with `bad`.
import { createHash } from 'node:crypto';
import { AppError } from '../../src/domain/errors.ts';
import type { RawDelivery } from '../../src/domain/event/delivery.ts';
import type { AcceptAnswer } from '../../src/flows/intake/accept-answer.ts';
import type { AcceptEvent } from '../../src/flows/intake/accept-event.ts';

export type FakeAccept = {
  readonly acceptEvent: AcceptEvent;
  /** All deliveries in order, also the refused ones. */
  readonly came: readonly RawDelivery[];
  /** The bodies that were stored, each once. */
  readonly stored: () => readonly string[];
  readonly repeats: () => number;
  /** The largest number of deliveries that were processed at a time. */
  readonly mostAtOnce: () => number;
  /** True: the database is not available. */
  readonly setAway: (isAway: boolean) => void;
  /** The error for a body, thrown before it is stored. */
  readonly fail: (body: string, thrown: unknown) => void;
  /** Each delivery waits for it after it is stored and before the door gets the result. */
  readonly holdAfterStore: (until: Promise<void> | undefined) => void;
};

export function makeFakeAccept(): FakeAccept {
  const came: RawDelivery[] = [];
  const stored = new Map<string, string>();
  const failing = new Map<string, unknown>();
  let repeats = 0;
  let atOnce = 0;
  let mostAtOnce = 0;
  let isAway = false;
  let held: Promise<void> | undefined;

  async function take({ body, messageId }: RawDelivery): Promise<AcceptAnswer> {
    const text = Buffer.from(body).toString();
    if (isAway) throw new AppError('overloaded', 'The database does not answer');
    if (failing.has(text)) throw failing.get(text);
    if (text === '' || text.startsWith('bad')) {
      const why = 'It is not an event that is known';
      return { outcome: 'not-understood', content: { kind: 'not-understood', why }, runs: [], why };
    }
    const key = messageId ?? createHash('sha256').update(body).digest('hex');
    const isRepeat = stored.has(key);
    if (isRepeat) repeats += 1;
    stored.set(key, text);
    await held;
    const understood = { kind: 'encounters' as const, key, encounters: [{ encounter: text, isUrgent: false }] };
    return { outcome: isRepeat ? 'repeated' : 'accepted', content: understood, runs: [`run of ${text}`] };
  }

  return {
    came,
    stored: () => [...stored.values()],
    repeats: () => repeats,
    mostAtOnce: () => mostAtOnce,
    setAway: (given) => {
      isAway = given;
    },
    fail: (body, thrown) => void failing.set(body, thrown),
    holdAfterStore: (given) => {
      held = given;
    },
    acceptEvent: async ({ delivery }) => {
      came.push(delivery);
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      return await take(delivery).finally(() => {
        atOnce -= 1;
      });
    },
  };
}
