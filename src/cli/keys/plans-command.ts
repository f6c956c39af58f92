// The command `plans` lists and sets the limits of API keys.

import type { PlanAnswer, PlanListAnswer } from '../../wire/plans.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, type TextOptions, toNumber } from '../shared/command-parts.ts';
import { renderTable } from '../shared/tables.ts';

type SetOptions = TextOptions<'requestsPerMinute' | 'requestsPerMonth' | 'audioSecondsPerMonth'>;

export function addPlansCommand(program: CliCommand, parts: CommandParts): void {
  const plans = program.command('plans').description('list and set the limits of API keys');
  addList(plans, parts);
  addSet(plans, parts);
}

function addList(plans: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  plans
    .command('list')
    .description('list the plans')
    .examples('npm run cli -- plans list')
    .action(async () => {
      const answer = await connect().ask<PlanListAnswer>({ method: 'GET', path: '/plans' });
      print(wantsJson() ? json(answer) : planTable(answer.plans));
    });
}

function addSet(plans: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  plans
    .command('set <name>')
    .description('create a plan or replace all its limits; a limit that is not given does not apply')
    .option('--requests-per-minute <number>', 'for each key')
    .option('--requests-per-month <number>', 'for the organization, by calendar month (UTC)')
    .option('--audio-seconds-per-month <number>', 'for the organization, by calendar month (UTC)')
    .examples(
      'npm run cli -- plans set standard --requests-per-minute 60 --requests-per-month 10000',
      'npm run cli -- plans set open-house',
    )
    .action(async (name: string, { requestsPerMinute, requestsPerMonth, audioSecondsPerMonth }: SetOptions) => {
      const body = {
        requestsPerMinute: optionalNumber(requestsPerMinute),
        requestsPerMonth: optionalNumber(requestsPerMonth),
        audioSecondsPerMonth: optionalNumber(audioSecondsPerMonth),
      };
      const path = `/plans/${encodeURIComponent(name)}`;
      const plan = await connect().ask<PlanAnswer>({ method: 'PUT', path, body });
      print(wantsJson() ? json(plan) : planTable([plan]));
    });
}

function optionalNumber(text: string | undefined): number | string | undefined {
  return text === undefined ? undefined : toNumber(text);
}

function planTable(plans: readonly PlanAnswer[]): string {
  return renderTable(plans, {
    PLAN: (plan) => plan.name,
    'REQUESTS/MINUTE': (plan) => plan.requestsPerMinute ?? 'no limit',
    'REQUESTS/MONTH': (plan) => plan.requestsPerMonth ?? 'no limit',
    'AUDIO SECONDS/MONTH': (plan) => plan.audioSecondsPerMonth ?? 'no limit',
  });
}
