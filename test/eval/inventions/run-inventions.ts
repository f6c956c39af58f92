// `npm run eval -- --suite inventions`: prints what becomes of the inventions of an obedient model, or writes it into docs/evaluation.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { PAGE } from '../write-page.ts';
import { describeCase, inventionTables, isFloorKept, passedUnmarked } from './inventions-table.ts';
import { type InventionsReport, playInventions } from './play-inventions.ts';

const INVENTIONS_BEGIN = '<!-- inventions: made by npm run eval -- --suite inventions --write -->';
const INVENTIONS_END = '<!-- /inventions -->';

type Parts = {
  readonly json: boolean;
  readonly write: boolean;
  readonly onDone: (done: number, of: number) => void;
};

/** Resolves to whether the floor is kept. */
export async function runInventions({ json, write, onDone }: Parts): Promise<boolean> {
  const report = await playInventions(onDone);
  if (write) writeFileSync(PAGE, withInventions(readFileSync(PAGE, 'utf8'), report));
  console.log(json ? JSON.stringify(figuresOf(report), undefined, 2) : textOf(report));
  return isFloorKept(report);
}

function textOf(report: InventionsReport): string {
  const unmarked = passedUnmarked(report).map(describeCase);
  const marks = report.controls.flatMap(({ talk, marks }) =>
    marks.map((mark) => `faithful, ${talk.language}, ${talk.name}: ${mark}`),
  );
  return [inventionTables(report), ...unmarked, ...marks].join('\n');
}

function figuresOf({ cases, controls, leaks }: InventionsReport): unknown {
  return {
    cases: cases.map(({ set, kind, talk, verdict }) => ({ set, kind, language: talk.language, verdict })),
    controls: controls.map(({ talk, marks }) => ({ language: talk.language, marks: marks.length })),
    leaks,
  };
}

/** The page with these tables. Throws if it has no place for them. */
export function withInventions(page: string, report: InventionsReport): string {
  const [begin, end] = [page.indexOf(INVENTIONS_BEGIN), page.indexOf(INVENTIONS_END)];
  if (begin < 0 || end < begin) throw new Error(`docs/evaluation.md has no ${INVENTIONS_BEGIN} … ${INVENTIONS_END}`);
  return `${page.slice(0, begin)}${INVENTIONS_BEGIN}\n${inventionTables(report)}\n${page.slice(end)}`;
}
