// The engine's public keys at a site, for the EHR to check its signatures with. Never a private member.
import type { EhrSettings } from '../../domain/site/site.ts';
import { readSigningKey } from './auth/signing-key.ts';

/** Undefined: this site signs nothing. Throws `notConfigured` where its key cannot be used. */
export async function publicJwks({
  auth,
}: Pick<EhrSettings, 'auth'>): Promise<{ readonly keys: readonly object[] } | undefined> {
  if (auth.type !== 'backend-services') return undefined;
  const { publicJwk, kid, algorithm } = await readSigningKey(auth);
  return { keys: [{ ...publicJwk, kid, alg: algorithm, use: 'sig' }] };
}
