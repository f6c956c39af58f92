// Tests the commands of the sandbox as a person uses them, against the real /ops.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { documentingRun } from '../../../src/cli/sandbox/sandbox-follow.ts';
import { type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import { aKeptRun, HELD, RESULTS, WRITTEN } from '../../support/stored-runs.ts';
import { until } from '../../support/until.ts';
import type { Person } from '../mappings/mappings-program.ts';
import { lines, typeCommand } from '../ops-person.ts';
import { inFolder, runCli } from '../run-cli.ts';
import { aChart } from './sandbox-charts.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const cli = (line: string, person?: Person) => typeCommand(engine.baseUrl, `sandbox ${line}`, person);

const COMMANDS = [
  'list',
  'finish',
  'show',
  'open',
  'cancel',
  'merge',
  'late-recording',
  'visit',
  'reset',
  'drill',
] as const;

describe('Every command of the sandbox', () => {
  it.each([
    'list',
    'finish en-migraine',
    'finish --all',
    'show en-migraine',
    'open en-migraine',
    'cancel en-migraine',
    'merge en-migraine',
    'late-recording en-migraine',
    'visit en-migraine',
    'reset --yes',
    'drill',
    'drill twice',
    'drill --stop',
  ])('%s says how to start a sandbox if none is running', async (line) => {
    const other = await startOpsEngine({ hasSandbox: false });
    const { code, stdout, stderr } = await typeCommand(other.baseUrl, `sandbox ${line}`);
    await other.stop();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe('No sandbox runs here: start with SANDBOX=on (auto: on where no other site has an EHR)\n');
  });

  it('is named in the help', async () => {
    const { code, stdout } = await helpOf([]);
    expect(code).toBe(0);
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it.each(COMMANDS)('%s has examples in its help', async (name) => {
    expect((await helpOf([name])).stdout).toContain('Examples:\n  npm run cli -- sandbox ');
  });
});

describe('sandbox open', () => {
  it('shows the cards, and the address that opens the review', async () => {
    const { code, stdout, stderr } = await cli('open en-migraine --as nurse');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`Practitioner/nurse opens the chart of en-migraine.

[critical] RED triage in the AI draft of this visit, which no one has reviewed yet
  Read it now.

Open the review in a browser (once, within ten minutes):
  http://127.0.0.1:3000/launch/sandbox?launch=launch-en-migraine
`);
    expect(engine.hospital.done).toEqual(['launch en-migraine as Practitioner/nurse']);
  });

  it('says what to do if there is no card', async () => {
    const { stdout } = await cli('open pt-silence');
    expect(stdout).toContain('No card: no draft of this patient waits for a review. Finish the visit: npm run cli -- ');
    expect(JSON.parse((await cli('open pt-silence --json')).stdout)).toMatchObject({ cards: [] });
  });

  it('names a practitioner who does not work there', async () => {
    const { code, stderr } = await cli('open en-migraine --as Practitioner/stranger');
    expect([code, stderr]).toEqual([1, 'No such practitioner\n']);
  });
});

describe('sandbox list', () => {
  it('shows each visit with the result of its run', async () => {
    await engine.hospital.comeAgain('en-migraine');
    await aKeptRun(engine.stores, { site: 'sandbox', encounter: 'Encounter/es-croup', session: 's-1', end: HELD });
    const { code, stdout, stderr } = await cli('list');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^VISIT +IN +CARE +STATUS +REC +RUN +COMPLAINT$/m);
    expect(stdout).toMatch(/^en-migraine-2 +en +primary +in-progress +1 +- +Headache since yesterday$/m);
    expect(stdout).toMatch(/^es-croup +es +emergency +in-progress +1 +held \(review\) +Tos de perro y fiebre$/m);
    expect(stdout).toContain('Its FHIR server: http://127.0.0.1:3001/fhir/R4\n');
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('shows the run that wrote documents, not a later one that found nothing new', async () => {
    const encounter = 'Encounter/es-croup';
    const first = { site: 'sandbox', encounter, session: 's-1', results: RESULTS, end: WRITTEN } as const;
    await aKeptRun(engine.stores, first);
    engine.setTime('2026-11-21T08:01:00Z');
    const nothing = { status: 'skipped', reason: 'nothing-new', message: 'Nothing is new.' } as const;
    await aKeptRun(engine.stores, { site: 'sandbox', encounter, end: nothing });
    expect((await cli('list')).stdout).toMatch(/^es-croup .* written +Tos/m);
  });

  it.each([
    ['a running run before a queued one', ['queued', 'running'], 'running'],
    ['a queued run if it is alone', ['queued'], 'queued'],
    ['the newest run that did something', ['written', 'parked'], 'written'],
  ] as const)('shows %s', (_, statuses, shown) => {
    expect(documentingRun(statuses.map((status) => ({ status })))?.status).toBe(shown);
  });

  it('gives programs the answer of the engine', async () => {
    const { stdout } = await typeCommand(engine.baseUrl, '--json sandbox list');
    expect(JSON.parse(stdout)).toMatchObject({ baseUrl: 'http://127.0.0.1:3001/fhir/R4', visits: [{}, {}, {}] });
  });
});

describe('sandbox finish', () => {
  it('ends with 0 after the events are sent, and says what to do next', async () => {
    const { code, stdout } = await cli('finish Encounter/en-migraine');
    expect(code).toBe(0);
    expect(stdout).toBe(`en-migraine is finished, and the EHR has sent its event.
Watch what becomes of it: npm run cli -- runs watch
Then look at its chart:   npm run cli -- sandbox show en-migraine
`);
    expect(engine.hospital.done).toEqual(['finish en-migraine']);
  });

  it('with --all finishes the open visits, and sends no event for others', async () => {
    await cli('finish es-croup');
    await cli('cancel pt-silence');
    const { code, stdout } = await cli('finish --all');
    expect([code, lines(stdout).slice(0, 2)]).toEqual([
      0,
      ['en-migraine', '1 visit is finished, and the EHR has sent its event.'],
    ]);
    expect(engine.hospital.done).toEqual(['finish es-croup', 'cancel pt-silence', 'finish en-migraine']);
    expect((await cli('finish --all')).stdout).toContain('No visit is open.');
    const { stdout: answer } = await typeCommand(engine.baseUrl, '--json sandbox finish --all');
    expect(JSON.parse(answer)).toEqual({ visits: [] });
  });

  it('with --watch prints the run to its end, and shows the chart', async () => {
    const told = { text: '' };
    const watching = cli('finish en-migraine --watch', {
      onPrint: (text) => {
        told.text += text;
      },
    });
    await until(() => told.text.includes('queued'));
    engine.hospital.fillChart('en-migraine', aChart({ written: 'emergency-red', visit: 'en-migraine' }));
    const encounter = 'Encounter/en-migraine';
    await aKeptRun(engine.stores, { site: 'sandbox', encounter, session: 's-1', results: RESULTS, end: WRITTEN });
    const { code, stdout } = await watching;
    expect(code).toBe(0);
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}queued: /);
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}transcribe +done/);
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}written: /);
    expect(stdout.indexOf('written: ')).toBeLessThan(stdout.indexOf('Ana María Fixture, 57 years'));
    expect(stdout).toContain('RED ***');
  });

  it('with --watch says that the run continues if the operator leaves', async () => {
    const leaving = new AbortController();
    const { code, stderr } = await cli('finish en-migraine --watch', {
      interrupt: leaving.signal,
      onPrint: (text) => {
        if (text.includes('queued')) leaving.abort();
      },
    });
    expect([code, stderr]).toEqual([
      1,
      'Stopped watching; the run continues. Watch all runs: npm run cli -- runs watch\n',
    ]);
  });

  it.each([
    ['finish', 'Name one encounter, or finish all open ones with --all.'],
    ['finish en-migraine --all', 'Name one encounter, or finish all open ones with --all.'],
    ['finish --all --watch', '--watch goes with one encounter. npm run cli -- runs watch watches all.'],
  ])('"%s" is refused', async (line, message) => {
    const { code, stderr } = await cli(line);
    expect([code, stderr]).toEqual([1, `${message}\n`]);
    expect(engine.hospital.done).toEqual([]);
  });
});

describe('The commands for other events of a visit', () => {
  it.each([
    ['cancel en-migraine', 'cancel en-migraine', 'en-migraine is cancelled, and the EHR has sent its event.'],
    ['merge en-migraine', 'merge en-migraine', 'The patient of en-migraine is now Patient/p-en-migraine-merged.'],
    [
      'late-recording en-migraine',
      'record en-migraine',
      'en-migraine now has 2 recordings, and the EHR has sent its event.',
    ],
    ['visit en-migraine', 'visit en-migraine-2', 'en-migraine-2 has started.'],
    ['visit Encounter/en-migraine', 'visit en-migraine-2', 'npm run cli -- sandbox finish en-migraine-2'],
  ])('"%s" calls the hospital with "%s"', async (line, done, sentence) => {
    const { code, stdout } = await cli(line);
    expect(code).toBe(0);
    expect(stdout).toContain(sentence);
    expect(engine.hospital.done).toEqual([done]);
    const { stdout: answer } = await typeCommand(engine.baseUrl, `--json sandbox ${line}`);
    expect(JSON.parse(answer)).toMatchObject({ story: 'en-migraine' });
  });

  it('a refusal of the engine is printed unchanged', async () => {
    await cli('cancel en-migraine');
    expect(await cli('finish en-migraine')).toMatchObject({ code: 1, stderr: 'This encounter is cancelled\n' });
    expect((await cli('cancel nobody')).stderr).toBe('There is no such encounter in the sandbox\n');
  });
});

describe('sandbox reset', () => {
  it('asks first, and counts what it restored', async () => {
    const { code, stdout, asked } = await cli('reset', { answer: 'y' });
    expect([code, stdout]).toEqual([0, '3 visits restored; 4 runs forgotten.\n']);
    expect(asked).toEqual([expect.stringContaining('restored to their first state')]);
    expect(engine.hospital.done).toEqual(['reset']);
  });

  it.each([
    ['the answer no', 'reset', { answer: 'n' }, 'Nothing was changed.\n'],
    ['no person at the terminal', 'reset', {}, 'Nothing was changed. All charts'],
  ])('changes nothing with %s', async (_, line, person, message) => {
    const { code, stderr } = await cli(line, person);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(engine.hospital.done).toEqual([]);
  });

  it('with --yes resets without a question', async () => {
    expect((await cli('reset --yes')).code).toBe(0);
    const { stdout } = await typeCommand(engine.baseUrl, '--json sandbox reset --yes');
    expect(JSON.parse(stdout)).toEqual({ visits: 3, forgotten: 4 });
  });
});

function helpOf(words: readonly string[]) {
  return inFolder((folder) => runCli({ args: ['sandbox', ...words, '--help'], folder }));
}
