// The one-time link of a local account: looking at it changes nothing; using it registers a passkey, or sets password and one-time codes, and signs
// the person in. Whatever sessions the person had before end, because the link may be the way back after a theft.
import { AppError } from '../../domain/errors.ts';
import { hashPassword, passwordProblem, SALT_BYTES } from '../../domain/people/password.ts';
import type { Person } from '../../domain/people/person.ts';
import { findTotpStep, TOTP_SECRET_BYTES, totpAddress, totpSecretText } from '../../domain/people/totp.ts';
import type { Semaphore } from '../../domain/semaphore.ts';
import type { Audit } from '../../ports/audit.ts';
import type { LocalAccounts } from '../../ports/local-accounts.ts';
import type { PasskeyChecks } from '../../ports/passkey-checks.ts';
import type { People } from '../../ports/people.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SignInAttempts } from '../../ports/sign-in-attempts.ts';
import { randomSecret } from '../random-names.ts';
import type { CloseSession } from './close-session.ts';
import type { OpenedSession, OpenSession } from './open-session.ts';

export type OpenedLink = {
  readonly person: Person;
  /** For a new passkey: JSON text for the browser, and its challenge. */
  readonly passkey: { readonly challenge: string; readonly options: string };
  /** For an authenticator app. `state` names the secret, which stays with the engine. */
  readonly codes: { readonly state: string; readonly secretText: string; readonly address: string };
};

type LinkUse = {
  readonly token: string;
  readonly browser: string | undefined;
  readonly address: string;
  readonly agent?: string | undefined;
};

export type UseLink = {
  /** Throws `unauthorized` for a link that is wrong, used or too old. `browser`: a random cookie of this browser. */
  readonly look: (token: string, browser: string) => Promise<OpenedLink>;
  /** Throws `unauthorized` as above or if the passkey is not accepted. Then the link is still good. */
  readonly withPasskey: (
    order: LinkUse & { readonly challenge: string; readonly answer: string },
  ) => Promise<OpenedSession>;
  /** Throws `unauthorized` as above, and `invalidRequest` for a password that is not taken or a wrong code. Then the link is still good. */
  readonly withPassword: (
    order: LinkUse & { readonly state: string; readonly password: string; readonly code: string },
    signal: AbortSignal,
  ) => Promise<OpenedSession>;
};

export type UseLinkParts = {
  readonly localAccounts: LocalAccounts;
  readonly people: Pick<People, 'find'>;
  readonly attempts: Pick<SignInAttempts, 'begin' | 'take'>;
  readonly passkeyChecks: PasskeyChecks;
  readonly audit: Pick<Audit, 'append'>;
  readonly openSession: OpenSession;
  readonly closeSession: CloseSession;
  readonly hashing: Semaphore;
  readonly runtime: Pick<Runtime, 'now' | 'digest' | 'makeSecret'>;
};

const LIFE_MS = 15 * 60_000;

export function makeUseLink(parts: UseLinkParts): UseLink {
  const { localAccounts, attempts, passkeyChecks, audit, runtime } = parts;
  return {
    async look(token, browser) {
      const person = await personOf(parts, token);
      const known = await localAccounts.passkeysOf(person.id);
      const passkey = await passkeyChecks.askForNew({ id: person.id, name: person.name, known });
      const secret = runtime.makeSecret(TOTP_SECRET_BYTES);
      const state = randomSecret(runtime);
      const mine = { browserDigest: runtime.digest(browser), lifeMs: LIFE_MS } as const;
      const [newPasskey, codes] = [runtime.digest(passkey.challenge), runtime.digest(state)];
      await attempts.begin({ kind: 'new-passkey', stateDigest: newPasskey, details: { person: person.id }, ...mine });
      const details = { person: person.id, secret: Buffer.from(secret).toString('base64url') };
      await attempts.begin({ kind: 'second-factor', stateDigest: codes, details, ...mine });
      const address = totpAddress(secret, person.name);
      return { person, passkey, codes: { state, secretText: totpSecretText(secret), address } };
    },

    async withPasskey({ challenge, answer, ...use }) {
      const person = await personOf(parts, use.token);
      const attempt = await takeAttempt(parts, 'new-passkey', challenge, use);
      const passkey = attempt['person'] === person.id ? await passkeyChecks.readNew({ answer, challenge }) : undefined;
      if (passkey === undefined)
        throw new AppError('unauthorized', 'The passkey was not accepted: open the link again');
      await useUp(parts, use.token, person.id);
      const details = { person: person.id, passkey: passkey.id, address: use.address };
      await audit.append({ action: 'passkey.add', actor: `person/${person.id}`, details });
      await localAccounts.addPasskey({ ...passkey, person: person.id, label: 'passkey' });
      return enter(parts, person.id, use);
    },

    async withPassword({ state, password, code, ...use }, signal) {
      const person = await personOf(parts, use.token);
      const problem = passwordProblem(password);
      if (problem !== undefined) throw new AppError('invalidRequest', `${problem}. Open the link again`);
      const attempt = await takeAttempt(parts, 'second-factor', state, use);
      const secret = Buffer.from(attempt['person'] === person.id ? (attempt['secret'] ?? '') : '', 'base64url');
      const step = findTotpStep(secret, code, runtime.now());
      if (step === undefined) {
        const why =
          'The code does not belong to the secret that you were shown: open the link again, and add the new secret';
        throw new AppError('invalidRequest', why);
      }
      const hash = await hashed(parts, password, signal);
      await useUp(parts, use.token, person.id);
      await localAccounts.setPassword(person.id, hash);
      await localAccounts.setSecondFactor(person.id, secret);
      await localAccounts.useStep(person.id, step);
      return enter(parts, person.id, use);
    },
  };
}

async function personOf({ localAccounts, people, runtime }: UseLinkParts, token: string): Promise<Person> {
  const link = await localAccounts.findLink(runtime.digest(token));
  const person = link && (await people.find(link.person));
  if (person === undefined || person.disabledAt !== undefined) throw badLink();
  return person;
}

async function takeAttempt(
  { attempts, runtime }: UseLinkParts,
  kind: 'new-passkey' | 'second-factor',
  state: string,
  { browser = '' }: LinkUse,
): Promise<Readonly<Record<string, string>>> {
  const attempt = await attempts.take(kind, runtime.digest(state), runtime.digest(browser));
  if (attempt !== undefined && attempt !== 'wrong-browser') return attempt;
  throw new AppError('unauthorized', 'This page is too old, or was opened in another browser: open the link again');
}

/** Of two who use the link at the same moment, one gets through. */
async function useUp({ localAccounts, runtime }: UseLinkParts, token: string, person: string): Promise<void> {
  const used = await localAccounts.useLink(runtime.digest(token));
  if (used?.person !== person) throw badLink();
}

async function enter(
  { openSession, closeSession }: UseLinkParts,
  person: string,
  { address, agent }: LinkUse,
): Promise<OpenedSession> {
  await closeSession({ which: { person }, why: 'replaced', actor: `person/${person}`, address });
  return openSession({ person, kind: 'browser', way: 'link', address, agent });
}

async function hashed({ hashing, runtime }: UseLinkParts, password: string, signal: AbortSignal): Promise<string> {
  const release = await hashing.take(signal);
  try {
    return await hashPassword(password, runtime.makeSecret(SALT_BYTES));
  } finally {
    release();
  }
}

function badLink(): AppError {
  return new AppError('unauthorized', 'This link was used, has ended, or is wrong: ask an admin for a new one');
}
