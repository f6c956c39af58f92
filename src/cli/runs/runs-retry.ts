// The commands `runs retry` (try runs again that wait or are parked) and `runs release` (let a run go on that is held as sensitive).
import type { RunAnswer, RunListAnswer } from '../../wire/run.ts';
import type { StartedAnswer } from '../../wire/run-orders.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { agree, type CommandParts, json, type TextOptions, timeOrAgo } from '../shared/command-parts.ts';
import { askPages, type OpsClient } from '../shared/ops-client.ts';
import { printable, renderTable } from '../shared/tables.ts';
import { findRunId } from './runs-find.ts';
import { stateLines } from './runs-report.ts';
import { nameOfRun } from './runs-words.ts';

type RetryOptions = TextOptions<'status' | 'site' | 'reason' | 'since'> & { readonly yes?: boolean };

export function addRetry(runs: CliCommand, parts: CommandParts): void {
  runs
    .command('retry [id]')
    .description('try a run again that waits or is parked: one by its id, or all that fit the options')
    .option('--status <state>', 'all that are parked, or waiting')
    .option('--reason <reason>', 'only with this reason, as in ehr-refused')
    .option('--site <name>', 'only this site')
    .option('--since <time>', 'only changed since 2h, 7d, a day, or a time with an offset')
    .option('--yes', 'without asking')
    .examples(
      'npm run cli -- runs retry 0198c5b2',
      'npm run cli -- runs retry --status parked --reason ehr-refused --site mercy',
      'npm run cli -- runs retry --status waiting --yes',
    )
    .remarks(`A waiting run is tried now. For a parked one a new run goes on at the step that failed. Remove the cause first:
npm run cli -- runs show <id> says what it is. Several are counted and shown before they are tried.`)
    .action(async (given: string | undefined, options: RetryOptions) => {
      if ((given === undefined) === (options.status === undefined)) {
        throw new CliError('Name one run, or select all with --status parked or --status waiting.');
      }
      const client = parts.connect();
      if (given !== undefined) return retryOne(parts, client, await findRunId(client, given));
      await retryAll(parts, client, options);
    });
}

async function retryOne({ print, wantsJson }: CommandParts, client: OpsClient, id: string): Promise<void> {
  const { id: next } = await retry(client, id);
  const words = next === id ? `Run ${id} is tried again.` : `Run ${next} goes on for ${id}.`;
  print(wantsJson() ? json({ id: next }) : `${printable(words)}\nWatch it: npm run cli -- runs watch ${next}\n`);
}

function retry(client: OpsClient, id: string): Promise<StartedAnswer> {
  return client.ask<StartedAnswer>({ method: 'POST', path: `/runs/${id}/retry` });
}

async function retryAll(parts: CommandParts, client: OpsClient, options: RetryOptions): Promise<void> {
  const { print, wantsJson } = parts;
  const { status = '', site, reason, since, yes = false } = options;
  if (status !== 'parked' && status !== 'waiting') throw new CliError('--status is parked or waiting.');
  const query = { status, site, since: timeOrAgo(since, parts.now()) };
  const pages = await askPages<RunListAnswer>(client.ask, { path: '/runs', query });
  const all = pages.flatMap(({ runs }) => runs).filter((run) => reason === undefined || run.reason === reason);
  if (all.length === 0) return print(wantsJson() ? json({ retried: [], refused: [] }) : 'No matching runs.\n');
  if (!wantsJson()) print(`${countTable(all)}\n`);
  const what = `${all.length} ${status} run${all.length === 1 ? '' : 's'}`;
  if (!yes) {
    await agree(parts, {
      question: `${what} will be tried again.`,
      otherwise: 'Nothing was tried.',
      because: `${what} fit.`,
    });
  }
  await retryEach(parts, client, all);
}

function countTable(all: readonly RunAnswer[]): string {
  const groups = [...Map.groupBy(all, ({ site, reason = '' }) => JSON.stringify([site, reason])).values()];
  return renderTable(
    groups.map((runs) => ({ runs, first: runs[0] })),
    { SITE: ({ first }) => first?.site, REASON: ({ first }) => first?.reason, RUNS: ({ runs }) => runs.length },
  );
}

/** One after another: a run that changed meanwhile is reported, and does not stop the others. */
async function retryEach(
  { print, wantsJson }: CommandParts,
  client: OpsClient,
  all: readonly RunAnswer[],
): Promise<void> {
  const retried: string[] = [];
  const refused: { readonly id: string; readonly why: string }[] = [];
  for (const { id } of all) {
    try {
      retried.push((await retry(client, id)).id);
    } catch (thrown) {
      if (!(thrown instanceof CliError)) throw thrown;
      refused.push({ id, why: thrown.message });
    }
  }
  const words = [`${retried.length} tried again.`, ...refused.map(({ id, why }) => `${id}: ${why}`)];
  print(wantsJson() ? json({ retried, refused }) : words.map((line) => `${printable(line)}\n`).join(''));
  if (refused.length > 0) throw new CliError(`${refused.length} of ${all.length} runs could not be tried again.`);
}

type ReleaseOptions = { readonly reason?: string; readonly wholeEncounter?: boolean };

export function addRelease(runs: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  runs
    .command('release <id>')
    .description('let a run go on that is held as sensitive')
    .option('--reason <text>', 'why it may be documented; recorded in the audit trail')
    .option('--whole-encounter', 'from now on also for other sessions of the encounter')
    .examples(
      "npm run cli -- runs release 0198c5b2 --reason 'The patient asked for the note.'",
      "npm run cli -- runs release 0198c5b2 --reason 'Agreed with the officer.' --whole-encounter",
    )
    .remarks(`Write no clinical text into the reason. Consent and labels are still checked: a release changes only what
sensitive in site.yaml holds for a person.`)
    .action(async (given: string, { reason = '', wholeEncounter = false }: ReleaseOptions) => {
      if (reason.trim() === '') throw new CliError('--reason is required: it is recorded in the audit trail.');
      const client = connect();
      const id = await findRunId(client, given);
      const body = { reason, wholeEncounter };
      const run = await client.ask<RunAnswer>({ method: 'POST', path: `/runs/${id}/release`, body });
      if (wantsJson()) return print(json(run));
      print(['Released.', printable(nameOfRun(run)), ...stateLines(run)].map((line) => `${line}\n`).join(''));
    });
}
