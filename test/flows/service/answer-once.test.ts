// The first of several requests with one key does the work; the others wait for its answer, or do the work if there is none.
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeAnswerOnce, type Turn } from '../../../src/flows/service/answer-once.ts';
import type { KeyedAnswers } from '../../../src/ports/keyed-answers.ts';
import { makeFakeKeyedAnswers } from '../../fakes/keyed-answers.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';

const request = { place: { keyId: 'key-1', clientKey: 'visit 7' }, operation: 'diagnose' } as const;
const never = new AbortController().signal;

function aDesk(changed: Partial<KeyedAnswers> = {}) {
  const runtime = makeFakeRuntime();
  const keyedAnswers = { ...makeFakeKeyedAnswers({ now: runtime.now }), ...changed };
  const failures: unknown[] = [];
  const answerOnce = makeAnswerOnce({ keyedAnswers, runtime, onStorageFailed: (thrown) => failures.push(thrown) });
  return { answerOnce, runtime, failures };
}

type Mine = Extract<Turn, { readonly kind: 'mine' }>;
const turns: Mine[] = [];
// A key that is not given up is renewed for ever, and the clock of these tests runs as long as there are pauses.
afterEach(async () => {
  for (const turn of turns.splice(0)) await turn.release();
});

function mine(turn: Turn): Mine {
  if (turn.kind !== 'mine') throw new Error('another request has the key');
  turns.push(turn);
  return turn;
}

describe('one of several requests with the same key', () => {
  it('the first does the work, and one that waited gets its answer', async () => {
    const { answerOnce } = aDesk();
    const first = mine(await answerOnce(request, never));
    const second = answerOnce(request, never);
    expect(await first.keep({ bodyDigest: 'a1', answer: 'first' })).toBe(true);
    expect(await second).toEqual({
      kind: 'answered',
      kept: { operation: 'diagnose', bodyDigest: 'a1', answer: 'first' },
    });
  });

  it('one that waited does the work if the first gives the key up', async () => {
    const { answerOnce } = aDesk();
    const first = mine(await answerOnce(request, never));
    const second = answerOnce(request, never);
    await first.release();
    expect(mine(await second).kind).toBe('mine');
  });

  it('the first holds its key however long it works, because it renews it', async () => {
    const { answerOnce, runtime } = aDesk();
    const first = mine(await answerOnce(request, never));
    const waiting = answerOnce(request, never);
    while (runtime.monotonicMs() < 5 * 60_000) await new Promise((resolve) => setImmediate(resolve));
    expect(await first.keep({ bodyDigest: 'a1', answer: 'late' })).toBe(true);
    expect((await waiting).kind).toBe('answered');
  });

  it('one that waits is refused, with the time to come again, if the first takes longer than any answer', async () => {
    const { answerOnce } = aDesk();
    mine(await answerOnce(request, never));
    await expect(answerOnce(request, never)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 30 });
  });

  it('one whose client leaves stops waiting', async () => {
    const { answerOnce } = aDesk();
    mine(await answerOnce(request, never));
    const leaving = new AbortController();
    const second = answerOnce(request, leaving.signal);
    leaving.abort(new AppError('cancelled', 'The client closed the connection'));
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('an answer that is too long is given but not kept, and the key is free', async () => {
    const { answerOnce } = aDesk();
    const first = mine(await answerOnce(request, never));
    expect(await first.keep({ bodyDigest: 'a1', answer: 'x'.repeat(8 * 1_048_576 + 1) })).toBe(false);
    expect(mine(await answerOnce(request, never)).kind).toBe('mine');
  });

  it('an answer that cannot be kept is no failure of the request', async () => {
    const away = new AppError('overloaded', 'The database cannot be reached');
    const { answerOnce, failures } = aDesk({ keep: () => Promise.reject(away) });
    const first = mine(await answerOnce(request, never));
    expect(await first.keep({ bodyDigest: 'a1', answer: 'first' })).toBe(false);
    expect(failures).toEqual([away]);
  });
});
