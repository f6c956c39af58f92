// Failed sign-ins: slowed down by address, and kept in the audit trail with door and address, never with what was typed.
import { AppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Audit } from '../../../ports/audit.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';

export type SignInDoor = 'provider' | 'provider-logout' | 'link' | 'passkey' | 'password';

export type RefusedSignIns = {
  /** Throws `authThrottled` after too many of this address. */
  readonly note: (address: string, door: SignInDoor) => Promise<void>;
};

type Parts = {
  readonly throttle: WrongKeyThrottle;
  /** For all addresses together: the trail must not be filled by who guesses from many. */
  readonly mostKept: WrongKeyThrottle;
  readonly audit: Pick<Audit, 'append'>;
  readonly logger: Pick<Logger, 'warn'>;
};

const EVERYBODY = 'all';

export function makeRefusedSignIns({ throttle, mostKept, audit, logger }: Parts): RefusedSignIns {
  return {
    async note(address, door) {
      try {
        await throttle.failed(address);
      } catch (thrown) {
        throw isTooMany(thrown) ? tooMany(thrown) : thrown;
      }
      try {
        await mostKept.failed(EVERYBODY);
        await audit.append({ action: 'person.sign-in-refused', actor: 'unknown', details: { door, address } });
      } catch (thrown) {
        // The answer stays a refusal, whatever the trail says.
        if (!isTooMany(thrown)) logger.warn('a refused sign-in could not be kept in the audit trail', { thrown });
      }
    },
  };
}

function isTooMany(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.code === 'authThrottled';
}

function tooMany({ retryAfterSeconds = 60 }: AppError): AppError {
  return new AppError('authThrottled', 'Too many sign-ins have failed from this address: wait a minute and try again', {
    retryAfterSeconds,
  });
}
