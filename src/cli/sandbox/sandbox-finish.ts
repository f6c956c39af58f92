// The command `sandbox finish` ends a visit, so that the EHR sends its event; `--watch` follows the run.

import type { RunViewAnswer } from '../../wire/run-view.ts';
import type { SandboxAnswer, VisitAnswer } from '../../wire/sandbox.ts';
import { refuseBadEnd } from '../runs/runs-follow.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, LONG_PATIENCE, withProgress } from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';
import { followVisit } from './sandbox-follow.ts';
import { printEntry } from './sandbox-show.ts';
import { visitPath } from './sandbox-visits.ts';

type FinishOptions = { readonly all?: boolean; readonly watch?: boolean };

export function addFinish(sandbox: CliCommand, parts: CommandParts): void {
  sandbox
    .command('finish [encounter]')
    .description('finish a visit; the EHR sends its event and a run starts')
    .option('--all', 'all open visits')
    .option('--watch', 'follow the run until it finishes, then show the chart')
    .examples(
      'npm run cli -- sandbox finish en-chest-pressure',
      'npm run cli -- sandbox finish en-chest-pressure --watch',
      'npm run cli -- sandbox finish --all',
    )
    .remarks(`It ends with 0 once the events are sent, whatever becomes of them; with --watch, once the run rests where it should.
What is finished already is told again.`)
    .action(async (given: string | undefined, { all = false, watch = false }: FinishOptions) => {
      if ((given === undefined) !== all) throw new CliError('Name one encounter, or finish all open ones with --all.');
      if (watch && all) throw new CliError('--watch goes with one encounter. npm run cli -- runs watch watches all.');
      const client = parts.connect(LONG_PATIENCE);
      if (given === undefined) return finishAll(parts, client);
      const visit = await finish(client, given);
      if (watch) return watchVisit(parts, client, visit);
      parts.print(parts.wantsJson() ? json(visit) : finishedWords(visit));
    });
}

function finish({ ask }: Pick<OpsClient, 'ask'>, visit: string): Promise<VisitAnswer> {
  return ask<VisitAnswer>({ method: 'POST', path: visitPath(visit, 'finish') });
}

function finishedWords({ name }: VisitAnswer): string {
  return `${printable(name)} is finished, and the EHR has sent its event.
Watch what becomes of it: npm run cli -- runs watch
Then look at its chart:   npm run cli -- sandbox show ${printable(name)}
`;
}

async function finishAll(parts: CommandParts, client: OpsClient): Promise<void> {
  const { print, wantsJson } = parts;
  const { visits } = await client.ask<SandboxAnswer>({ method: 'GET', path: '/sandbox' });
  const open = visits.filter(({ status }) => status === 'in-progress');
  const finished = await withProgress(parts, 'Finishing visits …', () => finishEach(client, open));
  if (wantsJson()) return print(json({ visits: finished }));
  if (finished.length === 0) return print('No visit is open. List the visits: npm run cli -- sandbox list\n');
  const names = finished.map(({ name }) => `${printable(name)}\n`).join('');
  const count = finished.length === 1 ? '1 visit is' : `${finished.length} visits are`;
  print(`${names}${count} finished, and the EHR has sent its event.
Watch what becomes of them: npm run cli -- runs watch
Then look at a chart:       npm run cli -- sandbox show <encounter>
`);
}

/** Finishes the visits one after another, as in a hospital. */
async function finishEach(client: OpsClient, open: readonly VisitAnswer[]): Promise<readonly VisitAnswer[]> {
  const finished: VisitAnswer[] = [];
  for (const { name } of open) finished.push(await finish(client, name));
  return finished;
}

async function watchVisit(parts: CommandParts, client: OpsClient, visit: VisitAnswer): Promise<void> {
  const { terminal, print, wantsJson } = parts;
  const tell = wantsJson() ? () => undefined : print;
  if (!wantsJson()) print(`${printable(visit.name)} is finished, and the EHR has sent its event.\n`);
  const { signal, stop } = terminal.catchInterrupt();
  let run: RunViewAnswer | undefined;
  try {
    run = await followVisit(parts, { client, encounter: visit.encounter, signal, tell });
  } finally {
    stop();
  }
  if (run === undefined) {
    throw new CliError('Stopped watching; the run continues. Watch all runs: npm run cli -- runs watch');
  }
  if (wantsJson()) print(json({ visit, run }));
  else {
    print('\n');
    await printEntry(parts, client, visit.name);
  }
  refuseBadEnd(run);
}
