// The narration of the sandbox's first run for the person at the terminal.
import { describe, expect, it } from '@jest/globals';
import type { Run, RunStep } from '../../src/domain/run/run.ts';
import { narrateFirstRun } from '../../src/sandbox/narrate-first-run.ts';
import { makeFakeRuntime } from '../fakes/runtime.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 2, 10, 0, seconds));
const aRun = (parts: Partial<Run>) =>
  ({ id: 'r-1', encounter: 'Encounter/en-common-cold', trigger: { source: 'subscription' }, ...parts }) as Run;
const done = (name: RunStep['name']): RunStep => ({
  name,
  status: 'done',
  attempts: 1,
  startedAt: at(0),
  finishedAt: at(1),
});

/** Each poll finds the next of these states; the last one stays. */
function narrating(
  looks: readonly { readonly run?: Run; readonly steps?: readonly RunStep[] }[],
  later: readonly Run[] = [],
) {
  let look = 0;
  const now = () => looks[Math.min(look, looks.length - 1)];
  const written: string[] = [];
  const quiet: boolean[] = [];
  const runs = {
    list: async () => {
      const run = now()?.run;
      if (run === undefined) look += 1;
      return { runs: run === undefined ? [] : [...later, run] };
    },
    find: async (id: string) => {
      if (id !== 'r-1') return undefined;
      look += 1;
      return now()?.run;
    },
    steps: async () => now()?.steps ?? [],
  };
  const first = narrateFirstRun({
    runs,
    runtime: makeFakeRuntime(),
    write: (text) => written.push(text),
    command: 'npm run cli --',
    setQuiet: (isQuiet) => quiet.push(isQuiet),
  });
  return { first, quiet, text: () => written.join('') };
}

describe('the narration of the first run', () => {
  it('writes each finished step once and names the next command', async () => {
    const read = done('read-chart');
    const { first, quiet, text } = narrating([
      {},
      { run: aRun({ status: 'running' }), steps: [read, { name: 'transcribe', status: 'pending', attempts: 0 }] },
      { run: aRun({ status: 'running' }), steps: [read, done('transcribe')] },
      { run: aRun({ status: 'written' }), steps: [read, done('transcribe'), { ...done('check'), status: 'skipped' }] },
    ]);
    await first.finished;
    expect(text()).toBe(
      [
        '',
        'Encounter/en-common-cold has ended (event by subscription). Its run:',
        '  read-chart       done in 1.0 s',
        '  transcribe       done in 1.0 s',
        '  check            nothing to do',
        '  written to the chart. Read it: npm run cli -- sandbox show en-common-cold',
        '',
        '',
      ].join('\n'),
    );
    expect(quiet).toEqual([true, false]);
  });

  it('follows the oldest run if a search adds another run of the same encounter', async () => {
    const looks = [
      {},
      { run: aRun({ status: 'running' }) },
      { run: aRun({ status: 'written' }), steps: [done('publish')] },
    ];
    const { first, text } = narrating(looks, [aRun({ id: 'r-2', status: 'queued' })]);
    await first.finished;
    expect(text()).toContain('written to the chart');
  });

  it('ends with the reason if the run is not written to the chart', async () => {
    const run = aRun({ status: 'skipped', reason: 'no-speech', message: 'The recording has no speech.' });
    const { first, text } = narrating([{}, { run, steps: [] }]);
    await first.finished;
    expect(text()).toContain('skipped (no-speech: The recording has no speech). More: npm run cli -- runs list');
  });

  it('writes nothing if there were runs before', async () => {
    const { first, text } = narrating([{ run: aRun({ status: 'written' }), steps: [done('publish')] }]);
    await first.finished;
    expect(text()).toBe('');
  });

  it('waits for the first run until the engine stops', async () => {
    const { first, text } = narrating([{}]);
    first.stop();
    await first.finished;
    expect(text()).toBe('');
  });
});
