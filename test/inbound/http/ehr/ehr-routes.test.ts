// The public keys of a site, and how requests to unknown routes of a site are refused.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
  it('are returned without a key and may be cached for five minutes', async () => {
    const { status, headers, body } = await door.ask('/ehr/mercy/jwks.json');
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual(KEYS);
  });

  it.each(['keyless', 'broken', 'nowhere', '__proto__'])(
    'are 404 for %s, and the message does not reveal which sites exist',
    async (site) => {
      const { headers, body } = await door.ask(`/ehr/${site}/jwks.json`);
      expect(body).toEqual({ statusCode: 404, message: 'There are no keys here', error: 'Not Found' });
      expect(headers.get('cache-control')).toBe('no-store');
    },
  );
});

describe('the routes of a site', () => {
  it.each([
    ['/ehr/mercy/encounters/1/recording', 'GET', 'POST'],
    ['/ehr/mercy/encounters/Encounter/1/recording', 'PUT', 'POST'],
    ['/ehr/mercy/runs/1', 'POST', 'GET, HEAD'],
    ['/ehr/mercy/runs/Run/1', 'DELETE', 'GET, HEAD'],
  ])('answer 405 with the allowed methods: %s with %s', async (path, method, allow) => {
    const { status, headers } = await door.ask(path, { method });
    expect([status, headers.get('allow')]).toEqual([405, allow]);
  });

  it.each(['/ehr/mercy', '/ehr/mercy/', '/ehr/mercy/encounters/1', '/ehr/mercy/events/Encounter'])(
    'answer 404 to %s',
    async (path) => {
      expect((await door.ask(path, { method: 'POST' })).status).toBe(404);
    },
  );
});
