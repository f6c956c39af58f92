// Asks until there is an answer of the asked form, within bounds: a vendor that is busy is asked up to three times; an answer that breaks
// the form, or that is doubtful, is asked for once more. Once something of an answer was shown nothing is asked again. A doubtful answer is
// better than none: it is kept until there is a better one.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnsweringModel } from '../../domain/answering-model.ts';
import { backoffMs } from '../../domain/backoff.ts';
import type { BadForm } from '../../domain/diagnosis/repair-diagnosis.ts';
import { AppError } from '../../domain/errors.ts';
import { BrokenAnswer } from './broken-answer.ts';
import { abortReason } from './call-watch.ts';
import { GrowingJson } from './growing-json.ts';
import { type Growth, toValue } from './json-tree.ts';
import { VendorBusy } from './vendor-failure.ts';

export type Step<Answer> =
  | { readonly kind: 'grew'; readonly json: GrowingJson }
  | { readonly kind: 'answer'; readonly answer: Answer; readonly answeredBy?: AnsweringModel | undefined };

export type Attempt = {
  /** What was doubtful in the answer before; empty in the first attempt. */
  readonly doubts: readonly BadForm[];
  readonly onModel: (answeredBy: AnsweringModel) => void;
};

type Asking<Answer> = {
  /** One try: the pieces of the answer's text. */
  readonly stream: (attempt: Attempt) => AsyncIterable<string>;
  /** Checks the form; throws a BrokenAnswer. */
  readonly read: (value: unknown) => Answer;
  /** What is doubtful in an answer of the right form. */
  readonly findDoubts: (answer: Answer) => Promise<readonly BadForm[]>;
  /** True if the caller was shown a part of this answer. */
  readonly isShown: (growth: Growth) => boolean;
  readonly backoffMs: number;
  readonly signal: AbortSignal;
};

type Judged<Answer> = {
  readonly answer: Answer;
  readonly answeredBy: AnsweringModel | undefined;
  readonly doubts: readonly BadForm[];
};

const MAX_BUSY_TRIES = 3;
/** Broken and doubtful ones together. */
const MAX_BAD_ANSWERS = 2;
const MAX_RETRY_AFTER_MS = 5000;

/** Throws an AppError. */
export async function* askModel<Answer>(asking: Asking<Answer>): AsyncGenerator<Step<Answer>> {
  const tally = { busy: 0, bad: 0, hasShown: false };
  let doubtful: Judged<Answer> | undefined;
  for (;;) {
    let judged: Judged<Answer>;
    try {
      judged = yield* askOnce(asking, doubtful?.doubts ?? [], tally);
    } catch (error) {
      if (doubtful === undefined) {
        await beforeNextTry(error, tally, asking);
        continue;
      }
      if (error instanceof AppError && error.code === 'cancelled') throw error;
      judged = doubtful;
    }
    if (judged.doubts.length > 0) tally.bad += 1;
    if (judged.doubts.length > 0 && tally.bad < MAX_BAD_ANSWERS && !tally.hasShown) {
      doubtful = judged;
      continue;
    }
    const { answer, answeredBy } = lessDoubtful(judged, doubtful);
    yield { kind: 'answer', answer, answeredBy };
    return;
  }
}

async function* askOnce<Answer>(
  { stream, read, findDoubts, isShown }: Asking<Answer>,
  doubts: readonly BadForm[],
  tally: { hasShown: boolean },
): AsyncGenerator<Step<Answer>, Judged<Answer>> {
  const json = new GrowingJson();
  let answeredBy: AnsweringModel | undefined;
  const onModel = (by: AnsweringModel) => {
    answeredBy = by;
  };
  for await (const piece of stream({ doubts, onModel })) {
    if (!isShown(json.write(piece))) continue;
    tally.hasShown = true;
    yield { kind: 'grew', json };
  }
  json.finish();
  const answer = read(json.root && toValue(json.root));
  return { answer, answeredBy, doubts: await findDoubts(answer) };
}

/** The later one if both are alike: it was asked for with more care. */
function lessDoubtful<Answer>(later: Judged<Answer>, earlier: Judged<Answer> | undefined): Judged<Answer> {
  return earlier !== undefined && earlier.doubts.length < later.doubts.length ? earlier : later;
}

/** Throws where there is no next try. */
async function beforeNextTry(
  error: unknown,
  tally: { busy: number; bad: number; readonly hasShown: boolean },
  { backoffMs: firstMs, signal }: Pick<Asking<unknown>, 'backoffMs' | 'signal'>,
): Promise<void> {
  if (error instanceof BrokenAnswer) {
    tally.bad += 1;
    if (!tally.hasShown && tally.bad < MAX_BAD_ANSWERS) return;
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
