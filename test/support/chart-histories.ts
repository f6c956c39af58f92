// Whole scenarios of a chart: writes and later tries, processes that die or freeze at any await, an EHR with faults, people who edit, and
// encounters that move. Each runs until nothing is left to do, and reports violations.
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { WriteOutcome } from '../../src/domain/chart/chart-write.ts';
import { devicePlace } from '../../src/domain/chart/existing-documents.ts';
import { AppError } from '../../src/domain/errors.ts';
import { makeRetractSession } from '../../src/flows/chart-writing/retract-session.ts';
import { makeWriteChart } from '../../src/flows/chart-writing/write-chart.ts';
import type { WriteChartParts } from '../../src/flows/chart-writing/write-states.ts';
import type { Misbehaviour } from '../fakes/ehr.ts';
import {
  whatIsDeleted,
  whatIsElsewhere,
  whatIsMissing,
  whatIsNotFrozen,
  whatIsOverwritten,
  whatIsTwice,
  whatStillStands,
} from './chart-invariants.ts';
import { aHospital, aResult, ENCOUNTER, type Hospital, type HospitalParts, PLACE } from './chart-writing.ts';
import { type Ended, type Fate, makeProcess, type TestProcess } from './crashes.ts';

/** A person changes or signs one of the engine's documents. */
export type Edit = { readonly which: number; readonly how: 'change' | 'sign' };

/** The task of a process for a session: write a result (absent: the last one again, as a later try of its run), or retract it. */
export type Task = {
  readonly session?: 0 | 1;
  readonly result?: number | 'retract' | undefined;
};

export type Step =
  | ({
      readonly kind: 'work';
      readonly fate?: Fate | undefined;
      /** A person's edit at one of its awaits. */
      readonly meanwhile?: (Edit & { readonly at: number }) | undefined;
    } & Task)
  /** A process freezes; another takes over, and during its work the first one continues. */
  | ({
      readonly kind: 'zombie';
      readonly fate: Fate;
      readonly asleepMs: number;
      readonly wakesAt: number;
      readonly secondFate?: Fate | undefined;
    } & Task)
  /** Two processes at once. */
  | { readonly kind: 'together'; readonly tasks: readonly [Task, Task] }
  | { readonly kind: 'fault'; readonly fault: Misbehaviour }
  | { readonly kind: 'pass'; readonly ms: number }
  | ({ readonly kind: 'edit' } & Edit)
  | { readonly kind: 'encounter'; readonly is: 'here' | 'moved' | 'cancelled' };

export type Sabotage = (parts: WriteChartParts, facts: ChartFacts) => WriteChartParts;

export type History = {
  readonly hospital?: HospitalParts;
  readonly steps: readonly Step[];
  readonly sabotage?: Sabotage;
};

/** No call of the outlet takes longer, whatever happens to its process. */
const OUTLET_DEADLINE_MS = 30_000;
const LEASE_OVER_MS = 31_000;
const MAX_TRIES = 40;
const RESULTS = [
  {},
  { plan: 'Sputum culture, and a visit next week.' },
  { diseases: ['J18.9', 'J44.1'] },
  { plan: 'Nothing else today.', diseases: ['J20.9'] },
  // More entries than one conditional transaction holds.
  { diseases: Array.from({ length: 14 }, (_, index) => `J${index + 10}.0`) },
] as const;
/** Errors after which a later try may succeed. Any other error is a defect. */
const PASSING = new Set(['ehrUnavailable', 'ehrAnswer', 'ehrUncertain', 'inUse', 'overloaded']);
const NO_FAULT: Sabotage = (parts) => parts;

/** Returns a sentence for each broken rule. */
export async function liveThrough({
  hospital: parts,
  steps,
  sabotage = NO_FAULT,
}: History): Promise<readonly string[]> {
  const world = aWorld(aHospital(parts), sabotage);
  const { hospital, problems } = world;
  for (const step of steps) await take(world, step);
  hospital.ehr.behave();
  const isDisturbed = (parts?.cannotFind ?? []).length > 0 || steps.some(disturbs);
  for (const order of [...world.orders.values()]) {
    const status = await untilSettled(world, order);
    if (status === undefined) problems.push('it never came to an end');
    const isAsMeant = status === (order.isRetraction ? 'retracted' : 'written');
    if (!isAsMeant && !isDisturbed) problems.push(`nothing was in the way, and it ended as ${status}`);
  }
  return [...problems, ...(await whatIsWrong(hospital))];
}

/** True if a person may have to decide at the end. A process that dies or sleeps is no reason for that. */
function disturbs(step: Step): boolean {
  if (step.kind === 'work') return step.meanwhile !== undefined;
  return step.kind === 'fault' || step.kind === 'edit' || step.kind === 'encounter';
}

/** Returns the names of the awaits of the last task without a failure. */
export async function momentsOf(tasks: readonly Task[]): Promise<readonly string[]> {
  const world = aWorld(aHospital(), NO_FAULT);
  let process = makeProcess();
  for (const task of tasks) {
    process = makeProcess();
    await attempt(world, orderOf(world, task), process);
  }
  return process.moments;
}

type Order = {
  readonly session: 0 | 1;
  readonly facts: ChartFacts;
  readonly isRetraction: boolean;
  readonly run: number;
};

type World = {
  readonly hospital: Hospital;
  readonly sabotage: Sabotage;
  readonly problems: string[];
  /** The last order of each session. */
  readonly orders: Map<number, Order>;
  runs: number;
};

function aWorld(hospital: Hospital, sabotage: Sabotage): World {
  return { hospital, sabotage, problems: [], orders: new Map(), runs: 0 };
}

function orderOf(world: World, { session = 0, result }: Task): Order {
  const last = world.orders.get(session);
  if (result === undefined && last !== undefined) return last;
  world.runs += 1;
  const run = world.runs;
  const time = new Date(Date.parse('2026-03-02T09:00:00Z') + run * 60_000).toISOString();
  const isRetraction = result === 'retract';
  const changes = typeof result === 'number' ? RESULTS[result % RESULTS.length] : {};
  const facts = aResult({ run: `run-${run}`, time, session: sessionOf(session), ...changes });
  const order = { session, facts: isRetraction ? (last?.facts ?? facts) : facts, isRetraction, run };
  world.orders.set(session, order);
  return order;
}

function sessionOf(session: number): string {
  return `session-${session + 1}`;
}

async function take(world: World, step: Step): Promise<void> {
  const { hospital } = world;
  switch (step.kind) {
    case 'work': {
      const { meanwhile } = step;
      const process = makeProcess(step.fate, (count) => {
        if (count === meanwhile?.at) edit(hospital, meanwhile);
      });
      const order = orderOf(world, step);
      // A person's edit in the meantime may come too late for the outcome.
      return note(world, await attempt(world, order, process), meanwhile === undefined ? order : undefined);
    }
    case 'zombie':
      return haunt(world, orderOf(world, step), step);
    case 'together': {
      const both = step.tasks.map((task) => attempt(world, orderOf(world, task), makeProcess()));
      for (const ended of await Promise.all(both)) await note(world, ended);
      return;
    }
    case 'fault':
      return hospital.ehr.misbehave(step.fault);
    case 'pass':
      return hospital.runtime.advance(step.ms);
    case 'edit':
      return edit(hospital, step);
    case 'encounter': {
      const subject = { reference: step.is === 'moved' ? 'Patient/p-2' : 'Patient/p-1' };
      const status = step.is === 'cancelled' ? 'cancelled' : 'finished';
      hospital.ehr.put({ ...ENCOUNTER, status, subject });
    }
  }
}

/** One process from its start to its end. */
async function attempt(world: World, order: Order, process: TestProcess): Promise<Ended<WriteOutcome>> {
  const { hospital, sabotage, problems } = world;
  const parts = onProcess(hospital, sabotage(hospital.parts, order.facts), process);
  const { site, ehr } = hospital;
  const encounter = ehr.store.get('Encounter/e-1')?.resource;
  const isMoved = encounter?.resourceType === 'Encounter' && encounter.subject?.reference !== 'Patient/p-1';
  const before = versionsIn(hospital);
  const ended = await process.run((signal) => {
    if (!order.isRetraction) return makeWriteChart(parts)({ site, facts: order.facts }, signal);
    const run = { id: `retraction-${order.run}`, time: order.facts.run.time };
    const place = { ...PLACE, session: sessionOf(order.session) };
    return makeRetractSession(parts)({ site, place, reason: 'Somebody wants it out.', run }, signal);
  });
  const isAlone = ended.kind === 'settled' && isMoved && !order.isRetraction;
  if (isAlone && versionsIn(hospital) > before) problems.push('it wrote to the encounter of somebody else');
  return ended;
}

/** The engine's resources in charts: a Device is in none. */
function versionsIn({ ehr }: Hospital): number {
  return ehr.store
    .references()
    .filter((reference) => !reference.startsWith('Device/'))
    .flatMap((reference) => ehr.store.history(reference).filter(({ by }) => by === 'engine')).length;
}

function onProcess(hospital: Hospital, parts: WriteChartParts, process: TestProcess): WriteChartParts {
  const { runtime } = hospital;
  let frozenAtMs = runtime.monotonicMs();
  const tooLate = async () => ({ kind: 'unknown' });
  const ehr = process.wrap(parts.ehrs.of(hospital.site), {
    direct: ['openRecording'],
    onFreeze: () => {
      frozenAtMs = runtime.monotonicMs();
    },
    late: (call) => {
      const isWrite = call === 'create' || call === 'update' || call === 'transact';
      return isWrite && runtime.monotonicMs() - frozenAtMs >= OUTLET_DEADLINE_MS ? tooLate() : undefined;
    },
  });
  return {
    ...parts,
    ehrs: { ...parts.ehrs, of: () => ehr },
    ledger: process.wrap(parts.ledger),
    knowledge: process.wrap(parts.knowledge),
    check: process.wrapCall('check', parts.check),
    askPermission: process.wrapCall('askPermission', parts.askPermission),
    runtime: { ...runtime, pause: process.wrapCall('pause', runtime.pause) },
  };
}

async function haunt(world: World, order: Order, step: Extract<Step, { kind: 'zombie' }>): Promise<void> {
  const ended = await attempt(world, order, makeProcess(step.fate));
  if (ended.kind !== 'frozen') return note(world, ended, order);
  world.hospital.runtime.advance(step.asleepMs);
  let rest: Promise<Ended<WriteOutcome>> | undefined;
  const wake = () => {
    rest ??= ended.thaw();
  };
  const second = makeProcess(step.secondFate, (count) => {
    if (count === step.wakesAt) wake();
  });
  await note(world, await attempt(world, order, second));
  wake();
  if (rest !== undefined) await note(world, await rest);
}

/** An error must allow a later try. With an order, no other process was at work, so the outcome must be true. */
async function note({ hospital, problems }: World, ended: Ended<WriteOutcome>, order?: Order): Promise<void> {
  if (ended.kind === 'failed' && !isPassing(ended.error)) problems.push(`it threw ${describe(ended.error)}`);
  if (ended.kind !== 'settled' || order === undefined) return;
  const { facts } = order;
  const outcome = ended.value;
  const chart = { store: hospital.ehr.store, site: hospital.site };
  const known = await hospital.knowledge.recall(hospital.site.name, hospital.capabilities.software);
  const refused = known.filter(({ name, value }) => name.startsWith('type:') && value === 'refused');
  const types = new Set(refused.map(({ name }) => name.slice('type:'.length)));
  problems.push(
    ...whatIsMissing(chart, { facts, outcome, refused: types }),
    ...whatStillStands(chart, { facts, outcome }),
  );
}

function isPassing(error: unknown): boolean {
  return (error instanceof AppError && PASSING.has(error.code)) || describe(error).includes('told to stop');
}

function describe(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  return error instanceof Error
    ? `${error.name}: ${error.message} ${error.stack?.split('\n')[1] ?? ''}`
    : String(error);
}

/** Tries again as runs do, in a new process each time, with time passing in between. */
async function untilSettled(world: World, order: Order): Promise<WriteOutcome['status'] | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const ended = await attempt(world, order, makeProcess());
    await note(world, ended, order);
    if (ended.kind === 'settled') return ended.value.status;
    if (ended.kind === 'failed' && !isPassing(ended.error)) return undefined;
    const seconds =
      ended.kind === 'failed' && ended.error instanceof AppError ? ended.error.retryAfterSeconds : undefined;
    world.hospital.runtime.advance(seconds === undefined ? LEASE_OVER_MS : seconds * 1000);
  }
  return undefined;
}

function edit({ ehr }: Hospital, { which, how }: Edit): void {
  const ours = ehr.store
    .references()
    .filter((reference) => !reference.startsWith('Device') && ehr.store.history(reference)[0]?.by === 'engine');
  const reference = ours[which % Math.max(1, ours.length)];
  if (reference === undefined) return;
  const versions = ehr.store.history(reference).length;
  ehr.edit(reference, (resource) => {
    const isSignable = resource.resourceType === 'DocumentReference' || resource.resourceType === 'Composition';
    if (how === 'change' || !isSignable) return { ...resource, language: `x-${versions}` };
    return resource.resourceType === 'Composition'
      ? { ...resource, status: 'final' }
      : { ...resource, docStatus: 'final' };
  });
}

async function whatIsWrong({ ehr, ledger, site }: Hospital): Promise<readonly string[]> {
  const chart = { store: ehr.store, site };
  const places = [devicePlace(site.name), PLACE, { ...PLACE, session: sessionOf(1) }];
  const revisions = (await Promise.all(places.map((place) => ledger.read(place)))).flat();
  return [
    ...whatIsTwice(chart),
    ...whatIsElsewhere(chart),
    ...whatIsDeleted(chart),
    ...whatIsOverwritten(chart),
    ...whatIsNotFrozen(chart, revisions),
  ];
}
