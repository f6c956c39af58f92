// kill -9 of the embedded database under a whole engine. The engine starts it again; requests are refused meanwhile, and runs wait and end in
// the chart once. What is killed again and again ends the engine, and a stop in between leaves no process.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readinessResponse } from '../../src/wire/readiness.ts';
import {
  clusterOf,
  connectionStringOf,
  databaseProcessesOf,
  postmasterOf,
  servingProcessesOf,
} from '../support/embedded-database.ts';
import { type Engine, OPERATOR_KEY } from '../support/engine.ts';
import { holdNextStart } from '../support/held-database.ts';
import { postJson } from '../support/journey-client.ts';
import { makeSite, type RunningEngine, type Site } from '../support/journey-engine.ts';
import { eventually, untilRun } from '../support/journey-runs.ts';
import { learnProven } from '../support/proven-ehrs.ts';
import type { Held } from '../support/run-crash-proxy.ts';
import { startWorld, type Visit, WHOLE_CHART, type World } from '../support/run-world.ts';
import {
  countRequests,
  MANY_AT_ONCE,
  MOMENTS,
  mentions,
  unlike,
  withoutSearches,
} from '../support/run-world-crashes.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';
import { until } from '../support/until.ts';

const LIMIT_MS = 150_000;
const QUESTION = { clinical_history: 'Boy of 11 years, pain in the right lower belly since yesterday.' };

async function readinessOf({ url }: { readonly url: string }) {
  const response = await fetch(`${url}/readyz`);
  const { components } = readinessResponse.parse(await response.json());
  return { code: response.status, database: components.find(({ name }) => name === 'database') };
}

const untilReady = (engine: { readonly url: string }) => until(async () => (await readinessOf(engine)).code === 200);

const killOf = (pid: number | undefined): void => {
  if (pid === undefined) throw new Error('there is no process to kill');
  process.kill(pid, 'SIGKILL');
};

describe('an engine whose embedded database is killed', () => {
  let world: World;
  let engine: Engine;
  let cluster: string;
  let key: string;
  let requests: number;

  beforeAll(async () => {
    world = await startWorld({ hasGates: true, maxConcurrentWrites: 60 });
    withoutSearches(world);
    engine = await world.start('a', { ...MANY_AT_ONCE, DATABASE_URL: '' });
    cluster = clusterOf(engine.dataDir, [engine.output().stdout]);
    key = await engine.makeKey();
    await learnProven(await connectionStringOf(engine.dataDir, cluster), world.sites);
    const { reading, writing } = await countRequests(world, engine);
    requests = reading + writing;
  });
  afterAll(async () => {
    await engine?.stop();
    await world?.close();
  });

  /** Every invariant of the world, in the embedded database. */
  const wrongNow = async () =>
    whatIsWrong({ ...world, connectionString: await connectionStringOf(engine.dataDir, cluster) }, engine);

  type Stopped = { readonly point: string; readonly visit: Visit; readonly held: Held };

  /** Brings a visit to each request of a run to the EHR: before it, and after its answer. */
  async function stopAtEachRequest(): Promise<readonly Stopped[]> {
    const gate = world.gateOf(world.sites[0] ?? '');
    const stopped = MOMENTS.flatMap((moment) =>
      Array.from({ length: requests }, (_, index) => {
        const visit = world.admit();
        const held = gate.hold({ moment, nth: index + 1, fits: mentions(visit) });
        return { point: `${moment} request ${index + 1}`, visit, held };
      }),
    );
    for (const { visit } of stopped) await world.tell(visit);
    for (const { held } of stopped) await held.reached;
    return stopped;
  }

  async function expectRefusals(): Promise<void> {
    const refused = async (asked: Promise<Response>) => {
      const response = await asked;
      return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() };
    };
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const post = (path: string) =>
      fetch(`${engine.url}${path}`, { method: 'POST', headers, body: JSON.stringify(QUESTION) });
    const answers = await Promise.all(['/diagnose', '/diagnose/stream'].map((path) => refused(post(path))));
    for (const { status, retryAfter, text } of answers) {
      expect([status, Number(retryAfter) > 0]).toEqual([429, true]);
      expect(text).not.toMatch(/127\.0\.0\.1|postgres|ECONN/i);
    }
    const operator = await refused(
      fetch(`${engine.url}/ops/runs`, { headers: { authorization: `Bearer ${OPERATOR_KEY}` } }),
    );
    expect([operator.status, Number(operator.retryAfter) > 0]).toEqual([503, true]);
    expect((await fetch(`${engine.url}/healthz`)).status).toBe(200);
  }

  it(
    'an engine whose database is killed at any request of its runs refuses requests until it has started it again, and writes each run once',
    async () => {
      expect(requests).toBe(8);
      const stopped = await stopAtEachRequest();
      const before = await postmasterOf(cluster);
      const start = await holdNextStart(cluster);
      killOf(before);
      await start.reached;
      const { code, database } = await readinessOf(engine);
      expect([code, database?.status]).toEqual([503, 'down']);
      expect(database?.detail).toMatch(/exited and is being started again \(time 1 of 3 within 10 minutes\)/);
      await expectRefusals();
      // Now each of the runs finds that there is no database.
      for (const { held } of stopped) held.release();
      await eventually(() => engine.output().stderr.includes('queue of runs unavailable') || undefined);
      await start.release();
      await untilReady(engine);
      expect(await postmasterOf(cluster)).not.toBe(before);
      for (const { visit } of stopped) await untilRun(engine, visit.encounter);
      expect(unlike(world, { engine, visits: stopped }, WHOLE_CHART)).toEqual([]);
      expect(await wrongNow()).toEqual([]);
      expect((await postJson(engine, '/diagnose', key, QUESTION)).status).toBe(200);
      expect(engine.output().stderr).not.toMatch(/uncaught exception|shutting down/);
    },
    LIMIT_MS,
  );

  it(
    'a database that loses one of its processes recovers by itself: the engine does not start it again, and its runs are written',
    async () => {
      const gate = world.gateOf(world.sites[0] ?? '');
      const visit = world.admit();
      const held = gate.hold({ moment: 'after', nth: requests - 5, fits: mentions(visit) });
      await world.tell(visit);
      await held.reached;
      const postmaster = await postmasterOf(cluster);
      const restarts = () => engine.output().stderr.split('starting it again').length;
      const before = restarts();
      // One that serves the engine; the server ends all the others with it.
      const serving = await servingProcessesOf(cluster);
      killOf(serving[0]);
      await until(async () => {
        const now = await databaseProcessesOf(cluster);
        return serving.every((pid) => !now.includes(pid));
      });
      held.release();
      await untilReady(engine);
      await untilRun(engine, visit.encounter);
      expect([await postmasterOf(cluster), restarts()]).toEqual([postmaster, before]);
      expect(await wrongNow()).toEqual([]);
    },
    LIMIT_MS,
  );
});

describe('an engine whose embedded database is killed again and again', () => {
  let site: Site;
  beforeAll(async () => {
    site = await makeSite();
  });
  afterAll(() => site?.remove());

  /** Waits for the end of the engine, or for another server that answers. */
  async function killDatabase(engine: RunningEngine, url: string): Promise<void> {
    const before = await site.postmaster();
    killOf(before);
    await until(async () => {
      if (engine.hasExited()) return true;
      const now = await postmasterOf(site.cluster());
      return now !== undefined && now !== before && (await readinessOf({ url })).database?.status === 'ok';
    });
  }

  it(
    'the fourth kill of the database within ten minutes ends the engine with a message and exit code 1, and the next start has the stored data',
    async () => {
      const first = site.start();
      const { url } = await first.ready();
      const { key } = (await site.ops(url, 'POST', '/keys', { organization: 'kept-clinic' })) as {
        readonly key: string;
      };
      for (let time = 1; time <= 3; time += 1) {
        await killDatabase(first, url);
        expect(first.hasExited()).toBe(false);
        expect((await postJson({ url }, '/diagnose', key, QUESTION)).status).toBe(200);
      }
      await killDatabase(first, url);
      expect(await first.exited).toBe(1);
      const { stderr } = first.output();
      expect(stderr).toMatch(/embedded database exited, shutting down: it was started again 3 times within 10 minutes/);
      expect(stderr.match(/starting it again in [\d.]+ s \(time \d of 3/g)).toEqual([
        'starting it again in 0.5 s (time 1 of 3',
        'starting it again in 1 s (time 2 of 3',
        'starting it again in 2 s (time 3 of 3',
      ]);
      expect(stderr).not.toContain('uncaught exception');
      expect(await site.databaseProcesses()).toEqual([]);

      const second = site.start();
      const { url: secondUrl } = await second.ready();
      expect((await postJson({ url: secondUrl }, '/diagnose', key, QUESTION)).status).toBe(200);
      second.signal('SIGTERM');
      expect(await second.exited).toBe(0);
      expect(await site.databaseProcesses()).toEqual([]);
    },
    LIMIT_MS,
  );

  it('an engine that is stopped while its database is being started again exits with 0 and leaves no process', async () => {
    const engine = site.start();
    await engine.ready();
    const start = await holdNextStart(site.cluster());
    killOf(await site.postmaster());
    await start.reached;
    engine.signal('SIGTERM');
    expect(await engine.exited).toBe(0);
    expect(await site.databaseProcesses()).toEqual([]);
    await start.release();
  });
});
