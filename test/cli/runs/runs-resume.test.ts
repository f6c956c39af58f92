// Tests the commands that let resting runs and quarantined deliveries go on, against the real /ops: retry, release, quarantine, reviews.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunEnd } from '../../../src/domain/run/run-end.ts';
import type { StepResults } from '../../../src/domain/run/step-results.ts';
import { hashKey } from '../../../src/flows/intake/formats/reading.ts';
import { type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import { aKeptRun, HELD, knownRun, PARKED, RESULTS, WRITTEN } from '../../support/stored-runs.ts';
import type { Person } from '../mappings/mappings-program.ts';
import { lines, type Typed, typeCommand } from '../ops-person.ts';
import { inFolder } from '../run-cli.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const cli = (typed: Typed, person?: Person) => typeCommand(engine.baseUrl, typed, person);
const actions = () => engine.audit.entries.map(({ action }) => action);
const { map: _, ...reasoned } = RESULTS;
const BEFORE_MAP = {
  'read-chart': {},
  'fetch-recording': { recordings: [] },
  ...reasoned,
} as unknown as Partial<StepResults>;
const parked = (encounter: string, end: RunEnd = PARKED) =>
  aKeptRun(engine.stores, { encounter, session: 's-1', results: BEFORE_MAP, end });
const SENSITIVE: RunEnd = { status: 'held', reason: 'sensitive', message: 'mercy: sensitive.' };
const WAITING: RunEnd = {
  status: 'waiting',
  reason: 'ehr',
  waitsFor: 'ehr/mercy',
  message: 'The EHR does not answer.',
  until: new Date('2026-11-22T08:00:00Z'),
  countsAsTry: false,
};

describe('runs retry', () => {
  it('lets a new run go on at the step where a parked one failed', async () => {
    const run = await parked('Encounter/e-1');
    const { code, stdout } = await cli(`runs retry ${run.id}`);
    const [again] = (await engine.stores.runs.list({ scope: 'all', limit: 5 })).runs;
    expect(code).toBe(0);
    expect(stdout).toBe(`Run ${again?.id} goes on for ${run.id}.\nWatch it: npm run cli -- runs watch ${again?.id}\n`);
    expect(again).toMatchObject({ status: 'queued', step: 'map', replayOf: run.id });
    expect(actions()).toEqual(['run.retry']);
  });

  it('does not begin a second run for a parked one while the first goes on', async () => {
    const run = await parked('Encounter/e-1');
    await cli(`runs retry ${run.id}`);
    const [again] = (await engine.stores.runs.list({ scope: 'all', limit: 5 })).runs;
    const { code, stderr } = await cli(`runs retry ${run.id}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`Run ${again?.id} goes on for it already: it is queued`),
    ]);
    expect((await engine.stores.runs.list({ scope: 'all', limit: 5 })).runs).toHaveLength(2);
  });

  it('resolves the encounter again for a parked run that never came so far', async () => {
    const run = await aKeptRun(engine.stores, {
      end: { status: 'parked', reason: 'ehr-refused', message: 'Refused.' },
    });
    await cli(`runs retry ${run.id}`);
    expect(await knownRun(engine.stores, run.id)).toMatchObject({ status: 'queued', encounter: run.encounter });
  });

  it('tries a waiting run now, with its results', async () => {
    const run = await parked('Encounter/e-1', WAITING);
    const { stdout } = await cli(`runs retry ${run.id}`);
    expect(lines(stdout)[0]).toBe(`Run ${run.id} is tried again.`);
    expect(await knownRun(engine.stores, run.id)).toMatchObject({ status: 'queued', tries: 0 });
    expect(Object.keys(await engine.stores.runs.results(run.id))).toContain('transcribe');
  });

  it('counts the runs that fit by site and reason, and tries them after a yes', async () => {
    await parked('Encounter/e-1');
    await parked('Encounter/e-2');
    await parked('Encounter/e-3', { status: 'parked', reason: 'vendor', message: 'Refused.' });
    const { code, stdout, asked } = await cli('runs retry --status parked --reason mapping', { answer: 'y' });
    expect(asked).toEqual(['2 parked runs will be tried again. Continue? [y/N] ']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mercy +mapping +2$/m);
    expect(stdout).not.toContain('vendor');
    expect(lines(stdout).at(-1)).toBe('2 tried again.');
  });

  it('tries nothing without a yes, and asks no one with --yes', async () => {
    const run = await parked('Encounter/e-1', WAITING);
    const refused = await cli('runs retry --status waiting', { answer: 'n' });
    expect([refused.code, refused.stderr]).toEqual([1, 'Nothing was tried.\n']);
    expect((await knownRun(engine.stores, run.id)).status).toBe('waiting');
    expect((await cli('runs retry --status waiting --yes')).code).toBe(0);
    expect((await knownRun(engine.stores, run.id)).status).toBe('queued');
  });

  it('refuses a run in another state, and names the state', async () => {
    const run = await aKeptRun(engine.stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const { code, stderr } = await cli(`runs retry ${run.id}`);
    expect(code).toBe(1);
    expect(stderr).toContain('Only a run that waits or is parked can be tried again; this one is written');
    expect(actions()).toEqual([]);
  });
});

describe('runs release', () => {
  it('lets a run that is held as sensitive go on, and records why', async () => {
    const run = await parked('Encounter/e-1', SENSITIVE);
    const { code, stdout } = await cli(['runs', 'release', run.id, '--reason', 'The patient agreed.']);
    expect([code, lines(stdout)[0]]).toEqual([0, 'Released.']);
    expect((await knownRun(engine.stores, run.id)).status).toBe('queued');
    const place = { site: 'mercy', encounter: 'Encounter/e-1', patient: 'Patient/p-1' };
    expect(await engine.releases.has({ ...place, session: 's-1' })).toBe(true);
    expect(await engine.releases.has({ ...place, session: 's-2' })).toBe(false);
    expect(engine.audit.entries).toMatchObject([
      { action: 'run.release', run: run.id, details: { reason: 'The patient agreed.', session: 's-1' } },
    ]);
  });

  it('with --whole-encounter releases each session of the encounter from now on', async () => {
    const run = await parked('Encounter/e-1', SENSITIVE);
    await cli(['runs', 'release', run.id, '--reason', 'Agreed.', '--whole-encounter']);
    expect(
      await engine.releases.has({ site: 'mercy', encounter: 'Encounter/e-1', patient: 'Patient/p-1', session: 's-2' }),
    ).toBe(true);
  });

  it('refuses a run that is held for another reason, and one without a reason to release it', async () => {
    const run = await parked('Encounter/e-1', HELD);
    const { code, stderr } = await cli(['runs', 'release', run.id, '--reason', 'x']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('this one is held for review')]);
    expect((await cli(['runs', 'release', run.id])).stderr).toContain('--reason is required');
    expect(actions()).toEqual([]);
  });

  it('releases nothing if the audit trail cannot be written', async () => {
    const run = await parked('Encounter/e-1', SENSITIVE);
    engine.loseTrail();
    expect((await cli(['runs', 'release', run.id, '--reason', 'Agreed.'])).code).toBe(1);
    expect((await knownRun(engine.stores, run.id)).status).toBe('held');
  });
});

describe('runs quarantine', () => {
  const MESSAGE = '{"eventId": "e-1", "encounter": "Encounter/e-7"';
  const aside = async (body: string | undefined = MESSAGE) => {
    await engine.stores.inbox.quarantine({
      site: 'mercy',
      source: 'push',
      outcome: 'not-understood',
      key: hashKey(Buffer.from(body ?? '')),
      why: 'The body is not valid JSON',
      receivedAt: new Date('2026-11-21T08:00:00Z'),
      contentType: 'application/json',
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
    const [delivery] = (await engine.stores.inbox.listQuarantined({ scope: 'all', limit: 1 })).deliveries;
    return delivery?.id ?? '';
  };
  const left = async () => (await engine.stores.inbox.listQuarantined({ scope: 'all', limit: 5 })).deliveries.length;

  it('shows the message only with --patient-data, and records the view', async () => {
    const id = await aside();
    expect((await cli(`runs quarantine show ${id}`)).stderr).toContain('--patient-data');
    expect(actions()).toEqual([]);
    const { code, stdout, stderr } = await cli(`runs quarantine show ${id.slice(0, 8)} --patient-data`);
    expect([code, stdout]).toEqual([0, MESSAGE]);
    expect(stderr).toContain('mercy, push, application/json, received 2026-11-21 08:00');
    expect(engine.audit.entries).toMatchObject([{ action: 'event.view', site: 'mercy', details: { delivery: id } }]);
  });

  it('sends a corrected message, which starts its run and leaves the list', async () => {
    const id = await aside();
    await inFolder(async (folder) => {
      const file = join(folder, 'corrected.json');
      await writeFile(file, `${MESSAGE}}`);
      const { code, stdout } = await cli(['runs', 'quarantine', 'send', id, '--file', file]);
      const [run] = (await engine.stores.runs.list({ scope: 'all', limit: 5 })).runs;
      expect([code, run?.encounter]).toEqual([0, 'Encounter/e-7']);
      expect(stdout).toBe(`The delivery is accepted.\nWatch it: npm run cli -- runs watch ${run?.id}\n`);
    });
    expect(await left()).toBe(0);
    expect(engine.audit.entries).toMatchObject([{ action: 'event.send', details: { delivery: id, corrected: true } }]);
  });

  it('says what is still wrong with a message that is sent as it came, and keeps it', async () => {
    const id = await aside();
    const { code, stderr } = await cli(`runs quarantine send ${id}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('It could not be used:')]);
    expect(await left()).toBe(1);
  });

  it('refuses to send a message whose bytes are not stored', async () => {
    await engine.stores.inbox.quarantine({
      site: 'mercy',
      source: 'push',
      outcome: 'not-understood',
      key: 'sha256:2',
      why: 'It is larger than 1 MB, and was not stored',
      receivedAt: new Date('2026-11-21T08:00:00Z'),
    });
    const [delivery] = (await engine.stores.inbox.listQuarantined({ scope: 'all', limit: 1 })).deliveries;
    const { code, stderr } = await cli(`runs quarantine send ${delivery?.id}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('send a corrected one')]);
  });

  it('finds no delivery with an unknown id', async () => {
    const { code, stderr } = await cli('runs quarantine show 0198c5b2-6d1e-4a40-9c55-2f8b1e0d4a78 --patient-data');
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no quarantined delivery with this id')]);
  });
});

describe('runs reviews', () => {
  const aDraft = (site: string, encounter: string, end: RunEnd = HELD) =>
    aKeptRun(engine.stores, { site, encounter, session: 's-1', results: RESULTS, end });

  it('lists the drafts of a reviewer’s own site with whole ids, and no others', async () => {
    const typed = [
      'reviewers',
      'create',
      '--site',
      'mercy',
      '--practitioner',
      'Practitioner/7',
      '--name',
      'Dr. Example',
    ];
    const { key } = JSON.parse((await cli(['--json', ...typed])).stdout);
    const held = await aDraft('mercy', 'Encounter/e-1');
    const written = await aDraft('mercy', 'Encounter/e-2', WRITTEN);
    await aDraft('mercy', 'Encounter/e-3', SENSITIVE);
    await aDraft('general', 'Encounter/e-4');
    const { code, stdout } = await cli('runs reviews', { environment: { CHARTWRIGHT_REVIEWER_KEY: key } });
    expect(code).toBe(0);
    const rows = lines(stdout).filter((line) => line.includes('Encounter/'));
    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`^${held.id} +Encounter/e-1 +in the engine +1 `)),
      expect.stringMatching(new RegExp(`^${written.id} +Encounter/e-2 +in the chart +1 `)),
    ]);
  });

  it('lists the drafts of all sites with the operator key, or of one', async () => {
    await aDraft('mercy', 'Encounter/e-1');
    expect((await cli('runs reviews')).stdout).toContain('Encounter/e-1');
    expect((await cli('runs reviews --site mercy')).stdout).toContain('Encounter/e-1');
    expect((await cli('runs reviews --site general')).stdout).toBe('No draft waits for a decision.\n');
  });
});
