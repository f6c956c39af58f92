// Launches that were refused: slowed down by address, and kept in the audit trail with the reason, never with what was sent.
import { AppError } from '../../../domain/errors.ts';
import { LaunchRefused } from '../../../domain/people/launch-refusal.ts';
import { present } from '../../../domain/present.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Audit } from '../../../ports/audit.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';

export type RefusedLaunches = {
  /** Throws `authThrottled` after too many of this address. */
  readonly note: (refused: LaunchRefused, at: { readonly site: string; readonly address: string }) => Promise<void>;
};

type Parts = {
  readonly throttle: WrongKeyThrottle;
  /** For all addresses together: the trail must not be filled by who guesses from many. */
  readonly mostKept: WrongKeyThrottle;
  readonly audit: Pick<Audit, 'append'>;
  readonly logger: Pick<Logger, 'warn'>;
};

const EVERYBODY = 'all';

export function makeRefusedLaunches({ throttle, mostKept, audit, logger }: Parts): RefusedLaunches {
  return {
    async note({ why, fault, practitioner }, { site, address }) {
      await throttle.failed(address).catch(sayLaunches);
      const details = present({ door: 'launch', address, why, fault, practitioner });
      try {
        await mostKept.failed(EVERYBODY);
        await audit.append({ action: 'person.sign-in-refused', actor: 'unknown', site, details });
      } catch (thrown) {
        // The answer stays a refusal, whatever the trail says.
        if (!isTooMany(thrown)) logger.warn('a refused launch could not be kept in the audit trail', { thrown });
      }
    },
  };
}

function isTooMany(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.code === 'authThrottled' && !(thrown instanceof LaunchRefused);
}

function sayLaunches(thrown: unknown): never {
  if (!isTooMany(thrown)) throw thrown;
  const { retryAfterSeconds = 60 } = thrown;
  const message =
    'Too many launches have failed from this address: wait a minute, and open the draft from the chart again';
  throw new AppError('authThrottled', message, { retryAfterSeconds });
}
