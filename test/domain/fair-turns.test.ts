import { describe, expect, it } from '@jest/globals';
import { makeFairTurns } from '../../src/domain/fair-turns.ts';
import { fc } from '../support/fast-check.ts';

const never = new AbortController().signal;

/** Takes turns for the owners in this order, and returns the order in which they had them. */
async function orderOf(owners: readonly string[], mostWaiting = 100): Promise<readonly string[]> {
  const turns = makeFairTurns({ mostWaiting, retryAfterSeconds: 1 });
  const had: string[] = [];
  const hold = await turns.take('first of all', never);
  const all = owners.map(async (owner) => {
    const end = await turns.take(owner, never);
    had.push(owner);
    end();
  });
  hold();
  await Promise.all(all);
  return had;
}

describe('owners who share one thing', () => {
  it('take turns, however much one of them has waiting', async () => {
    expect((await orderOf(['a', 'a', 'a', 'a', 'b', 'c', 'b'])).join('')).toBe('abcabaa');
  });

  it('all get theirs, and between two turns of one each other who waits has had one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 }), async (owners) => {
        const had = await orderOf(owners);
        expect([...had].sort()).toEqual([...owners].sort());
        had.forEach((owner, at) => {
          const again = had.indexOf(owner, at + 1);
          const left = new Set(had.slice(at + 1));
          left.delete(owner);
          if (again > 0) expect(new Set(had.slice(at + 1, again))).toEqual(left);
        });
      }),
    );
  });

  it('are refused beyond what one of them may have waiting, and others are not', async () => {
    const turns = makeFairTurns({ mostWaiting: 2, retryAfterSeconds: 7 });
    const end = await turns.take('a', never);
    const waiting = [turns.take('a', never), turns.take('a', never)];
    await expect(turns.take('a', never)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 7 });
    const other = turns.take('b', never);
    end();
    for (const next of [waiting[0], other, waiting[1]]) (await next)?.();
    (await turns.take('a', never))();
  });

  it('leave the line if they no longer want their turn', async () => {
    const turns = makeFairTurns({ mostWaiting: 1, retryAfterSeconds: 1 });
    const end = await turns.take('a', never);
    const gone = new AbortController();
    const left = turns.take('a', gone.signal);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    const next = turns.take('a', never);
    end();
    end();
    (await next)();
    (await turns.take('b', never))();
  });
});
