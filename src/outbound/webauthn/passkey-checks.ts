// Passkeys by @simplewebauthn/server. They belong to the host of PUBLIC_URL, and the device must verify the person (finger, face or PIN), because a
// passkey is the only factor.
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { PasskeyChecks } from '../../ports/passkey-checks.ts';

/** ES256, EdDSA, RS256. The package's own list has algorithms with keys of more than a kilobyte. */
const ALGORITHMS = [-7, -8, -257];
const TIMEOUT_MS = 5 * 60_000;
const MOST_CHARACTERS = 20_000;

const text = z.string().max(MOST_CHARACTERS);
const base = { id: text, rawId: text, type: z.literal('public-key'), clientExtensionResults: z.looseObject({}) };
const newAnswer = z.looseObject({
  ...base,
  response: z.looseObject({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(text).max(20).optional(),
  }),
});
const answer = z.looseObject({
  ...base,
  response: z.looseObject({ clientDataJSON: text, authenticatorData: text, signature: text }),
});

export function makePasskeyChecks({ publicUrl }: { readonly publicUrl: string }): PasskeyChecks {
  const { origin, hostname } = new URL(publicUrl);
  return {
    async askForNew({ id, name, known }) {
      const options = await generateRegistrationOptions({
        rpName: 'Chartwright',
        rpID: hostname,
        userName: name,
        userID: new Uint8Array(Buffer.from(id)),
        timeout: TIMEOUT_MS,
        attestationType: 'none',
        excludeCredentials: known.map((passkey) => ({ id: passkey.id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: ALGORITHMS,
      });
      return { challenge: options.challenge, options: JSON.stringify(options) };
    },

    async readNew({ answer: given, challenge }) {
      const response = parse(newAnswer, given);
      if (response === undefined) return undefined;
      const verified = await orUndefined(() =>
        verifyRegistrationResponse({
          response: response as unknown as RegistrationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: hostname,
          requireUserVerification: true,
          supportedAlgorithmIDs: ALGORITHMS,
        }),
      );
      if (verified?.verified !== true) return undefined;
      const { id, publicKey, counter } = verified.registrationInfo.credential;
      return { id, publicKey, counter, transports: response.response.transports ?? [] };
    },

    async ask() {
      const options = await generateAuthenticationOptions({
        rpID: hostname,
        timeout: TIMEOUT_MS,
        userVerification: 'required',
      });
      return { challenge: options.challenge, options: JSON.stringify(options) };
    },

    idIn: (given) => parse(answer, given)?.id,

    async read({ answer: given, challenge, passkey }) {
      const response = parse(answer, given);
      if (response === undefined) return undefined;
      const { id, publicKey, counter } = passkey;
      const verified = await orUndefined(() =>
        verifyAuthenticationResponse({
          response: response as unknown as AuthenticationResponseJSON,
          expectedChallenge: challenge,
          expectedOrigin: origin,
          expectedRPID: hostname,
          credential: { id, publicKey: new Uint8Array(publicKey), counter },
          requireUserVerification: true,
        }),
      );
      return verified?.verified === true ? { counter: verified.authenticationInfo.newCounter } : undefined;
    },
  };
}

function parse<T>(schema: z.ZodType<T>, given: string): T | undefined {
  try {
    return given.length > MOST_CHARACTERS ? undefined : schema.safeParse(JSON.parse(given)).data;
  } catch {
    return undefined;
  }
}

/** The package throws for an answer that is wrong, and its errors quote it. */
async function orUndefined<T>(check: () => Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch {
    return undefined;
  }
}
