// The command `runs watch` follows runs while they change.

import type { RunEventAnswer } from '../../wire/run.ts';
import type { RunViewAnswer } from '../../wire/run-view.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';
import { wallClock } from '../shared/time-words.ts';
import { watchRuns } from '../shared/watch-stream.ts';
import { findRunId } from './runs-find.ts';
import { followRun, refuseBadEnd } from './runs-follow.ts';
import { resourceTable, stateLines } from './runs-report.ts';
import { nameOfRun } from './runs-words.ts';

export function addWatch(runs: CliCommand, parts: CommandParts): void {
  runs
    .command('watch [id]')
    .description('follow runs while they change; a single run until it finishes or waits')
    .option('--site <name>', 'only this site')
    .examples(
      'npm run cli -- runs watch',
      'npm run cli -- runs watch --site mercy',
      'npm run cli -- runs watch 0198c5b2',
      'npm run --silent cli -- --json runs watch',
    )
    .remarks(`Control-C ends it. With an id it ends with 0 where the run came to where the site wants it (written, before a reviewer,
or shown only: shadow, a dry run), and with 1 where there is no note. --json prints one change a line; with an id, the
run where it rests.`)
    .action(async (given: string | undefined, { site }: { readonly site?: string }) => {
      if (given !== undefined && site !== undefined) throw new CliError('--site is for all runs, not for one.');
      const client = parts.connect();
      if (given === undefined) return watchAll(parts, client, site?.replace(/^Site\//, ''));
      await watchOne(parts, client, await findRunId(client, given));
    });
}

async function watchAll(parts: CommandParts, client: OpsClient, site: string | undefined): Promise<void> {
  const { terminal, print, warn, wantsJson, now } = parts;
  const { signal, stop } = terminal.catchInterrupt();
  try {
    for await (const happening of watchRuns({ client, signal, warn })) {
      if (happening.kind === 'connected') {
        terminal.tellProgress?.('Watching. Press Control-C to stop.');
        continue;
      }
      const { change } = happening;
      if (site !== undefined && change.site !== site) continue;
      print(wantsJson() ? `${JSON.stringify(change)}\n` : changeLine(change, now()));
    }
  } finally {
    terminal.tellProgress?.('');
    stop();
  }
}

function changeLine({ id, site, encounter, status, reason, step, changedAt }: RunEventAnswer, now: Date): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  const at = status === 'running' && step !== undefined ? `: ${step}` : '';
  const text = [id.slice(0, 8), site, encounter, `${status}${why}${at}`].map(printable).join('  ');
  return `${wallClock(changedAt, now)}  ${text}\n`;
}

/** Follows one run; also used by commands that have just started one. */
export async function watchOne(parts: CommandParts, client: OpsClient, id: string): Promise<void> {
  const { print, wantsJson } = parts;
  const run = await followRun(parts, { client, id, ...(!wantsJson() && { tell: print }) });
  print(wantsJson() ? json(run) : `\n${restWords(run)}`);
  refuseBadEnd(run);
}

function restWords(run: RunViewAnswer): string {
  const lines = [printable(nameOfRun(run)), ...stateLines(run)].map((line) => `${line}\n`).join('');
  return run.resources.length + run.left.length === 0 ? lines : `${lines}\n${resourceTable(run)}`;
}
