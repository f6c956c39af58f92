// Generates scenarios of a chart on the real parts: results and changed results, retractions, people who edit and sign, engines that are
// stopped at some request, faults, two engines at once. Each ends without faults, and reports what must never happen.
import type { Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { WriteOutcome } from '../../src/domain/chart/chart-write.ts';
import type { WriteStrategy } from '../../src/domain/chart/write-strategies.ts';
import { AppError } from '../../src/domain/errors.ts';
import { openHttpFetch } from '../../src/platform/http-fetch.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { fc } from './fast-check.ts';
import {
  BELONGINGS,
  findBrokenRules,
  leakedPatientData,
  type RunEnd,
  runToEnd,
  STRATEGY_SETUPS,
} from './fault-matrix.ts';
import { isRetired, whatIsWrong } from './real-chart-invariants.ts';
import { aResult, type RealHospital, type RealTestbed } from './real-charts.ts';

type Task = number | 'retract';
/** An engine is stopped right before its request of that number leaves, or after the answer has arrived. */
type Stop = { readonly at: number; readonly when: 'before' | 'after' };
type Work = { readonly task: Task | undefined; readonly stop: Stop | undefined };
export type Step =
  | ({ readonly kind: 'work' } & Work)
  | { readonly kind: 'together'; readonly works: readonly [Work, Work] }
  | { readonly kind: 'edit'; readonly which: number; readonly how: 'change' | 'sign' | 'retire' }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'pass'; readonly ms: number };
/** `lagMs`: how long searches miss new resources, until the end. */
export type RealScenario = {
  readonly strategy: WriteStrategy;
  readonly lagMs: number;
  readonly steps: readonly Step[];
};

const WRITES = { isWrite: true } as const;
const FAULTS: readonly Fault[] = [
  { mode: 'lost-answer', how: 'reset', isStored: true },
  { mode: 'lost-answer', how: 'reset', isStored: false },
  { mode: 'lost-answer', how: 'hang', isStored: true },
  { mode: 'lost-answer', how: 503, isStored: true },
  { mode: 'lost-answer', how: 'empty', isStored: true },
  { mode: 'lost-answer', how: 'cut', isStored: true, on: { isSearch: true } },
  { mode: 'too-many-requests', advice: 'none' },
  { mode: 'server-errors', status: 500 },
  { mode: 'server-errors', status: 502, on: WRITES },
  { mode: 'unauthorized', on: WRITES },
  { mode: 'down' },
  { mode: 'disturbed' },
  { mode: 'transaction-as-batch' },
  { mode: 'stops-midway', stored: 2, status: 409 },
  { mode: 'stops-midway', stored: 2 },
  { mode: 'no-transactions', status: 422 },
  { mode: 'no-conditional-create', how: 'ignored' },
  { mode: 'identifier-search', how: 'nothing' },
  { mode: 'identifier-search', how: 'ignored' },
  { mode: 'foreign-results' },
  { mode: 'types-refused', types: ['RiskAssessment'] },
  { mode: 'update-conflict' },
  { mode: 'edited-in-between' },
];
const RESULTS = [
  {},
  { plan: 'Canary culture, and a visit next week.' },
  { diseases: ['J18.9', 'J44.1'] },
  { plan: 'Nothing else today, canary.', diseases: ['J06.9'] },
] as const;

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const aWork = fc.record({
  task: fc.constantFrom<Task | undefined>(undefined, undefined, 0, 1, 2, 3, 'retract'),
  stop: maybe(
    fc.record({ at: fc.integer({ min: 1, max: 40 }), when: fc.constantFrom('before' as const, 'after' as const) }),
  ),
});
const aFault: fc.Arbitrary<Fault> = fc
  .record({ fault: fc.constantFrom(...FAULTS), after: fc.nat(4), times: fc.constantFrom(1, 1, 2, 5) })
  .map(({ fault, after, times }) => ({ ...fault, after, times }));
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: aWork.map((work) => ({ kind: 'work' as const, ...work })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('together' as const), works: fc.tuple(aWork, aWork) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('fault' as const), fault: aFault }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      which: fc.nat(12),
      how: fc.constantFrom('change' as const, 'sign' as const, 'retire' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1_000, 31_000, 200_000) }),
  },
);
export const aScenario: fc.Arbitrary<RealScenario> = fc.record({
  strategy: fc.constantFrom<WriteStrategy>(
    'transaction',
    'transaction',
    'conditional-transaction',
    'single-creates',
    'document-only',
  ),
  lagMs: fc.constantFrom(0, 0, 20_000, 50_000),
  steps: fc.array(aStep, { minLength: 1, maxLength: 6 }),
});

type Order = { readonly facts: ChartFacts; readonly isRetraction: boolean };
type World = { readonly hospital: RealHospital; readonly problems: string[]; runs: number; last: Order | undefined };

/** Returns a sentence for each broken rule. */
export async function liveThrough(
  testbed: RealTestbed,
  { strategy, lagMs, steps }: RealScenario,
): Promise<readonly string[]> {
  const setup = STRATEGY_SETUPS[strategy];
  const hospital = await testbed.openHospital(setup);
  const world: World = { hospital, problems: [], runs: 0, last: undefined };
  try {
    if (lagMs > 0) hospital.faults.add({ mode: 'search-lag', ms: lagMs, alsoConditions: true });
    for (const step of steps) await take(world, step);
    hospital.faults.release();
    hospital.faults.set(setup.faults);
    await hospital.clock.pass(3_600_000);
    if (world.last !== undefined) await bringToEnd(world, world.last);
    return [...world.problems, ...(await whatIsWrong(hospital, BELONGINGS))];
  } finally {
    await hospital.close();
  }
}

async function take(world: World, step: Step): Promise<void> {
  const { hospital } = world;
  switch (step.kind) {
    case 'work':
      return attempt(world, orderOf(world, step.task), step.stop);
    case 'together': {
      const orders = step.works.map(({ task, stop }) => ({ order: orderOf(world, task), stop }));
      await Promise.all(orders.map(({ order, stop }) => attempt(world, order, stop)));
      return;
    }
    case 'edit':
      return edit(hospital, step);
    case 'fault':
      return hospital.faults.add(step.fault);
    case 'pass':
      return hospital.clock.pass(step.ms);
  }
}

/** Absent: the last one again, as a later try of its run. */
function orderOf(world: World, task: Task | undefined): Order {
  if (task === undefined && world.last !== undefined) return world.last;
  world.runs += 1;
  const time = new Date(Date.parse('2026-03-02T09:00:00Z') + world.runs * 60_000).toISOString();
  const result = typeof task === 'number' ? RESULTS[task % RESULTS.length] : {};
  const facts = aResult({ diseases: ['J18.9', 'J20.9'], ...result, run: `run-${world.runs}`, time });
  world.last = { facts, isRetraction: task === 'retract' };
  return world.last;
}

/** One try of one process. An error must allow a later try, or be for a person. */
async function attempt(world: World, { facts, isRetraction }: Order, stop: Stop | undefined): Promise<void> {
  const { hospital, problems } = world;
  const controller = new AbortController();
  const { fetch, close } = stoppingFetch(controller, stop);
  const engine = hospital.startEngine({ fetch, answerMs: 1_500 });
  const { signal } = controller;
  try {
    const outcome = isRetraction ? await engine.retract(facts.run.id, signal) : await engine.write(facts, signal);
    problems.push(...leakedPatientData(hospital, { name: '', outcome, thrown: [] }));
  } catch (error) {
    if (error instanceof AppError) {
      problems.push(...leakedPatientData(hospital, { name: '', thrown: [error] }));
      if (error.retryability === 'permanent' && error.code !== 'ehrRefused')
        problems.push(`it threw ${error.code}: ${error.message}`);
    } else if (!signal.aborted) problems.push(`it threw ${String(error)}`);
  } finally {
    close();
  }
}

function stoppingFetch(controller: AbortController, stop: Stop | undefined) {
  const http = openHttpFetch({ resends: 'reads' });
  let count = 0;
  const fetch: typeof globalThis.fetch = async (input, init) => {
    count += 1;
    const isLast = count === stop?.at;
    if (isLast && stop.when === 'before') controller.abort(new Error('the engine was stopped'));
    const answer = await http.fetch(input, init);
    if (isLast && stop.when === 'after') controller.abort(new Error('the engine was stopped'));
    return answer;
  };
  return { fetch, close: http.close };
}

async function bringToEnd(world: World, order: Order): Promise<void> {
  const { hospital, problems } = world;
  const { facts, isRetraction } = order;
  const engine = hospital.startEngine();
  const ended: RunEnd = await runToEnd(
    hospital,
    (signal): Promise<WriteOutcome> =>
      isRetraction ? engine.retract(facts.run.id, signal) : engine.write(facts, signal),
  );
  if (ended.outcome === undefined)
    problems.push(`it never came to an end: ${ended.name}, ${ended.thrown.at(-1)?.message}`);
  problems.push(...(await findBrokenRules(hospital, { engine, facts, ended })));
}

/** A person edits one of the session's documents. */
function edit({ store }: RealHospital, { which, how }: Extract<Step, { kind: 'edit' }>): void {
  const created = store
    .writes()
    .filter(({ author, version, type }) => author === 'client' && version === '1' && type !== 'Device');
  const chosen = created[which % Math.max(1, created.length)];
  const resource = chosen && store.get(`${chosen.type}/${chosen.id}`);
  // A person who brings a retracted document into force again does so on purpose.
  if (resource !== undefined && !isRetired(resource)) store.put(changed(resource, how));
}

function changed(resource: Resource, how: 'change' | 'sign' | 'retire'): Resource {
  if (how === 'sign' && resource.resourceType === 'DocumentReference') return { ...resource, docStatus: 'final' };
  if (how === 'sign' && resource.resourceType === 'Composition') return { ...resource, status: 'final' };
  const hasStatus = ['DocumentReference', 'Composition', 'Flag', 'RiskAssessment'].includes(resource.resourceType);
  if (how === 'retire' && hasStatus) return { ...resource, status: 'entered-in-error' } as Resource;
  return { ...resource, implicitRules: `http://example.org/rules/${resource.meta?.versionId}` };
}
