// What an EHR may ask of the engine without a key of ours.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { AppError } from '../../../src/domain/errors.ts';
import { makeEhrRouter } from '../../../src/inbound/http/ehr-routes.ts';
import { sendError } from '../../../src/inbound/http/error-response.ts';
import { aSite } from '../../support/chart-facts.ts';

const KEYS = { keys: [{ kty: 'EC', crv: 'P-384', kid: 'one', use: 'sig' }] };
const server = createServer();

async function jwksOf({ name }: { readonly name: string }) {
  if (name === 'broken') throw new AppError('notConfigured', 'ehr.auth.privateKey cannot be read');
  return name === 'mercy' ? KEYS : undefined;
}
let url = '';

beforeAll(async () => {
  const sites = new Map(['mercy', 'keyless', 'broken'].map((name) => [name, { ...aSite(), name }]));
  const app = express();
  app.use(
    makeEhrRouter({
      sites: { current: () => ({ sites, problems: [], stale: new Set(), unavailable: new Set() }) },
      ehrs: { jwks: jwksOf },
    }),
  );
  const answerFailure: ErrorRequestHandler = (thrown, req, res, _next) => sendError(req, res, 'ops', thrown);
  app.use(answerFailure);
  server.on('request', app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe('the public keys of a site', () => {
  test('are given to anybody, and may be kept for five minutes', async () => {
    const response = await fetch(`${url}/ehr/mercy/jwks.json`);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=300']);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual(KEYS);
  });

  test.each(['keyless', 'broken', 'nowhere', '__proto__'])(
    '%s has none, in words that tell nobody which sites there are',
    async (site) => {
      const response = await fetch(`${url}/ehr/${site}/jwks.json`);
      expect(await response.json()).toEqual({ statusCode: 404, message: 'There are no keys here', error: 'Not Found' });
      expect(response.headers.get('cache-control')).toBe('no-store');
    },
  );
});
