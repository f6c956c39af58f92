// The mapping of a note and a differential: parse JSON of the facts, map, and make JSON of the resources. Our mappings are compared with
// hand-written TypeScript, JSONata and the FHIR Mapping Language, which all make the same documents; then the shipped base set is compared
// with hand-written TypeScript.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Figure, mebibytes, times } from './figures.ts';
import type { LoadFigures } from './mapping-load.ts';
import { baseFacts, MAPPINGS, makeBaseContenders } from './peers/base-set.ts';
import type { Contender } from './peers/contender.ts';
import { makeContenders } from './peers/contenders.ts';
import { differentialFacts, noteFacts } from './peers/facts.ts';
import { median } from './process-figures.ts';

const ROUNDS = 7;
const WARM_UP_MS = 500;
const SLICE_MS = 150;

type Task = { readonly name: string; readonly json: string; readonly map: 'mapNote' | 'mapDifferential' };

/** The limit of each contender, as a multiple of our processor time. */
const BOUNDS = [
  { other: 'hand-written', what: 'processor time against hand-written', most: 2.5 },
  { other: 'JSONata', what: 'speed against JSONata', least: 5 },
  { other: 'FHIR Mapping Language', what: 'speed against FHIR Mapping Language', least: 4 },
] as const satisfies readonly ({ readonly other: Contender['name']; readonly what: string } & (
  | { readonly most: number }
  | { readonly least: number }
))[];

export async function measureMappings(): Promise<readonly Figure[]> {
  const facts = await baseFacts();
  return [
    ...(await compare(makeContenders(), [
      { name: 'note', json: noteFacts(), map: 'mapNote' },
      { name: '8 diseases', json: differentialFacts(), map: 'mapDifferential' },
    ])),
    ...(await compare(await makeBaseContenders(), [
      { name: 'base, note', json: facts.note, map: 'mapNote' },
      { name: 'base, 8 diseases', json: facts.differential, map: 'mapDifferential' },
    ])),
    ...loadFigures(),
  ];
}

async function compare(contenders: readonly Contender[], tasks: readonly Task[]): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const task of tasks) {
    await refuseDifference(task, contenders);
    figures.push(...figuresOf(task, await timeRounds(task, contenders)));
  }
  return figures;
}

/** The first one is the hand-written code, with which all are compared. */
async function refuseDifference({ name, json, map }: Task, contenders: readonly Contender[]): Promise<void> {
  const made: unknown[] = [];
  for (const contender of contenders) made.push(JSON.parse(await contender[map](json)));
  const differing = contenders.filter((_, index) => !isDeepStrictEqual(made[index], made[0]));
  if (differing.length === 0) return;
  const names = differing.map((contender) => contender.name).join(', ');
  throw new Error(`${name}: the documents of ${names} are not those of the hand-written code in test/bench/peers`);
}

/** Microseconds of processor time per operation, by contender and round. */
type Rounds = ReadonlyMap<Contender['name'], readonly number[]>;

/** Each round runs all contenders, so that other load on the machine affects all of them. */
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

/** Runs until the code is compiled, and returns how many operations fill a slice. */
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
  const ours = rounds.get('chartwright') ?? [];
  const bounds = BOUNDS.flatMap((bound): Figure[] => {
    const others = rounds.get(bound.other);
    if (others === undefined) return [];
    const ratios = ours.map((taken, round) => taken / (others[round] ?? Number.NaN));
    const figure = `${name}: ${bound.what}`;
    if ('most' in bound) {
      const ratio = median(ratios);
      return [{ name: figure, value: times(ratio), bound: `at most ${bound.most} x`, isKept: ratio <= bound.most }];
    }
    const speed = 1 / median(ratios);
    return [{ name: figure, value: times(speed), bound: `at least ${bound.least} x`, isKept: speed >= bound.least }];
  });
  const context = [...rounds].map(([contender, taken]) => ({
    name: `  ${name}: ${contender}${HELP[contender] ?? ''}`,
    value: `${median(taken).toFixed(1)} µs`,
  }));
  return [...bounds, ...context];
}

/** Work for which a contender has no function is done beforehand. */
const HELP: Partial<Record<Contender['name'], string>> = {
  JSONata: ' (+ narrative, base64 as functions)',
  'FHIR Mapping Language': ' (+ the same made before)',
};

/** The cost of reading a site's folder, for information. */
function loadFigures(): readonly Figure[] {
  const script = path.join(import.meta.dirname, 'mapping-load.ts');
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', script, MAPPINGS], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error('the base set could not be loaded');
  const { documents, firstMs, laterMs, firstBytes, laterBytes } = JSON.parse(stdout) as LoadFigures;
  return [
    { name: `base set (${documents} documents) loaded first: processor time`, value: `${firstMs.toFixed(0)} ms` },
    { name: 'base set loaded again: processor time', value: `${laterMs.toFixed(0)} ms` },
    { name: 'memory of code, FHIR definitions and base set', value: mebibytes(firstBytes) },
    { name: 'memory of one more copy of the base set', value: mebibytes(laterBytes) },
  ];
}
