// Asks until there is an answer of the asked form, within bounds: a vendor that is busy is asked up to three times, an
// answer that breaks the form is asked for once more. Once something of an answer was shown nothing is asked again.
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../domain/backoff.ts';
import { AppError } from '../../domain/errors.ts';
import { BrokenAnswer } from './broken-answer.ts';
import { abortReason } from './call-watch.ts';
import { GrowingJson } from './growing-json.ts';
import { type Growth, toValue } from './json-tree.ts';
import { VendorBusy } from './vendor-failure.ts';

export type Step<Answer> =
  | { readonly kind: 'grew'; readonly json: GrowingJson }
  | { readonly kind: 'answer'; readonly answer: Answer };

type Asking<Answer> = {
  /** One try: the pieces of the answer's text. */
  readonly stream: () => AsyncIterable<string>;
  /** Checks the form; throws a BrokenAnswer. */
  readonly read: (value: unknown) => Answer;
  /** True if the caller was shown a part of this answer. */
  readonly isShown: (growth: Growth) => boolean;
  readonly backoffMs: number;
  readonly signal: AbortSignal;
};

const MAX_BUSY_TRIES = 3;
const MAX_BROKEN_ANSWERS = 2;
const MAX_RETRY_AFTER_MS = 5000;

/** Throws an AppError. */
export async function* askModel<Answer>(asking: Asking<Answer>): AsyncGenerator<Step<Answer>> {
  const tally = { busy: 0, broken: 0, hasShown: false };
  for (;;) {
    const json = new GrowingJson();
    let answer: Answer;
    try {
      for await (const piece of asking.stream()) {
        if (!asking.isShown(json.write(piece))) continue;
        tally.hasShown = true;
        yield { kind: 'grew', json };
      }
      json.finish();
      answer = asking.read(json.root && toValue(json.root));
    } catch (error) {
      await beforeNextTry(error, tally, asking);
      continue;
    }
    yield { kind: 'answer', answer };
    return;
  }
}

/** Throws where there is no next try. */
async function beforeNextTry(
  error: unknown,
  tally: { busy: number; broken: number; readonly hasShown: boolean },
  { backoffMs: firstMs, signal }: Pick<Asking<unknown>, 'backoffMs' | 'signal'>,
): Promise<void> {
  if (error instanceof BrokenAnswer) {
    tally.broken += 1;
    if (!tally.hasShown && tally.broken < MAX_BROKEN_ANSWERS) return;
    throw new AppError('vendorAnswer', 'The answer of the reasoner did not have the form that was asked for', {
      cause: error,
    });
  }
  if (!(error instanceof VendorBusy)) throw error;
  tally.busy += 1;
  const waitMs = error.retryAfterMs ?? backoffMs(tally.busy - 1, { firstMs, spread: [0.5, 1] }, Math.random());
  if (tally.hasShown || tally.busy >= MAX_BUSY_TRIES || waitMs > MAX_RETRY_AFTER_MS) throw error.failure;
  await pause(waitMs, signal);
}

async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(waitMs, undefined, { signal });
  } catch {
    throw abortReason(signal);
  }
}
