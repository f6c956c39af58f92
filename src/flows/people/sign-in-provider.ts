// Sign-in by the identity provider: begun in a browser, and finished in the same browser, once.
import { AppError } from '../../domain/errors.ts';
import { present } from '../../domain/present.ts';
import type { IdentityProvider } from '../../ports/identity-provider.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SignInAttempts } from '../../ports/sign-in-attempts.ts';
import type { AdmitIdentity } from './admit-identity.ts';
import type { OpenedSession, OpenSession } from './open-session.ts';

export type SignInProvider = {
  /** Returns where the browser goes. `browser`: a random cookie of this browser. Throws `vendorUnavailable`, `notConfigured`. */
  readonly begin: (order: { readonly browser: string; readonly returnTo: string }) => Promise<string>;
  /**
   * `query`: that of the callback. Throws `unauthorized` for anything that does not belong to an attempt of this browser or is not accepted,
   * `vendorUnavailable`, and what `AdmitIdentity` throws.
   */
  readonly finish: (order: {
    readonly query: string;
    readonly browser: string | undefined;
    readonly address: string;
    readonly agent?: string | undefined;
  }) => Promise<OpenedSession & { readonly returnTo: string }>;
  /** Where the session at the provider is ended, if there is such a place. */
  readonly logoutAddress: () => Promise<string | undefined>;
};

export type SignInProviderParts = {
  readonly provider: IdentityProvider;
  readonly attempts: Pick<SignInAttempts, 'begin' | 'take'>;
  readonly admitIdentity: AdmitIdentity;
  readonly openSession: OpenSession;
  readonly runtime: Pick<Runtime, 'digest'>;
  /** PUBLIC_URL without a slash at its end. */
  readonly publicUrl: string;
};

const LIFE_MS = 10 * 60_000;

export function makeSignInProvider(parts: SignInProviderParts): SignInProvider {
  const { provider, attempts, admitIdentity, openSession, runtime, publicUrl } = parts;
  const redirectUri = `${publicUrl}/sign-in/provider/callback`;
  return {
    async begin({ browser, returnTo }) {
      const { address, state, nonce, verifier } = await provider.begin(redirectUri);
      await attempts.begin({
        kind: 'oidc',
        stateDigest: runtime.digest(state),
        browserDigest: runtime.digest(browser),
        details: { issuer: provider.issuer, state, nonce, verifier, returnTo },
        lifeMs: LIFE_MS,
      });
      return address;
    },

    async finish({ query, browser, address, agent }) {
      // Taken before the answer is looked at: whatever is wrong with it, this attempt is over.
      const state = new URLSearchParams(query).get('state') ?? '';
      const details = await attempts.take('oidc', runtime.digest(state), runtime.digest(browser ?? ''));
      // An attempt of another issuer, from before a change of the settings, has nothing to do with this provider.
      if (details === undefined || details === 'wrong-browser' || details['issuer'] !== provider.issuer)
        throw unknownAttempt();
      const { nonce = '', verifier = '', returnTo = '' } = details;
      const proven = await provider.finish({ query, redirectUri, expected: { state, nonce, verifier } });
      const person = await admitIdentity(proven);
      const session = present({ ...proven.identity, sessionId: proven.sessionId });
      const order = { person: person.id, kind: 'browser', way: 'oidc', address, agent, provider: session } as const;
      return { ...(await openSession(order)), returnTo };
    },

    logoutAddress: () => provider.logoutAddress(`${publicUrl}/sign-in`),
  };
}

function unknownAttempt(): AppError {
  return new AppError(
    'unauthorized',
    'This sign-in was begun in another browser, was used, or took longer than ten minutes: start again here',
  );
}
