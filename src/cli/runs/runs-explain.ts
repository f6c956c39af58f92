// The command `runs explain` says in one sentence why there is no note, and what to do next.

import type { ExplainAnswer } from '../../wire/explain.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { type CommandParts, json, LONG_PATIENCE, sitePath, withProgress } from '../shared/command-parts.ts';
import { renderTable } from '../shared/tables.ts';
import { wrap } from '../shared/wrapped-table.ts';
import { shortIds } from './runs-find.ts';

const WIDTH = 98;

export function addExplain(runs: CliCommand, parts: CommandParts): void {
  const { connect, print, wantsJson } = parts;
  runs
    .command('explain <site> <of>')
    .description('explain why there is no note, in one sentence, and what to do next')
    .examples(
      'npm run cli -- runs explain mercy Encounter/123',
      'npm run cli -- runs explain mercy V-2041',
      'npm run --silent cli -- --json runs explain mercy 0012345',
    )
    .remarks(`<of> is an encounter's id, a visit number or a patient's record number. The engine asks the EHR too, so that
it can explain encounters for which no event arrived. No names are shown; the question is recorded in the audit trail.`)
    .action(async (site: string, of: string) => {
      const request = { method: 'POST', path: sitePath(site, 'explain'), body: { of } } as const;
      const answer = await withProgress(parts, 'Asking the EHR …', () =>
        connect(LONG_PATIENCE).ask<ExplainAnswer>(request),
      );
      print(wantsJson() ? json(answer) : describeExplanation(answer));
    });
}

function describeExplanation({ sentence, next, details }: ExplainAnswer): string {
  const explanation = [...wrap(sentence, WIDTH), ...wrap(`What to do: ${next}`, WIDTH)]
    .map((line) => `${line}\n`)
    .join('');
  if (details === undefined || details.runs.length === 0) return explanation;
  const short = shortIds(details.runs.map(({ id }) => id));
  const table = renderTable(details.runs, {
    RUN: ({ id }) => short(id),
    STATUS: ({ status }) => status,
    REASON: ({ reason }) => reason,
    SESSION: ({ session }) => session,
  });
  return `${explanation}\n${table}`;
}
