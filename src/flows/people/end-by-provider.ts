// Ends sessions because the identity provider says so (back-channel logout).
import { AppError } from '../../domain/errors.ts';
import type { IdentityProvider } from '../../ports/identity-provider.ts';
import type { SignInAttempts } from '../../ports/sign-in-attempts.ts';
import type { CloseSession } from './close-session.ts';

/** Throws `invalidRequest` for a token that is not accepted or was used before, and `vendorUnavailable` if it cannot be checked now. */
export type EndByProvider = (order: { readonly token: string; readonly address: string }) => Promise<void>;

export type EndByProviderParts = {
  readonly provider: Pick<IdentityProvider, 'issuer' | 'readLogout'>;
  readonly attempts: Pick<SignInAttempts, 'useOnce'>;
  readonly closeSession: CloseSession;
};

export function makeEndByProvider({ provider, attempts, closeSession }: EndByProviderParts): EndByProvider {
  const { issuer } = provider;
  return async ({ token, address }) => {
    const logout = await provider.readLogout(token);
    if (logout === undefined || !(await attempts.useOnce(issuer, logout.tokenId, logout.until))) {
      throw new AppError('invalidRequest', 'The logout token is not accepted');
    }
    const { sessionId, subject } = logout;
    const by = { why: 'by-provider', actor: 'engine', address } as const;
    const ended =
      sessionId === undefined ? [] : await closeSession({ which: { issuer, providerSession: sessionId }, ...by });
    // A session whose number the provider never told cannot be found by it: then all of the subject end, which is the safe side.
    if (ended.length === 0 && subject !== undefined) await closeSession({ which: { issuer, subject }, ...by });
  };
}
