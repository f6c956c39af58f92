// What a call to the EHR is authorised with: the value of its `authorization` header. One source for one site's EHR.
import type { EhrAuth } from '../../../domain/site/site.ts';

export type Credentials = {
  /** Undefined: goes without. Throws a TransportFailure where there should be some and none can be had. */
  readonly get: (signal: AbortSignal) => Promise<string | undefined>;
  /** After a 401 to `refused`. Undefined: there are no others, and trying again is of no use. */
  readonly renew: (refused: string, signal: AbortSignal) => Promise<string | undefined>;
  /** The EHR has taken these. */
  readonly noteAccepted: (accepted: string) => void;
  /** The EHR has refused new ones for what it had refused the old ones for. */
  readonly noteFutile: () => void;
};

/** Credentials that stand in the settings and never change. */
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
