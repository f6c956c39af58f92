// The command `runs recall` retracts what a model, mapping or prompt made, or what was made in a period: documents in charts, and
// drafts that are not written yet. It first shows what would be retracted.

import type { DraftAnswer, PlaceAnswer, RecallAnswer, RecallPreviewAnswer } from '../../wire/recall.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import {
  agree,
  type CommandParts,
  json,
  LONG_PATIENCE,
  type TextOptions,
  timeOrAgo,
  withProgress,
} from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { renderTable } from '../shared/tables.ts';
import { renderWrapped } from '../shared/wrapped-table.ts';

type Filters = TextOptions<'site' | 'model' | 'mapping' | 'prompt' | 'from' | 'to'>;
type RecallOptions = Filters & { readonly reason?: string; readonly dryRun?: boolean; readonly yes?: boolean };

export function addRecall(runs: CliCommand, parts: CommandParts): void {
  runs
    .command('recall')
    .description('retract what a model, mapping or prompt made: unsigned documents in charts, and drafts')
    .option('--site <name>', 'only this site')
    .option('--model <name>', 'made by this model; model, mapping and prompt in full, as runs show prints them')
    .option('--mapping <version>', 'made by this version of the mappings')
    .option('--prompt <version>', 'made with this version of the prompt')
    .option('--from <time>', 'made since 2h, 7d, a day, or a time with an offset')
    .option('--to <time>', 'made before this time, likewise')
    .option('--reason <text>', 'the reason, written into each chart with the retraction')
    .option('--dry-run', 'only show what would be retracted')
    .option('--yes', 'retract without asking')
    .examples(
      'npm run cli -- runs recall --model openai:example-model --from 2026-11-20 --dry-run',
      "npm run cli -- runs recall --site mercy --prompt 5f0c2a9b7d3e --reason 'The plan had other units.'",
      "npm run cli -- runs recall --model openai:example-model --reason 'It mixed up left and right.' --yes",
    )
    .remarks(`Runs that hold such a draft and have not written it are withdrawn first: it can no longer be approved or written, and
npm run cli -- runs replay <id> --from write-note makes a new one. What a person signed or changed is not touched, and
named: it is to be corrected by hand. It ends with 1 where something is left, or was at work: the same command again
finds the rest. A recall that was broken off is begun again: what was taken back by then is not touched again.`)
    .action(async ({ dryRun = false, yes = false, reason, ...filters }: RecallOptions) => {
      requireOrder(filters, { reason, dryRun });
      const by = { ...filters, from: timeOrAgo(filters.from, parts.now()), to: timeOrAgo(filters.to, parts.now()) };
      const client = parts.connect({ ...LONG_PATIENCE, whenLate: WHEN_LATE });
      const found = await client.ask<RecallPreviewAnswer>({ ...ORDER, body: { ...by, dryRun: true } });
      if (dryRun || isNothing(found)) return showFound(parts, found);
      if (!parts.wantsJson()) parts.print(`${foundTables(found)}\n`);
      if (!yes) await agreeToRecall(parts, found);
      await recall(parts, client, { ...by, reason });
    });
}

const ORDER = { method: 'POST', path: '/runs/recall' } as const;
const WHEN_LATE = 'The engine stops after the current session; repeat the command to continue.';

function requireOrder(filters: Filters, { reason, dryRun }: { reason: string | undefined; dryRun: boolean }): void {
  const { site: _, ...by } = filters;
  if (!Object.values(by).some((value) => value !== undefined)) {
    throw new CliError('Select what to retract with --model, --mapping, --prompt, --from or --to.');
  }
  if (!dryRun && (reason === undefined || reason.trim() === '')) {
    throw new CliError(
      '--reason is required, because it is written into each chart. To only show what would be retracted: --dry-run.',
    );
  }
}

function showFound({ print, wantsJson }: CommandParts, found: RecallPreviewAnswer): void {
  print(wantsJson() ? json(found) : describeFound(found));
}

const NOTHING = `Nothing to retract: no document or draft matches. Name model, mapping and prompt in full, as runs show
prints them.
`;

function describeFound(found: RecallPreviewAnswer): string {
  if (isNothing(found)) return NOTHING;
  const { count, drafts } = found;
  const lines = [
    ...(count === 0 ? [] : [`${sessions(count)} would be retracted.\n`]),
    ...(drafts.length === 0 ? [] : [`${unwritten(drafts.length)} would be withdrawn.\n`]),
  ];
  return `${foundTables(found)}\n${lines.join('')}`;
}

function isNothing({ count, drafts }: RecallPreviewAnswer): boolean {
  return count + drafts.length === 0;
}

function foundTables({ places, drafts }: RecallPreviewAnswer): string {
  const tables = [
    ...(places.length === 0 ? [] : [placeTable(places)]),
    ...(drafts.length === 0 ? [] : [draftTable(drafts)]),
  ];
  return tables.join('\n');
}

function agreeToRecall(parts: CommandParts, { count, drafts }: RecallPreviewAnswer): Promise<void> {
  const question = [
    ...(count === 0 ? [] : [`The unsigned documents of ${sessions(count)} will be retracted from the charts.`]),
    ...(drafts.length === 0 ? [] : [`${unwritten(drafts.length)} will be withdrawn and can no longer be approved.`]),
  ];
  const would = [
    ...(count === 0 ? [] : [`${sessions(count)} would be retracted from the charts.`]),
    ...(drafts.length === 0 ? [] : [`${unwritten(drafts.length)} would be withdrawn.`]),
  ];
  return agree(parts, { question: question.join(' '), otherwise: 'Nothing was retracted.', because: would.join(' ') });
}

async function recall(parts: CommandParts, { ask }: OpsClient, body: unknown): Promise<void> {
  const { print, wantsJson } = parts;
  const answer = await withProgress(parts, 'Retracting, session by session …', () =>
    ask<RecallAnswer>({ ...ORDER, body }),
  );
  print(wantsJson() ? json(answer) : recalledTables(answer));
  const left = whatIsLeft(answer);
  if (left !== '') throw new CliError(left);
}

function whatIsLeft({ withdrawn, recalled }: RecallAnswer): string {
  const incomplete = recalled.filter(({ status }) => status !== 'retracted').length;
  const atWork = withdrawn.filter(({ status }) => status === 'at-work').length;
  const sentences = [
    ...(incomplete === 0
      ? []
      : [`Of ${sessions(recalled.length)} ${incomplete} could not be retracted completely; the table says why.`]),
    ...(atWork === 0
      ? []
      : [
          `${runs(atWork)} ${atWork === 1 ? 'was' : 'were'} running. Repeat the command to include what they wrote meanwhile.`,
        ]),
  ];
  return sentences.join(' ');
}

function sessions(count: number): string {
  return `${count} session${count === 1 ? '' : 's'}`;
}

function runs(count: number): string {
  return `${count} run${count === 1 ? '' : 's'}`;
}

function unwritten(count: number): string {
  return count === 1 ? '1 run that has not written yet' : `${count} runs that have not written yet`;
}

function placeTable(places: readonly PlaceAnswer[]): string {
  return renderTable(places, {
    SITE: ({ site }) => site,
    ENCOUNTER: ({ encounter }) => encounter,
    SESSION: ({ session }) => session,
  });
}

function draftTable(drafts: readonly DraftAnswer[]): string {
  return renderTable(drafts, {
    SITE: ({ site }) => site,
    ENCOUNTER: ({ encounter }) => encounter,
    'RUN, NOT WRITTEN': ({ id }) => id,
    'IT IS': ({ status }) => DRAFT_STATES[status] ?? status,
  });
}

const DRAFT_STATES: Readonly<Record<string, string>> = { 'at-work': 'AT WORK' };

const OUTCOMES: Readonly<Record<string, string>> = {
  retracted: 'retracted',
  parked: 'BY HAND',
  failed: 'FAILED',
};

function recalledTables({ withdrawn, recalled }: RecallAnswer): string {
  const tables = [
    ...(withdrawn.length === 0 ? [] : [draftTable(withdrawn)]),
    ...(recalled.length === 0 ? [] : [recalledTable(recalled)]),
  ];
  return tables.join('\n');
}

function recalledTable(recalled: RecallAnswer['recalled']): string {
  return renderWrapped(recalled, {
    SITE: ({ site }) => site,
    ENCOUNTER: ({ encounter }) => encounter,
    SESSION: ({ session }) => session,
    'IT IS': ({ status }) => OUTCOMES[status] ?? status,
    WHY: ({ message }) => message ?? '-',
  });
}
