// runs recall: takes back what a model, a mapping or a prompt wrote, or what was written in a time. Shows first what that is.
import type { Command } from 'commander';
import { CliError } from './cli-error.ts';
import { agree, type CommandParts, examples, json, LONG_PATIENCE, timeOrAgo, whileTelling } from './command-parts.ts';
import type { OpsClient } from './ops-client.ts';
import type { PlaceAnswer, RecallAnswer, RecallFoundAnswer } from './runs-answers.ts';
import { renderTable } from './tables.ts';
import { renderWrapped } from './wrapped-table.ts';

type RecallOptions = {
  readonly site?: string;
  readonly model?: string;
  readonly mapping?: string;
  readonly prompt?: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
};

export function addRecall(runs: Command, parts: CommandParts): void {
  runs
    .command('recall')
    .description('take back what a model, a mapping or a prompt wrote, as far as nobody signed it')
    .option('--site <name>', 'only of this site')
    .option('--model <name>', 'what this model made; model, mapping and prompt as runs show names them, whole')
    .option('--mapping <version>', 'what this version of the mappings made')
    .option('--prompt <version>', 'what was made with this version of the prompt')
    .option('--from <time>', 'what was written from then on: 2h, 7d, a day, or a time with its offset')
    .option('--to <time>', 'what was written before then, likewise')
    .option('--reason <text>', 'why: it stands in each chart with what is taken back')
    .option('--dry-run', 'only show what would be taken back')
    .option('--yes', 'take it back without asking')
    .addHelpText(
      'after',
      `${examples(
        'npm run cli -- runs recall --model openai:example-model --from 2026-11-20 --dry-run',
        "npm run cli -- runs recall --site mercy --prompt 5f0c2a9b7d3e --reason 'The plan had other units.'",
        "npm run cli -- runs recall --model openai:example-model --reason 'It mixed up left and right.' --yes",
      )}
What a person signed or changed is not touched, and named: it is to be corrected by hand. It ends with 1 where something
is left. A recall that was broken off is begun again: what was taken back by then is not touched again.`,
    )
    .action(async ({ dryRun = false, yes = false, reason, ...filters }: RecallOptions) => {
      requireOrder(filters, { reason, dryRun });
      const by = { ...filters, from: timeOrAgo(filters.from, parts.now()), to: timeOrAgo(filters.to, parts.now()) };
      const client = parts.connect({ ...LONG_PATIENCE, whenLate: WHEN_LATE });
      const found = await client.ask<RecallFoundAnswer>({ ...ORDER, body: { ...by, dryRun: true } });
      if (dryRun || found.count === 0) return showFound(parts, found);
      if (!parts.wantsJson()) parts.print(`${placeTable(found.places)}\n`);
      if (!yes) await agreeToRecall(parts, found);
      await recall(parts, client, { ...by, reason });
    });
}

const ORDER = { method: 'POST', path: '/runs/recall' } as const;
const WHEN_LATE = 'It stops after the session that it is at: the same command goes on with the rest.';

type Filters = Omit<RecallOptions, 'reason' | 'dryRun' | 'yes'>;

function requireOrder(filters: Filters, { reason, dryRun }: { reason: string | undefined; dryRun: boolean }): void {
  const { site: _, ...by } = filters;
  if (!Object.values(by).some((value) => value !== undefined)) {
    throw new CliError('Say what is to be taken back: --model, --mapping, --prompt, --from or --to.');
  }
  if (!dryRun && (reason === undefined || reason.trim() === '')) {
    throw new CliError(
      '--reason is required: it stands in each chart. With --dry-run it is only shown what it would be.',
    );
  }
}

function showFound({ print, wantsJson }: CommandParts, found: RecallFoundAnswer): void {
  print(wantsJson() ? json(found) : describeFound(found));
}

const NOTHING = `Nothing of that stands in a chart: there is nothing to take back. Model, mapping and prompt must be named
as runs show has them, whole.
`;

function describeFound({ count, places }: RecallFoundAnswer): string {
  if (count === 0) return NOTHING;
  return `${placeTable(places)}\n${sessions(count)} would be taken back.\n`;
}

function agreeToRecall(parts: CommandParts, { count }: RecallFoundAnswer): Promise<void> {
  return agree(parts, {
    question: `What was written of ${sessions(count)} is taken out of the charts, as far as nobody signed it.`,
    otherwise: 'Nothing was taken back.',
    because: `${sessions(count)} would be taken out of the charts.`,
  });
}

async function recall(parts: CommandParts, { ask }: OpsClient, body: unknown): Promise<void> {
  const { print, wantsJson } = parts;
  const answer = await whileTelling(parts, 'It is taken back, session by session …', () =>
    ask<RecallAnswer>({ ...ORDER, body }),
  );
  print(wantsJson() ? json(answer) : recalledTable(answer));
  const { recalled } = answer;
  const left = recalled.filter(({ status }) => status !== 'retracted').length;
  if (left > 0)
    throw new CliError(`Of ${sessions(recalled.length)} ${left} could not be taken back whole: the table says why.`);
}

function sessions(count: number): string {
  return `${count} session${count === 1 ? '' : 's'}`;
}

function placeTable(places: readonly PlaceAnswer[]): string {
  return renderTable(
    [
      { title: 'SITE', value: ({ site }) => site },
      { title: 'ENCOUNTER', value: ({ encounter }) => encounter },
      { title: 'SESSION', value: ({ session }) => session },
    ],
    places,
  );
}

const OUTCOMES: Readonly<Record<string, string>> = {
  retracted: 'taken back',
  parked: 'BY HAND',
  failed: 'FAILED',
};

function recalledTable({ recalled }: RecallAnswer): string {
  return renderWrapped(
    [
      { title: 'SITE', value: ({ site }) => site },
      { title: 'ENCOUNTER', value: ({ encounter }) => encounter },
      { title: 'SESSION', value: ({ session }) => session },
      { title: 'IT IS', value: ({ status }) => OUTCOMES[status] ?? status },
      { title: 'WHY', value: ({ message }) => message ?? '-' },
    ],
    recalled,
  );
}
