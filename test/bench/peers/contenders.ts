// All contenders of the mapping benchmark. The others are compared with the first.
import { makeChartwright } from './chartwright.ts';
import type { Contender } from './contender.ts';
import { makeFml } from './fml.ts';
import { handWritten } from './hand-written.ts';
import { makeJsonata } from './jsonata.ts';

export function makeContenders(): readonly Contender[] {
  return [handWritten, makeChartwright(), makeJsonata(), makeFml()];
}
