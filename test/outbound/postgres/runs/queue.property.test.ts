// Whatever happens to runs, in any order: the fake and PostgreSQL report the same, workers never process two runs of one patient at once,
// and the runs of a patient keep their order.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Run } from '../../../../src/domain/run/run.ts';
import type { RunEnd } from '../../../../src/domain/run/run-end.ts';
import { type Database, openDatabase } from '../../../../src/outbound/postgres/database.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import type { Inbox } from '../../../../src/ports/inbox.ts';
import type { Claim, Queue } from '../../../../src/ports/queue.ts';
import type { Runs } from '../../../../src/ports/runs.ts';
import { anOrder, LEASE_MS, SITE, SKIPPED, WRITTEN } from '../../../contracts/queue-contract.ts';
import { makeFakeRuns } from '../../../fakes/runs.ts';
import { fc } from '../../../support/fast-check.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

const START = new Date('2026-03-02T10:00:00Z').getTime();

/** One of the stores, with the claims of its workers. */
type World = {
  readonly inbox: Inbox;
  readonly queue: Queue;
  readonly runs: Runs;
  readonly clock: { at: number };
  claims: Claim[];
};

type Step =
  | {
      readonly kind: 'accept';
      readonly key: number;
      readonly encounter: number;
      readonly isUrgent: boolean;
      readonly isForced: boolean;
      readonly settleMs: number;
    }
  | { readonly kind: 'upload'; readonly encounter: number; readonly session: number }
  | { readonly kind: 'claim'; readonly limit: number; readonly holder: number; readonly canLook: boolean }
  | { readonly kind: 'look'; readonly which: number; readonly sessions: number }
  | { readonly kind: 'finish'; readonly which: number }
  | { readonly kind: 'settle'; readonly which: number; readonly end: number }
  | { readonly kind: 'cancel' | 'replay' | 'review'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'keep' | 'takeOver'; readonly holder: number }
  | { readonly kind: 'wake' };

const which = fc.nat(5);
const holder = fc.nat(1);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('accept' as const),
        key: fc.nat(12),
        encounter: fc.nat(5),
        isUrgent: fc.boolean(),
        isForced: fc.boolean(),
        settleMs: fc.constantFrom(0, 5000),
      }),
    },
    fc.record({ kind: fc.constant('upload' as const), encounter: fc.nat(5), session: fc.nat(2) }),
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('claim' as const),
        limit: fc.integer({ min: 1, max: 4 }),
        holder,
        canLook: fc.constantFrom(true, true, false),
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('look' as const), which, sessions: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish' as const), which }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('settle' as const), which, end: fc.nat(7) }) },
    fc.record({ kind: fc.constantFrom('cancel' as const, 'replay' as const, 'review' as const), which }),
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1000, 5000, LEASE_MS, 60_000) }),
    },
    fc.record({ kind: fc.constantFrom('keep' as const, 'takeOver' as const), holder }),
    fc.record({ kind: fc.constant('wake' as const) }),
  ),
  { minLength: 5, maxLength: 30 },
);

function endOf(world: World, end: number): RunEnd {
  const until = new Date(world.clock.at + 20_000);
  const wait = { status: 'waiting', message: 'Later.', until } as const;
  const ends: readonly RunEnd[] = [
    WRITTEN,
    SKIPPED,
    { ...wait, reason: 'recording', countsAsTry: false },
    { ...wait, reason: 'retry', countsAsTry: true },
    { ...wait, reason: 'speech', waitsFor: 'speech', countsAsTry: false },
    { status: 'queued' },
    { status: 'held', reason: 'review', message: 'To be reviewed.' },
    { status: 'parked', reason: 'tries', message: 'It failed.' },
  ];
  return ends[end] ?? WRITTEN;
}

/** Performs a step, and returns its result in a form that is the same for both stores. */
async function take(world: World, step: Step): Promise<unknown> {
  const { queue, runs, clock } = world;
  switch (step.kind) {
    case 'accept':
    case 'upload':
      return deliver(world, step);
    case 'claim': {
      const order = { limit: step.limit, holder: `testbed-${step.holder}/1`, intakeSites: step.canLook ? [SITE] : [] };
      const claims = await queue.claim(anOrder(order));
      world.claims = [...world.claims, ...claims];
      return claims.map(({ run }) => shown(run));
    }
    case 'pass':
      clock.at += step.ms;
      return undefined;
    case 'keep': {
      const ids = world.claims.map(({ run }) => run.id);
      const lost = await queue.renewLeases({ holder: `testbed-${step.holder}/1`, leaseMs: LEASE_MS, ids });
      return ids.map((id) => lost.includes(id));
    }
    case 'takeOver':
      return queue.reclaim(`testbed-${step.holder}`);
    case 'wake':
      return queue.wake({ service: 'speech' });
    case 'cancel':
    case 'replay':
    case 'review':
      return decide(runs, step);
    default:
      return work(world, step);
  }
}

async function deliver({ inbox, clock }: World, step: Extract<Step, { kind: 'accept' | 'upload' }>) {
  const encounter = step.encounter === 5 ? 'visit:V-0' : `Encounter/${step.encounter}`;
  const organization = step.encounter % 2 ? 'mercy-general' : 'small-clinic';
  const base = { site: SITE, organization, content: encounter, receivedAt: new Date(clock.at) };
  if (step.kind === 'upload') {
    const upload = { encounter, session: `s-${step.session}`, recordings: ['upload:r'], isUrgent: false };
    return (await inbox.acceptUpload({ ...base, ...upload, source: 'upload', key: `up:${encounter} ${step.session}` }))
      .kind;
  }
  const { isUrgent, isForced, key, settleMs } = step;
  const source = isForced ? 'operator' : 'amqp';
  return (await inbox.accept({ ...base, source, key: `id:${key}`, encounters: [{ encounter, isUrgent }], settleMs }))
    .kind;
}

async function decide(runs: Runs, step: { readonly kind: 'cancel' | 'replay' | 'review'; readonly which: number }) {
  const all = (await runs.list({ scope: 'all', limit: 100, withLooks: true })).runs.toReversed();
  const run = all[step.which];
  if (!run) return undefined;
  if (step.kind === 'cancel') return runs.cancel(run.id);
  const decision = { decision: 'approve', time: '', reviewer: 'Practitioner/1', revision: run.revision } as const;
  const change =
    step.kind === 'replay'
      ? runs.replay({ id: run.id, from: 'map', isDry: false })
      : runs.review({ id: run.id, review: decision });
  return change.then(shown, codeOf);
}

async function work(world: World, step: Extract<Step, { kind: 'look' | 'finish' | 'settle' }>): Promise<unknown> {
  const { queue, clock } = world;
  const claim = world.claims[step.which];
  if (!claim) return undefined;
  const at = new Date(clock.at);
  if (step.kind === 'look') return look(world, claim, step.sessions).catch(codeOf);
  if (step.kind === 'finish') {
    const done = { name: 'read-chart', startedAt: at, finishedAt: at, result: {} as never } as const;
    return queue.finishStep(claim, done, 'fetch-recording').catch(codeOf);
  }
  return queue.leave(claim, endOf(world, step.end), 'documented').catch(codeOf);
}

/** Does the work of a worker: identifies the patient, and finds what there is to document. */
async function look({ queue }: World, claim: Claim, sessions: number): Promise<unknown> {
  const encounter = claim.run.encounter.startsWith('visit:') ? 'Encounter/0' : claim.run.encounter;
  const patient = `Patient/${Number(encounter.slice(-1)) % 2}`;
  const turn = await queue.identify(claim, { encounter, patient, isUrgent: encounter === 'Encounter/4' });
  if (turn !== 'mine') return turn;
  const all = Array.from({ length: sessions }, (_, n) => ({ session: `s-${n}`, recordings: [`Media/${n}`] }));
  const determined = await queue.assignSessions(claim, all);
  if (determined !== 'none') return shown(determined.run);
  const others = await queue.siblings(claim);
  if (claim.run.session === undefined && others.length > 0) await queue.fold(claim);
  return others.length;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** Removes what chance or the database has made. */
function shown({ id: _, serial: __, replayOf, ...rest }: Run) {
  return { ...rest, isReplay: replayOf !== undefined };
}

async function seen({ runs }: World): Promise<readonly Run[]> {
  return (await runs.list({ scope: 'all', limit: 100, withLooks: true })).runs.toReversed();
}

/** Two runs of a patient are never running at once, and a run claimed just now comes before the others of its patient. */
function expectTurns(before: readonly Run[], after: readonly Run[]): void {
  const atWork = after.filter(({ status, patient }) => status === 'running' && patient !== undefined);
  expect(new Set(atWork.map(({ patient }) => patient)).size).toBe(atWork.length);
  const taken = atWork.filter(({ id }) =>
    before.some((run) => run.id === id && run.status !== 'running' && run.patient),
  );
  for (const { serial, patient } of taken) {
    const earlier = before.filter((run) => run.patient === patient && run.serial < serial);
    const waiting = earlier.filter(
      ({ status, reason }) =>
        status === 'queued' ||
        status === 'running' ||
        (status === 'waiting' && reason !== 'recording' && reason !== 'encounter'),
    );
    expect(waiting).toEqual([]);
  }
}

function fakeWorld(): World {
  const clock = { at: START };
  return { ...makeFakeRuns({ now: () => new Date(clock.at) }), clock, claims: [] };
}

describe('The fake store of runs', () => {
  it('never returns two runs of one patient at once, nor one before its turn', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const world = fakeWorld();
        for (const step of script) {
          const before = await seen(world);
          await take(world, step);
          if (step.kind === 'claim') expectTurns(before, await seen(world));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('The store of runs in PostgreSQL', () => {
  let test: TestDatabase;
  let otherDatabase: Database;
  const secrets = fixedSecrets(7);

  beforeAll(async () => {
    test = await makeTestDatabase();
    otherDatabase = await openDatabase({ ...test, maxConnections: 5, onError: () => undefined });
  });
  afterAll(async () => {
    await otherDatabase.close();
    await test.drop();
  });
  const clear = async () => {
    for (const table of ['inbox', 'runs', 'outbox'])
      await sql`delete from ${sql.table(table)}`.execute(test.database.db);
  };

  async function realWorld(): Promise<World> {
    await clear();
    const clock = { at: START };
    const parts = { ...test, secrets, now: () => new Date(clock.at) };
    return {
      inbox: makePostgresInbox(parts),
      queue: makePostgresQueue(parts),
      runs: makePostgresRuns(parts),
      clock,
      claims: [],
    };
  }

  it('gives the same results as the fake in any order of steps, and keeps the order of patients', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const [real, fake] = [await realWorld(), fakeWorld()];
        for (const step of script) {
          const before = step.kind === 'claim' ? await seen(real) : [];
          const [answer, expected] = [await take(real, step), await take(fake, step)];
          expect([step, answer]).toEqual([step, expected]);
          const after = await seen(real);
          expect([step, after.map(shown)]).toEqual([step, (await seen(fake)).map(shown)]);
          if (step.kind === 'claim') expectTurns(before, after);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is drained by two engines at once: each run once, one per patient at a time, and in order', async () => {
    await clear();
    const patients = 6;
    const each = 8;
    const engines = [test.database, otherDatabase].map((database) => makePostgresQueue({ database, secrets }));
    const inbox = makePostgresInbox({ ...test, secrets });
    const runs = makePostgresRuns({ ...test, secrets });
    const encounters = Array.from({ length: patients * each }, (_, n) => ({
      encounter: `Encounter/${n}`,
      isUrgent: false,
    }));
    const order = { site: SITE, organization: 'mercy', source: 'amqp', key: 'k', content: '', settleMs: 0 } as const;
    await inbox.accept({ ...order, receivedAt: new Date(), encounters });
    const atWork = new Map<string, number>();
    const done = new Set<number>();
    // The order of a patient counts from the moment when it is stored whose run it is.
    const identified = new Map<number, string>();
    const twice: string[] = [];
    const overtaken: number[] = [];
    const drain = async (queue: Queue, name: string) => {
      while (done.size < patients * each) {
        const earlier = [...identified];
        for (const claim of await queue.claim(anOrder({ holder: `${name}/1`, limit: 3 }))) {
          const { encounter, serial, patient: known } = claim.run;
          const patient = `Patient/${Number(encounter.slice('Encounter/'.length)) % patients}`;
          if (known !== undefined) {
            const waiting = earlier.filter(
              ([before, owner]) => owner === known && before < serial && !done.has(before),
            );
            overtaken.push(...waiting.map(([before]) => before));
          }
          const turn = await queue.identify(claim, { encounter, patient, isUrgent: false });
          identified.set(serial, patient);
          if (turn !== 'mine') continue;
          atWork.set(patient, (atWork.get(patient) ?? 0) + 1);
          if (atWork.get(patient) !== 1) twice.push(patient);
          await queue.finishStep(claim, { name: 'map', startedAt: new Date(), finishedAt: new Date() }, 'publish');
          atWork.set(patient, 0);
          done.add(serial);
          await queue.leave(claim, WRITTEN, 'documented');
        }
      }
    };
    await Promise.all([...engines, ...engines].map((queue, n) => drain(queue, `testbed-${n}`)));
    expect(twice).toEqual([]);
    const { byStatus } = await runs.counts();
    expect([...byStatus]).toEqual([['written', patients * each]]);
    expect(overtaken).toEqual([]);
    const told = await sql<{ run: string }>`select event ->> 'runId' as run from outbox`.execute(test.database.db);
    expect(new Set(told.rows.map(({ run }) => run)).size).toBe(patients * each);
    expect(told.rows).toHaveLength(patients * each);
  });
});
