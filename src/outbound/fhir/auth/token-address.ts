// Decides where a secret may be sent for a token. The EHR's own origin is as safe as the EHR; any other one must be https.
import { isUnencryptedRemote } from '../../../domain/site/plain-address.ts';

type TokenAddressOrder = {
  readonly address: string;
  readonly baseUrl: string;
  /** False: the EHR's metadata named it. */
  readonly isConfigured: boolean;
};

export function allowedTokenUrl({ address, baseUrl, isConfigured }: TokenAddressOrder): URL | undefined {
  const url = URL.parse(address);
  const base = URL.parse(baseUrl);
  const isWellWritten = /^https?:\/\/[^/\\@\s]+(?:[/?][^\\\s]*)?$/i.test(address);
  if (url === null || base === null || !isWellWritten || url.username !== '' || url.password !== '') return undefined;
  if (url.origin === base.origin) return url;
  const isBaseHere = isThisMachine(base);
  if (url.protocol === 'http:') return isBaseHere && isThisMachine(url) ? url : undefined;
  // Over plain http an attacker on the network could name another token server.
  return isConfigured || base.protocol === 'https:' || isBaseHere ? url : undefined;
}

function isThisMachine({ host }: URL): boolean {
  return !isUnencryptedRemote(`http://${host}`);
}
