// The command `runs break-glass` opens a restricted chart with a reason; `audit break-glass` lists what was opened.
import type { OpeningAnswer, OpeningListAnswer } from '../../wire/break-glass.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, type TextOptions } from '../shared/command-parts.ts';
import { printable } from '../shared/tables.ts';
import { exactTime } from '../shared/time-words.ts';
import { wrap } from '../shared/wrapped-table.ts';
import { findRunId } from './runs-find.ts';

const REASON_WIDTH = 96;

export function addBreakGlass(runs: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  runs
    .command('break-glass <id>')
    .description('open the restricted chart of a run for an hour, with a reason')
    .option('--reason <text>', 'why you must see it; the auditors of the site read it')
    .examples("npm run cli -- runs break-glass 0198c5b2 --reason 'Called to the ward; the clinician is away.'")
    .remarks(`A chart is restricted if it is labelled R or V, if the site holds it as sensitive, or if the patient is a VIP. The
opening is recorded, and the privacy address of the site is notified (privacy.to in site.yaml).`)
    .action(async (given: string, { reason = '' }: TextOptions<'reason'>) => {
      if (reason.trim() === '') throw new CliError('--reason is required: the auditors of the site read it.');
      const client = connect();
      const id = await findRunId(client, given);
      const request = { method: 'POST', path: `/runs/${id}/break-glass`, body: { reason } } as const;
      const opened = await client.ask<OpeningAnswer>(request);
      print(wantsJson() ? json(opened) : describeOpening(opened));
    });
}

function describeOpening({ run, endsAt, isPrivacyTold }: OpeningAnswer): string {
  const told = isPrivacyTold
    ? 'The privacy address of the site is notified.'
    : 'The site has no privacy address: the opening is only listed.';
  return `The chart of run ${printable(run)} is open for you until ${exactTime(endsAt)} UTC. ${told}\n`;
}

export function addOpenings(audit: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  audit
    .command('break-glass')
    .description('list the restricted charts that were opened, with the reasons, newest first')
    .option('--limit <number>', 'maximum number of openings (default: 50)')
    .option('--cursor <text>', 'continue after an earlier page: its `next`')
    .examples('npm run cli -- audit break-glass', 'npm run --silent cli -- --json audit break-glass --limit 500')
    .remarks('A reason may hold patient data.')
    .action(async (query: TextOptions<'limit' | 'cursor'>) => {
      const answer = await connect().ask<OpeningListAnswer>({ method: 'GET', path: '/break-glass', query });
      print(wantsJson() ? json(answer) : describeOpenings(answer));
    });
}

function describeOpenings({ openings, next }: OpeningListAnswer): string {
  if (openings.length === 0) return 'No restricted chart was opened.\n';
  const list = openings.map(describeOne).join('\n');
  return `${list}${next === undefined ? '' : `\nThere are more: --cursor ${printable(next)}\n`}`;
}

/** Actor, run and reason are too wide for a table. */
function describeOne({ openedAt, endsAt, actor, site, run, reason }: OpeningListAnswer['openings'][number]): string {
  const head = `${exactTime(openedAt)} UTC  ${actor} opened run ${run} of ${site} until ${exactTime(endsAt)}`;
  const lines = [printable(head), ...wrap(reason, REASON_WIDTH).map((line) => `  ${line}`)];
  return `${lines.join('\n')}\n`;
}
