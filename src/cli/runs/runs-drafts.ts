// The command `runs reviews` lists the drafts that wait for the decision of a clinician.
import type { RunListAnswer } from '../../wire/run.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { REVIEWER_KEY } from '../shared/settings.ts';
import { renderTable } from '../shared/tables.ts';
import { ageOf } from '../shared/time-words.ts';

type DraftsOptions = { readonly site?: string; readonly limit?: string };

export function addDrafts(runs: CliCommand, { connect, print, wantsJson, now }: CommandParts): void {
  runs
    .command('reviews')
    .description('list the drafts that wait for a decision, with whole ids (reviews list shows more)')
    .option('--site <name>', 'only drafts of this site')
    .option('--limit <number>', 'maximum number of drafts (default: 50)')
    .examples('CHARTWRIGHT_REVIEWER_KEY=rv_… npm run cli -- runs reviews', 'npm run cli -- runs reviews --site mercy')
    .remarks(`With the key of a reviewer in ${REVIEWER_KEY} it lists the drafts of their site.`)
    .action(async ({ site, limit }: DraftsOptions) => {
      const client = connect({ asReviewer: true });
      const answer = await client.ask<RunListAnswer>({ method: 'GET', path: '/reviews', query: { site, limit } });
      print(wantsJson() ? json(answer) : describeDrafts(answer, now()));
    });
}

function describeDrafts({ runs }: RunListAnswer, now: Date): string {
  if (runs.length === 0) return 'No draft waits for a decision.\n';
  const table = renderTable(runs, {
    ID: ({ id }) => id,
    ENCOUNTER: ({ encounter }) => encounter,
    DRAFT: ({ status }) => (status === 'held' ? 'in the engine' : 'in the chart'),
    REVISION: ({ revision }) => revision,
    AGE: ({ createdAt }) => ageOf(createdAt, now),
  });
  return `${table}\nNext: npm run cli -- runs show <id> --as-reviewer --patient-data\n`;
}
