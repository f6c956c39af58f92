// A master key that can be replaced once at a time; `finish` ends the sealing.
import { AppError } from '../../src/domain/errors.ts';
import type { KeyRotation, RotationProgress } from '../../src/ports/key-rotation.ts';

export type FakeKeyRotation = KeyRotation & { readonly finish: () => void };

export function makeFakeKeyRotation({ now }: { readonly now: () => Date }): FakeKeyRotation {
  let last: RotationProgress | undefined;
  return {
    async rotate() {
      if (last !== undefined && last.endedAt === undefined) {
        throw new AppError('conflict', 'Stored values are still being sealed anew');
      }
      last = { done: 1200, total: 5000, startedAt: now() };
      return last;
    },
    progress: async () => last,
    isLocked: () => false,
    remains: async () => (last === undefined ? undefined : 'Remove MASTER_KEY_NEXT.'),
    finish: () => {
      if (last !== undefined) last = { ...last, done: last.total, endedAt: now() };
    },
  };
}
