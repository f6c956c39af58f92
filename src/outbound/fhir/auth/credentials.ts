// The credentials of one site's EHR: the value of the `authorization` header of a call.
import type { EhrAuth } from '../../../domain/site/site.ts';

export type Credentials = {
  /** Undefined: the EHR needs none. Throws a TransportFailure if credentials are configured and cannot be obtained. */
  readonly get: (signal: AbortSignal) => Promise<string | undefined>;
  /** Called after a 401 to `refused`. Undefined: there are no others, and a further try is of no use. */
  readonly renew: (refused: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Called when the EHR accepted these. */
  readonly noteAccepted: (accepted: string) => void;
  /** Called when the EHR refused new credentials for the same call as the old ones. */
  readonly noteFutile: () => void;
};

/** Credentials from the settings, which never change. */
export function makeFixedCredentials(auth: Extract<EhrAuth, { type: 'none' | 'basic' | 'bearer' }>): Credentials {
  const authorization = fixedAuthorization(auth);
  return {
    get: () => Promise.resolve(authorization),
    renew: () => Promise.resolve(undefined),
    noteAccepted: () => undefined,
    noteFutile: () => undefined,
  };
}

function fixedAuthorization(auth: Parameters<typeof makeFixedCredentials>[0]): string | undefined {
  if (auth.type === 'none') return undefined;
  // A token that was read from a file ends with a line break.
  if (auth.type === 'bearer') return `Bearer ${auth.token.trim()}`;
  return basicAuthorization(auth.username, auth.password);
}

export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
