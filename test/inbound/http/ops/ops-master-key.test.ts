// The master key over HTTP: it is replaced once at a time, and the trail has it before.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { masterKeyResponse } from '../../../../src/wire/master-key.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
beforeAll(async () => {
  engine = await startOpsEngine();
});
afterAll(() => engine.stop());

async function ask(method: string, path: string) {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
  const response = await fetch(`${engine.baseUrl}/ops${path}`, { method, headers });
  return { status: response.status, answer: await response.json() };
}

it('the master key is replaced and its replacement is shown, with an entry in the audit trail before', async () => {
  expect(await ask('GET', '/master-key')).toEqual({ status: 200, answer: {} });
  const { status, answer } = await ask('POST', '/master-key/rotate');
  expect(status).toBe(200);
  expect(masterKeyResponse.strict().parse(answer)).toEqual({
    replacedAt: '2026-11-21T08:00:00.000Z',
    values: 5000,
    sealed: 1200,
    remains: 'Remove MASTER_KEY_NEXT.',
  });
  expect((await ask('GET', '/master-key')).answer).toEqual(answer);
  const { entries } = (await ask('GET', '/audit')).answer as { readonly entries: readonly object[] };
  expect(entries).toMatchObject([{ action: 'key.rotate-master', actor: 'operator' }]);
  expect(await ask('POST', '/master-key/rotate')).toMatchObject({ status: 409 });
});

it('the master key is not replaced while the audit trail cannot be written', async () => {
  engine.loseTrail();
  expect((await ask('POST', '/master-key/rotate')).status).toBe(503);
});
