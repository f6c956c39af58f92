// The engine's own key for a site, from `ehr.auth.privateKey` or `launch.privateKey`: PEM or a JWK. It never exposes a private member and never quotes the
// key in a message.
import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { AppError } from '../../../domain/errors.ts';

export type KeySetting = {
  readonly privateKey: string;
  readonly kid?: string;
};

/** The settings that hold a key, for messages. */
export type KeyPlace = 'ehr.auth.privateKey' | 'launch.privateKey';

export type SigningKey = {
  readonly privateKey: KeyObject;
  readonly algorithm: 'ES384' | 'RS384';
  readonly kid: string;
  /** Only public members. */
  readonly publicJwk: { readonly kty: string } & Readonly<Record<string, string>>;
};

type GivenKey = { readonly privateKey: KeyObject; readonly kid?: string | undefined };

const MIN_RSA_BITS = 2048;
const PUBLIC_MEMBERS = ['crv', 'x', 'y', 'n', 'e'] as const;
const HOW_TO_MAKE_ONE = 'make one with: openssl ecparam -name secp384r1 -genkey -noout';

/** Throws `notConfigured` with advice if the text is no usable key. */
export async function readSigningKey(
  setting: KeySetting,
  place: KeyPlace = 'ehr.auth.privateKey',
): Promise<SigningKey> {
  try {
    return await readKey(setting);
  } catch (thrown) {
    throw thrown instanceof UnusableKey ? new AppError('notConfigured', `${place} ${thrown.message}`) : thrown;
  }
}

class UnusableKey extends Error {}

async function readKey({ privateKey: text, kid }: KeySetting): Promise<SigningKey> {
  const given = readGivenKey(text.trim());
  const algorithm = algorithmOf(given.privateKey);
  const publicJwk = publicMembers(createPublicKey(given.privateKey).export({ format: 'jwk' }));
  return {
    privateKey: given.privateKey,
    algorithm,
    publicJwk,
    kid: kid ?? given.kid ?? (await calculateJwkThumbprint(publicJwk)),
  };
}

function readGivenKey(text: string): GivenKey {
  if (text.startsWith('{')) return readJwk(text);
  if (/-----BEGIN (RSA |EC )?PUBLIC KEY|-----BEGIN CERTIFICATE/.test(text)) {
    throw unusable('is a public key or a certificate: it must be the private key that belongs to it');
  }
  if (/ENCRYPTED/.test(text)) throw unusable('is protected by a password: give it without one');
  try {
    // Environment variables often carry line breaks as two characters.
    return { privateKey: createPrivateKey(text.includes('\n') ? text : text.replaceAll('\\n', '\n')) };
  } catch {
    throw unusable(`cannot be read: it must be PEM (PKCS#8 or SEC1) or a JWK as JSON; ${HOW_TO_MAKE_ONE}`);
  }
}

function readJwk(text: string): GivenKey {
  try {
    const jwk: JsonWebKey = JSON.parse(text);
    const kid = jwk['kid'];
    return {
      privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
      kid: typeof kid === 'string' && kid !== '' ? kid : undefined,
    };
  } catch {
    throw unusable(
      'looks like JSON, but is no private key as a JWK: it must be one single key with its private members',
    );
  }
}

/** SMART requires servers to accept exactly these two. */
function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningKey['algorithm'] {
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'secp384r1') return 'ES384';
  if (asymmetricKeyType !== 'rsa') {
    throw unusable(`must be an EC key on the curve P-384 (ES384) or an RSA key (RS384); ${HOW_TO_MAKE_ONE}`);
  }
  if ((asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS) return 'RS384';
  throw unusable(`is an RSA key of fewer than ${MIN_RSA_BITS} bits: make a longer one`);
}

function publicMembers(jwk: JsonWebKey): SigningKey['publicJwk'] {
  const members = PUBLIC_MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]]));
  return { kty: jwk.kty ?? '', ...Object.fromEntries(members) };
}

function unusable(what: string): UnusableKey {
  return new UnusableKey(what);
}
