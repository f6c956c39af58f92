// Attacks on a whole engine that took it down once. How quickly it answers meanwhile is measured by the benchmark.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendCostlyFiles, sendFiles } from '../attacks/costly-files.ts';
import { sendLongTexts } from '../attacks/long-texts.ts';
import { leaveAnswersUnread } from '../attacks/unread-answers.ts';
import { guessOperatorKeys } from '../attacks/wrong-keys.ts';
import { residentBytes } from '../bench/process-figures.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { makePdf } from '../support/file-samples.ts';

const MEBIBYTE = 1_048_576;
const MOST_MORE = 64 * MEBIBYTE;
const ROUNDS = 100;
/** On a machine that does much else. */
const LIMIT_MS = 180_000;

async function isAlive({ url }: Engine): Promise<boolean> {
  return (await fetch(`${url}/healthz`)).status === 200;
}

describe('answers that are not read', () => {
  let engine: Engine;
  beforeAll(async () => {
    // No request reaches this model.
    engine = await startEngine({ env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } });
  });
  afterAll(() => engine?.stop());

  it('take no more than 64 MB, and the engine answers others', async () => {
    await (await fetch(`${engine.url}/openapi.json`)).arrayBuffer();
    const before = residentBytes(engine.pid);
    const end = await leaveAnswersUnread({
      url: engine.url,
      path: '/openapi.json',
      connections: 15,
      requests: 1_000,
    });
    let most = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(await isAlive(engine)).toBe(true);
      most = Math.max(most, residentBytes(engine.pid));
    }
    end();
    expect(most - before).toBeLessThanOrEqual(MOST_MORE);
    expect(await isAlive(engine)).toBe(true);
  });
});

describe('histories of a megabyte, three at once', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine?.stop());

  it(
    'are answered or refused, and the engine answers others before they are',
    async () => {
      const key = await engine.makeKey();
      let areAnswered = false;
      const asked = sendLongTexts({ url: engine.url, key, texts: 3 }).finally(() => {
        areAnswered = true;
      });
      let answers = 0;
      while (!areAnswered) {
        expect(await isAlive(engine)).toBe(true);
        answers += 1;
      }
      // With the rules in the main thread there was about one between two texts.
      expect(answers).toBeGreaterThan(ROUNDS);
      for (const status of await asked) expect([200, 400, 429]).toContain(status);
    },
    LIMIT_MS,
  );
});

describe('small PDFs that take many seconds each, and guesses of keys', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine();
  });
  afterAll(() => engine?.stop());

  it(
    'PDFs that take many seconds are refused, and another organization gets the answer to its own meanwhile',
    async () => {
      const attacker = await engine.makeKey({ organization: 'attacker' });
      const other = await engine.makeKey({ organization: 'other' });
      let areRefused = false;
      const asked = sendCostlyFiles({ url: engine.url, key: attacker, forms: 2 }).finally(() => {
        areRefused = true;
      });
      expect(await sendFiles({ url: engine.url, key: other, files: [makePdf()] })).toBe(200);
      expect(areRefused).toBe(false);
      expect(await isAlive(engine)).toBe(true);
      expect(new Set(await asked)).toEqual(new Set([400]));
    },
    LIMIT_MS,
  );

  it('hundreds of guesses of an operator key get 429 after the first twenty, and the right key works', async () => {
    const statuses = await guessOperatorKeys({ url: engine.url, guesses: 300 });
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(40);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(await engine.ops('GET', '/sites')).toHaveProperty('sites');
  });
});
