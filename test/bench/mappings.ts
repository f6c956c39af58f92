// Mapping a note and a differential: JSON of the facts parsed, mapped, JSON of the resources made. Our mappings beside
// hand-written TypeScript, JSONata and the FHIR Mapping Language, which all make the same documents.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Figure, mebibytes, times } from './figures.ts';
import type { LoadFigures } from './mapping-load.ts';
import type { Contender } from './peers/contender.ts';
import { makeContenders } from './peers/contenders.ts';
import { differentialFacts, noteFacts } from './peers/facts.ts';
import { median } from './process-figures.ts';

const MAPPINGS = path.join(import.meta.dirname, '../../mappings');

const ROUNDS = 7;
const WARM_UP_MS = 600;
const SLICE_MS = 200;

const MOST_OF_HAND_WRITTEN = 2.5;
const LEAST_OF_JSONATA = 5;
const LEAST_OF_FML = 4;

type Task = { readonly name: string; readonly json: string; readonly map: 'mapNote' | 'mapDifferential' };

const TASKS: readonly Task[] = [
  { name: 'a note', json: noteFacts(), map: 'mapNote' },
  { name: 'a differential of 8', json: differentialFacts(), map: 'mapDifferential' },
];

export async function measureMappings(): Promise<readonly Figure[]> {
  const contenders = makeContenders();
  const figures: Figure[] = [];
  for (const task of TASKS) {
    await refuseDifference(task, contenders);
    figures.push(...figuresOf(task, await timeRounds(task, contenders)));
  }
  return [...figures, ...loadFigures()];
}

async function refuseDifference({ name, json, map }: Task, contenders: readonly Contender[]): Promise<void> {
  const [expected, ...others] = await Promise.all(
    contenders.map(async (contender) => JSON.parse(await contender[map](json)) as unknown),
  );
  const differing = contenders.slice(1).filter((_, index) => !isDeepStrictEqual(others[index], expected));
  if (differing.length === 0) return;
  throw new Error(`${name} is not the same from ${differing.map((contender) => contender.name).join(', ')}`);
}

/** By contender: microseconds of processor time an operation, round by round. */
type Rounds = ReadonlyMap<Contender['name'], readonly number[]>;

/** All contenders in each round, so that whatever else the machine does meets all of them. */
async function timeRounds({ json, map }: Task, contenders: readonly Contender[]): Promise<Rounds> {
  const slices: { readonly run: () => string | Promise<string>; readonly count: number; readonly taken: number[] }[] =
    [];
  for (const contender of contenders) {
    const run = () => contender[map](json);
    slices.push({ run, count: await warmUp(run), taken: [] });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { run, count, taken } of slices) taken.push((await timeSlice(run, count)) / count);
  }
  return new Map(contenders.map(({ name }, index) => [name, slices[index]?.taken ?? []]));
}

/** Runs until the code is compiled, and says how many operations fill a slice. */
async function warmUp(run: () => string | Promise<string>): Promise<number> {
  const endMs = performance.now() + WARM_UP_MS;
  let count = 16;
  let perOperation = Number.POSITIVE_INFINITY;
  while (performance.now() < endMs) {
    perOperation = (await timeSlice(run, count)) / count;
    count = Math.min(count * 2, 4096);
  }
  return Math.max(1, Math.round((SLICE_MS * 1000) / perOperation));
}

async function timeSlice(run: () => string | Promise<string>, count: number): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < count; done += 1) {
    const made = run();
    if (typeof made !== 'string') await made;
  }
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function figuresOf({ name }: Task, rounds: Rounds): readonly Figure[] {
  const ratio = (one: Contender['name'], other: Contender['name']): number => {
    const others = rounds.get(other) ?? [];
    return median((rounds.get(one) ?? []).map((taken, round) => taken / (others[round] ?? Number.NaN)));
  };
  const overHand = ratio('chartwright', 'hand-written');
  const underJsonata = ratio('JSONata', 'chartwright');
  const underFml = ratio('FHIR Mapping Language', 'chartwright');
  return [
    {
      name: `${name}: processor time against hand-written TypeScript`,
      value: times(overHand),
      bound: `at most ${MOST_OF_HAND_WRITTEN} x`,
      isKept: overHand <= MOST_OF_HAND_WRITTEN,
    },
    {
      name: `${name}: speed against JSONata`,
      value: times(underJsonata),
      bound: `at least ${LEAST_OF_JSONATA} x`,
      isKept: underJsonata >= LEAST_OF_JSONATA,
    },
    {
      name: `${name}: speed against the FHIR Mapping Language`,
      value: times(underFml),
      bound: `at least ${LEAST_OF_FML} x`,
      isKept: underFml >= LEAST_OF_FML,
    },
    ...[...rounds].map(([contender, taken]) => ({
      name: `  ${name}: ${contender}`,
      value: `${median(taken).toFixed(1)} µs`,
    })),
  ];
}

/** For information: what a site's folder costs when it is read. */
function loadFigures(): readonly Figure[] {
  const script = path.join(import.meta.dirname, 'mapping-load.ts');
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', script, MAPPINGS], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error('the base set could not be loaded');
  const { documents, firstMs, laterMs, firstBytes, laterBytes } = JSON.parse(stdout) as LoadFigures;
  return [
    { name: `the base set (${documents} documents) loaded: processor time, first`, value: `${firstMs.toFixed(0)} ms` },
    { name: 'the base set loaded again: processor time', value: `${laterMs.toFixed(0)} ms` },
    { name: 'memory of code, FHIR definitions and the base set', value: mebibytes(firstBytes) },
    { name: 'memory of one more copy of the base set', value: mebibytes(laterBytes) },
  ];
}
