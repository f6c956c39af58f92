// runs start: looks at an encounter now, or at all of a site since a time, whatever was seen of them before.
import type { Command } from 'commander';
import type { StartedAnswer, StartedRunsAnswer } from '../../wire/run-orders.ts';
import { CliError } from '../shared/cli-error.ts';
import {
  agree,
  type CommandParts,
  examples,
  json,
  LONG_PATIENCE,
  timeOrAgo,
  whileTelling,
} from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';
import { watchOne } from './runs-watch.ts';

type StartOptions = { readonly since?: string; readonly yes?: boolean; readonly watch?: boolean };

export function addStart(runs: Command, parts: CommandParts): void {
  runs
    .command('start <site> [encounter]')
    .description('look at an encounter now, whatever was seen of it before; or at all since a time')
    .option('--since <time>', 'instead of one encounter all since: 2h, 7d, a day, or a time with its offset')
    .option('--yes', 'with --since: start them without asking')
    .option('--watch', 'with an encounter: watch it until it rests')
    .addHelpText(
      'after',
      `${examples(
        'npm run cli -- runs start mercy Encounter/123 --watch',
        'npm run cli -- runs start mercy --since 24h',
        'npm run cli -- runs start mercy --since 2026-11-01 --yes',
      )}
What is documented already is not documented again: npm run cli -- runs replay does that.`,
    )
    .action(async (site: string, encounter: string | undefined, options: StartOptions) => {
      const { since, yes = false, watch = false } = options;
      if ((encounter === undefined) === (since === undefined)) {
        throw new CliError('Name one encounter, or all of them since a time with --since.');
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
  const { id } = await client.ask<StartedAnswer>({ method: 'POST', path: '/runs', body: { site, encounter } });
  await tellStarted(parts, client, { id, watch });
}

/** That a run is under way; where it is to be watched, until it rests. */
export async function tellStarted(
  parts: CommandParts,
  client: OpsClient,
  { id, watch }: { readonly id: string; readonly watch: boolean },
): Promise<void> {
  const { print, wantsJson } = parts;
  const started = `Run ${printable(id)} is started.\n`;
  if (!watch) return print(wantsJson() ? json({ id }) : `${started}Watch it: npm run cli -- runs watch ${id}\n`);
  if (!wantsJson()) print(started);
  await watchOne(parts, client, id);
}

type SinceOrder = { readonly site: string; readonly since: string; readonly yes: boolean };

async function startSince(parts: CommandParts, { site, since, yes }: SinceOrder): Promise<void> {
  const { connect, print, wantsJson } = parts;
  const client = connect({
    ...LONG_PATIENCE,
    whenLate: 'What was found so far may have been started: npm run cli -- runs list shows it.',
  });
  const order = { method: 'POST', path: '/runs' } as const;
  const found = await whileTelling(parts, 'The EHR is searched …', () =>
    client.ask<StartedRunsAnswer>({ ...order, body: { site, since, countOnly: true } }),
  );
  if (found.count === 0) return print(wantsJson() ? json({ ...found, ids: [] }) : noneWords(site));
  if (!yes) await agreeToStart(parts, site, found);
  const started = await whileTelling(parts, 'They are started …', () =>
    client.ask<StartedRunsAnswer>({ ...order, body: { site, since } }),
  );
  print(wantsJson() ? json(started) : describeStarted(started));
}

function noneWords(site: string): string {
  return `${printable(site)} has no encounter since then that its events would have been about. Nothing was started.\n`;
}

function agreeToStart(parts: CommandParts, site: string, found: StartedRunsAnswer): Promise<void> {
  const what = `${countWords(found)} of ${printable(site)}`;
  return agree(parts, {
    question: `${what} will be looked at, and documented where there is a recording that is not documented yet.`,
    otherwise: 'Nothing was started.',
    because: `${what} would be looked at.`,
  });
}

function countWords({ count, isComplete }: StartedRunsAnswer): string {
  return `${count} encounter${count === 1 ? '' : 's'}${isComplete ? '' : ' (the last changed; there are more)'}`;
}

function describeStarted(started: StartedRunsAnswer): string {
  const { isComplete, ids = [] } = started;
  const runs = `${ids.length} run${ids.length === 1 ? '' : 's'} started`;
  const more = isComplete
    ? ''
    : 'There are more encounters than are looked at in one go: the last changed ones were.\n';
  return `${countWords(started)}, ${runs}.\n${more}Watch them: npm run cli -- runs watch\n`;
}
