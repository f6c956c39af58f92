// The command `runs list` lists runs, newest first, without patient data except ids.

import type { RunAnswer, RunListAnswer } from '../../wire/run.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, type TextOptions, timeOrAgo } from '../shared/command-parts.ts';
import { askPages, type OpsClient } from '../shared/ops-client.ts';
import { renderTable } from '../shared/tables.ts';
import { ageOf } from '../shared/time-words.ts';
import { shortIds } from './runs-find.ts';

type ListOptions = { readonly all?: boolean; readonly replayed?: boolean } & TextOptions<
  'status' | 'site' | 'patient' | 'encounter' | 'since' | 'model' | 'mapping' | 'limit'
>;

export function addList(runs: CliCommand, { connect, print, wantsJson, now }: CommandParts): void {
  runs
    .command('list')
    .description('list runs, newest first')
    .option('--status <list>', 'only runs in these states: held,parked')
    .option('--replayed', 'with --status parked: also runs whose replay was written')
    .option('--site <name>', 'only this site')
    .option('--patient <id>', 'only this patient, by id in the EHR')
    .option('--encounter <id>', 'only this encounter, by id in the EHR')
    .option('--since <time>', 'only changed since 2h, 30m, 7d, a day, or a time with an offset')
    .option('--model <name>', 'only this model, by the name that was asked for or that answered')
    .option('--mapping <version>', 'only this version of the mappings')
    .option('--limit <number>', 'maximum number of runs (default: 50)')
    .option('--all', 'all runs, without a limit')
    .examples(
      'npm run cli -- runs list',
      'npm run cli -- runs list --status held,parked --since 24h',
      'npm run cli -- runs list --site mercy --encounter Encounter/123',
      'npm run --silent cli -- --json runs list --status parked --all',
    )
    .remarks('A parked run whose replay was written needs nothing any more: --status parked leaves it out.')
    .action(async ({ all = false, replayed = false, limit, since, ...filters }: ListOptions) => {
      if (all && limit !== undefined) throw new CliError('--limit and --all exclude each other.');
      const only = { ...filters, since: timeOrAgo(since, now()), limit };
      const query = replayed ? { ...only, replayed: 'true' } : only;
      const { ask } = connect();
      const listed = all
        ? await listAll(ask, query)
        : await ask<RunListAnswer>({ method: 'GET', path: '/runs', query });
      if (wantsJson()) return print(json(listed));
      const isFiltered = [since, ...Object.values(filters)].some((value) => value !== undefined);
      print(describeRuns(listed, { isFiltered, now: now() }));
    });
}

type Query = Readonly<Record<string, string | undefined>>;

async function listAll(ask: OpsClient['ask'], query: Query): Promise<RunListAnswer> {
  const pages = await askPages<RunListAnswer>(ask, { path: '/runs', query });
  return { runs: pages.flatMap(({ runs }) => runs) };
}

type Shown = { readonly isFiltered: boolean; readonly now: Date };

function describeRuns({ runs, next }: RunListAnswer, { isFiltered, now }: Shown): string {
  if (runs.length === 0) return isFiltered ? NONE_SUCH : NONE;
  const more = next === undefined ? '' : '\nThere are more: --all shows them, --limit 200 some of them.\n';
  return `${runTable(runs, now)}${more}`;
}

const WHY = 'Why is there no note? npm run cli -- runs explain <site> <encounter>\n';
const NONE_SUCH = `No matching runs. ${WHY}`;
const NONE = `No runs yet: one begins when an encounter of a site ends (npm run cli -- sites list), or by hand:
npm run cli -- runs start <site> <encounter>
${WHY}`;

function runTable(runs: readonly RunAnswer[], now: Date): string {
  const short = shortIds(runs.map(({ id }) => id));
  return renderTable(runs, {
    ID: ({ id }) => short(id),
    SITE: ({ site }) => site,
    ENCOUNTER: ({ encounter }) => encounter,
    STATUS: ({ status }) => status,
    REASON: ({ reason, replayedBy }) => (replayedBy === undefined ? reason : `${reason ?? ''} (replayed)`.trim()),
    STEP: ({ step }) => step,
    AGE: ({ createdAt }) => ageOf(createdAt, now),
  });
}
