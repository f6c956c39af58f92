// Tells the person at the terminal of the first run of the sandbox, step by step as it goes on. Of later ones there is too much to tell:
// those are for `runs watch`.
import type { Run, RunStep } from '../domain/run/run.ts';
import type { Runs } from '../ports/runs.ts';
import type { Runtime } from '../ports/runtime.ts';
import { SANDBOX_SITE } from './sandbox-site.ts';

type NarrationParts = {
  readonly runs: Pick<Runs, 'list' | 'find' | 'steps'>;
  readonly runtime: Pick<Runtime, 'pause'>;
  readonly write: (text: string) => void;
};

export type FirstRunNarration = {
  /** Resolves when all is told, when there is nothing to tell, or when it was stopped. */
  readonly finished: Promise<void>;
  readonly stop: () => void;
};

const LOOK_EVERY_MS = 400;
/** So many may have begun between two looks, at most. */
const FIRST_FEW = 20;
const GOING: ReadonlySet<Run['status']> = new Set(['queued', 'running']);
const NAME_WIDTH = 17;

export function narrateFirstRun(parts: NarrationParts): FirstRunNarration {
  const stopping = new AbortController();
  // Whoever wants to know why it is not told reads the log, and /readyz.
  return { finished: tell(parts, stopping.signal).catch(() => undefined), stop: () => stopping.abort() };
}

async function tell({ runs, runtime, write }: NarrationParts, signal: AbortSignal): Promise<void> {
  // The oldest: a search for what was missed may look at the same encounter for a moment, as a run that is gone again.
  const first = async () => (await runs.list({ site: SANDBOX_SITE, limit: FIRST_FEW })).runs.at(-1);
  if ((await first()) !== undefined) return;
  let run: Run | undefined;
  for (; run === undefined; run = await first()) await runtime.pause(LOOK_EVERY_MS, signal);
  write(`\n${run.encounter} has ended (told by ${run.trigger.source}). Its run:\n`);
  const told = new Set<string>();
  for (let current: Run | undefined = run; current !== undefined; current = await runs.find(run.id)) {
    for (const step of await runs.steps(run.id)) {
      if (told.has(step.name) || !isOver(step)) continue;
      told.add(step.name);
      write(`  ${step.name.padEnd(NAME_WIDTH)}${lineOf(step)}\n`);
    }
    if (!GOING.has(current.status)) return write(endOf(current));
    await runtime.pause(LOOK_EVERY_MS, signal);
  }
}

function isOver({ status }: RunStep): boolean {
  return status === 'done' || status === 'skipped';
}

function lineOf({ status, startedAt, finishedAt }: RunStep): string {
  if (status === 'skipped' || startedAt === undefined || finishedAt === undefined) return 'nothing to do';
  return `done in ${((finishedAt.getTime() - startedAt.getTime()) / 1000).toFixed(1)} s`;
}

function endOf({ encounter, status, reason, message }: Run): string {
  if (status === 'written') {
    const name = encounter.replace('Encounter/', '');
    return `  written: it stands in the chart. Read it: npm run cli -- sandbox show ${name}\n\n`;
  }
  const why = [reason, message]
    .filter((part) => part !== undefined)
    .join(': ')
    .replace(/\.$/, '');
  return `  ${status}${why === '' ? '' : ` (${why})`}. More: npm run cli -- runs list\n\n`;
}
