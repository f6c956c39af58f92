// The command `sandbox list` lists the visits of the made-up hospital with the state of each.

import type { RunAnswer, RunListAnswer } from '../../wire/run.ts';
import type { SandboxAnswer, VisitAnswer } from '../../wire/sandbox.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json } from '../shared/command-parts.ts';
import { printable } from '../shared/tables.ts';
import { renderWrapped } from '../shared/wrapped-table.ts';
import { documentingRun } from './sandbox-follow.ts';
import { SANDBOX_SITE } from './sandbox-visits.ts';

/** The engine's page size. */
const MOST_RUNS = '500';

export function addList(sandbox: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  sandbox
    .command('list')
    .description('list the visits: language, complaint and state')
    .examples('npm run cli -- sandbox list', 'npm run --silent cli -- --json sandbox list')
    .action(async () => {
      const { ask } = connect();
      const answer = await ask<SandboxAnswer>({ method: 'GET', path: '/sandbox' });
      if (wantsJson()) return print(json(answer));
      const query = { site: SANDBOX_SITE, limit: MOST_RUNS };
      const { runs } = await ask<RunListAnswer>({ method: 'GET', path: '/runs', query });
      print(describeVisits(answer, runs));
    });
}

function describeVisits({ baseUrl, visits }: SandboxAnswer, runs: readonly RunAnswer[]): string {
  const byEncounter = Map.groupBy(runs, ({ encounter }) => encounter);
  const runWords = ({ encounter }: VisitAnswer): string => {
    const run = documentingRun(byEncounter.get(encounter) ?? []);
    if (run === undefined) return '-';
    return run.reason === undefined ? run.status : `${run.status} (${run.reason})`;
  };
  const table = renderWrapped(visits, {
    VISIT: ({ name }) => name,
    IN: ({ language }) => language,
    CARE: ({ care }) => care,
    STATUS: ({ status }) => status,
    REC: ({ recordings }) => recordings,
    RUN: runWords,
    COMPLAINT: ({ reason }) => reason,
  });
  return `${table}
Its FHIR server: ${printable(baseUrl)}
Finish one: npm run cli -- sandbox finish <visit>; all that go on: with --all instead of its name.
`;
}
