// The command `sandbox open` opens the chart of a visit in the made-up EHR: it shows the cards that the EHR gets from the engine, and the address
// that opens the review from there.
import type { OpenedChartAnswer } from '../../wire/sandbox.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, LONG_PATIENCE } from '../shared/command-parts.ts';
import { printable } from '../shared/tables.ts';
import { visitPath } from './sandbox-visits.ts';

type Card = OpenedChartAnswer['cards'][number];

export function addOpen(sandbox: CliCommand, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  sandbox
    .command('open <encounter>')
    .description('open a chart in the EHR: show its cards, and the address that opens the review')
    .option('--as <practitioner>', 'who opens it, as in Practitioner/sandbox-nurse')
    .examples(
      'npm run cli -- sandbox open en-chest-pressure',
      'npm run cli -- sandbox open en-chest-pressure --as Practitioner/sandbox-nurse',
    )
    .remarks(
      'The EHR asks by CDS Hooks and launches by SMART App Launch. The address is good once, and for ten minutes.',
    )
    .action(async (given: string, { as }: { readonly as?: string }) => {
      const body = as === undefined ? {} : { practitioner: as.includes('/') ? as : `Practitioner/${as}` };
      const request = { method: 'POST', path: visitPath(given, 'open'), body } as const;
      const opened = await connect(LONG_PATIENCE).ask<OpenedChartAnswer>(request);
      print(wantsJson() ? json(opened) : openedWords(opened));
    });
}

function openedWords({ visit, practitioner, cards, launchUrl }: OpenedChartAnswer): string {
  const name = printable(visit.name);
  const opened = `${printable(practitioner)} opens the chart of ${name}.\n\n`;
  const shown = cards.length === 0 ? noCard(visit) : cards.map(cardWords).join('\n');
  return `${opened}${shown}\nOpen the review in a browser (once, within ten minutes):\n  ${printable(launchUrl)}\n`;
}

function cardWords({ indicator, summary, detail }: Card): string {
  const body = detail === undefined ? '' : `  ${printable(detail)}\n`;
  return `[${printable(indicator)}] ${printable(summary)}\n${body}`;
}

function noCard({ name, status }: OpenedChartAnswer['visit']): string {
  const next = status === 'in-progress' ? ` Finish the visit: npm run cli -- sandbox finish ${printable(name)}` : '';
  return `No card: no draft of this patient waits for a review.${next}\n`;
}
