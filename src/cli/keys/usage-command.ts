// The command `usage` shows usage by organization, key and operation.

import type { UsageAnswer, UsageAnswerRow } from '../../wire/usage.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, type TextOptions } from '../shared/command-parts.ts';
import { readableTime, renderTable } from '../shared/tables.ts';

type UsageOptions = { readonly csv?: boolean } & TextOptions<'organization' | 'key' | 'from' | 'to'>;

export function addUsageCommand(program: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  program
    .command('usage')
    .description('show usage (default: this month)')
    .option('--organization <name>', 'only this organization')
    .option('--key <id>', 'only this key')
    .option('--from <date>', 'a day (00:00 UTC) or a time with an offset (default: start of this month)')
    .option('--to <date>', 'likewise, exclusive (default: end of this month)')
    .option('--csv', 'print CSV with all columns')
    .examples(
      'npm run cli -- usage',
      'npm run cli -- usage --organization my-clinic --from 2026-11-01 --to 2026-12-01',
      'npm run --silent cli -- usage --csv > usage.csv',
    )
    .action(async ({ csv, ...query }: UsageOptions) => {
      const request = { method: 'GET', path: '/usage' } as const;
      if (csv) {
        print(await connect().askText({ ...request, query: { ...query, format: 'csv' } }));
        return;
      }
      const report = await connect().ask<UsageAnswer>({ ...request, query });
      print(wantsJson() ? json(report) : describeReport(report));
    });
}

function describeReport({ usage, from, to }: UsageAnswer): string {
  const time = `from ${readableTime(from)} to ${readableTime(to)} (UTC)`;
  return usage.length === 0 ? `No usage ${time}.\n` : `Usage ${time}\n\n${usageTable(usage)}`;
}

function usageTable(rows: readonly UsageAnswerRow[]): string {
  return renderTable(rows, {
    ORGANIZATION: (row) => row.organization,
    KEY: (row) => row.key,
    OPERATION: (row) => row.operation,
    REQUESTS: (row) => row.requests,
    FAILED: (row) => row.failures,
    CANCELLED: (row) => row.cancelled,
    'AUDIO SECONDS': (row) => row.audioSeconds,
    'AI SECONDS': (row) => row.aiMs / 1000,
  });
}
