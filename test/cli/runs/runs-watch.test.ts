// Tests how runs watch follows all runs or one run, over lost connections, until the operator leaves.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RUN_STEPS, type StepName } from '../../../src/domain/run/run.ts';
import type { RunEnd } from '../../../src/domain/run/run-end.ts';
import type { ChartDifference } from '../../../src/domain/run/step-results.ts';
import type { Claim } from '../../../src/ports/queue.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import { makeLocalServers, runningTimers } from '../../support/local-servers.ts';
import { type BrokerProxy, startBrokerProxy } from '../../support/rabbit-proxy.ts';
import { aKeptRun, aQueuedRun, HELD, RESULTS, WRITTEN } from '../../support/stored-runs.ts';
import { until } from '../../support/until.ts';
import type { Outcome, Person } from '../mappings/mappings-program.ts';
import { lines, type Typed, typeCommand } from '../ops-person.ts';

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts');

let engine: OpsEngine;
let proxy: BrokerProxy;
const leaving: AbortController[] = [];
beforeEach(async () => {
  engine = await startOpsEngine();
  proxy = await startBrokerProxy(Number(new URL(engine.baseUrl).port));
});
afterEach(async () => {
  for (const person of leaving.splice(0)) person.abort();
  await proxy.close();
  await engine.stop();
});

const throughProxy = () => `http://127.0.0.1:${new URL(proxy.url).port}`;
const cli = (typed: Typed, person?: Person) => typeCommand(engine.baseUrl, typed, person);

type Watching = {
  readonly seen: { stdout: string; stderr: string; progress: string };
  readonly leave: () => void;
  readonly ended: Promise<Outcome>;
};

function watch(typed: Typed, baseUrl = engine.baseUrl): Watching {
  const seen = { stdout: '', stderr: '', progress: '' };
  const person = new AbortController();
  leaving.push(person);
  const ended = typeCommand(baseUrl, typed, {
    interrupt: person.signal,
    onPrint: (text) => {
      seen.stdout += text;
    },
    onWarn: (text) => {
      seen.stderr += text;
    },
    onProgress: (text) => {
      seen.progress += text;
    },
  });
  return { seen, leave: () => person.abort(), ended };
}

const isWatching = ({ seen }: Watching) => until(() => seen.progress.includes('Watching'));
const hasSeen = ({ seen }: Watching, text: string) => until(() => seen.stdout.includes(text));

let named = 0;
function aChange(encounter?: string): Promise<string> {
  named += 1;
  return aQueuedRun(engine.stores, { encounter: encounter ?? `Encounter/n-${named}` });
}

function at(second: number): void {
  engine.setTime(`2026-11-21T08:00:${String(second).padStart(2, '0')}.000Z`);
}

describe('runs watch', () => {
  it('prints every change in a line with the local time, and ends with 0 at Control-C', async () => {
    const watching = watch('runs watch');
    await isWatching(watching);
    at(1);
    const id = await aChange('Encounter/e-7');
    await hasSeen(watching, 'e-7');
    watching.leave();
    const { code, stdout, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      new RegExp(`^(2026-11-2\\d )?\\d\\d:\\d\\d:01 {2}${id.slice(0, 8)} {2}mercy {2}Encounter/e-7 {2}queued$`, 'm'),
    );
  });

  it('with --site prints no change of other sites', async () => {
    const watching = watch('runs watch --site Site/mercy');
    await isWatching(watching);
    await aQueuedRun(engine.stores, { site: 'general', encounter: 'Encounter/elsewhere' });
    at(1);
    await aChange('Encounter/here');
    await hasSeen(watching, 'Encounter/here');
    watching.leave();
    expect((await watching.ended).stdout).not.toContain('elsewhere');
  });

  it('gives programs one change per line', async () => {
    const watching = watch('--json runs watch');
    await isWatching(watching);
    const ids = [await aChange(), await aChange()];
    await until(() => lines(watching.seen.stdout).length === 2);
    watching.leave();
    const { stdout, stderr } = await watching.ended;
    expect(lines(stdout).map((line) => JSON.parse(line).id)).toEqual(ids);
    expect(stderr).toBe('');
  });

  it('continues after a lost connection without missing or repeating a change', async () => {
    const watching = watch('--json runs watch', throughProxy());
    await isWatching(watching);
    at(1);
    const before = await aChange();
    await hasSeen(watching, before);
    const connections = proxy.count();
    proxy.cut();
    at(2);
    const between = await aChange();
    await hasSeen(watching, between);
    expect(proxy.count()).toBeGreaterThan(connections);
    at(3);
    const after = await aChange();
    await hasSeen(watching, after);
    watching.leave();
    const { code, stdout, stderr } = await watching.ended;
    expect([code, lines(stdout).map((line) => JSON.parse(line).id)]).toEqual([0, [before, between, after]]);
    expect(stderr).toBe(
      'The connection to the engine is lost; trying until it is back. Control-C ends this.\nThe engine is back.\n',
    );
  });

  it('misses no change if the connection is lost before the first change', async () => {
    engine.setTime(new Date().toISOString());
    const watching = watch('--json runs watch', throughProxy());
    await isWatching(watching);
    proxy.cut();
    const between = await aChange();
    await hasSeen(watching, between);
    watching.leave();
    expect(lines((await watching.ended).stdout).map((line) => JSON.parse(line).id)).toEqual([between]);
  });

  it('ends at Control-C also while the engine is unavailable', async () => {
    const watching = watch('runs watch', throughProxy());
    await isWatching(watching);
    await proxy.close();
    await until(() => watching.seen.stderr.includes('is lost'));
    watching.leave();
    expect((await watching.ended).code).toBe(0);
    proxy = await startBrokerProxy(Number(new URL(engine.baseUrl).port));
  });

  it('as a program ends with 0 at Control-C, without a message', async () => {
    const environment = { CHARTWRIGHT_URL: engine.baseUrl, OPERATOR_KEY };
    const child = spawn(process.execPath, [MAIN, 'runs', 'watch'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    // A change is repeated, because the program may not have been listening to the first one.
    await until(async () => {
      await aChange();
      return output.stdout.includes('queued');
    });
    child.kill('SIGINT');
    expect([await ended, output.stderr]).toEqual([0, '']);
  });

  it.each([
    ['that is not running', 'http://127.0.0.1:1', {}, /No engine answers at http:\/\/127\.0\.0\.1:1/],
    [
      'that does not accept the key',
      undefined,
      { OPERATOR_KEY: 'x'.repeat(40) },
      /does not accept the operator key from OPERATOR_KEY/,
    ],
  ])('of an engine %s ends at once with an error', async (_, url, environment, message) => {
    const { code, stdout, stderr } = await cli('runs watch', {
      environment: { ...environment, ...(url !== undefined && { CHARTWRIGHT_URL: url }) },
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  it('of a server that is not an engine ends at once with an error', async () => {
    const servers = makeLocalServers();
    try {
      const url = await servers.serve((_req, res) => res.end('<html>hello</html>'));
      const { code, stderr } = await typeCommand(url, 'runs watch');
      expect([code, stderr]).toEqual([1, expect.stringContaining('is not a Chartwright engine')]);
    } finally {
      await servers.close();
    }
  });

  it('with an id and a site is refused', async () => {
    const { code, stderr } = await cli('runs watch 0123abcd --site mercy');
    expect([code, stderr]).toEqual([1, '--site is for all runs, not for one.\n']);
  });
});

describe('runs watch of one run', () => {
  it('prints each step once as it happens, and ends with 0 when the run is written', async () => {
    const run = await aKeptRun(engine.stores, { session: 's-1', results: { transcribe: RESULTS.transcribe } });
    const watching = watch(['runs', 'watch', run.id.slice(0, 8)], throughProxy());
    await hasSeen(watching, 'transcribe');
    proxy.cut();
    await finishAll(run.id, WRITTEN);
    const { code, stdout, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('run is')]);
    for (const name of ['transcribe', 'write-note', 'diagnose', 'check', 'map']) {
      expect(stdout.match(new RegExp(`  ${name} +done in 0\\.0 s$`, 'gm'))).toHaveLength(1);
    }
    expect(stdout).toMatch(/\d\d:\d\d:\d\d {2}written: the documents are in the chart\.\n/);
    expect(stdout).toMatch(
      new RegExp(`^Run ${run.id} of mercy, Encounter/e-1\nWRITTEN: the documents are in the chart\\.$`, 'm'),
    );
    expect(stdout).toMatch(/^composition +Composition\/12 +created$/m);
    expect(engine.audit.entries).toEqual([]);
  });

  it('says until when the run waits, and continues', async () => {
    const run = await aKeptRun(engine.stores, {
      session: 's-1',
      end: {
        status: 'waiting',
        reason: 'reasoner',
        until: new Date('2026-11-21T08:00:00Z'),
        countsAsTry: false,
        message: 'The reasoner does not answer.',
      },
    });
    const watching = watch(['runs', 'watch', run.id]);
    await hasSeen(watching, 'waiting (reasoner): The reasoner does not answer. Next attempt at ');
    await engine.stores.runs.cancel(run.id);
    const { code, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The run is cancelled: ended by an operator\./)]);
  });

  it.each<[string, RunEnd, number, RegExp]>([
    ['held for a review', HELD, 0, /^HELD \(review\)/m],
    [
      'parked',
      { status: 'parked', reason: 'tries', message: 'The EHR failed.', advice: 'Look at it.' },
      1,
      /^What to do: Look at it\.$/m,
    ],
    [
      'skipped without a recording',
      { status: 'skipped', reason: 'no-recording', message: 'No recording came.' },
      1,
      /^No recording came\.$/m,
    ],
    [
      'in shadow',
      { status: 'skipped', reason: 'shadow', message: 'Nothing is written yet.' },
      0,
      /^SKIPPED \(shadow\)/m,
    ],
    ['held for consent', { status: 'held', reason: 'consent', message: 'Nobody consented.' }, 1, /^HELD \(consent\)/m],
  ])('ends at once if the run is %s', async (_, end, expected, said) => {
    const run = await aKeptRun(engine.stores, { session: 's-1', results: RESULTS, end });
    const { code, stdout, stderr } = await cli(['runs', 'watch', run.id]);
    expect(code).toBe(expected);
    expect(stdout).toMatch(said);
    if (code === 0) expect(stderr).toBe('');
    else expect(stderr).toMatch(/^The run is (parked|skipped|held) \(.*More: npm run cli -- runs show [0-9a-f-]{36}$/m);
  });

  it('ends with 1 if the operator leaves early, and says that the run continues', async () => {
    const id = await aChange();
    const watching = watch(['runs', 'watch', id]);
    await hasSeen(watching, 'queued: starts as soon');
    watching.leave();
    const { code, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Stopped watching; the run continues\./)]);
  });

  it('gives programs only the final state of the run', async () => {
    const run = await aKeptRun(engine.stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const { stdout, stderr } = await cli(['--json', 'runs', 'watch', run.id]);
    expect(JSON.parse(stdout)).toMatchObject({ id: run.id, status: 'written', steps: expect.any(Array) });
    expect(stderr).toBe('');
  });

  it('leaves no connection and no timer after the answer', async () => {
    const run = await aKeptRun(engine.stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const answer = (await cli(['--json', 'runs', 'show', run.id])).stdout;
    const servers = makeLocalServers();
    let left = 0;
    const url = await servers.serve((req, res) => {
      if (req.url !== '/ops/events') return void res.end(answer);
      res.on('close', () => {
        left += 1;
      });
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\n\n');
    });
    try {
      const before = runningTimers();
      expect((await typeCommand(url, ['runs', 'watch', run.id])).code).toBe(0);
      expect(runningTimers()).toBeLessThanOrEqual(before);
      await until(() => left === 1);
    } finally {
      await servers.close();
    }
  });

  it('reports that a run does not exist', async () => {
    const { code, stderr } = await cli('runs watch 00000000-0000-4000-8000-00000000dead');
    expect([code, stderr]).toEqual([1, 'There is no run with this id\n']);
  });

  it('prints first the output of the command that started the run', async () => {
    const watching = watch('runs start mercy e-1 --watch');
    await hasSeen(watching, 'is started.');
    const [run] = (await engine.stores.runs.list({ scope: 'all', limit: 1 })).runs;
    await engine.stores.runs.cancel(run?.id ?? '');
    const { code, stdout } = await watching.ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/^CANCELLED: ended by an operator\.$/m);
  });
});

describe('runs replay --dry-run', () => {
  const differences = [
    {
      document: 'composition',
      reference: 'Composition/12',
      change: 'changed',
      elements: ['section[0].title', 'title'],
    },
    { document: 'flag', change: 'new', elements: [] },
    { document: 'condition', reference: 'Condition/13', change: 'same', elements: [] },
  ] as const;

  it('waits for the end, and shows the differences by document and element', async () => {
    const { watching, id } = await aDryReplay(['--from', 'map'], differences);
    const { code, stdout, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(lines(stdout)).toEqual([
      expect.stringMatching(/^DOCUMENT +IN THE CHART +IT +ELEMENTS$/),
      expect.stringMatching(/^composition +Composition\/12 +would change +section\[0\]\.title, title$/),
      expect.stringMatching(/^flag +- +would be new +-$/),
      expect.stringMatching(/^condition +Condition\/13 +unchanged +-$/),
    ]);
    expect(watching.seen.progress).toContain('map');
    expect(engine.audit.entries).toMatchObject([{ action: 'run.replay' }, { action: 'run.view', run: id }]);
  });

  it('says what a replay would do to documents that a person signed, changed or removed', async () => {
    const { watching } = await aDryReplay(
      [],
      [
        {
          document: 'note',
          reference: 'DocumentReference/1',
          change: 'changed',
          elements: ['description'],
          would: 'append',
        },
        { document: 'condition', reference: 'Condition/1', change: 'changed', elements: ['code'], would: 'replace' },
        { document: 'condition', reference: 'Condition/2', change: 'gone', elements: [], would: 'keep', why: 'signed' },
        { document: 'flag', reference: 'Flag/3', change: 'new', elements: [], would: 'keep', why: 'removed' },
      ],
    );
    expect(lines((await watching.ended).stdout).slice(1)).toEqual([
      expect.stringMatching(/^note +DocumentReference\/1 +signed: another would be added +description$/),
      expect.stringMatching(/^condition +Condition\/1 +would be replaced +code$/),
      expect.stringMatching(/^condition +Condition\/2 +kept: a person signed it +-$/),
      expect.stringMatching(/^flag +Flag\/3 +a person removed it: not written +-$/),
    ]);
  });

  it('says first that a replay would be parked if a person changed the note', async () => {
    const { watching } = await aDryReplay(
      [],
      [
        {
          document: 'note',
          reference: 'DocumentReference/1',
          change: 'changed',
          elements: [],
          would: 'park',
          why: 'touched',
        },
        { document: 'flag', change: 'new', elements: [], would: 'keep', why: 'parked' },
      ],
    );
    const [head, , , note, flag] = lines((await watching.ended).stdout);
    expect(head).toBe('A replay would be parked and write nothing: a person changed note.');
    expect(note).toMatch(/ a person changed it +-$/);
    expect(flag).toMatch(/ not written +-$/);
  });

  it('gives programs only the differences', async () => {
    const { watching, id } = await aDryReplay(['--json'], differences);
    expect(JSON.parse((await watching.ended).stdout)).toEqual({ id, differences });
  });

  it('says if nothing in the chart would change', async () => {
    const { watching } = await aDryReplay([], differences.slice(2));
    expect(lines((await watching.ended).stdout)[0]).toBe('Nothing in the chart would change.');
  });

  it('ends with 1 if the dry run fails, and says why', async () => {
    const { watching } = await aDryReplay([], [], {
      status: 'parked',
      reason: 'mapping',
      message: 'The mapping has an error.',
    });
    const { code, stdout, stderr } = await watching.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('The run is parked (mapping)')]);
    expect(stdout).toContain('The mapping has an error.\n');
  });

  async function aDryReplay(
    options: readonly string[],
    found: readonly ChartDifference[],
    end: RunEnd = { status: 'skipped', reason: 'dry-run', message: 'Nothing was written.' },
  ) {
    const run = await aKeptRun(engine.stores, { session: 's-1', results: RESULTS, end: WRITTEN });
    const watching = watch(['runs', 'replay', run.id, '--dry-run', ...options]);
    const runs = async () =>
      (await engine.stores.runs.list({ scope: 'all', limit: 5 })).runs.filter(({ isDry }) => isDry);
    await until(async () => (await runs()).length === 1);
    const [dry] = await runs();
    const id = dry?.id ?? '';
    await finishAll(id, end, { ...RESULTS.map, differences: found });
    return { watching, id };
  }
});

/** Finishes the run as a worker does: every remaining step, then the end. */
async function finishAll(id: string, end: RunEnd, map: object = RESULTS.map): Promise<void> {
  const { queue, runs } = engine.stores;
  const done = (await runs.steps(id)).filter(({ status }) => status === 'done').map(({ name }) => name);
  const claim = await claimOf(id);
  for (const name of RUN_STEPS.filter((step) => !done.includes(step) && step in RESULTS)) {
    const time = new Date('2026-11-21T08:00:05Z');
    const result = name === 'map' ? map : RESULTS[name as keyof typeof RESULTS];
    const order = { name, startedAt: time, finishedAt: time, result } as Parameters<typeof queue.finishStep>[1];
    await queue.finishStep(claim, order, RUN_STEPS[RUN_STEPS.indexOf(name) + 1] as StepName);
  }
  await queue.leave(claim, end);
}

async function claimOf(id: string): Promise<Claim> {
  const { queue } = engine.stores;
  // The worker that held the run has stopped by now.
  engine.setTime('2026-11-21T09:00:00Z');
  const order = { holder: 'testbed/test', limit: 100, leaseMs: 60_000, sites: ['mercy'], intakeSites: ['mercy'] };
  const claim = (await queue.claim(order)).find(({ run }) => run.id === id);
  if (claim === undefined) throw new Error('the run is not to be had');
  return claim;
}
