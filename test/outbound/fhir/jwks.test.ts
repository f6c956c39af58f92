import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint } from 'jose';
import type { LaunchSettings } from '../../../src/domain/site/launch-settings.ts';
import type { EhrAuth } from '../../../src/domain/site/site.ts';
import { publicJwks } from '../../../src/outbound/fhir/jwks.ts';

describe('The public keys of the engine at a site', () => {
  it.each([
    ['ec', generateKeyPairSync('ec', { namedCurve: 'P-384' }), 'ES384', ['crv', 'x', 'y']],
    ['rsa', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'RS384', ['e', 'n']],
  ] as const)('contain only the public members of an %s key', async (_, { privateKey, publicKey }, alg, members) => {
    const jwk = { ...privateKey.export({ format: 'jwk' }), key_ops: ['sign'], ext: true };
    for (const text of [String(privateKey.export({ format: 'pem', type: 'pkcs8' })), JSON.stringify(jwk)]) {
      const auth: EhrAuth = { type: 'backend-services', clientId: 'c', privateKey: text };
      const { keys = [] } = (await publicJwks({ auth })) ?? {};
      const [key = {}] = keys;
      expect(keys).toHaveLength(1);
      expect(Object.keys(key).toSorted()).toEqual(['alg', ...members, 'kid', 'kty', 'use'].toSorted());
      const publicJwk = publicKey.export({ format: 'jwk' });
      expect(key).toEqual({ ...publicJwk, alg, use: 'sig', kid: await calculateJwkThumbprint(publicJwk as never) });
    }
  });

  it('are none for a site that signs nothing', async () => {
    for (const auth of [
      { type: 'none' },
      { type: 'bearer', token: 'x' },
      { type: 'client-credentials', clientId: 'c', clientSecret: 's' },
    ] as const) {
      expect(await publicJwks({ auth })).toBeUndefined();
    }
  });

  it('include the key of launches, once if it is the same', async () => {
    const pem = () => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
      return String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    };
    const [own, ofLaunch] = [pem(), pem()];
    const auth: EhrAuth = { type: 'backend-services', clientId: 'c', privateKey: own };
    const kidsOf = async (signsWith: EhrAuth, privateKey: string) =>
      (await publicJwks({ auth: signsWith, launch: aLaunch({ kind: 'key', privateKey }) }))?.keys.length;
    expect(await kidsOf(auth, ofLaunch)).toBe(2);
    expect(await kidsOf(auth, own)).toBe(1);
    expect(await kidsOf({ type: 'none' }, ofLaunch)).toBe(1);
    await expect(kidsOf({ type: 'none' }, 'nonsense')).rejects.toThrow(/^launch\.privateKey cannot be read/);
  });
});

function aLaunch(client: LaunchSettings['client']): LaunchSettings {
  const rest = { clientId: 'c', client, issuers: [], scopes: [], frameOrigins: [] };
  return { ...rest, newReviewers: false, idTokenAlgorithms: ['ES384'] };
}
