// The command `audit` lists the audit trail and verifies that it was not changed.

import type { AuditEntryAnswer, AuditListAnswer, VerifyAnswer } from '../wire/audit.ts';
import { addOpenings } from './runs/runs-break-glass.ts';
import { findRunId } from './runs/runs-find.ts';
import type { CliCommand } from './shared/cli-command.ts';
import { CliError } from './shared/cli-error.ts';
import {
  type CommandParts,
  json,
  LONG_PATIENCE,
  type TextOptions,
  timeOrAgo,
  toNumber,
  withProgress,
} from './shared/command-parts.ts';
import { printable } from './shared/tables.ts';
import { exactTime } from './shared/time-words.ts';
import { renderWrapped } from './shared/wrapped-table.ts';

export function addAuditCommand(program: CliCommand, parts: CommandParts): void {
  const audit = program.command('audit').description('list the audit trail and verify that it was not changed');
  addList(audit, parts);
  addVerify(audit, parts);
  addOpenings(audit, parts);
}

type ListOptions = TextOptions<'site' | 'run' | 'action' | 'since' | 'limit'>;

function addList(audit: CliCommand, { connect, print, wantsJson, now }: CommandParts): void {
  audit
    .command('list')
    .description('list actions, newest first')
    .option('--site <name>', 'only this site')
    .option('--run <id>', 'only this run')
    .option('--action <name>', 'only this action: run.view, run.review, site.pause …')
    .option('--since <time>', 'only since 2h, 7d, a day, or a time with an offset')
    .option('--limit <number>', 'maximum number of entries (default: 50)')
    .examples(
      'npm run cli -- audit list',
      'npm run cli -- audit list --action run.view --since 7d',
      'npm run cli -- audit list --run 0198c5b2',
      'npm run --silent cli -- --json audit list --site mercy --limit 500',
    )
    .action(async ({ run: given, since, ...filters }: ListOptions) => {
      const client = connect();
      const run = given === undefined ? undefined : await findRunId(client, given);
      const query = { ...filters, run, since: timeOrAgo(since, now()) };
      const answer = await client.ask<AuditListAnswer>({ method: 'GET', path: '/audit', query });
      const isFiltered = Object.values({ ...query, limit: undefined }).some((value) => value !== undefined);
      print(wantsJson() ? json(answer) : describeEntries(answer, isFiltered));
    });
}

function describeEntries({ entries, next }: AuditListAnswer, isFiltered: boolean): string {
  if (entries.length === 0 && isFiltered) return 'No entry of the audit trail matches.\n';
  if (entries.length === 0) return 'The audit trail is empty.\n';
  const table = renderWrapped(entries, {
    NUMBER: ({ seq }) => String(seq),
    'AT (UTC)': ({ at }) => exactTime(at),
    ACTION: ({ action }) => action,
    BY: ({ actor }) => actor,
    SITE: ({ site }) => site,
    'OF WHAT': detailWords,
  });
  return `${table}${next === undefined ? '' : '\nThere are more: --limit 500 shows up to 500, --since those of a time.\n'}`;
}

function detailWords({ run, details = {} }: AuditEntryAnswer): string {
  const words = Object.entries(details).map(([name, value]) => `${name} ${[value].flat().join(', ')}`);
  return [...(run === undefined ? [] : [`run ${run}`]), ...words].join('; ') || '-';
}

type VerifyOptions = { readonly seq?: string; readonly hash?: string };

function addVerify(audit: CliCommand, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  audit
    .command('verify')
    .description('verify that the trail was not changed; exits with 1 if it was')
    .option('--seq <number>', 'number of a head recorded earlier')
    .option('--hash <hash>', 'hash of that head')
    .examples(
      'npm run cli -- audit verify',
      'npm run cli -- audit verify --seq 42 --hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      'npm run --silent cli -- --json audit verify',
    )
    .remarks(`It finds what was changed, taken out or put in. That the end was cut off, or all of it made anew, shows only beside a head
that somebody wrote down elsewhere: each answer gives the one for the next time.`)
    .action(async ({ seq, hash }: VerifyOptions) => {
      if ((seq === undefined) !== (hash === undefined)) throw new CliError('--seq and --hash are given together.');
      const body = seq === undefined ? {} : { seq: toNumber(seq), hash: hash?.toLowerCase() };
      const request = { method: 'POST', path: '/audit/verify', body } as const;
      const verdict = await withProgress(parts, 'Verifying the audit trail …', () =>
        connect(LONG_PATIENCE).ask<VerifyAnswer>(request),
      );
      print(wantsJson() ? json(verdict) : describeVerdict(verdict));
      if (!verdict.isWhole) throw new CliError(notWhole(verdict));
    });
}

function describeVerdict({ isWhole, entries, head }: VerifyAnswer): string {
  const looked = `${entries} ${entries === 1 ? 'entry' : 'entries'} looked at`;
  if (!isWhole) return `${looked}: the audit trail is NOT what was kept.\n`;
  return `${looked}: the audit trail is whole.
Write this down elsewhere, and give it the next time:

  --seq ${head.seq} --hash ${printable(head.hash)}

`;
}

function notWhole({ at, why }: VerifyAnswer): string {
  const where = at === undefined ? '' : ` From entry ${at} on it cannot be trusted.`;
  return `The audit trail was changed${why === undefined ? '' : `: ${printable(why)}`}.${where} Keep the database unchanged, and find out who could write to it.`;
}
