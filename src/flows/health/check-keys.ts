// Reports for /readyz whether the stored values are sealed under the master key in force, and how far a replacement is.
import type { HealthCheck } from '../../ports/health.ts';
import type { KeyRotation } from '../../ports/key-rotation.ts';

type KeyHealthParts = { readonly keyRotation: Pick<KeyRotation, 'progress' | 'isLocked' | 'remains'> };

const NAME = 'keys';
const WHOLE = new Intl.NumberFormat('en');

export function makeCheckKeys({ keyRotation }: KeyHealthParts): HealthCheck {
  return async () => {
    if (keyRotation.isLocked()) {
      return {
        name: NAME,
        status: 'down',
        detail:
          'The master key was replaced, and this engine does not have the new one: give it the new key (MASTER_KEY, or DATA_DIR/master.key of an engine that has it) and start it again.',
      };
    }
    const found = await Promise.all([keyRotation.progress(), keyRotation.remains()]).catch(() => undefined);
    if (found === undefined) return { name: NAME, status: 'degraded', detail: 'The keys cannot be looked up now.' };
    const [progress, remains] = found;
    const sentence =
      progress === undefined || progress.endedAt !== undefined
        ? 'All stored values are sealed under the master key in force.'
        : `The master key was replaced; sealing stored values anew: ${WHOLE.format(progress.done)} of ${WHOLE.format(progress.total)}.`;
    return { name: NAME, status: 'ok', detail: remains === undefined ? sentence : `${sentence} ${remains}` };
  };
}
