// The state of an engine whose PUBLIC_STATUS is off.
import { afterAll, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { makeStatusGuard } from '../../../../src/inbound/http/pages/status-guard.ts';
import { sendError } from '../../../../src/inbound/http/server/error-response.ts';
import { systemRuntime } from '../../../../src/platform/system-runtime.ts';
import { makeLocalServers } from '../../../support/local-servers.ts';

const OPERATOR = 'the-key-of-the-operator-0123456789';
const SCRAPER = 'the-token-of-the-scraper-0123456789';

const servers = makeLocalServers();
const refused: string[] = [];
afterAll(() => servers.close());

async function statusOf(isPublic: boolean, authorization?: string): Promise<number> {
  const app = express();
  const guard = makeStatusGuard({
    isPublic,
    keyDigests: [OPERATOR, SCRAPER].map(systemRuntime.digest),
    refusedKeys: { note: async (_address, at) => void refused.push(at) },
    runtime: systemRuntime,
  });
  app.get('/', guard, (_req, res) => res.send('the state'));
  const answerFailure: ErrorRequestHandler = (thrown, req, res, _next) => sendError(req, res, 'ops', thrown);
  app.use(answerFailure);
  const url = await servers.serve(app);
  return (await fetch(url, { ...(authorization !== undefined && { headers: { authorization } }) })).status;
}

describe('the state of an engine', () => {
  it.each([
    [true, undefined, 200],
    [true, 'Bearer wrong', 200],
    [false, undefined, 401],
    [false, `Bearer ${OPERATOR}`, 200],
    [false, `Bearer ${SCRAPER}`, 200],
    [false, `Basic ${SCRAPER}`, 401],
    [false, 'Bearer ', 401],
  ])('public: %s, with "%s": %d', async (isPublic, authorization, status) => {
    refused.length = 0;
    expect(await statusOf(isPublic, authorization)).toBe(status);
    expect(refused).toEqual([]);
  });

  it('notes a wrong key', async () => {
    refused.length = 0;
    expect(await statusOf(false, `Bearer ${SCRAPER}x`)).toBe(401);
    expect(refused).toEqual(['status']);
  });
});
