// Makes the flows of signing in with a browser.
import { makeGrowingWaits } from '../domain/people/growing-wait.ts';
import { makeSemaphore } from '../domain/semaphore.ts';
import { makeAdmitIdentity } from '../flows/people/admit-identity.ts';
import { makeCloseSession } from '../flows/people/close-session.ts';
import { makeEndByProvider } from '../flows/people/end-by-provider.ts';
import { makeOpenSession } from '../flows/people/open-session.ts';
import { makeOwnPasskeys } from '../flows/people/own-passkeys.ts';
import { makeSignInLocal } from '../flows/people/sign-in-local.ts';
import { makeSignInProvider } from '../flows/people/sign-in-provider.ts';
import { makeUseLink } from '../flows/people/use-link.ts';
import { makeVisitPage } from '../flows/people/visit-page.ts';
import { makePasskeyChecks } from '../outbound/webauthn/passkey-checks.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Stores } from './make-stores.ts';
import type { ConfiguredProvider } from './open-identity-provider.ts';
import type { Storage } from './open-storage.ts';

/** Each hash of a password takes 128 MiB. */
const MOST_HASHES_AT_ONCE = 2;

type SignInParts = {
  readonly stores: Stores;
  readonly secrets: Storage['secrets'];
  readonly configured: ConfiguredProvider | undefined;
  readonly publicUrl: string;
};

export function makeSignIn({ stores, secrets, configured, publicUrl: address }: SignInParts) {
  const publicUrl = address.replace(/\/+$/, '');
  const formDigest = secrets.digest('form-tokens');
  const formTokenOf = (session: string) => formDigest(session).toString('base64url');
  const parts = { ...stores, attempts: stores.signInAttempts, runtime: systemRuntime, formTokenOf, publicUrl };
  const [openSession, closeSession] = [makeOpenSession(parts), makeCloseSession(parts)];
  const byProvider = configured && { ...parts, ...configured, openSession, closeSession };
  const passkeyChecks = makePasskeyChecks({ publicUrl });
  const hashing = makeSemaphore(MOST_HASHES_AT_ONCE);
  const local = { ...parts, passkeyChecks, openSession, closeSession, hashing, waits: makeGrowingWaits() };
  return {
    publicUrl,
    ownPasskeys: makeOwnPasskeys(local),
    signInLocal: makeSignInLocal(local),
    useLink: makeUseLink(local),
    visitPage: makeVisitPage(parts),
    closeSession,
    signInProvider: byProvider && makeSignInProvider({ ...byProvider, admitIdentity: makeAdmitIdentity(byProvider) }),
    endByProvider: byProvider && makeEndByProvider(byProvider),
  };
}
