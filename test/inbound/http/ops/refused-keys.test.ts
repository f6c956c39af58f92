// Wrong keys at /ops: throttled by address, and in the audit trail without the key.
import { afterEach, describe, expect, it } from '@jest/globals';
import { OPERATOR_KEY, startOpsEngine } from './ops-engine.ts';

const WRONG = 'a-wrong-key-that-somebody-guessed';

let engine: Awaited<ReturnType<typeof startOpsEngine>>;
afterEach(() => engine.stop());

async function ask(key: string): Promise<Response> {
  return await fetch(`${engine.baseUrl}/ops/keys`, { headers: { authorization: `Bearer ${key}` } });
}

async function refusals() {
  const answer = await fetch(`${engine.baseUrl}/ops/audit?action=key.refused`, {
    headers: { authorization: `Bearer ${OPERATOR_KEY}` },
  });
  const text = await answer.text();
  expect(text).not.toContain(WRONG);
  return (JSON.parse(text) as { entries: readonly Record<string, unknown>[] }).entries;
}

describe('a wrong key at /ops', () => {
  it('is in the audit trail with the address of the client, and never with the key', async () => {
    engine = await startOpsEngine();
    expect((await ask(WRONG)).status).toBe(401);
    expect(await refusals()).toEqual([
      expect.objectContaining({
        actor: 'unknown',
        details: { address: expect.stringMatching(/127\.0\.0\.1$/), at: '/ops' },
      }),
    ]);
  });

  it('is no entry if no key was sent at all', async () => {
    engine = await startOpsEngine();
    expect((await ask('')).status).toBe(401);
    expect(await refusals()).toEqual([]);
  });

  it('is 429 after too many, and the right key still works', async () => {
    engine = await startOpsEngine({ wrongKeys: { maxFailures: 3, windowSeconds: 60 } });
    const statuses: number[] = [];
    for (let time = 0; time < 5; time += 1) statuses.push((await ask(WRONG)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await ask(WRONG)).headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await ask(OPERATOR_KEY)).status).toBe(200);
    expect(await refusals()).toHaveLength(3);
  });

  it('does not fill the audit trail', async () => {
    engine = await startOpsEngine({ keptRefusals: { maxFailures: 2, windowSeconds: 60 } });
    for (let time = 0; time < 5; time += 1) expect((await ask(WRONG)).status).toBe(401);
    expect(await refusals()).toHaveLength(2);
  });

  it('is 401 also while the trail cannot be written', async () => {
    engine = await startOpsEngine();
    engine.loseTrail();
    expect((await ask(WRONG)).status).toBe(401);
  });
});
