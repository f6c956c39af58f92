// What an EHR may ask of the engine without a key of ours, and how the addresses of a site are refused.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import { type EhrDoor, openEhrDoor, siteNamed } from './ehr-door.ts';

const KEYS = { keys: [{ kty: 'EC', crv: 'P-384', kid: 'one', use: 'sig' }] };

async function jwksOf({ name }: { readonly name: string }) {
  if (name === 'broken') throw new AppError('notConfigured', 'ehr.auth.privateKey cannot be read');
  return name === 'mercy' ? KEYS : undefined;
}

let door: EhrDoor;
beforeAll(async () => {
  door = await openEhrDoor({ sites: ['mercy', 'keyless', 'broken'].map((name) => siteNamed(name)), jwks: jwksOf });
});
afterAll(() => door.close());

describe('the public keys of a site', () => {
  test('are given to anybody, and may be kept for five minutes', async () => {
    const { status, headers, body } = await door.ask('/ehr/mercy/jwks.json');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual(KEYS);
  });

  test.each(['keyless', 'broken', 'nowhere', '__proto__'])(
    '%s has none, in words that tell nobody which sites there are',
    async (site) => {
      const { headers, body } = await door.ask(`/ehr/${site}/jwks.json`);
      expect(body).toEqual({ statusCode: 404, message: 'There are no keys here', error: 'Not Found' });
      expect(headers.get('cache-control')).toBe('no-store');
    },
  );
});

describe('the addresses of a site', () => {
  test.each([
    ['/ehr/mercy/encounters/1/recording', 'GET', 'POST'],
    ['/ehr/mercy/encounters/Encounter/1/recording', 'PUT', 'POST'],
    ['/ehr/mercy/runs/1', 'POST', 'GET, HEAD'],
    ['/ehr/mercy/runs/Run/1', 'DELETE', 'GET, HEAD'],
  ])('%s with %s is 405 and says what it takes', async (path, method, allow) => {
    const { status, headers } = await door.ask(path, { method });
    expect([status, headers.get('allow')]).toEqual([405, allow]);
  });

  test.each(['/ehr/mercy', '/ehr/mercy/', '/ehr/mercy/encounters/1', '/ehr/mercy/events/Encounter'])(
    '%s is 404',
    async (path) => {
      expect((await door.ask(path, { method: 'POST' })).status).toBe(404);
    },
  );
});
