// Sign-in of local accounts: by passkey, or by password and one-time code. What fails, fails in the same words, whether the account exists or not.
import { AppError } from '../../domain/errors.ts';
import type { GrowingWaits } from '../../domain/people/growing-wait.ts';
import { checkPassword, hashPassword, NOBODYS_HASH, SALT_BYTES } from '../../domain/people/password.ts';
import { findTotpStep } from '../../domain/people/totp.ts';
import type { Semaphore } from '../../domain/semaphore.ts';
import type { LocalAccounts } from '../../ports/local-accounts.ts';
import type { PasskeyChecks, PasskeyQuestion } from '../../ports/passkey-checks.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SignInAttempts } from '../../ports/sign-in-attempts.ts';
import type { OpenedSession, OpenSession } from './open-session.ts';

type FromBrowser = { readonly address: string; readonly agent?: string | undefined };

/** Each throws `unauthorized` in words that say nothing about the account, and `forbidden` for one that is disabled. */
export type SignInLocal = {
  /** `browser`: a random cookie of this browser. */
  readonly askPasskey: (browser: string) => Promise<PasskeyQuestion>;
  readonly byPasskey: (
    order: FromBrowser & { readonly browser: string | undefined; readonly challenge: string; readonly answer: string },
  ) => Promise<OpenedSession>;
  /** `account`: its id. Throws `authThrottled` while the account waits after failures. */
  readonly byPassword: (
    order: FromBrowser & { readonly account: string; readonly password: string; readonly code: string },
    signal: AbortSignal,
  ) => Promise<OpenedSession>;
};

export type SignInLocalParts = {
  readonly localAccounts: LocalAccounts;
  readonly attempts: Pick<SignInAttempts, 'begin' | 'take'>;
  readonly passkeyChecks: PasskeyChecks;
  readonly openSession: OpenSession;
  readonly waits: GrowingWaits;
  /** Hashing a password takes 128 MiB. */
  readonly hashing: Semaphore;
  readonly runtime: Pick<Runtime, 'now' | 'digest' | 'makeSecret'>;
};

const MOST_CHARACTERS = 64;
const PASSKEY_LIFE_MS = 5 * 60_000;
const ACCOUNT = /^(?:Person\/)?([0-9a-f]{16})$/;

export function makeSignInLocal(parts: SignInLocalParts): SignInLocal {
  const { attempts, passkeyChecks, openSession, runtime } = parts;
  return {
    async askPasskey(browser) {
      const question = await passkeyChecks.ask();
      await attempts.begin({
        kind: 'passkey',
        stateDigest: runtime.digest(question.challenge),
        browserDigest: runtime.digest(browser),
        details: {},
        lifeMs: PASSKEY_LIFE_MS,
      });
      return question;
    },

    async byPasskey({ browser, challenge, answer, ...from }) {
      const person = await personOfPasskey(parts, { browser, challenge, answer });
      if (person === undefined) throw new AppError('unauthorized', 'The passkey was not accepted: try again');
      return openSession({ person, kind: 'browser', way: 'passkey', ...from });
    },

    async byPassword(order, signal) {
      const { account, password, code, ...from } = order;
      const [, person] =
        ACCOUNT.exec(
          account
            .trim()
            .toLowerCase()
            .replace(/^person\//, 'Person/'),
        ) ?? [];
      await requirePassword(parts, { account: account.trim().toLowerCase(), person, password, code }, signal);
      return openSession({ person: person ?? '', kind: 'browser', way: 'password', ...from });
    },
  };
}

async function personOfPasskey(
  { localAccounts, attempts, passkeyChecks, runtime }: SignInLocalParts,
  given: { readonly browser: string | undefined; readonly challenge: string; readonly answer: string },
): Promise<string | undefined> {
  const { browser = '', challenge, answer } = given;
  // Burnt first: an answer is good for one try.
  const attempt = await attempts.take('passkey', runtime.digest(challenge), runtime.digest(browser));
  if (attempt === undefined || attempt === 'wrong-browser') return undefined;
  const id = passkeyChecks.idIn(answer);
  const passkey = id === undefined ? undefined : await localAccounts.findPasskey(id);
  const read = passkey && (await passkeyChecks.read({ answer, challenge, passkey }));
  if (passkey === undefined || read === undefined) return undefined;
  return (await localAccounts.notePasskeyUse(passkey.id, read.counter)) ? passkey.person : undefined;
}

type PasswordTry = {
  readonly account: string;
  readonly person: string | undefined;
  readonly password: string;
  readonly code: string;
};

async function requirePassword(parts: SignInLocalParts, tried: PasswordTry, signal: AbortSignal): Promise<void> {
  const { waits, runtime } = parts;
  const name = tried.person ?? tried.account.slice(0, MOST_CHARACTERS);
  const msLeft = waits.msLeft(name, runtime.now());
  if (msLeft > 0) {
    const why = 'Too many tries have failed for this account: wait a little, or use a passkey or a one-time link';
    throw new AppError('authThrottled', why, { retryAfterSeconds: msLeft / 1_000 });
  }
  // Counted before it is known: tries at the same moment do not get round the wait.
  waits.failed(name, runtime.now());
  if (!(await isRight(parts, tried, signal))) {
    throw new AppError(
      'unauthorized',
      'Account, password or code is wrong, or the code was used: try again with the next code',
    );
  }
  waits.succeeded(name);
}

async function isRight(parts: SignInLocalParts, tried: PasswordTry, signal: AbortSignal): Promise<boolean> {
  const { localAccounts, runtime } = parts;
  const { person = '', password, code } = tried;
  const stored = tried.person === undefined ? undefined : await localAccounts.passwordOf(person);
  const factor = tried.person === undefined ? undefined : await localAccounts.secondFactorOf(person);
  const release = await parts.hashing.take(signal);
  try {
    const { isRight: isPasswordRight, isOutdated } = await checkPassword(
      password.slice(0, 1_000),
      stored ?? NOBODYS_HASH,
    );
    const step = factor === undefined ? undefined : findTotpStep(factor.secret, code, runtime.now());
    if (!isPasswordRight || step === undefined || !(await localAccounts.useStep(person, step))) return false;
    if (isOutdated)
      await localAccounts.setPassword(person, await hashPassword(password, runtime.makeSecret(SALT_BYTES)));
    return true;
  } finally {
    release();
  }
}
