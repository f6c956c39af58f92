// How the engine proves to the identity provider that it is the registered client: by a secret, or by a private key (private_key_jwt).
import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto';
import {
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  PrivateKeyJwt,
  type ServerMetadata,
} from 'openid-client';
import { AppError } from '../../domain/errors.ts';

export type ClientCredentials =
  | { readonly kind: 'secret'; readonly secret: string }
  /** PEM: PKCS#8, SEC1 or PKCS#1. */
  | { readonly kind: 'private-key'; readonly pem: string };

type KeyAlgorithmOrder = Parameters<typeof crypto.subtle.importKey>[2];

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384' };
const MIN_RSA_BITS = 2048;
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;

/** By what the provider says it accepts; the methods of a secret are registered as `client_secret_basic` unless something else is said. */
export type MakeClientAuth = (provider: ServerMetadata) => ClientAuth;

/** Throws `notConfigured` if the private key cannot be used. */
export async function readClientAuth(credentials: ClientCredentials): Promise<MakeClientAuth> {
  if (credentials.kind === 'secret') return (provider) => withSecret(credentials.secret, provider);
  const key = await readKey(credentials.pem);
  return () => PrivateKeyJwt(key);
}

function withSecret(secret: string, { token_endpoint_auth_methods_supported: methods }: ServerMetadata): ClientAuth {
  const isBasic = methods === undefined || methods.includes('client_secret_basic');
  return isBasic ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}

async function readKey(text: string): Promise<webcrypto.CryptoKey> {
  const pem = text.includes('\n') ? text : text.replaceAll('\\n', '\n');
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw unusable('cannot be read: it must be a private key as PEM, without a password');
  }
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
  return crypto.subtle.importKey('pkcs8', new Uint8Array(pkcs8), algorithmOf(key), false, ['sign']);
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): KeyAlgorithmOrder {
  const { namedCurve = '', modulusLength = 0 } = asymmetricKeyDetails ?? {};
  const curve = CURVES[namedCurve];
  if (asymmetricKeyType === 'ec' && curve !== undefined) return ecdsa(curve);
  if (asymmetricKeyType === 'ed25519') return { name: 'Ed25519' };
  if (asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS) return RSA;
  throw unusable(`must be an RSA key of at least ${MIN_RSA_BITS} bits, an EC key on P-256 or P-384, or Ed25519`);
}

function ecdsa(namedCurve: string): KeyAlgorithmOrder {
  return { name: 'ECDSA', namedCurve };
}

function unusable(what: string): AppError {
  return new AppError('notConfigured', `OIDC_PRIVATE_KEY ${what}`);
}
