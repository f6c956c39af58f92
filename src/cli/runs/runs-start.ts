// The command `runs start` starts runs for one encounter, or for all of a site since a time, even if they were processed before.

import type { StartedAnswer, StartedRunsAnswer } from '../../wire/run-orders.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { agree, type CommandParts, json, LONG_PATIENCE, timeOrAgo, withProgress } from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';
import { watchOne } from './runs-watch.ts';
import { statusWords } from './runs-words.ts';

type StartOptions = { readonly since?: string; readonly yes?: boolean; readonly watch?: boolean };

export function addStart(runs: CliCommand, parts: CommandParts): void {
  runs
    .command('start <site> [encounter]')
    .description('start a run for an encounter, even if it was processed before; or for all since a time')
    .option('--since <time>', 'all encounters since 2h, 7d, a day, or a time with an offset')
    .option('--yes', 'with --since: start without asking')
    .option('--watch', 'with an encounter: follow until it finishes or waits')
    .examples(
      'npm run cli -- runs start mercy Encounter/123 --watch',
      'npm run cli -- runs start mercy --since 24h',
      'npm run cli -- runs start mercy --since 2026-11-01 --yes',
    )
    .remarks('What is documented already is not documented again: npm run cli -- runs replay does that.')
    .action(async (site: string, encounter: string | undefined, options: StartOptions) => {
      const { since, yes = false, watch = false } = options;
      if ((encounter === undefined) === (since === undefined)) {
        throw new CliError('Name one encounter, or select all since a time with --since.');
      }
      if (yes && since === undefined) throw new CliError('--yes goes with --since: it starts them without asking.');
      if (watch && encounter === undefined) throw new CliError('--watch goes with one encounter.');
      if (encounter !== undefined) return startOne(parts, { site, encounter, watch });
      await startSince(parts, { site, since: timeOrAgo(since, parts.now()) ?? '', yes });
    });
}

type OneOrder = { readonly site: string; readonly encounter: string; readonly watch: boolean };

async function startOne(parts: CommandParts, { site, encounter, watch }: OneOrder): Promise<void> {
  const client = parts.connect();
  const { id, earlier } = await client.ask<StartedAnswer>({ method: 'POST', path: '/runs', body: { site, encounter } });
  await reportStarted(parts, client, { id, watch, earlier });
}

type Earlier = StartedAnswer['earlier'];

/** Says what the encounter had before: a second start does not document it a second time. */
function earlierLines(id: string, earlier: Earlier): string {
  if (earlier === undefined) return '';
  const why = earlier.reason === undefined ? '' : ` (${earlier.reason})`;
  const state = `${earlier.status}${why}: ${statusWords(earlier)}`;
  if (earlier.id === id) return printable(`It was ${state}. The encounter is read again.`).concat('\n');
  const before = `The encounter had a run before: ${earlier.id} is ${state}.`;
  return `${printable(before)}\nOnly recordings that are not documented yet are documented. Again: npm run cli -- runs replay ${printable(earlier.id)}\n`;
}

/** Reports that a run was started, and follows it with `--watch`. */
export async function reportStarted(
  parts: CommandParts,
  client: OpsClient,
  { id, watch, earlier }: { readonly id: string; readonly watch: boolean; readonly earlier?: Earlier },
): Promise<void> {
  const { print, wantsJson } = parts;
  const started = `Run ${printable(id)} is started.\n${earlierLines(id, earlier)}`;
  if (!watch)
    return print(
      wantsJson()
        ? json(earlier === undefined ? { id } : { id, earlier })
        : `${started}Watch it: npm run cli -- runs watch ${id}\n`,
    );
  if (!wantsJson()) print(started);
  await watchOne(parts, client, id);
}

type SinceOrder = { readonly site: string; readonly since: string; readonly yes: boolean };

async function startSince(parts: CommandParts, { site, since, yes }: SinceOrder): Promise<void> {
  const { connect, print, wantsJson } = parts;
  const client = connect({
    ...LONG_PATIENCE,
    whenLate: 'Some runs may have been started: npm run cli -- runs list',
  });
  const order = { method: 'POST', path: '/runs' } as const;
  const found = await withProgress(parts, 'Searching the EHR …', () =>
    client.ask<StartedRunsAnswer>({ ...order, body: { site, since, countOnly: true } }),
  );
  if (found.count === 0) return print(wantsJson() ? json({ ...found, ids: [] }) : noneWords(site));
  if (!yes) await agreeToStart(parts, site, found);
  const started = await withProgress(parts, 'Starting runs …', () =>
    client.ask<StartedRunsAnswer>({ ...order, body: { site, since } }),
  );
  print(wantsJson() ? json(started) : describeStarted(started));
}

function noneWords(site: string): string {
  return `${printable(site)} has no matching encounter since then. Nothing was started.\n`;
}

function agreeToStart(parts: CommandParts, site: string, found: StartedRunsAnswer): Promise<void> {
  const what = `${countWords(found)} of ${printable(site)}`;
  return agree(parts, {
    question: `${what} will be read, and documented if there is a recording that is not documented yet.`,
    otherwise: 'Nothing was started.',
    because: `${what} would be read.`,
  });
}

function countWords({ count, isComplete }: StartedRunsAnswer): string {
  return `${count} encounter${count === 1 ? '' : 's'}${isComplete ? '' : ' (the most recently changed; there are more)'}`;
}

function describeStarted(started: StartedRunsAnswer): string {
  const { isComplete, ids = [] } = started;
  const runs = `${ids.length} run${ids.length === 1 ? '' : 's'} started`;
  const more = isComplete
    ? ''
    : 'There are more encounters than one command starts: only the most recently changed were read.\n';
  return `${countWords(started)}, ${runs}.\n${more}Watch them: npm run cli -- runs watch\n`;
}
