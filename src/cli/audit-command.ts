// audit: who did what, and whether the trail is still what was kept.
import type { Command } from 'commander';
import { findRunId } from './runs/runs-find.ts';
import { CliError } from './shared/cli-error.ts';
import {
  type CommandParts,
  examples,
  json,
  LONG_PATIENCE,
  timeOrAgo,
  toNumber,
  whileTelling,
} from './shared/command-parts.ts';
import { printable } from './shared/tables.ts';
import { exactTime } from './shared/time-words.ts';
import { renderWrapped } from './shared/wrapped-table.ts';

type EntryAnswer = {
  readonly seq: number;
  readonly at: string;
  readonly action: string;
  readonly actor: string;
  readonly site?: string;
  readonly run?: string;
  readonly details?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
};

type AuditAnswer = { readonly entries: readonly EntryAnswer[]; readonly next?: string };

type VerdictAnswer = {
  readonly isWhole: boolean;
  readonly entries: number;
  readonly at?: number;
  readonly why?: string;
  readonly head: { readonly seq: number; readonly hash: string };
};

export function addAuditCommand(program: Command, parts: CommandParts): void {
  const audit = program.command('audit').description('who did what, and whether that is still what was kept');
  addList(audit, parts);
  addVerify(audit, parts);
}

type ListOptions = {
  readonly site?: string;
  readonly run?: string;
  readonly action?: string;
  readonly since?: string;
  readonly limit?: string;
};

function addList(audit: Command, { connect, print, wantsJson, now }: CommandParts): void {
  audit
    .command('list')
    .description('list what was done, the newest first')
    .option('--site <name>', 'only at this site')
    .option('--run <id>', 'only to this run')
    .option('--action <name>', 'only what was done so: run.view, run.review, site.pause …')
    .option('--since <time>', 'only since: 2h, 7d, a day, or a time with its offset')
    .option('--limit <number>', 'at most so many (default: 50)')
    .addHelpText(
      'after',
      examples(
        'npm run cli -- audit list',
        'npm run cli -- audit list --action run.view --since 7d',
        'npm run cli -- audit list --run 0198c5b2',
        'npm run --silent cli -- --json audit list --site mercy --limit 500',
      ),
    )
    .action(async ({ run: given, since, ...filters }: ListOptions) => {
      const client = connect();
      const run = given === undefined ? undefined : await findRunId(client, given);
      const query = { ...filters, run, since: timeOrAgo(since, now()) };
      const answer = await client.ask<AuditAnswer>({ method: 'GET', path: '/audit', query });
      const isFiltered = Object.values({ ...query, limit: undefined }).some((value) => value !== undefined);
      print(wantsJson() ? json(answer) : describeEntries(answer, isFiltered));
    });
}

function describeEntries({ entries, next }: AuditAnswer, isFiltered: boolean): string {
  if (entries.length === 0 && isFiltered) return 'Nothing of that stands in the audit trail.\n';
  if (entries.length === 0) return 'The audit trail is empty: nothing was written, changed or looked at yet.\n';
  const table = renderWrapped(
    [
      { title: 'NUMBER', value: ({ seq }) => String(seq) },
      { title: 'AT (UTC)', value: ({ at }) => exactTime(at) },
      { title: 'ACTION', value: ({ action }) => action },
      { title: 'BY', value: ({ actor }) => actor },
      { title: 'SITE', value: ({ site }) => site },
      { title: 'OF WHAT', value: detailWords },
    ],
    entries,
  );
  return `${table}${next === undefined ? '' : '\nThere are more: --limit 500 shows up to 500, --since those of a time.\n'}`;
}

function detailWords({ run, details = {} }: EntryAnswer): string {
  const words = Object.entries(details).map(([name, value]) => `${name} ${[value].flat().join(', ')}`);
  return [...(run === undefined ? [] : [`run ${run}`]), ...words].join('; ') || '-';
}

type VerifyOptions = { readonly seq?: string; readonly hash?: string };

function addVerify(audit: Command, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  audit
    .command('verify')
    .description('look whether the trail is still what was kept; ends with 1 where it is not')
    .option('--seq <number>', 'number of a head that was written down before')
    .option('--hash <hash>', 'hash of the same head')
    .addHelpText(
      'after',
      `${examples(
        'npm run cli -- audit verify',
        'npm run cli -- audit verify --seq 42 --hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        'npm run --silent cli -- --json audit verify',
      )}
It finds what was changed, taken out or put in. That the end was cut off, or all of it made anew, shows only beside a head
that somebody wrote down elsewhere: each answer gives the one for the next time.`,
    )
    .action(async ({ seq, hash }: VerifyOptions) => {
      if ((seq === undefined) !== (hash === undefined)) throw new CliError('--seq and --hash are given together.');
      const body = seq === undefined ? {} : { seq: toNumber(seq), hash: hash?.toLowerCase() };
      const request = { method: 'POST', path: '/audit/verify', body } as const;
      const verdict = await whileTelling(parts, 'The trail is looked through …', () =>
        connect(LONG_PATIENCE).ask<VerdictAnswer>(request),
      );
      print(wantsJson() ? json(verdict) : describeVerdict(verdict));
      if (!verdict.isWhole) throw new CliError(notWhole(verdict));
    });
}

function describeVerdict({ isWhole, entries, head }: VerdictAnswer): string {
  const looked = `${entries} ${entries === 1 ? 'entry' : 'entries'} looked at`;
  if (!isWhole) return `${looked}: the audit trail is NOT what was kept.\n`;
  return `${looked}: the audit trail is whole.
Write this down elsewhere, and give it the next time:

  --seq ${head.seq} --hash ${printable(head.hash)}

`;
}

function notWhole({ at, why }: VerdictAnswer): string {
  const where = at === undefined ? '' : ` From entry ${at} on it cannot be trusted.`;
  return `The audit trail was changed${why === undefined ? '' : `: ${printable(why)}`}.${where} Keep the database as it is, and find out who could write to it.`;
}
