// Follows one run to where it rests, and tells each step of it once.

import type { RunStepAnswer, RunViewAnswer } from '../../wire/run-view.ts';
import { CliError } from '../shared/cli-error.ts';
import type { CommandParts } from '../shared/command-parts.ts';
import { EngineAway, type OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';
import { tookOf, wallClock } from '../shared/time-words.ts';
import { waitFor, watchRuns } from '../shared/watch-stream.ts';
import { wrap } from '../shared/wrapped-table.ts';
import { isAsMeant, isAtRest, statusWords } from './runs-words.ts';

type FollowOrder = {
  readonly client: OpsClient;
  readonly id: string;
  /** For each thing that happens a line, or some; nothing where absent. */
  readonly tell?: (lines: string) => void;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const WIDTH = 98;

/** The run where it rests. Throws a CliError where somebody does not want to wait any more. */
export async function followRun(
  { terminal, warn, now }: Pick<CommandParts, 'terminal' | 'warn' | 'now'>,
  { client, id, tell = () => undefined }: FollowOrder,
): Promise<RunViewAnswer> {
  const { signal, stop } = terminal.heedInterrupt();
  const tellNews = makeNews({ tell, now });
  try {
    for await (const happening of watchRuns({ client, signal, warn })) {
      // What it is now is asked for: a change that was told before it could be heard is in it, too.
      if (happening.kind === 'change' && happening.change.id !== id) continue;
      const run = await askPatiently(client, id, signal);
      if (run === undefined) break;
      tellNews(run);
      if (isAtRest(run)) return run;
    }
  } finally {
    stop();
  }
  throw new CliError(`Nobody watches any more; the run goes on. npm run cli -- runs watch ${id} watches it again.`);
}

/** Throws a CliError that says how the run rests, where that is not what the site wants. */
export function refuseBadEnd(run: RunViewAnswer): void {
  if (isAsMeant(run)) return;
  const why = run.reason === undefined ? '' : ` (${printable(run.reason)})`;
  throw new CliError(
    `The run is ${run.status}${why}: ${statusWords(run)}. npm run cli -- runs show ${run.id} says more.`,
  );
}

function askPatiently({ ask }: OpsClient, id: string, signal: AbortSignal): Promise<RunViewAnswer | undefined> {
  const request = { method: 'GET', path: `/runs/${id}`, query: { brief: 'true' } } as const;
  return patiently(() => ask<RunViewAnswer>(request), signal);
}

/** Again and again where the engine is away. Undefined where somebody interrupts it. */
export async function patiently<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer | undefined> {
  for (let waitMs = FIRST_WAIT_MS; !signal.aborted; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof EngineAway)) throw thrown;
      await waitFor(waitMs, signal);
    }
  }
  return undefined;
}

type News = { readonly name?: string; readonly text: string };

type NewsParts = {
  readonly tell: (lines: string) => void;
  readonly now: () => Date;
  /** In 8 characters or more; by the clock on the wall where absent. */
  readonly clockOf?: (time: string) => string;
};

/** Each thing that has happened to a run is told once, however often the run is looked at. */
export function makeNews({ tell, now, clockOf = (time) => wallClock(time, now()) }: NewsParts) {
  const told = new Set<string>();
  const tellOnce = (key: string, time: string | undefined, { name = '', text }: News) => {
    if (told.has(key)) return;
    told.add(key);
    const clock = `${time === undefined ? ' '.repeat(8) : clockOf(time)}  `;
    const indent = ' '.repeat(clock.length);
    const [first = '', ...rest] = wrap(text, WIDTH - clock.length - name.length);
    tell([`${clock}${name}${first}`, ...rest.map((line) => `${indent}${line}`)].map((line) => `${line}\n`).join(''));
  };
  return (run: RunViewAnswer): void => {
    for (const step of run.steps) {
      const text = stepWords(step);
      const time = step.status === 'running' ? step.startedAt : (step.finishedAt ?? step.startedAt);
      const name = step.name.padEnd(NAME_WIDTH);
      if (text !== undefined) tellOnce(`${step.name} ${step.status} ${step.attempts}`, time, { name, text });
    }
    // At work: the step says so itself.
    if (run.status === 'running') return;
    const key = `${run.status} ${run.reason} ${run.waitsUntil}`;
    tellOnce(key, run.changedAt, { text: runWords(run, now()) });
  };
}

const NAME_WIDTH = 16;

function stepWords({ status, attempts, error, ...times }: RunStepAnswer): string | undefined {
  const took = tookOf(times);
  const again = attempts > 1 ? `, at attempt ${attempts}` : '';
  const words: Readonly<Record<string, string | undefined>> = {
    running: attempts > 1 ? `running: attempt ${attempts}` : 'running',
    done: `done${took === undefined ? '' : ` in ${took}`}${again}`,
    failed: `failed: ${error?.message ?? 'it did not say why'}`,
  };
  return words[status];
}

function runWords(run: RunViewAnswer, now: Date): string {
  const { status, reason, message, waitsUntil } = run;
  const why = reason === undefined ? '' : ` (${reason})`;
  const until = waitsUntil === undefined ? '' : ` It looks again at ${wallClock(waitsUntil, now)}.`;
  return `${status}${why}: ${message ?? `${statusWords(run)}.`}${until}`;
}
