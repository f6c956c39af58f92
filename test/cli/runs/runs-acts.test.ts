// Tests the runs commands that change something against the real /ops: start, replay, cancel, review.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import { aKeptRun, aQueuedRun, HELD, knownRun, RESULTS, WRITTEN } from '../../support/stored-runs.ts';
import type { Person } from '../mappings/mappings-program.ts';
import { lines, type Typed, typeCommand } from '../ops-person.ts';
import { inFolder } from '../run-cli.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const cli = (typed: Typed, person?: Person) => typeCommand(engine.baseUrl, typed, person);
const aDraft = (site = 'sandbox') => aKeptRun(engine.stores, { site, session: 's-1', results: RESULTS, end: HELD });
const written = () => aKeptRun(engine.stores, { session: 's-1', results: RESULTS, end: WRITTEN });
const allRuns = async () => (await engine.stores.runs.list({ scope: 'all', limit: 50 })).runs;

describe('runs start', () => {
  it('starts a run for an encounter, and says how to watch it', async () => {
    const { code, stdout, stderr } = await cli('runs start mercy e-9');
    const [run] = await allRuns();
    expect([code, stderr]).toEqual([0, '']);
    expect(run).toMatchObject({ encounter: 'Encounter/e-9', status: 'queued' });
    expect(stdout).toBe(`Run ${run?.id} is started.\nWatch it: npm run cli -- runs watch ${run?.id}\n`);
  });

  it('says that the encounter was documented before, and how to document it again', async () => {
    const run = await written();
    const { stdout } = await cli('runs start mercy e-1');
    const [again] = await allRuns();
    expect(lines(stdout)).toEqual([
      `Run ${again?.id} is started.`,
      `The encounter had a run before: ${run.id} is written: the documents are in the chart.`,
      `Only recordings that are not documented yet are documented. Again: npm run cli -- runs replay ${run.id}`,
      `Watch it: npm run cli -- runs watch ${again?.id}`,
    ]);
    const json = JSON.parse((await cli('--json runs start mercy e-1')).stdout);
    expect(json).toEqual({ id: again?.id, earlier: { id: run.id, status: 'written' } });
  });

  it('gives programs the id of the run', async () => {
    const { stdout } = await cli('--json runs start mercy Encounter/e-9');
    expect(JSON.parse(stdout)).toEqual({ id: (await allRuns())[0]?.id });
  });

  it('with --since reports the number of encounters first, and starts them after a yes', async () => {
    engine.found.push('Encounter/e-1', 'Encounter/e-2');
    const { code, stdout, asked } = await cli('runs start mercy --since 24h', { answer: 'y' });
    expect(asked).toEqual([expect.stringMatching(/^2 encounters of mercy will be read.* Continue\? \[y\/N\] $/)]);
    expect([code, lines(stdout)]).toEqual([
      0,
      ['2 encounters, 2 runs started.', 'Watch them: npm run cli -- runs watch'],
    ]);
    expect(await allRuns()).toHaveLength(2);
  });

  it.each([
    ['the answer no', 'runs start mercy --since 24h', { answer: 'n' }, /^Nothing was started\.\n$/],
    ['an empty answer', 'runs start mercy --since 24h', { answer: '' }, /^Nothing was started\.\n$/],
    [
      'no person at the terminal',
      'runs start mercy --since 24h',
      {},
      /^Nothing was started\. 1 encounter of mercy would .*Pass --yes/,
    ],
    ['a program', '--json runs start mercy --since 24h', { answer: 'y' }, /^Nothing was started\. .*Pass --yes/],
  ])('with --since and %s starts no run', async (_, line, person, message) => {
    engine.found.push('Encounter/e-1');
    const { code, stdout, stderr } = await cli(line, person);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(await allRuns()).toEqual([]);
  });

  it('with --since and --yes starts the runs without a question', async () => {
    engine.found.push('Encounter/e-1');
    const { code, stdout } = await cli('--json runs start mercy --since 2026-11-01 --yes');
    expect([code, JSON.parse(stdout)]).toEqual([0, { count: 1, isComplete: true, ids: [(await allRuns())[0]?.id] }]);
  });

  it('with --since does not ask if there is no encounter', async () => {
    const { code, stdout, asked } = await cli('runs start mercy --since 24h', { answer: 'y' });
    expect([code, asked]).toEqual([0, []]);
    expect(stdout).toMatch(/^mercy has no matching encounter since then\. Nothing was started\.$/m);
  });

  it.each([
    ['runs start mercy', /^Name one encounter, or select all since a time with --since/],
    ['runs start mercy e-1 --since 2h', /^Name one encounter/],
    ['runs start mercy e-1 --yes', /^--yes goes with --since/],
    ['runs start mercy --since 2h --watch', /^--watch goes with one encounter/],
    ['runs start mery e-1', /^There is no site mery; did you mean mercy\?/],
    ['runs start st-mary e-1', /mappings check shows them/],
    ['runs start mercy a/b/c', /^encounter must be an id, bare or as Encounter\/id/],
    ['runs start mercy --since soon', /^--since must be a day like/],
  ])('"%s" is refused', async (line, message) => {
    const { code, stdout, stderr } = await cli(line);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(await allRuns()).toEqual([]);
  });
});

describe('runs replay', () => {
  it('starts a further run of the same session from a step', async () => {
    const run = await written();
    const { code, stdout } = await cli(['runs', 'replay', run.id.slice(0, 8), '--from', 'map']);
    const [again] = await allRuns();
    expect(code).toBe(0);
    expect(again).toMatchObject({ replayOf: run.id, isDry: false });
    expect(stdout).toContain(`Run ${again?.id} is started.\n`);
    expect(engine.audit.entries).toMatchObject([{ action: 'run.replay', details: { from: 'map', dryRun: false } }]);
  });

  it('refuses an unknown step, and names the valid ones', async () => {
    const run = await written();
    const { code, stderr } = await cli(['runs', 'replay', run.id, '--from', 'the-end']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^--from must be one of read-chart, fetch-recording/)]);
  });

  it('refuses a run that has no session yet, and says what to do', async () => {
    const id = await aQueuedRun(engine.stores);
    const { code, stderr } = await cli(['runs', 'replay', id]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('start a new run for its encounter')]);
  });
});

describe('runs cancel', () => {
  it('ends a run that no worker processes', async () => {
    const id = await aQueuedRun(engine.stores);
    expect(await cli(['runs', 'cancel', id])).toMatchObject({ code: 0, stdout: `Run ${id} is cancelled.\n` });
    expect((await knownRun(engine.stores, id)).status).toBe('cancelled');
  });

  it('lets a running run end after its current step', async () => {
    const { id } = await aKeptRun(engine.stores, { session: 's-1', results: RESULTS });
    expect((await cli(['runs', 'cancel', id])).stdout).toBe(
      `Run ${id} is cancelling: it stops after the current step.\n`,
    );
    expect(JSON.parse((await cli(['--json', 'runs', 'cancel', id])).stdout)).toEqual({ id, status: 'cancelling' });
  });

  it('refuses a finished run', async () => {
    const { id } = await written();
    const { code, stderr } = await cli(['runs', 'cancel', id]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('there is nothing left to cancel')]);
  });
});

describe('runs review', () => {
  it('approves a draft of the sandbox with the operator’s key', async () => {
    const { id } = await aDraft();
    const { code, stdout, stderr } = await cli(['runs', 'review', id.slice(0, 8), '--approve']);
    expect([code, stderr, lines(stdout)[0]]).toEqual([0, '', 'Approved.']);
    expect(stdout).toMatch(/^QUEUED: /m);
    expect((await knownRun(engine.stores, id)).review).toMatchObject({ decision: 'approve', revision: 1 });
  });

  it('reads the new text of sections from files and from the command', async () => {
    const { id } = await aDraft();
    await inFolder(async (folder) => {
      const file = join(folder, 'plan.txt');
      await writeFile(file, 'Chest X-ray tomorrow.\n');
      const edits = ['--edit', `PLAN=@${file}`, 'SUBJECTIVE=Cough for two days = better.'];
      const { code, stdout } = await cli(['--json', 'runs', 'review', id, ...edits, '--revision', '1']);
      expect([code, JSON.parse(stdout).review.decision]).toEqual([0, 'edit']);
    });
    expect((await engine.stores.runs.results(id)).check?.note.note.sections.map(({ text }) => text)).toEqual([
      'Cough for two days = better.',
      'Chest X-ray tomorrow.',
    ]);
  });

  it('rejects a draft with a reason', async () => {
    const { id } = await aDraft();
    const { code, stdout } = await cli(['runs', 'review', id, '--reject', 'It is about another visit.']);
    expect([code, lines(stdout)[0]]).toEqual([0, 'Rejected.']);
    expect(await knownRun(engine.stores, id)).toMatchObject({ status: 'rejected' });
  });

  it('sends a draft back with an instruction, and shows the run that makes the other one', async () => {
    const { id } = await aDraft();
    const words = ['--correct', 'Leave out the family history.', '--category', 'not-usable'];
    const { code, stdout } = await cli(['runs', 'review', id, ...words]);
    expect([code, lines(stdout)[0]]).toEqual([0, 'Another draft is being made, by this run:']);
    expect(stdout).toMatch(/^QUEUED: /m);
    expect((await knownRun(engine.stores, id)).status).toBe('held');
  });

  it('needs the key of a reviewer outside of the sandbox, and refuses the operator’s', async () => {
    const { id } = await aDraft('mercy');
    const refused = await cli(['runs', 'review', id, '--approve']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('Only a clinician may decide about a draft'),
    ]);
    const CHARTWRIGHT_REVIEWER_KEY = await aReviewerKey();
    const { code } = await cli(['runs', 'review', id, '--approve'], { environment: { CHARTWRIGHT_REVIEWER_KEY } });
    expect(code).toBe(0);
    expect((await knownRun(engine.stores, id)).review).toMatchObject({
      reviewer: 'Practitioner/7',
      name: 'Dr. Example',
    });
  });

  it('needs the whole id of a run if there is only the key of a reviewer, and says so', async () => {
    const { id } = await aDraft('mercy');
    const environment = {
      CHARTWRIGHT_REVIEWER_KEY: await aReviewerKey(),
      OPERATOR_KEY: '',
      DATA_DIR: 'no/such/folder',
    };
    const { code, stderr } = await cli(['runs', 'review', id.slice(0, 8), '--approve'], { environment });
    expect([code, stderr]).toEqual([1, expect.stringContaining('needs the complete id of the run')]);
    expect((await cli(['runs', 'show', id, '--as-reviewer'], { environment })).stdout).toContain('HELD (review)');
    expect((await cli(['runs', 'review', id, '--approve'], { environment })).code).toBe(0);
  });

  it('names the key that the engine does not accept', async () => {
    const { id } = await aDraft('mercy');
    const wrong = `rv_0123456789abcdef_${'x'.repeat(43)}`;
    const { code, stderr } = await cli(['runs', 'review', id, '--approve'], {
      environment: { CHARTWRIGHT_REVIEWER_KEY: wrong },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('the reviewer’s key from CHARTWRIGHT_REVIEWER_KEY')]);
    expect(stderr).not.toContain(wrong);
  });

  it.each([
    [[], /^Give exactly one of --approve, --edit SECTION=@file, --reject/],
    [['--approve', '--correct', 'Shorter.'], /^Give exactly one of/],
    [['--correct', ' '], /^--correct needs an instruction/],
    [['--reject', 'No.', '--category', 'bad'], /^--category must be one of wrong-patient/],
    [['--approve', '--category', 'other'], /^category is only for reject and correct/],
    [['--approve', '--reject', 'No.'], /^Give exactly one of/],
    [['--reject', ' '], /^--reject needs a reason/],
    [['--edit', 'PLAN'], /^--edit takes SECTION=@file/],
    [['--edit', 'PLAN=a', 'PLAN=b'], /^--edit names the section PLAN twice/],
    [['--edit', 'PLAN=@no-such-file.txt'], /^The file no-such-file\.txt cannot be read \(ENOENT\)/],
    [['--edit', 'NOWHERE=Rest.'], /^--edit must name sections of this note: SUBJECTIVE, PLAN/],
    [['--approve', '--revision', '7'], /read it again/],
    [['--approve', '--revision', 'last'], /^--revision must be a whole number/],
  ])('runs review refuses the arguments %j', async (options, message) => {
    const run = await aDraft();
    const { code, stdout, stderr } = await cli(['runs', 'review', run.id, ...options]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(await knownRun(engine.stores, run.id)).toEqual(run);
  });

  it('refuses a file that is not text, and quotes nothing of it', async () => {
    const { id } = await aDraft();
    await inFolder(async (folder) => {
      const file = join(folder, 'plan.txt');
      await writeFile(file, Buffer.from([0x43, 0xff, 0xfe]));
      const { code, stderr } = await cli(['runs', 'review', id, '--edit', `PLAN=@${file}`]);
      expect([code, stderr]).toEqual([1, expect.stringContaining('is not UTF-8 text')]);
    });
  });

  async function aReviewerKey(): Promise<string> {
    const made = 'reviewers create --site mercy --practitioner Practitioner/7 --name'.split(' ');
    return JSON.parse((await cli(['--json', ...made, 'Dr. Example'])).stdout).key;
  }
});
