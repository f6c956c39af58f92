// docs/evaluation.md: its words are written by people, its tables are made of the figures.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Reasoner } from '../../src/ports/reasoner.ts';
import type { Floor } from './judge-floors.ts';
import type { Summary } from './summary.ts';
import { allTables } from './tables.ts';

export const PAGE = path.join(import.meta.dirname, '../../docs/evaluation.md');

const BEGIN = '<!-- tables: made by npm run eval -- --write -->';
const END = '<!-- /tables -->';

/** The page as it is to be, with these figures in it. */
export function pageWith(
  { engine, prompt }: Pick<Reasoner, 'engine' | 'prompt'>,
  summary: Summary,
  floors: readonly Floor[],
): string {
  const page = readFileSync(PAGE, 'utf8');
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/evaluation.md has no ${BEGIN} … ${END}`);
  const tables = `\`${engine}\`, knowledge \`${prompt}\`.\n\n${allTables(summary, floors)}`;
  return `${page.slice(0, begin)}${BEGIN}\n${tables}\n${page.slice(end)}`;
}
