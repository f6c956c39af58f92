// Time and chance of this machine, for the flows.
import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export const systemRuntime = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  pause: async (ms: number, signal: AbortSignal): Promise<void> => {
    await sleep(ms, undefined, { signal }).catch((thrown) => {
      throw signal.aborted ? signal.reason : thrown;
    });
  },
  chance: () => Math.random(),
  makeUuid: () => randomUUID(),
  makeSecret: (sizeBytes: number): Uint8Array => randomBytes(sizeBytes),
  digest: (text: string): Uint8Array => createHash('sha256').update(text).digest(),
  isSameDigest: (a: Uint8Array, b: Uint8Array) => a.length === b.length && timingSafeEqual(a, b),
};
