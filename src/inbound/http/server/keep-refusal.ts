// What is done about a refused key, sign-in or launch: its address is slowed down, and the refusal is kept in the audit trail, never with what was sent.
import { AppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Audit, AuditEntry } from '../../../ports/audit.ts';
import type { WrongKeyThrottle } from './wrong-keys.ts';

export type RefusalParts = {
  readonly throttle: WrongKeyThrottle;
  /** For all addresses together: the trail must not be filled by who guesses from many. */
  readonly mostKept: WrongKeyThrottle;
  readonly audit: Pick<Audit, 'append'>;
  readonly logger: Pick<Logger, 'warn'>;
};

type RefusalWords = {
  /** For the log: a refused `key`. */
  readonly what: string;
  /** For an address that comes too often. Absent: what the throttle says. */
  readonly tooMany?: string;
};

/** Throws `authThrottled` after too many of this address. */
export type KeepRefusal = (address: string, entry: Omit<AuditEntry, 'actor'>) => Promise<void>;

const ALL_ADDRESSES = 'all';

export function makeKeepRefusal(parts: RefusalParts, { what, tooMany }: RefusalWords): KeepRefusal {
  const { throttle, mostKept, audit, logger } = parts;
  return async (address, entry) => {
    await throttle.failed(address).catch((thrown: unknown) => {
      throw isTooMany(thrown) && tooMany !== undefined ? withWords(thrown, tooMany) : thrown;
    });
    try {
      await mostKept.failed(ALL_ADDRESSES);
      await audit.append({ ...entry, actor: 'unknown' });
    } catch (thrown) {
      // The answer stays a refusal, whatever the trail says.
      if (!isTooMany(thrown)) logger.warn(`a refused ${what} could not be kept in the audit trail`, { thrown });
    }
  };
}

function isTooMany(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.code === 'authThrottled';
}

function withWords({ retryAfterSeconds = 60 }: AppError, words: string): AppError {
  return new AppError('authThrottled', words, { retryAfterSeconds });
}
