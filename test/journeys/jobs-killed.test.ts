// Engines that are killed while they receive and work on jobs: each request is answered once and calls back, and a client that
// sends its request again with its Idempotency-Key gets the same job.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type CallbackReceiver, startCallbackReceiver } from '../support/callback-receiver.ts';
import type { Engine } from '../support/engine.ts';
import { getAnswer, postJson } from '../support/journey-client.ts';
import { expectedDiagnosis, keyIdOf, openDiagnosisSetup } from '../support/journey-diagnosis.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { until, untilFound } from '../support/until.ts';

const REQUESTS = 200;
const KEYS = 4;
const KILLS = 5;
const SENT_BEFORE_A_KILL = REQUESTS / (KILLS + 1);
const LIMIT_MS = 150_000;

const setup = openedForFile(openDiagnosisSetup);
let current: Engine;
let keys: readonly string[];
let receiver: CallbackReceiver;

beforeAll(async () => {
  current = await setup.startEngine();
  keys = await Promise.all(Array.from({ length: KEYS }, () => current.makeKey()));
  receiver = await startCallbackReceiver();
  for (const key of keys) {
    await current.ops('PUT', `/keys/${keyIdOf(key)}/callbacks`, { origins: [receiver.origin] });
  }
});
afterAll(() => receiver?.close());

/** A history of its own for each request, so that each call of the model has its request. */
const historyOf = (request: number) => `Made-up patient number ${1000 + request}, fever and cough for four days.`;
const keyOf = (request: number) => keys[request % KEYS] ?? '';
const callsFor = (request: number) =>
  setup.model.requests.filter((one) => JSON.stringify(one).includes(`number ${1000 + request},`)).length;

/** Sends the request again until an engine has answered it. */
function untilAccepted(request: number): Promise<string> {
  return untilFound(async () => {
    const headers = {
      prefer: 'respond-async',
      'idempotency-key': `job-${request}`,
      'callback-url': `${receiver.origin}/hooks/${request}`,
    };
    const body = { clinical_history: historyOf(request) };
    const answer = await postJson(current, '/diagnose', keyOf(request), body, headers).catch(() => undefined);
    return answer?.status === 202 ? (answer.headers.get('location') ?? undefined) : undefined;
  });
}

it(
  'two hundred requests are each answered once, and call back with one id, although the engine is killed five times, without a second call of the model for the same key',
  async () => {
    const places: Promise<string>[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const target = Math.floor(SENT_BEFORE_A_KILL * (kill + 1));
      while (places.length < target) places.push(untilAccepted(places.length));
      const before = setup.model.requests.length;
      await until(() => setup.model.requests.length > before);
      const killed = current;
      killed.signal('SIGKILL');
      await killed.exited;
      current = await setup.startEngine();
    }
    while (places.length < REQUESTS) places.push(untilAccepted(places.length));
    const accepted = await Promise.all(places);
    expect(new Set(accepted).size).toBe(REQUESTS);

    // The leases of the killed engines end first.
    for (const [request, place] of accepted.entries()) {
      const job = await untilFound(async () => {
        const { body } = await getAnswer(current, place, keyOf(request));
        return 'result' in (body as object) ? body : undefined;
      });
      expect(job).toMatchObject({ status: 'done', result: { status: 200, body: expectedDiagnosis() } });
      // Sent once more, it is the same job.
      if (request % 10 === 0) expect(await untilAccepted(request)).toBe(place);
    }
    // Each call-back came, with the id of its job, although engines were killed before or while it was made.
    for (const [request, place] of accepted.entries()) {
      const mine = () => receiver.calls.filter(({ path }) => path === `/hooks/${request}`);
      await until(() => mine().length > 0);
      expect(new Set(mine().map(({ id }) => id))).toEqual(new Set([place.replace('/jobs/', 'job_')]));
    }
    const rows = await setup.sql(`select id, attempts from jobs where status <> 'receiving'`);
    expect(rows).toHaveLength(REQUESTS);
    const attempts = new Map(rows.map(({ id, attempts: count }) => [`/jobs/${id}`, Number(count)]));
    // A call of the model that a kill has cut off is made again; no other one is.
    for (const [request, place] of accepted.entries()) {
      expect(callsFor(request)).toBeGreaterThanOrEqual(1);
      expect(callsFor(request)).toBeLessThanOrEqual(attempts.get(place) ?? 0);
    }
    const again = [...attempts.values()].filter((count) => count > 1);
    expect(again.length).toBeGreaterThan(0);
    expect(again.length).toBeLessThanOrEqual(KILLS * 4);
    const counted = await setup.sql('select 1 from usage_records where status = 200');
    // A kill between result and usage record loses the record; it never doubles.
    expect(counted.length).toBeLessThanOrEqual(REQUESTS);
    expect(counted.length).toBeGreaterThanOrEqual(REQUESTS - KILLS * 4);
  },
  LIMIT_MS,
);
