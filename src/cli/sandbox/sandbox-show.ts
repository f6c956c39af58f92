// The command `sandbox show` prints the chart of a visit for people, or why it is empty and what to do next.
import type { Bundle } from '@medplum/fhirtypes';
import type { ExplainAnswer } from '../../wire/explain.ts';
import type { VisitAnswer } from '../../wire/sandbox.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, LONG_PATIENCE, sitePath } from '../shared/command-parts.ts';
import type { OpsClient } from '../shared/ops-client.ts';
import { type Chart, readChart } from './sandbox-chart.ts';
import { addHead, addRecordings, addSession } from './sandbox-entry.ts';
import { makePage } from './sandbox-page.ts';
import { SANDBOX_SITE, visitPath } from './sandbox-visits.ts';

export function addShow(sandbox: CliCommand, parts: CommandParts): void {
  sandbox
    .command('show <encounter>')
    .description('show the chart of a visit for people')
    .examples(
      'npm run cli -- sandbox show en-chest-pressure',
      'npm run cli -- sandbox show Encounter/en-chest-pressure-2',
      'npm run --silent cli -- --json sandbox show es-cystitis',
    )
    .remarks(
      'The name of a scenario means its newest visit. --json prints the chart as a FHIR Bundle. The view is recorded in the audit trail.',
    )
    .action(async (given: string) => {
      const client = parts.connect(LONG_PATIENCE);
      if (parts.wantsJson()) return parts.print(json(await askChart(client, given)));
      await printEntry(parts, client, given);
    });
}

export function askChart({ ask }: Pick<OpsClient, 'ask'>, visit: string): Promise<Bundle> {
  return ask<Bundle>({ method: 'GET', path: visitPath(visit, 'chart') });
}

/** Prints the chart, or why it is empty. */
export async function printEntry(
  { print, terminal }: Pick<CommandParts, 'print' | 'terminal'>,
  client: Pick<OpsClient, 'ask'>,
  given: string,
): Promise<void> {
  const visit = await client.ask<VisitAnswer>({ method: 'GET', path: visitPath(given) });
  const chart = readChart(await askChart(client, visit.name), visit.name);
  const page = makePage(terminal);
  addHead(page, chart);
  page.gap();
  if (chart.sessions.length === 0) {
    addRecordings(page, chart);
    await addNothing(page, client, visit);
  } else addSessions(page, chart);
  print(page.text());
}

type Page = ReturnType<typeof makePage>;

function addSessions(page: Page, chart: Chart): void {
  const { sessions } = chart;
  for (const [index, session] of sessions.entries()) {
    page.gap();
    if (sessions.length > 1) page.add(`Note ${index + 1} of ${sessions.length}`, { ink: 'strong' });
    addSession(page, chart, session);
  }
}

async function addNothing(page: Page, { ask }: Pick<OpsClient, 'ask'>, visit: VisitAnswer): Promise<void> {
  page.add('The chart has no documents yet.', { ink: 'strong' });
  if (visit.status === 'in-progress') {
    page.add(`The visit is still open. Finish it: npm run cli -- sandbox finish ${visit.name}`);
    return;
  }
  const request = { method: 'POST', path: sitePath(SANDBOX_SITE, 'explain'), body: { of: visit.encounter } } as const;
  const { sentence, next } = await ask<ExplainAnswer>(request);
  page.add(sentence);
  page.add(`What to do: ${next}`);
}
