// docs/evaluation.md: its words are written by people, its tables are made of the figures.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reasoner } from '../../src/ports/reasoner.ts';
import type { Floor } from './judge-floors.ts';
import type { SandboxReport } from './sandbox-summary.ts';
import { sandboxTables } from './sandbox-tables.ts';
import type { Summary } from './summary.ts';
import { allTables } from './tables.ts';

export const PAGE = path.join(import.meta.dirname, '../../docs/evaluation.md');

const BEGIN = '<!-- tables: made by npm run eval -- --write -->';
const END = '<!-- /tables -->';

const SANDBOX_BEGIN = '<!-- sandbox: made by npm run eval -- --write -->';
const SANDBOX_END = '<!-- /sandbox -->';

const ABOUT_SANDBOX = `An engine of its own documented each encounter of the sandbox from its recording, and what then stood in the chart was held against
what the story in \`src/sandbox/patients\` wants. They were looked at while tuning.

| column | is |
| --- | --- |
| ended as told | the note was written, or the run was skipped where nobody speaks or nothing medical is said. A note that was not written has nothing in its section |
| right resources | one Composition, DocumentReference, RiskAssessment and Provenance, a Condition for each candidate in the same order, a Flag where it is RED, and nothing else |
| checkers content | three checkers of FHIR R4 that others wrote find nothing in anything that was written |`;

/** The page as it is to be, with these figures in it. Without figures of the sandbox those that are there stay. */
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
  const tables = `\`${engine}\`, knowledge \`${prompt}\`.\n\n${allTables(summary, floors)}`;
  const visits = sandbox === undefined ? sandboxPartOf(page) : sandboxPart(sandbox);
  return `${page.slice(0, begin)}${BEGIN}\n${tables}\n${visits}${page.slice(end)}`;
}

/** The block as the page has it, or empty. */
export function sandboxPartOf(page: string): string {
  const begin = page.indexOf(`\n${SANDBOX_BEGIN}`);
  const end = page.indexOf(SANDBOX_END);
  return begin < 0 ? '' : page.slice(begin, end + SANDBOX_END.length + 1);
}

export function sandboxPart(report: SandboxReport): string {
  return `\n${SANDBOX_BEGIN}\n${sandboxTables(report)}\n\n${ABOUT_SANDBOX}\n${SANDBOX_END}\n`;
}
