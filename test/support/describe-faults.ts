// Turns the tables of faults into tests: a row for each fault, a column for each write strategy, and in each cell the expected outcome.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { WRITE_STRATEGIES } from '../../src/domain/chart/write-strategies.ts';
import { FAULT_LINES, type FaultMode, type FaultOf } from '../../src/sandbox/faults/faults.ts';
import { type CellParts, type ModesOf, runCell, THEMES, type Theme } from './fault-matrix.ts';
import type { RealTestbed } from './real-charts.ts';

/** The outcomes in the order of the strategies: transaction, conditional-transaction, single-creates, document-only, hold. */
export type Outcomes = readonly [string, string, string, string, string];
export type Row<Mode extends FaultMode> = readonly [fault: FaultOf<Mode>, outcomes: Outcomes, parts?: CellParts];
export type RowsOf<T extends Theme> = { readonly [Mode in ModesOf<T>]: readonly Row<Mode>[] };

export function describeFaults<T extends Theme>(theme: T, rows: RowsOf<T>, testbed: () => RealTestbed): void {
  it('every fault of this kind has a row', () => {
    const wanted = Object.entries(THEMES).flatMap(([mode, one]) => (one === theme ? [mode] : []));
    const missing = wanted.filter((mode) => !(asTable(rows).find(([name]) => name === mode)?.[1].length ?? 0));
    expect(missing).toEqual([]);
  });

  it('every kind of fault has a file of rows', () => {
    const files = new Set(readdirSync(new URL('../journeys/', import.meta.url)));
    const missing = Object.values(THEMES).filter((one) => !files.has(`chart-faults-${one}.test.ts`));
    expect(missing).toEqual([]);
  });

  describeRows(rows, testbed);
}

/** Further rows of a fault, in a file of their own. */
export function describeRows(
  rows: { readonly [Mode in FaultMode]?: readonly Row<Mode>[] },
  testbed: () => RealTestbed,
): void {
  for (const [mode, ofMode] of asTable(rows)) {
    const cells = ofMode.flatMap(([fault, outcomes, parts = {}]) =>
      WRITE_STRATEGIES.map((strategy, index) => ({
        strategy,
        fault,
        parts,
        expected: outcomes[index] ?? '',
        title: titleOf(fault, parts),
      })),
    );
    describe(`an EHR with the fault ${FAULT_LINES[mode]} (${mode})`, () => {
      it.each(cells)(
        'a session at this EHR with $title by $strategy ends as $expected',
        async ({ strategy, fault, parts, expected }) => {
          expect(await runCell(testbed(), { strategy, fault, ...parts })).toEqual({ outcome: expected, wrong: [] });
        },
      );
    });
  }
}

function asTable(rows: object): readonly (readonly [FaultMode, readonly Row<FaultMode>[]])[] {
  return Object.entries(rows) as readonly [FaultMode, readonly Row<FaultMode>[]][];
}

/** For example `how: reset, isStored: true`; `as it is` for a fault without options. */
function titleOf(fault: FaultOf<FaultMode>, { also = [], isFirst = false, hospital }: CellParts): string {
  const { mode: _, ...choices } = fault;
  const said = [
    ...Object.entries(choices).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...also.map((one) => `and ${one.mode}: ${JSON.stringify({ ...one, mode: undefined })}`),
    ...(isFirst ? ['at the very first write'] : []),
    ...(hospital?.folder === undefined ? [] : [`with ${hospital.folder}`]),
  ];
  return said.length === 0 ? 'as it is' : said.join(', ').replaceAll('"', '');
}

/** Outcomes of most rows. */
export const WRITTEN = 'written';
export const NOT_MET = 'not met: written';
export const NO_WAY = 'not met: parked no-way, still';
/** Even if nothing is written, the capabilities of the EHR are read. */
export const MET_NO_WAY = 'parked no-way, still';
