// Commands for fast-check: the things that can happen to a hospital and its engines, in any order.

import { AppError, type ErrorCode } from '../../src/domain/errors.ts';
import { RUN_STEPS, type Run } from '../../src/domain/run/run.ts';
import type { PauseKind } from '../../src/ports/feeds.ts';
import type { Runs } from '../../src/ports/runs.ts';
import type { Misbehaviour } from '../fakes/ehr.ts';
import { whatIsDeleted, whatIsTwice } from './chart-invariants.ts';
import { type Ended, type Fate, makeProcess } from './crashes.ts';
import { fc } from './fast-check.ts';
import { whatIsWrong } from './run-invariants.ts';
import { aModel, type RunModel, whatDiffers } from './run-model.ts';
import { aWatchedTestbed, drain, type RunSabotage, VISITS, type WatchedTestbed } from './run-model-testbed.ts';
import { aRecording } from './run-testbed.ts';

export type RunWorld = WatchedTestbed & {
  readonly sleepers: Extract<Ended<unknown>, { readonly kind: 'frozen' }>[];
  readonly problems: string[];
  /** The engine that works now; another one after it has ended. */
  testbeds: number;
};

export type RunCommand = fc.AsyncCommand<RunModel, RunWorld>;

export function aWorld(sabotage?: RunSabotage): { readonly model: RunModel; readonly real: RunWorld } {
  return { model: aModel(), real: { ...aWatchedTestbed(sabotage), sleepers: [], problems: [], testbeds: 1 } };
}

/** More awaits than a run has. */
const MAX_MOMENT = 130;
const MANY_MS = 2_592_000_000;

type Act = (model: RunModel, world: RunWorld) => Promise<unknown> | unknown;

/** The invariants of each moment are checked after every command. */
function command(name: string, act: Act): RunCommand {
  return {
    check: () => true,
    toString: () => name,
    run: async (model, world) => {
      world.testbed.runtime.advance(1_000);
      await act(model, world);
      const chart = { store: world.testbed.ehr.store, site: world.testbed.site };
      const twice = whatIsTwice(chart).filter((sentence) => sentence.includes(': identity'));
      stopIfWrong([...world.problems, ...world.watch.problems, ...twice, ...whatIsDeleted(chart)]);
    },
  };
}

function stopIfWrong(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'));
}

/** Ends all faults, sends one more event for each encounter, and lets time pass until nothing is left to do. */
export async function endWell(model: RunModel, world: RunWorld): Promise<void> {
  const { testbed, vendors } = world;
  testbed.ehr.behave();
  Object.assign(vendors, { speech: undefined, reasoner: undefined });
  await testbed.pauses.resume('mercy', 'all');
  await testbed.queue.wake({ site: 'mercy' });
  for (const sleeper of world.sleepers.splice(0)) note(world, await sleeper.thaw());
  if (!(await drain(world, testbed.startEngine()))) world.problems.push('it never came to an end');
  for (const { id } of VISITS) {
    const encounter = `Encounter/${id}`;
    // A person replays runs that the engine or a person had given up.
    await testbed.accept({
      source: 'operator',
      key: `last-${id}`,
      content: id,
      encounters: [{ encounter, isUrgent: false }],
    });
  }
  if (!(await drain(world, testbed.startEngine()))) world.problems.push('it never came to its last end');
  const runs = await testbed.allRuns();
  stopIfWrong([
    ...world.problems,
    ...(await whatIsWrong(testbed, world.watch, model.forgotten)),
    ...whatDiffers(model, testbed, runs),
  ]);
}

function note(world: RunWorld, ended: Ended<unknown>): void {
  if (ended.kind === 'failed') world.problems.push(`a process threw ${ended.error}`);
  if (ended.kind === 'frozen') world.sleepers.push(ended);
}

type Work = { readonly fate?: Fate | undefined; readonly isRestarted: boolean };

/** An engine works on due runs. After its end the next one is a new start on the same folder, or an engine on another folder. */
async function work(world: RunWorld, { fate, isRestarted }: Work): Promise<void> {
  const { testbed } = world;
  const process = makeProcess(fate);
  const name = `testbed-of-${world.testbeds}`;
  if (isRestarted) await testbed.queue.reclaim(name);
  const engine = testbed.startEngine(process, name);
  const ended = await process.run((signal) => engine.work(signal));
  note(world, ended);
  // An engine whose process only sleeps is not started a second time.
  if (ended.kind === 'frozen' || (ended.kind === 'died' && !isRestarted)) world.testbeds += 1;
}

async function pick(world: RunWorld, which: number): Promise<Run | undefined> {
  const runs = await world.testbed.allRuns();
  return runs[which % Math.max(1, runs.length)];
}

/** The call may be refused, and then it changes nothing. */
async function allowing(codes: readonly ErrorCode[], call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    (thrown: unknown) => {
      if (!(thrown instanceof AppError) || !codes.includes(thrown.code)) throw thrown;
      return false;
    },
  );
}

const visit = fc.constantFrom(...VISITS);
const which = fc.nat(20);
const fate = fc.record({
  at: fc.integer({ min: 1, max: MAX_MOMENT }),
  how: fc.constantFrom<Fate['how']>('dies-before', 'dies-after', 'is-stopped', 'freezes-before', 'freezes-after'),
});

const deliver = fc
  .record({
    visit,
    source: fc.constantFrom('amqp' as const, 'subscription' as const, 'poll' as const),
    late: fc.boolean(),
  })
  .map(({ visit: { id }, source, late }) =>
    command(`deliver(${id} by ${source}${late ? ', late' : ''})`, async (model, { testbed }) => {
      const key = `event-of-${id}-${model.sent.length}`;
      model.sent.push([key, id]);
      const receivedAt = new Date(testbed.runtime.now().getTime() - (late ? 600_000 : 0));
      const encounters = [{ encounter: `Encounter/${id}`, isUrgent: id === 'e-3' }];
      await testbed.accept({ source, key, content: id, receivedAt, encounters });
    }),
  );

const duplicate = fc.record({ which, times: fc.integer({ min: 1, max: 3 }) }).map(({ which: of, times }) =>
  command(`duplicate(${of}, ${times} times)`, async ({ sent }, { testbed }) => {
    const [key, id] = sent[of % Math.max(1, sent.length)] ?? [];
    if (key === undefined || id === undefined) return;
    const encounters = [{ encounter: `Encounter/${id}`, isUrgent: false }];
    const again = Array.from({ length: times }, () =>
      testbed.accept({ source: 'catch-up', key, content: id, encounters }),
    );
    await Promise.all(again);
  }),
);

const working = fc
  .record({ fate: fc.option(fate, { nil: undefined }), isRestarted: fc.boolean() })
  .map((order) =>
    command(
      `work(${order.fate ? `${order.fate.how} ${order.fate.at}` : ''}${order.isRestarted ? ', restarted' : ''})`,
      (_, world) => work(world, order),
    ),
  );

const together = fc.constant(
  command('two engines at once', async (_, world) => {
    const engines = [world.testbed.startEngine(), world.testbed.startEngine()];
    await Promise.all(engines.map((engine) => engine.work(undefined, 2)));
  }),
);

const thaw = which.map((of) =>
  command(`wake a sleeper (${of})`, async (_, world) => {
    const [sleeper] = world.sleepers.splice(of % Math.max(1, world.sleepers.length), 1);
    if (sleeper) note(world, await sleeper.thaw());
  }),
);

const wait = fc
  .constantFrom(5_000, 21_000, 31_000, 300_000, 7_200_000)
  .map((ms) => command(`wait(${ms} ms)`, (_, { testbed }) => testbed.runtime.advance(ms)));

const vendor = fc
  .record({
    who: fc.constantFrom('speech' as const, 'reasoner' as const),
    code: fc.constantFrom<ErrorCode | undefined>(
      'vendorUnavailable',
      'vendorAnswer',
      'rateLimited',
      undefined,
      undefined,
    ),
  })
  .map(({ who, code }) =>
    command(`${who} ${code ?? 'is well'}`, (_, { vendors }) => {
      vendors[who] = code;
    }),
  );

const FAULTS: readonly (Misbehaviour | undefined)[] = [
  { on: 'read', does: 'throw-unavailable' },
  { on: 'search', does: 'throw-unavailable' },
  { on: 'find', does: 'throw-unavailable' },
  { on: 'transact', nth: 1, does: 'commit-unknown' },
  { on: 'transact', nth: 1, does: 'drop-unknown' },
  { on: 'transact', nth: 1, does: 'busy' },
  { on: 'update', nth: 1, does: 'commit-unknown' },
  undefined,
  undefined,
];
const ehr = fc
  .constantFrom(...FAULTS)
  .map((fault) =>
    command(`the EHR: ${fault === undefined ? 'is well' : JSON.stringify(fault)}`, (_, { testbed }) =>
      fault === undefined ? testbed.ehr.behave() : testbed.ehr.misbehave(fault),
    ),
  );

const encounter = fc
  .record({
    visit,
    status: fc.constantFrom('finished' as const, 'finished' as const, 'in-progress' as const, 'cancelled' as const),
  })
  .map(({ visit: { id }, status }) =>
    command(`${id} is ${status}`, ({ visits }, { testbed }) => {
      const known = visits.get(id);
      if (known === undefined) return;
      Object.assign(known, { status, wasCancelled: known.wasCancelled || status === 'cancelled' });
      testbed.ehr.edit(`Encounter/${id}`, (resource) => ({ ...resource, status }) as typeof resource);
    }),
  );

const record = visit.map(({ id, patient, recordings: [, late] }) =>
  command(`${late} comes`, ({ visits }, { testbed }) => {
    visits.get(id)?.recordings.add(late);
    testbed.ehr.put(aRecording(late, id, patient));
  }),
);

const cancel = which.map((of) =>
  command(`cancel(${of})`, async ({ ended }, world) => {
    const run = await pick(world, of);
    if (run && (await world.testbed.runs.cancel(run.id)) !== 'ended') ended.add(run.id);
  }),
);

const replay = fc
  .record({ which, from: fc.constantFrom(...RUN_STEPS), isDry: fc.boolean() })
  .map(({ which: of, from, isDry }) =>
    command(`replay(${of} from ${from}${isDry ? ', dry' : ''})`, async (_, world) => {
      const run = await pick(world, of);
      if (run) await allowing(['conflict'], world.testbed.runs.replay({ id: run.id, from, isDry }));
    }),
  );

const review = fc
  .record({ which, decision: fc.constantFrom('approve' as const, 'reject' as const) })
  .map(({ which: of, decision }) =>
    command(`${decision}(${of})`, async ({ ended }, world) => {
      const run = await pick(world, of);
      if (run === undefined || run.review !== undefined || run.isDry) return;
      const { id, revision } = run;
      const { runs, runtime } = world.testbed;
      const time = runtime.now().toISOString();
      const said = { decision: 'approve', time, reviewer: 'Practitioner/7', revision } as const;
      const deciding = decision === 'approve' ? runs.review({ id, review: said }) : rejecting(runs, { id, revision });
      if ((await allowing(['conflict'], deciding)) && decision === 'reject') ended.add(id);
    }),
  );

async function rejecting(runs: Runs, { id, revision }: Pick<Run, 'id' | 'revision'>): Promise<void> {
  const message = 'Practitioner/7 rejected the draft.';
  await runs.reject({ id, revision, message, advice: 'Reject it again.' });
  await runs.endRejected({ id, message });
}

const purge = fc.constantFrom(0, 3_600_000).map((ms) =>
  command(`purge(${ms} ms)`, async (_, { testbed }) => {
    await testbed.runs.purge({ audioMs: ms, resultsMs: ms, heldMs: MANY_MS, quarantineMs: ms, keysMs: MANY_MS });
  }),
);

const forget = fc.constant(
  command('forget old events', async (model, { testbed }) => {
    testbed.runtime.advance(7_200_000);
    for (const [key] of model.sent) model.forgotten.add(key);
    await testbed.runs.purge({
      audioMs: MANY_MS,
      resultsMs: MANY_MS,
      heldMs: MANY_MS,
      quarantineMs: MANY_MS,
      keysMs: 3_600_000,
    });
  }),
);

const pause = fc
  .record({ what: fc.constantFrom<PauseKind>('intake', 'model', 'write', 'all'), isOn: fc.boolean() })
  .map(({ what, isOn }) =>
    command(`${isOn ? 'pause' : 'resume'}(${what})`, async (_, { testbed }) => {
      if (isOn) return testbed.pauses.pause('mercy', what, 'upgrade');
      await testbed.pauses.resume('mercy', what);
      return testbed.queue.wake({ site: 'mercy' });
    }),
  );

const hold = fc.constantFrom(true, false, false).map((isHeld) =>
  command(isHeld ? 'drafts wait for a clinician' : 'drafts go to the chart', (model, { testbed }) => {
    if (isHeld) model.mayBeHeld = true;
    const { write } = testbed.site.settings;
    const version = isHeld ? 'with review' : 'without review';
    testbed.change({ write: { ...write, review: isHeld ? 'hold' : 'preliminary' } }, version);
  }),
);

/** Some commands are more frequent than others. */
export const RUN_COMMANDS: readonly fc.Arbitrary<RunCommand>[] = [
  ...[deliver, deliver, deliver, working, working, working, working, wait, wait, replay, replay, encounter, encounter],
  ...[duplicate, together, thaw, vendor, ehr, record, cancel, review, purge, forget, pause, hold],
];
