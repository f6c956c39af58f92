// What an engine does again and again, and what it remembers of pauses.
import { describe, expect, test } from '@jest/globals';
import { startRepeating } from '../../../src/inbound/clock/repeat.ts';
import { until } from '../../support/until.ts';

/** Pauses end when the test says so. */
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

describe('rounds', () => {
  test('begin at once, and come again after their time', async () => {
    const { runtime, pauses } = aRoom();
    let count = 0;
    const work = async () => {
      count += 1;
      return false;
    };
    const rounds = startRepeating({ runtime, everyMs: 1_000, work, onFailed: () => undefined });
    await until(() => pauses.length === 1);
    expect([count, pauses[0]?.ms]).toEqual([1, 1_000]);
    pauses[0]?.end();
    await until(() => count === 2);
    await rounds.stop();
  });

  test('go on without a pause while there is more to do', async () => {
    const { runtime, pauses } = aRoom();
    let count = 0;
    const work = async () => {
      count += 1;
      return count < 5;
    };
    const rounds = startRepeating({ runtime, everyMs: 1_000, work, onFailed: () => undefined });
    await until(() => pauses.length === 1);
    expect(count).toBe(5);
    await rounds.stop();
  });

  test('one that fails is told, and the next one comes all the same', async () => {
    const { runtime, pauses } = aRoom();
    const failed: unknown[] = [];
    const work = async () => {
      throw new Error('no');
    };
    const rounds = startRepeating({ runtime, everyMs: 1_000, work, onFailed: (thrown) => failed.push(thrown) });
    await until(() => pauses.length === 1);
    pauses[0]?.end();
    await until(() => failed.length === 2);
    await rounds.stop();
  });

  test('can be hurried', async () => {
    const { runtime, pauses } = aRoom();
    let count = 0;
    const work = async () => {
      count += 1;
      return false;
    };
    const rounds = startRepeating({ runtime, everyMs: 1_000, work, onFailed: () => undefined });
    await until(() => pauses.length === 1);
    rounds.runNow();
    await until(() => count === 2);
    await rounds.stop();
  });

  test('a stop tells what is under way, and waits for it', async () => {
    const { runtime } = aRoom();
    const told: string[] = [];
    const work = (signal: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        signal.addEventListener('abort', () => {
          told.push('heard');
          resolve(false);
        });
      });
    const rounds = startRepeating({ runtime, everyMs: 1_000, work, onFailed: () => told.push('failed') });
    await rounds.stop();
    expect(told).toEqual(['heard']);
  });
});
