// Writes the figures into docs/evaluation.md: its text is written by hand, its tables are made here.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reasoner } from '../../src/ports/reasoner.ts';
import type { Floor } from './judge-floors.ts';
import { sandboxFloors } from './sandbox-floors.ts';
import type { SandboxReport } from './sandbox-summary.ts';
import { sandboxTables } from './sandbox-tables.ts';
import type { Summary } from './summary.ts';
import { allTables, floorTable } from './tables.ts';

export const PAGE = path.join(import.meta.dirname, '../../docs/evaluation.md');

const BEGIN = '<!-- tables: made by npm run eval -- --write -->';
const END = '<!-- /tables -->';

const SANDBOX_BEGIN = '<!-- sandbox: made by npm run eval -- --write -->';
const SANDBOX_END = '<!-- /sandbox -->';

const ABOUT_SANDBOX = `A separate engine documented each encounter of the sandbox from its recording, and the chart was compared with the expected results
in \`src/sandbox/patients\`. These encounters were used for tuning.

| column | is |
| --- | --- |
| right outcome | the note was written, or the run was skipped if there is no speech or nothing medical. A note that was not written has nothing in its section |
| misread facts | what the chart says and must not: facts that no one said, denied ones, other people's, what was only considered, planned or warned of, diseases of another age or of a pregnancy that is not there, alarms without a danger; late recordings count too. The lists are in \`test/eval/visits\`, those of the visits were written before any answer was read |
| right resources | one Composition, DocumentReference, RiskAssessment and Provenance, the candidates in the same order, a Condition for each likely one and none of them active, a Flag if the triage is RED, and nothing else |
| valid FHIR | three independent FHIR R4 validators report no error in any written resource |`;

/** The page with these figures. Without figures of the sandbox the page keeps those that it has. */
export function pageWith(
  { engine, prompt }: Pick<Reasoner, 'engine' | 'prompt'>,
  summary: Summary,
  floors: readonly Floor[],
  sandbox?: SandboxReport,
): string {
  const page = readFileSync(PAGE, 'utf8');
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/evaluation.md has no ${BEGIN} … ${END}`);
  const tables = `\`${engine}\`, knowledge \`${prompt}\`.\n\n${allTables(
    summary,
    floors.filter(({ group }) => group !== 'sandbox'),
  )}`;
  const visits = sandbox === undefined ? sandboxPartOf(page) : sandboxPart(sandbox);
  return `${page.slice(0, begin)}${BEGIN}\n${tables}\n${visits}${page.slice(end)}`;
}

/** The part about the sandbox as the page has it, or an empty text. */
export function sandboxPartOf(page: string): string {
  const begin = page.indexOf(`\n${SANDBOX_BEGIN}`);
  const end = page.indexOf(SANDBOX_END);
  return begin < 0 ? '' : page.slice(begin, end + SANDBOX_END.length + 1);
}

/** With its own floor: the figures of the cases are written without it. */
export function sandboxPart(report: SandboxReport): string {
  const floors = floorTable(sandboxFloors(report));
  return `\n${SANDBOX_BEGIN}\n${sandboxTables(report)}\n\n${floors}\n\n${ABOUT_SANDBOX}\n${SANDBOX_END}\n`;
}
