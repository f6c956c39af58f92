// The engine's public keys at a site, for the EHR to check its signatures with: for its own access, and for launches. Never a private member.
import type { LaunchSettings } from '../../domain/site/launch-settings.ts';
import type { EhrSettings } from '../../domain/site/site.ts';
import { readSigningKey, type SigningKey } from './auth/signing-key.ts';

type KeyHolders = Pick<EhrSettings, 'auth'> & { readonly launch?: LaunchSettings | undefined };

/** Undefined: this site signs nothing. Throws `notConfigured` where its key cannot be used. */
export async function publicJwks({
  auth,
  launch,
}: KeyHolders): Promise<{ readonly keys: readonly object[] } | undefined> {
  const own = auth.type === 'backend-services' ? [await readSigningKey(auth)] : [];
  const ofLaunch = launch?.client.kind === 'key' ? [await readSigningKey(launch.client, 'launch.privateKey')] : [];
  const known = new Set(own.map(({ kid }) => kid));
  const keys = [...own, ...ofLaunch.filter(({ kid }) => !known.has(kid))];
  return keys.length === 0 ? undefined : { keys: keys.map(publicKey) };
}

function publicKey({ publicJwk, kid, algorithm }: SigningKey): object {
  return { ...publicJwk, kid, alg: algorithm, use: 'sig' };
}
