// Signs JWTs with a key pair of the hospital, and publishes the public keys. It uses Node's cryptography and not the library with which the engine
// verifies, so that an error of that library is detected.
import { generateKeyPairSync, type JsonWebKey, type KeyObject, randomUUID, sign } from 'node:crypto';

export type JwtAlgorithm = 'RS256' | 'ES384';

export type SigningKey = {
  /** A compact JWS. The header has the algorithm, the id of the key and the type `JWT`. */
  readonly sign: (claims: Readonly<Record<string, unknown>>) => string;
  /** The public keys: the current one, and the former ones, with which older tokens were signed. */
  readonly jwks: () => { readonly keys: readonly JsonWebKey[] };
  /** Signs with a new key from now on. `isFormerKept`: the former keys stay published. */
  readonly rotate: (options?: { readonly isFormerKept?: boolean }) => void;
};

type Pair = { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject };

const HASHES: Readonly<Record<JwtAlgorithm, string>> = { RS256: 'sha256', ES384: 'sha384' };

/** The key is made when it is first used: an RSA key takes a tenth of a second. */
export function makeSigningKey(alg: JwtAlgorithm): SigningKey {
  let pairs: readonly Pair[] = [];
  const current = (): Pair => {
    const [pair = makePair(alg)] = pairs;
    if (pairs.length === 0) pairs = [pair];
    return pair;
  };
  return {
    sign(claims) {
      const { kid, privateKey } = current();
      const signed = `${encoded({ alg, kid, typ: 'JWT' })}.${encoded(claims)}`;
      const signature = sign(HASHES[alg], Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return `${signed}.${signature.toString('base64url')}`;
    },
    jwks() {
      current();
      return {
        keys: pairs.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' })),
      };
    },
    rotate({ isFormerKept = true } = {}) {
      pairs = [makePair(alg), ...(isFormerKept ? pairs : [])];
    },
  };
}

function makePair(alg: JwtAlgorithm): Pair {
  const pair =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-384' });
  return { kid: randomUUID(), ...pair };
}

function encoded(value: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
