// Narrates the first run of the sandbox step by step to the person at the terminal. Later runs are for `runs watch`.
import type { Run, RunStep } from '../domain/run/run.ts';
import type { Runs } from '../ports/runs.ts';
import type { Runtime } from '../ports/runtime.ts';
import { SANDBOX_SITE } from '../wire/sandbox-names.ts';

export type NarrationOutput = {
  readonly write: (text: string) => void;
  /** How the person runs the command line: `npm run cli --`. */
  readonly command: string;
  /** While true, a log on the same terminal shows warnings and errors only. */
  readonly setQuiet: (isQuiet: boolean) => void;
};

type NarrationParts = NarrationOutput & {
  readonly runs: Pick<Runs, 'list' | 'find' | 'steps'>;
  readonly runtime: Pick<Runtime, 'pause'>;
};

export type FirstRunNarration = {
  /** Resolves when the run has ended, if there were runs before, or when it was stopped. */
  readonly finished: Promise<void>;
  readonly stop: () => void;
};

const POLL_EVERY_MS = 400;
/** The largest number of runs that can start between two polls. */
const FIRST_FEW = 20;
const GOING: ReadonlySet<Run['status']> = new Set(['queued', 'running']);
const NAME_WIDTH = 17;

export function narrateFirstRun(parts: NarrationParts): FirstRunNarration {
  const stopping = new AbortController();
  const finished = narrate(parts, stopping.signal)
    // A failure is not shown here: the log and /readyz report it.
    .catch(() => undefined)
    .finally(() => parts.setQuiet(false));
  return { finished, stop: () => stopping.abort() };
}

async function narrate(parts: NarrationParts, signal: AbortSignal): Promise<void> {
  const { runs, runtime, write, command, setQuiet } = parts;
  // The oldest run is the right one: a search for missed events can add a run of the same encounter that soon disappears.
  const first = async () => (await runs.list({ scope: { sites: [SANDBOX_SITE] }, limit: FIRST_FEW })).runs.at(-1);
  if ((await first()) !== undefined) return;
  let run: Run | undefined;
  for (; run === undefined; run = await first()) await runtime.pause(POLL_EVERY_MS, signal);
  setQuiet(true);
  write(`\n${run.encounter} has ended (event by ${run.trigger.source}). Its run:\n`);
  const narrated = new Set<string>();
  for (let current: Run | undefined = run; current !== undefined; current = await runs.find(run.id, 'all')) {
    for (const step of await runs.steps(run.id)) {
      if (narrated.has(step.name) || !isOver(step)) continue;
      narrated.add(step.name);
      write(`  ${step.name.padEnd(NAME_WIDTH)}${lineOf(step)}\n`);
    }
    if (!GOING.has(current.status)) return write(endOf(current, command));
    await runtime.pause(POLL_EVERY_MS, signal);
  }
}

function isOver({ status }: RunStep): boolean {
  return status === 'done' || status === 'skipped';
}

function lineOf({ status, startedAt, finishedAt }: RunStep): string {
  if (status === 'skipped' || startedAt === undefined || finishedAt === undefined) return 'nothing to do';
  return `done in ${((finishedAt.getTime() - startedAt.getTime()) / 1000).toFixed(1)} s`;
}

function endOf({ encounter, status, reason, message }: Run, command: string): string {
  if (status === 'written') {
    const name = encounter.replace('Encounter/', '');
    return `  written to the chart. Read it: ${command} sandbox show ${name}\n\n`;
  }
  const why = [reason, message]
    .filter((part) => part !== undefined)
    .join(': ')
    .replace(/\.$/, '');
  return `  ${status}${why === '' ? '' : ` (${why})`}. More: ${command} runs list\n\n`;
}
