// The master key is replaced while an engine works: with keys as settings and a kill right after it, and with keys in files.
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunAnswer } from '../../src/wire/run.ts';
import { PROJECT, runCli } from '../cli/run-cli.ts';
import { type Engine, OPERATOR_KEY, spawnEngine, startEngine } from '../support/engine.ts';
import { makePng } from '../support/file-samples.ts';
import { getAnswer, postForm } from '../support/journey-client.ts';
import { eventually, runsOf, untilRun, viewOf } from '../support/journey-runs.ts';
import { fieldParts } from '../support/journey-upload.ts';
import { makeOlderDatabase, OLDER_EVENT, OLDER_KEY, OLDER_RUN } from '../support/older-database.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';
import { startWorld, type World } from '../support/run-world.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

const SEALED = 'All stored values are sealed under the master key in force.';

async function keysOf({ url }: Pick<Engine, 'url'>): Promise<{ readonly status: string; readonly detail: string }> {
  const { components } = (await (await fetch(`${url}/readyz`)).json()) as {
    readonly components: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
  };
  const found = components.find(({ name }) => name === 'keys');
  if (found === undefined) throw new Error('there is no component "keys"');
  return found;
}

const untilSealed = (engine: Engine) =>
  eventually(async () => ((await keysOf(engine)).detail.startsWith(SEALED) ? true : undefined));

const rotate = ({ url }: Pick<Engine, 'url'>) =>
  runCli({
    args: ['keys', 'rotate-master'],
    environment: { CHARTWRIGHT_URL: url, OPERATOR_KEY },
    folder: PROJECT,
  });

/** The exit code and the error of an engine that is expected not to start. */
async function failedStart(env: Readonly<Record<string, string>>) {
  const { exited, output } = spawnEngine(env);
  return { code: await exited, stderr: output().stderr };
}

describe('a master key in the settings', () => {
  const next = randomBytes(32);
  const NEXT = next.toString('base64');
  let world: World;
  let engine: Engine;
  let key: string;
  let streamUrl: string;
  let run: RunAnswer;
  let eventId: string;

  beforeAll(async () => {
    world = await startWorld();
    engine = await world.start('a', { MASTER_KEY_NEXT: NEXT });
    const visit = world.admit();
    eventId = await world.tell(visit);
    run = await untilRun(engine, visit.encounter);
    key = await engine.makeKey();
    const parts = [
      ...fieldParts({ clinical_history: 'Boy of 11 years, pain in the right lower belly since yesterday.' }),
      { name: 'files', bytes: makePng(), fileName: 'picture.png' },
    ];
    const prepared = await postForm(engine, '/diagnose/stream/files', key, parts);
    ({ streamUrl } = prepared.body as { readonly streamUrl: string });
  });
  afterAll(() => world?.close());

  it('the master key is replaced by a command, and an engine that is killed right after it continues with the new one', async () => {
    const { code, stdout } = await rotate(engine);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^The master key was replaced at .*Write the value/s)]);
    await world.kill(engine);
    engine = await world.start('a', { MASTER_KEY: NEXT });
    await untilSealed(engine);
    expect(await engine.ops('GET', '/master-key')).toMatchObject({ endedAt: expect.any(String) });
  });

  it('the replaced master key is refused at a start, with the date', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'chartwright-old-key-'));
    const { code, stderr } = await failedStart({
      DATA_DIR: dataDir,
      DATABASE_URL: world.connectionString,
      MASTER_KEY: Buffer.from(world.masterKey).toString('base64'),
    });
    await rm(dataDir, { recursive: true, force: true });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Chartwright cannot start: This master key was replaced on \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  });

  it('runs, API keys, prepared streams and the audit trail from before are used as before', async () => {
    const view = await viewOf(engine, run.id);
    expect(view.trigger.eventId).toBe(eventId);
    expect(view.events).toContainEqual(expect.objectContaining({ eventId }));
    expect(view.steps.map(({ status }) => status)).toEqual(Array(9).fill('done'));
    const stream = await getAnswer(engine, streamUrl, key);
    expect([stream.status, stream.text]).toEqual([200, expect.stringContaining('event: final')]);
    expect(await engine.ops('POST', '/audit/verify')).toMatchObject({ isWhole: true });
  });

  it('a run from before is replayed, a new one is written, and each document is in the chart once', async () => {
    await engine.ops('POST', `/runs/${run.id}/replay`, { from: 'check' });
    const visit = world.admit();
    await world.tell(visit);
    expect(await untilRun(engine, visit.encounter)).toMatchObject({ status: 'written' });
    await eventually(async () => {
      const runs = await runsOf(engine, { encounter: run.encounter });
      return runs.length === 2 && runs.every(({ status }) => status === 'written') ? true : undefined;
    });
    const renewed: World = Object.assign(Object.create(world), { masterKey: next });
    expect(await whatIsWrong(renewed, engine)).toEqual([]);
  });
});

describe('a database of version 0.2.0', () => {
  it('an engine brings it up to date with the master key, shows its runs and replaces the key', async () => {
    const older = await makeOlderDatabase();
    const env = { DATABASE_URL: older.connectionString, MASTER_KEY: Buffer.from(OLDER_KEY).toString('base64') };
    const engine = await startEngine({ env: { ...env, MASTER_KEY_NEXT: randomBytes(32).toString('base64') } });
    expect((await viewOf(engine, OLDER_RUN)).trigger).toMatchObject({ eventId: OLDER_EVENT });
    expect((await rotate(engine)).code).toBe(0);
    await untilSealed(engine);
    expect((await viewOf(engine, OLDER_RUN)).trigger).toMatchObject({ eventId: OLDER_EVENT });
    await engine.stop();
    await older.drop();
  });
});

describe('a master key in a file', () => {
  let dataDir: string;
  let connectionString: string;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'chartwright-key-file-'));
    ({ connectionString, drop } = await makeMigratedDatabase());
  });
  afterAll(async () => {
    await rm(dataDir, { recursive: true, force: true });
    await drop?.();
  });

  it('a new file takes the place of the old one, which stays beside it and is refused', async () => {
    const env = { DATABASE_URL: connectionString };
    const engine = await startEngine({ dataDir, env });
    expect((await rotate(engine)).code).toBe(0);
    await untilSealed(engine);
    const replaced = (await readdir(dataDir)).filter((name) => name.startsWith('master.key'));
    expect(replaced.toSorted()).toEqual(['master.key', expect.stringMatching(/^master\.key\.replaced-/)]);
    await engine.stop();
    const again = await startEngine({ dataDir, env });
    await again.makeKey();
    await again.stop();
    await copyFile(path.join(dataDir, replaced.toSorted()[1] ?? ''), path.join(dataDir, 'master.key'));
    const { code, stderr } = await failedStart({ DATA_DIR: dataDir, ...env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('This master key was replaced on')]);
  });
});
