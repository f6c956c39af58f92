// Follows one run until it finishes or waits for a person, and reports each step once.

import type { RunStepAnswer, RunViewAnswer } from '../../wire/run-view.ts';
import { CliError } from '../shared/cli-error.ts';
import type { CommandParts } from '../shared/command-parts.ts';
import { EngineAway, type OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';
import { tookOf, wallClock } from '../shared/time-words.ts';
import { waitFor, watchRuns } from '../shared/watch-stream.ts';
import { wrap } from '../shared/wrapped-table.ts';
import { hasExpectedEnd, isAtRest, statusWords } from './runs-words.ts';

type FollowOrder = {
  readonly client: OpsClient;
  readonly id: string;
  /** Receives one or more lines for each change. */
  readonly tell?: (lines: string) => void;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const WIDTH = 98;

/** Resolves to the run when it rests. Throws a CliError if the user interrupts. */
export async function followRun(
  { terminal, warn, now }: Pick<CommandParts, 'terminal' | 'warn' | 'now'>,
  { client, id, tell = () => undefined }: FollowOrder,
): Promise<RunViewAnswer> {
  const { signal, stop } = terminal.catchInterrupt();
  const tellNews = makeChangeReporter({ tell, now });
  try {
    for await (const happening of watchRuns({ client, signal, warn })) {
      // The current state includes changes that happened before the stream was open.
      if (happening.kind === 'change' && happening.change.id !== id) continue;
      const run = await askWhileAway(client, id, signal);
      if (run === undefined) break;
      tellNews(run);
      if (isAtRest(run)) return run;
    }
  } finally {
    stop();
  }
  throw new CliError(`Stopped watching; the run continues. Watch it again: npm run cli -- runs watch ${id}`);
}

/** Throws a CliError that describes the run if it did not end as the site wants. */
export function refuseBadEnd(run: RunViewAnswer): void {
  if (hasExpectedEnd(run)) return;
  const why = run.reason === undefined ? '' : ` (${printable(run.reason)})`;
  throw new CliError(`The run is ${run.status}${why}: ${statusWords(run)}. More: npm run cli -- runs show ${run.id}`);
}

/** Asks for a run, without patient data, until the engine is reachable. Resolves to undefined if the user interrupts. */
export function askWhileAway({ ask }: OpsClient, id: string, signal: AbortSignal): Promise<RunViewAnswer | undefined> {
  const request = { method: 'GET', path: `/runs/${id}`, query: { brief: 'true' } } as const;
  return retryWhileAway(() => ask<RunViewAnswer>(request), signal);
}

/** Retries while the engine is unreachable. Resolves to undefined if the user interrupts. */
export async function retryWhileAway<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer | undefined> {
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

type ChangeReporterParts = {
  readonly tell: (lines: string) => void;
  readonly now: () => Date;
  /** Formats a time in 8 characters or more; the default is the reader's wall clock. */
  readonly clockOf?: (time: string) => string;
};

/** Reports each change of a run once, however often the run is read. */
export function makeChangeReporter({ tell, now, clockOf = (time) => wallClock(time, now()) }: ChangeReporterParts) {
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
    // The step reports that the run is running.
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
    failed: `failed: ${error?.message ?? 'no reason given'}`,
  };
  return words[status];
}

function runWords(run: RunViewAnswer, now: Date): string {
  const { status, reason, message, waitsUntil } = run;
  const why = reason === undefined ? '' : ` (${reason})`;
  const until = waitsUntil === undefined ? '' : ` Next attempt at ${wallClock(waitsUntil, now)}.`;
  return `${status}${why}: ${message ?? `${statusWords(run)}.`}${until}`;
}
