// Tests drills at the command line: the command prints each step, judges the result at the end, and ends the drill whatever happens.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { brokenPromises } from '../../../src/cli/sandbox/sandbox-promise.ts';
import type { RunEnd } from '../../../src/domain/run/run-end.ts';
import { type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import { aKeptRun, RESULTS, WRITTEN } from '../../support/stored-runs.ts';
import { until } from '../../support/until.ts';
import type { Outcome, Person } from '../mappings/mappings-program.ts';
import { lines, typeCommand } from '../ops-person.ts';
import { aChart } from './sandbox-charts.ts';

let engine: OpsEngine;
const leaving: AbortController[] = [];
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(async () => {
  for (const person of leaving.splice(0)) person.abort();
  await engine.stop();
});

const cli = (line: string, person?: Person) => typeCommand(engine.baseUrl, `sandbox ${line}`, person);
/** The visit of the drills in the fake hospital. */
const VISIT = 'en-migraine-2';

type Rehearsal = { readonly ended: Promise<Outcome>; readonly leave: () => void };

async function begin(line: string, sign = 'queued'): Promise<Rehearsal> {
  const person = new AbortController();
  leaving.push(person);
  let told = '';
  const hear = (text: string) => {
    told += text;
  };
  const ended = cli(line, { interrupt: person.signal, onPrint: hear });
  await until(() => told.includes(sign));
  return { ended, leave: () => person.abort() };
}

async function endRun(end: RunEnd): Promise<void> {
  engine.setTime('2026-11-21T08:00:12.500Z');
  const encounter = `Encounter/${VISIT}`;
  await aKeptRun(engine.stores, { site: 'sandbox', encounter, session: 's-1', results: RESULTS, end });
}

const PARKED: RunEnd = { status: 'parked', reason: 'tries', message: 'The EHR failed.', advice: 'Look at it.' };

describe('sandbox drill', () => {
  it.each(['drill', 'drill --list'])(
    'as %s shows what fails, for how long, and which drills are not available',
    async (line) => {
      const { code, stdout } = await cli(line);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^DRILL +LASTS UP TO +PROMISED +FAILURE$/m);
      expect(stdout).toMatch(/^twice +60 s +written +The EHR tells each event twice\.$/m);
      expect(stdout).toMatch(
        /^no-broker +90 s +written +The broker is gone for a while\. Not available: No broker is set:\s+start/m,
      );
      expect(stdout).not.toContain('under way');
      expect(engine.hospital.done).toEqual([]);
    },
  );

  it('prints the failure and what to watch, follows the run, and ends with 0 if the result is as promised', async () => {
    const { ended } = await begin('drill twice');
    engine.hospital.fillChart(VISIT, aChart({ written: 'emergency-red', visit: VISIT }));
    await endRun(WRITTEN);
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(lines(stdout).slice(0, 5)).toEqual([
      'Drill twice: The EHR tells each event twice.',
      'What to look for:',
      '- One run, however often it is told.',
      '- One note in the chart.',
      'The drill ends by itself within 60 s; press Control-C to end it now.',
    ]);
    expect(stdout).toMatch(/^\+ {2}0\.0 s {2}queued: /m);
    expect(stdout).toMatch(/^\+ 12\.5 s {2}written: /m);
    expect(stdout).toContain(
      '\nAs promised: written; 1 Composition, 1 Condition, 1 Device, 1 DocumentReference, 1 Flag',
    );
    expect(stdout).toContain(`npm run cli -- sandbox show ${VISIT}\n`);
    expect(engine.hospital.done.at(-1)).toBe('end');
  });

  it('says which promise is broken, and ends with 1', async () => {
    const { ended } = await begin('drill twice');
    await endRun(PARKED);
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(1);
    expect(stdout).toContain('\nIt ended: parked (tries); nothing in the chart\n');
    expect(stderr).toBe(
      'Not as promised: the run is parked (tries), and written was promised; 0 Composition in the chart, and 1 was promised.\n',
    );
    expect(engine.hospital.drills.underWay()).toBeUndefined();
  });

  it('ends with 0 without a note if the drill promises none', async () => {
    const { ended } = await begin('drill dead-ehr');
    await endRun(PARKED);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('ends at Control-C, and ends the drill', async () => {
    const { ended, leave } = await begin('drill twice');
    leave();
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([1, 'The drill was ended. Its run continues: npm run cli -- runs watch\n']);
    expect(engine.hospital.drills.underWay()).toBeUndefined();
  });

  it('ends at Control-C also before the first step', async () => {
    const person = new AbortController();
    const onPrint = () => person.abort();
    const { code } = await cli('drill twice', { interrupt: person.signal, onPrint });
    expect(code).toBe(1);
    expect(engine.hospital.done.at(-1)).toBe('end');
  });

  it('says when the drill ends by itself if it could not be ended', async () => {
    const { ended } = await begin('drill twice');
    engine.loseTrail();
    await endRun(WRITTEN);
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toContain('The drill could not be ended: The database cannot be reached\n');
    expect(stderr).toContain(
      'It ends by itself at 2026-11-21T08:01:00.000Z, or by npm run cli -- sandbox drill --stop',
    );
  });

  it('does not start a drill while another one is running', async () => {
    await engine.hospital.drills.start('dead-ehr');
    expect((await cli('drill')).stdout).toContain(
      'dead-ehr is under way, and ends by itself at 2026-11-21 08:00:30 UTC',
    );
    const { code, stderr } = await cli('drill twice');
    expect([code, stderr]).toEqual([1, 'The drill dead-ehr is under way\n']);
    expect(engine.hospital.drills.underWay()).toMatchObject({ drill: { name: 'dead-ehr' } });
  });

  it('with --stop ends the running drill', async () => {
    await engine.hospital.drills.start('dead-ehr');
    const { code, stdout } = await cli('drill --stop');
    expect([code, stdout]).toEqual([0, 'No drill is running; everything works normally.\n']);
    expect(engine.hospital.drills.underWay()).toBeUndefined();
  });

  it('gives programs only the result', async () => {
    const ended = typeCommand(engine.baseUrl, '--json sandbox drill twice');
    await until(() => engine.hospital.done.includes(`finish ${VISIT}`));
    engine.hospital.fillChart(VISIT, aChart({ written: 'nursing-note', visit: VISIT }));
    await endRun(WRITTEN);
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      drill: { name: 'twice' },
      visit: { name: VISIT },
      run: { status: 'written' },
      written: { Composition: 1 },
      isAsPromised: true,
      broken: [],
    });
  });

  it.each([
    ['drill flood', 'No drill has the name flood. Drills: twice, dead-ehr, no-broker.'],
    ['drill no-broker', 'No broker is set: start with AMQP_URL'],
    ['drill twice --stop', 'Give the name of a drill, or --list, or --stop.'],
    ['drill --list --stop', 'Give the name of a drill, or --list, or --stop.'],
  ])('"%s" is refused', async (line, message) => {
    const { code, stderr } = await cli(line);
    expect([code, stderr]).toEqual([1, `${message}\n`]);
    expect(engine.hospital.done).toEqual([]);
  });
});

describe('The promise of a drill', () => {
  const promise = { status: 'held', reason: 'review', resources: { Composition: 1, Flag: 0 } } as const;
  const run = { status: 'held', reason: 'review' } as const;

  it('is kept by the same state, reason and counts, and ignores what it does not name', () => {
    expect(brokenPromises({ promise }, { run, written: { Composition: 1, Condition: 4 } })).toEqual([]);
  });

  it.each([
    [
      { ...run, reason: 'language' },
      { Composition: 1 },
      ['the run is held (language), and held (review) was promised'],
    ],
    [run, { Composition: 2 }, ['2 Composition in the chart, and 1 was promised']],
    [run, { Composition: 1, Flag: 1 }, ['1 Flag in the chart, and 0 was promised']],
    [run, {}, ['0 Composition in the chart, and 1 was promised']],
  ])('is broken by %j with %j', (ended, written, broken) => {
    expect(brokenPromises({ promise }, { run: ended, written })).toEqual(broken);
  });
});
