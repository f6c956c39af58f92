// The cost of the built-in rules: loading their knowledge, a history of usual length, and the growth of the time with the length.
import { makeReasoner } from '../../src/composition/make-reasoner.ts';
import { readConfig } from '../../src/config.ts';
import type { Reasoner } from '../../src/ports/reasoner.ts';
import { readCases, type Vignette } from '../eval/sets.ts';
import { type Figure, times } from './figures.ts';
import { median } from './process-figures.ts';

const ROUNDS = 9;
const WARM_UP = 20;
const USUAL_LENGTH = 2_000;
const LONG_LENGTH = 200_000;
const BOUNDS_MS = { usual: 20, long: 1_000 };
/** A history of twice the length may cost at most this many times the time. */
const MOST_GROWTH = 2.6;

export async function measureRules(): Promise<readonly Figure[]> {
  const startedMs = cpuMs();
  const reasoner = await makeReasoner(readConfig({}), () => undefined);
  const readMs = cpuMs() - startedMs;
  const { vignettes } = await readCases(['seen']);
  for (const vignette of vignettes.slice(0, WARM_UP)) await answerMs(reasoner, vignette.text);
  const ofLength = (length: number) => medianOf(reasoner, textOf(vignettes, length));
  const [usualMs, halfMs, longMs] = [
    await ofLength(USUAL_LENGTH),
    await ofLength(LONG_LENGTH / 2),
    await ofLength(LONG_LENGTH),
  ];
  return [
    { name: 'reading what they know, processor time', value: inMs(readMs) },
    bounded(`a history of ${USUAL_LENGTH} characters`, usualMs, BOUNDS_MS.usual),
    bounded(`a history of ${LONG_LENGTH} characters`, longMs, BOUNDS_MS.long),
    {
      name: '  against one of half the length',
      value: times(longMs / halfMs),
      bound: `at most ${MOST_GROWTH} x`,
      isKept: longMs / halfMs <= MOST_GROWTH,
    },
  ];
}

function bounded(name: string, ms: number, boundMs: number): Figure {
  return { name, value: inMs(ms), bound: `under ${boundMs} ms`, isKept: ms < boundMs };
}

async function medianOf(reasoner: Reasoner, text: string): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) taken.push(await answerMs(reasoner, text));
  return median(taken);
}

/** Processor time, because other processes may use the machine. */
async function answerMs(reasoner: Reasoner, clinicalHistory: string): Promise<number> {
  const startedMs = cpuMs();
  await reasoner.diagnose({ clinicalHistory, attachments: [], language: 'en' }, new AbortController().signal);
  return cpuMs() - startedMs;
}

/** Yields English cases one after the other, again and again. */
function textOf(vignettes: readonly Vignette[], length: number): string {
  const all = vignettes.flatMap(({ language, text }) => (language === 'en' ? [text] : [])).join('\n');
  return all.repeat(Math.ceil(length / all.length)).slice(0, length);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function inMs(ms: number): string {
  return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
}
