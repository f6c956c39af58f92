// The commands `runs replay` (process a session again with today's mappings, or show what would change) and `runs cancel`.

import { RUN_STEPS } from '../../domain/run/run.ts';
import type { StartedAnswer } from '../../wire/run-orders.ts';
import type { DifferenceAnswer, RunViewAnswer } from '../../wire/run-view.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';
import { renderWrapped } from '../shared/wrapped-table.ts';
import { findRunId } from './runs-find.ts';
import { followRun, refuseBadEnd } from './runs-follow.ts';
import { stateLines } from './runs-report.ts';
import { reportStarted } from './runs-start.ts';

type ReplayOptions = { readonly from?: string; readonly dryRun?: boolean; readonly watch?: boolean };

export function addReplay(runs: CliCommand, parts: CommandParts): void {
  runs
    .command('replay <id>')
    .description('process the session of a run again with today’s mappings: a new revision of the same documents')
    .option('--from <step>', `first step to repeat; earlier steps keep their results: ${RUN_STEPS.join(', ')}`)
    .option('--dry-run', 'write nothing: show the differences from what is in the chart')
    .option('--watch', 'follow until it finishes or waits')
    .examples(
      'npm run cli -- runs replay 0198c5b2 --from map --dry-run',
      'npm run cli -- runs replay 0198c5b2 --from map --watch',
      'npm run cli -- runs replay 0198c5b2',
    )
    .remarks(`A dry run waits for its end and shows what a replay would do to each document in the chart, also to those that
a person signed, changed or removed, and which elements differ, never their content. The view is recorded in
the audit trail.`)
    .action(async (given: string, { from, dryRun = false, watch = false }: ReplayOptions) => {
      const client = parts.connect();
      const of = await findRunId(client, given);
      const request = { method: 'POST', path: `/runs/${of}/replay`, body: { from, dryRun } } as const;
      const { id } = await client.ask<StartedAnswer>(request);
      if (dryRun) return showDifferences(parts, client, { id, watch });
      await reportStarted(parts, client, { id, watch });
    });
}

type DryOrder = { readonly id: string; readonly watch: boolean };

async function showDifferences(parts: CommandParts, client: OpsClient, { id, watch }: DryOrder): Promise<void> {
  const { terminal, print, wantsJson } = parts;
  const isTold = watch && !wantsJson();
  const progress = (lines: string) => terminal.tellProgress?.(lines.split('\n', 1).join('').trim());
  const rested = await followRun(parts, { client, id, tell: isTold ? print : progress });
  if (rested.status !== 'skipped' || rested.reason !== 'dry-run') {
    print(
      wantsJson()
        ? json(rested)
        : stateLines(rested)
            .map((line) => `${line}\n`)
            .join(''),
    );
    refuseBadEnd(rested);
    return;
  }
  const { differences = [] } = await client.ask<RunViewAnswer>({ method: 'GET', path: `/runs/${id}` });
  print(wantsJson() ? json({ id, differences }) : `${isTold ? '\n' : ''}${describeDifferences(differences)}`);
}

const ACTIONS: Readonly<Record<string, string>> = {
  create: 'would be new',
  update: 'would change',
  replace: 'would be replaced',
  append: 'signed: another would be added',
  retract: 'would be retracted',
  park: 'a person changed it',
  keep: 'unchanged',
};

const KEPT: Readonly<Record<string, string>> = {
  touched: 'kept: a person changed it',
  signed: 'kept: a person signed it',
  unchangeable: 'kept: the EHR does not allow changes',
  removed: 'a person removed it: not written',
  parked: 'not written',
};

/** Of an engine that does not say what would be done. */
const CHANGES: Readonly<Record<string, string>> = {
  new: 'would be new',
  changed: 'would change',
  gone: 'would be retracted',
  same: 'unchanged',
};

function actionWords({ would, why, change }: DifferenceAnswer): string {
  if (would === undefined) return CHANGES[change] ?? change;
  return (would === 'keep' && why !== undefined ? KEPT[why] : ACTIONS[would]) ?? would;
}

function headOf(differences: readonly DifferenceAnswer[]): string {
  const touched = differences.filter(({ would }) => would === 'park').map(({ document }) => document);
  if (touched.length > 0) {
    return `A replay would be parked and write nothing: a person changed ${touched.map(printable).join(', ')}.\n`;
  }
  const isSame = differences.every(({ change, would }) => (would === undefined ? change === 'same' : would === 'keep'));
  return isSame ? 'Nothing in the chart would change.\n' : '';
}

function describeDifferences(differences: readonly DifferenceAnswer[]): string {
  const head = headOf(differences);
  if (differences.length === 0) return head;
  const table = renderWrapped(differences, {
    DOCUMENT: ({ document }) => document,
    'IN THE CHART': ({ reference }) => reference,
    IT: actionWords,
    ELEMENTS: ({ elements }) => (elements.length === 0 ? '-' : elements.join(', ')),
  });
  return `${head}${head === '' ? '' : '\n'}${table}`;
}

export function addCancel(runs: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  runs
    .command('cancel <id>')
    .description('cancel a run; a running one stops after its current step')
    .examples('npm run cli -- runs cancel 0198c5b2')
    .remarks(
      'What it has written stays in the chart: npm run cli -- runs review <id> --reject, or runs recall, takes that back.',
    )
    .action(async (given: string) => {
      const client = connect();
      const id = await findRunId(client, given);
      const { status } = await client.ask<{ readonly status: string }>({ method: 'POST', path: `/runs/${id}/cancel` });
      if (wantsJson()) return print(json({ id, status }));
      if (status !== 'cancelled' && status !== 'cancelling') throw new CliError('The engine’s answer names no state.');
      print(
        status === 'cancelled'
          ? `Run ${id} is cancelled.\n`
          : `Run ${id} is cancelling: it stops after the current step.\n`,
      );
    });
}
