// What people do with runs that are processed or written: pause and resume a site, cancel, recall, cancel the encounter itself, review, and
// stop the engine in the middle of its work.
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCli } from '../cli/run-cli.ts';
import type { Engine } from '../support/engine.ts';
import { chartOf, chartShape, eventually, runsOf, untilRun, untilRuns } from '../support/journey-runs.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import { isRetired, untilQuiet, whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 150_000;
const OPERATOR_KEY = 'made-up-operator-key-for-tests-0123456789';

let world: World;
let engine: Engine;
/** A site whose charts get nothing before a clinician has approved it. */
let careful: string;

beforeAll(async () => {
  world = await startWorld({ hasGates: true, sites: 2 });
  careful = world.sites[1] ?? '';
  await world.writeSite(careful, 'write: { review: hold }');
  engine = await world.start();
});
afterAll(() => world?.close());

async function cli(...args: readonly string[]): Promise<string> {
  const environment = { PATH: process.env['PATH'] ?? '', CHARTWRIGHT_URL: engine.url, OPERATOR_KEY };
  const { code, stdout, stderr } = await runCli({ args, environment, folder: tmpdir() });
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

const statusesIn = (encounter: string) =>
  chartOf(world)
    .filter(({ name }) => name.startsWith(`${encounter.replace('Encounter/', '')}/`))
    .filter(({ resource }) => resource['resourceType'] !== 'Provenance')
    .map(({ resource }) => isRetired(resource));

describe('a site that is paused', () => {
  it(
    'a paused site accepts its events and writes nothing until it is resumed',
    async () => {
      const [site = ''] = world.sites;
      await cli('sites', 'pause', site, 'write', '--reason', 'the EHR is upgraded');
      const visit = world.admit();
      await world.tell(visit);
      const run = await untilRun(engine, visit.encounter, 'waiting');
      expect(run).toMatchObject({
        reason: 'paused',
        step: 'write-chart',
        message: expect.stringContaining('upgraded'),
      });
      expect(chartShape(world, visit.encounter)).toEqual([]);
      expect(await cli('sites', 'list')).toContain('write');
      await cli('sites', 'resume', site, 'write');
      await untilRun(engine, visit.encounter);
      expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
    },
    LIMIT_MS,
  );
});

describe('orders for a run', () => {
  it('a run that is cancelled while it is processed stops after the current step and writes nothing', async () => {
    const visit = world.admit();
    const note = world.modelGate.hold({ moment: 'after' });
    await world.tell(visit);
    await note.reached;
    const { id } = await untilRun(engine, visit.encounter, 'running');
    await cli('runs', 'cancel', id);
    note.release();
    const run = await untilRun(engine, visit.encounter, 'cancelled');
    expect(run.id).toBe(id);
    expect(chartShape(world, visit.encounter)).toEqual([]);
  });

  it('runs of a model that turned out to be wrong are recalled, and their documents are retracted', async () => {
    const visit = world.admit();
    await world.tell(visit);
    const { startedAt = '', session } = await untilRun(engine, visit.encounter);
    const order = ['--site', visit.site, '--model', 'openai:gpt-5.4', '--from', startedAt, '--reason', 'wrong units'];
    expect(await cli('runs', 'recall', ...order, '--dry-run')).toContain(session);
    expect(statusesIn(visit.encounter)).not.toContain(true);
    await cli('runs', 'recall', ...order, '--yes');
    await untilRun(engine, visit.encounter, 'retracted');
    expect(new Set(statusesIn(visit.encounter))).toEqual(new Set([true]));
  });

  it('the documents of an encounter that is cancelled afterwards are retracted as soon as the EHR reports it', async () => {
    const visit = world.admit();
    await world.tell(visit);
    await untilRun(engine, visit.encounter);
    const encounter = world.ehr.store.get(visit.encounter);
    if (encounter?.resourceType !== 'Encounter') throw new Error('the encounter is gone');
    world.ehr.store.put({ ...encounter, status: 'entered-in-error' });
    await world.tell(visit);
    await untilRun(engine, visit.encounter, 'retracted');
    expect(new Set(statusesIn(visit.encounter))).toEqual(new Set([true]));
  });

  it('a run of a site with review waits for a clinician, and its documents are final after the approval', async () => {
    const visit = world.admit({ site: careful });
    await world.tell(visit);
    const { id, reason, revision } = await untilRun(engine, visit.encounter, 'held');
    expect([reason, chartShape(world, visit.encounter)]).toEqual(['review', []]);
    world.ehrOf(careful).store.put({ resourceType: 'Practitioner', id: '7' });
    const { key } = (await engine.ops('POST', '/reviewers', {
      site: careful,
      practitioner: 'Practitioner/7',
      name: 'Dr. A. Example',
    })) as { readonly key: string };
    await expect(engine.ops('POST', `/runs/${id}/review`, { decision: 'approve', revision })).rejects.toThrow('403');
    const stale = await review(id, key, { decision: 'approve', revision: revision + 1 });
    expect([stale, await runsOf(engine, { encounter: visit.encounter, status: 'held' })]).toEqual([
      409,
      expect.any(Array),
    ]);
    expect(await review(id, key, { decision: 'approve', revision })).toBe(200);
    await untilRun(engine, visit.encounter);
    const note = chartOf(world).find(
      ({ resource, name }) => resource['resourceType'] === 'Composition' && name.startsWith(`e-${visit.id}/`),
    );
    expect(note?.resource).toMatchObject({ status: 'final' });
    expect(JSON.stringify(note?.resource)).toContain('Practitioner/7');
  });
});

async function review(id: string, key: string, body: object): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${engine.url}/ops/runs/${id}/review`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  await response.body?.cancel();
  return response.status;
}

describe('an engine that is stopped in the middle of its work', () => {
  it(
    'an engine that is stopped in the middle of its work ends within 25 s without a failure, and the next start finishes all runs',
    async () => {
      const visits = Array.from({ length: 30 }, () => world.admit());
      // Three runs wait for the model, whose answers are held.
      const notes = [1, 2, 3].map(() => world.modelGate.hold({ moment: 'after' }));
      for (const visit of visits) await world.tell(visit);
      await Promise.all(notes.map(({ reached }) => reached));
      const written = (await untilRuns(engine, 1)).length;
      engine.signal('SIGTERM');
      const begunMs = performance.now();
      expect(await engine.exited).toBe(0);
      expect(performance.now() - begunMs).toBeLessThan(25_000);
      for (const { release } of notes) release();
      expect(written).toBeLessThan(40);
      engine = await world.start();
      await untilQuiet(world, engine, ENDS);
      expect(await whatIsWrong(world, engine, { ends: ENDS })).toEqual([]);
      expect(visits.filter(({ encounter }) => chartShape(world, encounter).join() !== WHOLE_CHART.join())).toEqual([]);
      const runs = await runsOf(engine);
      expect(runs.filter(({ crashes }) => crashes > 0)).toEqual([]);
      await eventually(async () => ((await fetch(`${engine.url}/readyz`)).ok ? true : undefined));
    },
    LIMIT_MS,
  );
});

const ENDS = ['written', 'cancelled', 'retracted', 'skipped'] as const;
