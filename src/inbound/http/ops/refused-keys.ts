// Wrong keys of people and scrapers: throttled by address, and kept in the audit trail with the address, never with the key.
import { AppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Audit } from '../../../ports/audit.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';

export type RefusedKeys = {
  /** `at`: what the key should have opened. Throws `authThrottled` after too many of this address. */
  readonly note: (address: string, at: '/ops' | 'status') => Promise<void>;
};

type Parts = {
  readonly throttle: WrongKeyThrottle;
  /** For all addresses together: the trail must not be filled by who guesses from many. */
  readonly mostKept: WrongKeyThrottle;
  readonly audit: Pick<Audit, 'append'>;
  readonly logger: Pick<Logger, 'warn'>;
};

const EVERYBODY = 'all';

export function makeRefusedKeys({ throttle, mostKept, audit, logger }: Parts): RefusedKeys {
  return {
    async note(address, at) {
      await throttle.failed(address);
      try {
        await mostKept.failed(EVERYBODY);
        await audit.append({ action: 'key.refused', actor: 'unknown', details: { address, at } });
      } catch (thrown) {
        // The answer stays 401, whatever the trail says.
        if (!isTooMany(thrown)) logger.warn('a refused key could not be kept in the audit trail', { thrown });
      }
    },
  };
}

function isTooMany(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === 'authThrottled';
}
