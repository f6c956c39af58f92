// The credentials that a site's settings ask for.
import type { EhrSettings } from '../../../domain/site/site.ts';
import { type Credentials, makeFixedCredentials } from './credentials.ts';
import { makePlainCall } from './plain-call.ts';
import { makeRequestToken } from './request-token.ts';
import { makeTokenCache } from './token-cache.ts';

type CredentialParts = {
  readonly ehr: EhrSettings;
  /** Fetches for the site, without credentials. */
  readonly fetchAt: (url: URL, init: RequestInit) => Promise<Response>;
  readonly now: () => Date;
  /** The limit of each call that a token needs. */
  readonly timeoutMs: number;
};

export function makeCredentials({ ehr, fetchAt, now, timeoutMs }: CredentialParts): Credentials {
  const { auth, baseUrl } = ehr;
  if (auth.type !== 'client-credentials' && auth.type !== 'backend-services') return makeFixedCredentials(auth);
  const call = makePlainCall({ fetchAt, timeoutMs });
  return makeTokenCache({ requestToken: makeRequestToken({ ehr: { auth, baseUrl }, call, now }), now });
}
