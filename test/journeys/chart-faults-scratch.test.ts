import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RUNGS } from '../../src/domain/write-ladder.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { runCell } from '../support/fault-matrix.ts';
import { openRealHouse, type RealHouse } from '../support/real-charts.ts';

let house: RealHouse;
beforeAll(async () => {
  house = await openRealHouse();
});
afterAll(() => house.close());
const { faults } = JSON.parse(process.env['FAULTS'] ?? '{}') as { faults: Fault[] };
test('dump', async () => {
  const lines = [];
  for (const fault of faults) {
    const cells = [];
    for (const rung of RUNGS) {
      const t = performance.now();
      try {
        const { outcome, wasMet, wrong, said } = await runCell(house, {
          rung,
          fault,
          engine: process.env['ANSWER_MS'] ? { answerMs: Number(process.env['ANSWER_MS']) } : {},
        });
        cells.push(
          `${rung}: ${wasMet ? '' : 'unmet: '}${outcome} ${Math.round(performance.now() - t)}ms ${JSON.stringify(said)} ${wrong.length ? '\n        !! ' + wrong.slice(0, 6).join('\n        !! ') : ''}`,
        );
      } catch (e) {
        cells.push(`${rung}: THROWN ${(e as Error).stack}`);
      }
    }
    lines.push(JSON.stringify(fault), ...cells.map((c) => '    ' + c));
    writeFileSync(process.env['OUT'] ?? '/tmp/b/matrix.txt', lines.join('\n') + '\n');
  }
}, 270000);
