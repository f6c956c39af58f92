// The command `runs aside` lists quarantined deliveries with their reasons.

import type { QuarantineAnswer } from '../../wire/quarantine.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { readableTime } from '../shared/tables.ts';
import { renderWrapped } from '../shared/wrapped-table.ts';
import { shortIds } from './runs-find.ts';

type AsideOptions = { readonly site?: string; readonly limit?: string };

export function addAside(runs: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  runs
    .command('aside')
    .description('list quarantined deliveries with their reasons, newest first')
    .option('--site <name>', 'only this site')
    .option('--limit <number>', 'maximum number of deliveries (default: 50)')
    .examples('npm run cli -- runs aside', 'npm run cli -- runs aside --site mercy --limit 200')
    .remarks(
      'It never shows what was in it: npm run cli -- runs quarantine show does, and the audit trail records that.',
    )
    .action(async ({ site, limit }: AsideOptions) => {
      const answer = await connect().ask<QuarantineAnswer>({ method: 'GET', path: '/aside', query: { site, limit } });
      print(wantsJson() ? json(answer) : describeAside(answer));
    });
}

function describeAside({ deliveries, next }: QuarantineAnswer): string {
  if (deliveries.length === 0) return 'No quarantined deliveries: every delivery was understood.\n';
  const short = shortIds(deliveries.map(({ id }) => id));
  const table = renderWrapped(deliveries, {
    ID: ({ id }) => short(id),
    'RECEIVED (UTC)': ({ receivedAt }) => readableTime(receivedAt),
    SITE: ({ site }) => site,
    SOURCE: ({ source }) => source,
    OUTCOME: ({ outcome }) => outcome,
    REPEATS: ({ repeats }) => repeats,
    REASON: ({ why }) => why,
  });
  return `${table}${next === undefined ? '' : '\nThere are more: use --limit, up to 500.\n'}`;
}
