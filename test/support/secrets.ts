// Keys for stores in tests, without a master key: the same number makes the same keys.

import { makeSecrets, type Secrets } from '../../src/outbound/postgres/secrets/secrets.ts';
import type { MasterKeys } from '../../src/ports/master-keys.ts';

export function givenKeys(...keys: [Uint8Array, ...Uint8Array[]]): Pick<MasterKeys, 'read'> {
  return { read: async () => keys };
}

export function fixedSecrets(fill = 7): Secrets {
  const key = new Uint8Array(32).fill(fill);
  return makeSecrets(() => ({ data: new Map([[1, key]]), current: 1, digests: key, audit: key }));
}
