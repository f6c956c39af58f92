// runs aside: what came and could not be used, with its reason.
import type { Command } from 'commander';
import type { QuarantineAnswer } from '../../wire/quarantine.ts';
import { type CommandParts, examples, json } from '../shared/command-parts.ts';
import { readableTime } from '../shared/tables.ts';
import { renderWrapped } from '../shared/wrapped-table.ts';

type AsideOptions = { readonly site?: string; readonly limit?: string };

export function addAside(runs: Command, { connect, print, wantsJson }: CommandParts): void {
  runs
    .command('aside')
    .description('list what came and could not be used, the newest first, with the reason')
    .option('--site <name>', 'only of this site')
    .option('--limit <number>', 'at most so many (default: 50)')
    .addHelpText(
      'after',
      `${examples('npm run cli -- runs aside', 'npm run cli -- runs aside --site mercy --limit 200')}
It never shows what was in it: the bytes are kept encrypted, and not handed out.`,
    )
    .action(async ({ site, limit }: AsideOptions) => {
      const answer = await connect().ask<QuarantineAnswer>({ method: 'GET', path: '/aside', query: { site, limit } });
      print(wantsJson() ? json(answer) : describeAside(answer));
    });
}

function describeAside({ deliveries, next }: QuarantineAnswer): string {
  if (deliveries.length === 0) return 'Nothing was set aside: all that came was understood.\n';
  const table = renderWrapped(
    [
      { title: 'CAME (UTC)', value: ({ receivedAt }) => readableTime(receivedAt) },
      { title: 'SITE', value: ({ site }) => site },
      { title: 'BY', value: ({ source }) => source },
      { title: 'IT IS', value: ({ outcome }) => outcome },
      { title: 'AGAIN', value: ({ repeats }) => repeats },
      { title: 'WHY', value: ({ why }) => why },
    ],
    deliveries,
  );
  return `${table}${next === undefined ? '' : '\nThere are more: --limit 500 shows up to 500.\n'}`;
}
