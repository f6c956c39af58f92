// Repeated work, and the cache of pauses.
import { describe, expect, it } from '@jest/globals';
import { startRepeating } from '../../../src/inbound/clock/repeat.ts';
import { until } from '../../support/until.ts';

/** Pauses end when the test calls `end`. */
function aRoom() {
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  const runtime = {
    chance: () => 0.5,
    pause: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        pauses.push({ ms, end: resolve });
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
  return { runtime, pauses };
}

describe('repeated work', () => {
  it('starts at once and again after the interval', async () => {
    const { runtime, pauses } = aRoom();
    let count = 0;
    const work = async () => {
      count += 1;
      return false;
    };
    const repetition = startRepeating({ runtime, everyMs: 1_000, work, onFailed: () => undefined });
    await until(() => pauses.length === 1);
    expect([count, pauses[0]?.ms]).toEqual([1, 1_000]);
    pauses[0]?.end();
    await until(() => count === 2);
    await repetition.stop();
  });

  it('continues without a pause while there is more to do', async () => {
    const { runtime, pauses } = aRoom();
    let count = 0;
    const work = async () => {
      count += 1;
      return count < 5;
    };
    const repetition = startRepeating({ runtime, everyMs: 1_000, work, onFailed: () => undefined });
    await until(() => pauses.length === 1);
    expect(count).toBe(5);
    await repetition.stop();
  });

  it('reports a failure, and the next round starts as usual', async () => {
    const { runtime, pauses } = aRoom();
    const failed: unknown[] = [];
    const work = async () => {
      throw new Error('no');
    };
    const repetition = startRepeating({ runtime, everyMs: 1_000, work, onFailed: (thrown) => failed.push(thrown) });
    await until(() => pauses.length === 1);
    pauses[0]?.end();
    await until(() => failed.length === 2);
    await repetition.stop();
  });

  it('starts the next round at once when it is asked to', async () => {
    const { runtime, pauses } = aRoom();
    let count = 0;
    const work = async () => {
      count += 1;
      return false;
    };
    const repetition = startRepeating({ runtime, everyMs: 1_000, work, onFailed: () => undefined });
    await until(() => pauses.length === 1);
    repetition.runNow();
    await until(() => count === 2);
    await repetition.stop();
  });

  it('a stop aborts the current round and waits for it', async () => {
    const { runtime } = aRoom();
    const told: string[] = [];
    const work = (signal: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        signal.addEventListener('abort', () => {
          told.push('aborted');
          resolve(false);
        });
      });
    const repetition = startRepeating({ runtime, everyMs: 1_000, work, onFailed: () => told.push('failed') });
    await repetition.stop();
    expect(told).toEqual(['aborted']);
  });
});
