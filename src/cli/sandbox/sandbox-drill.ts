// The command `sandbox drill` rehearses a failure: it starts one, follows the run through it, and compares the end with the promise.

import type { RunViewAnswer } from '../../wire/run-view.ts';
import type { DrillAnswer, DrillListAnswer, DrillUnderWayAnswer } from '../../wire/sandbox.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, LONG_PATIENCE } from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';
import { countWritten, readChart } from './sandbox-chart.ts';
import { describeBeginning, describeDrills, sinceStart } from './sandbox-drill-words.ts';
import { followVisit } from './sandbox-follow.ts';
import { brokenPromises, outcomeWords } from './sandbox-promise.ts';
import { askChart } from './sandbox-show.ts';

type DrillOptions = { readonly list?: boolean; readonly stop?: boolean };

/** After the drill ends, the run continues when its next attempt is due. */
const GRACE_SECONDS = 120;

export function addDrill(sandbox: CliCommand, parts: CommandParts): void {
  sandbox
    .command('drill [name]')
    .description('rehearse a failure; without a name: list the drills')
    .option('--list', 'list them')
    .option('--stop', 'end the running drill')
    .examples(
      'npm run cli -- sandbox drill',
      'npm run cli -- sandbox drill ehr-down',
      'npm run cli -- sandbox drill --stop',
    )
    .remarks(`The patient of its story comes again, and that visit is finished while things go wrong. It ends with 0 where all ended
as promised, and with 1 otherwise. Control-C ends the drill; it ends by itself, too.`)
    .action(async (name: string | undefined, { list = false, stop = false }: DrillOptions) => {
      if ([name !== undefined, list, stop].filter((given) => given).length > 1) {
        throw new CliError('Give the name of a drill, or --list, or --stop.');
      }
      const client = parts.connect(LONG_PATIENCE);
      if (stop) return endDrill(parts, client);
      const listed = await client.ask<DrillListAnswer>({ method: 'GET', path: '/sandbox/drills' });
      if (name !== undefined) return rehearse(parts, client, drillNamed(listed, name));
      parts.print(parts.wantsJson() ? json(listed) : describeDrills(listed));
    });
}

async function endDrill({ print, wantsJson }: CommandParts, client: OpsClient): Promise<void> {
  await end(client);
  print(wantsJson() ? json({}) : 'No drill is running; everything works normally.\n');
}

async function end({ ask }: Pick<OpsClient, 'ask'>): Promise<void> {
  await ask<undefined>({ method: 'DELETE', path: '/sandbox/drill' });
}

function drillNamed({ drills }: DrillListAnswer, name: string): DrillAnswer {
  const drill = drills.find((one) => one.name === name);
  if (drill === undefined) {
    const names = drills.map((one) => printable(one.name)).join(', ');
    throw new CliError(`No drill has the name ${printable(name)}. Drills: ${names}.`);
  }
  if (drill.unavailable !== undefined) throw new CliError(printable(drill.unavailable));
  return drill;
}

async function rehearse(parts: CommandParts, client: OpsClient, drill: DrillAnswer): Promise<void> {
  const { terminal, print, wantsJson } = parts;
  if (!wantsJson()) print(describeBeginning(drill));
  // From here on an interrupt must end the drill before the command exits.
  const { signal, stop } = terminal.catchInterrupt();
  try {
    const path = `/sandbox/drills/${encodeURIComponent(drill.name)}`;
    const underWay = await client.ask<DrillUnderWayAnswer>({ method: 'POST', path });
    const run = await followAndEnd(parts, client, { underWay, signal });
    await judge(parts, client, { underWay, run });
  } finally {
    stop();
  }
}

type DrillToFollow = { readonly underWay: DrillUnderWayAnswer; readonly signal: AbortSignal };

/** Ends the drill in every case. */
async function followAndEnd(parts: CommandParts, client: OpsClient, following: DrillToFollow): Promise<RunViewAnswer> {
  const { underWay, signal } = following;
  const { drill, visit, startedAt } = underWay;
  const patience = AbortSignal.timeout((drill.maxSeconds + GRACE_SECONDS) * 1_000);
  let run: RunViewAnswer | undefined;
  try {
    run = await followVisit(parts, {
      client,
      encounter: visit.encounter,
      signal: AbortSignal.any([signal, patience]),
      tell: parts.wantsJson() ? () => undefined : parts.print,
      clockOf: (time) => sinceStart(startedAt, time),
    });
  } finally {
    await endForSure(parts, client, underWay);
  }
  if (run !== undefined) return run;
  if (signal.aborted) {
    throw new CliError('The drill was ended. Its run continues: npm run cli -- runs watch');
  }
  throw new CliError(
    `Not as promised: the run did not finish within ${drill.maxSeconds + GRACE_SECONDS} s. Find out why: npm run cli -- runs explain sandbox ${printable(visit.encounter)}`,
  );
}

async function endForSure({ warn }: CommandParts, client: OpsClient, { endsAt }: DrillUnderWayAnswer): Promise<void> {
  try {
    await end(client);
  } catch (thrown) {
    if (!(thrown instanceof CliError)) throw thrown;
    const then = `It ends by itself at ${printable(endsAt)}, or by npm run cli -- sandbox drill --stop`;
    warn(`The drill could not be ended: ${thrown.message}\n${then}\n`);
  }
}

type FinishedDrill = { readonly underWay: DrillUnderWayAnswer; readonly run: RunViewAnswer };

async function judge(parts: CommandParts, client: OpsClient, { underWay, run }: FinishedDrill): Promise<void> {
  const { drill, visit } = underWay;
  const written = countWritten(readChart(await askChart(client, visit.name), visit.name));
  const outcome = { run, written };
  const broken = brokenPromises(drill, outcome);
  const { print, wantsJson } = parts;
  const isAsPromised = broken.length === 0;
  if (wantsJson()) print(json({ drill, visit, run, written, isAsPromised, broken }));
  else {
    const look = `Look at the chart: npm run cli -- sandbox show ${visit.name}`;
    print(`\n${isAsPromised ? 'As promised' : 'It ended'}: ${printable(outcomeWords(outcome))}\n${printable(look)}\n`);
  }
  if (!isAsPromised) throw new CliError(`Not as promised: ${printable(broken.join('; '))}.`);
}
