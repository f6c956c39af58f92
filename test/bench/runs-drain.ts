// Events to charts, by the engine and by hand-written chains, in turns: the processor time of an event for each of them, and whether each
// document is there once afterwards.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectRabbit, type RabbitClient } from '../support/rabbit-client.ts';
import { type Figure, times } from './figures.ts';
import { cpuMs, median } from './process-figures.ts';
import { EXCHANGE, type RunTestbed, type World } from './run-testbed.ts';

const ROUNDS = 5;
const EVENTS = 400;
/** The hand-written chains get fewer events, because only their time is measured. */
const CHAIN_EVENTS = 200;
const WARM_UP = 100;
const BOUND = 1.5;
/** Against a chain that checks and tracks nothing, and makes each request with fetch. */
const BARE_BOUND = 2;
const ROUND_MS = 120_000;
/** The documents in the chart of each finished encounter: two of the three candidates are likely enough for a Condition. */
const DOCUMENTS: ReadonlyMap<string, number> = new Map([
  ['Composition', 1],
  ['DocumentReference', 1],
  ['Condition', 2],
  ['RiskAssessment', 1],
]);

type Contender = {
  readonly name: string;
  readonly exchange: string;
  readonly pid: number;
  /** Returns how many events of that round are finished. */
  readonly through: (round: string) => Promise<number>;
  readonly stop: () => Promise<void>;
};

type Round = { readonly eventMs: number; readonly wallMs: number; readonly requests: number };

export async function measureDrain(testbed: RunTestbed): Promise<readonly Figure[]> {
  const rabbit = await connectRabbit(testbed.brokerUrl);
  const engine = await startContender(testbed);
  // One chain uses the engine's own outlets, mappings and checks; the other one, for comparison, fetch and unchecked hand-written mappings.
  const chains = [await startChain(testbed, 'own'), await startChain(testbed, 'bare')] as const;
  try {
    await testbed.untilListening(rabbit);
    const rounds = new Map<Contender, Round[]>();
    for (const one of [engine, ...chains]) {
      rounds.set(one, []);
      await drain(testbed.world, rabbit, one, `${one.name}-warm`, WARM_UP);
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [one, of] of rounds) {
        of.push(
          await drain(testbed.world, rabbit, one, `${one.name}-${round}`, one === engine ? EVENTS : CHAIN_EVENTS),
        );
      }
    }
    const [ours = [], own = [], bare = []] = rounds.values();
    const ratioTo = (theirs: readonly Round[]) =>
      median(ours.map(({ eventMs }, round) => eventMs / (theirs[round]?.eventMs ?? Number.NaN)));
    const of = (one: readonly Round[], read: (round: Round) => number) => median(one.map(read));
    return [
      {
        name: `${ROUNDS * EVENTS} events: processor time an event against a hand-written chain`,
        value: times(ratioTo(own)),
        bound: `at most ${BOUND} x`,
        isKept: ratioTo(own) <= BOUND,
      },
      {
        name: '  against one of fetch, mapping and post alone',
        value: times(ratioTo(bare)),
        bound: `at most ${BARE_BOUND} x`,
        isKept: ratioTo(bare) <= BARE_BOUND,
      },
      ...(await onceEach(testbed.world)),
      { name: '  processor time an event', value: inMs(of(ours, ({ eventMs }) => eventMs)) },
      { name: '  of the chain of the same steps', value: inMs(of(own, ({ eventMs }) => eventMs)) },
      { name: '  of the chain of fetch and hand-written mappings', value: inMs(of(bare, ({ eventMs }) => eventMs)) },
      { name: '  requests an event', value: of(ours, ({ requests }) => requests).toFixed(1) },
      { name: '  of the chain of the same steps', value: of(own, ({ requests }) => requests).toFixed(1) },
      { name: '  an event is through every', value: inMs(of(ours, ({ wallMs }) => wallMs)) },
      { name: '  with the chain of the same steps', value: inMs(of(own, ({ wallMs }) => wallMs)) },
    ];
  } finally {
    await Promise.all([engine, ...chains].map((one) => one.stop()));
    await rabbit.close();
  }
}

function inMs(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}

async function startContender(testbed: RunTestbed): Promise<Contender> {
  const databaseUrl = await testbed.makeDatabase('engine');
  const engine = await testbed.startEngine(databaseUrl);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  return {
    name: 'engine',
    exchange: EXCHANGE,
    pid: engine.pid,
    through: (round) =>
      countOf(
        pool,
        `select count(*)::int as count from runs
         where status not in ('queued', 'running', 'waiting') and encounter like $1`,
        `Encounter/e-${round}-%`,
      ),
    stop: async () => {
      await pool.end();
      await engine.stop();
    },
  };
}

async function startChain({ makeDatabase, world, brokerUrl }: RunTestbed, hands: 'own' | 'bare'): Promise<Contender> {
  const databaseUrl = await makeDatabase(`chain_${hands}`);
  const child = fork(path.join(import.meta.dirname, 'peers/run-chain.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'] ?? '',
      EHR_URL: world.baseUrl,
      SPEECH_URL: world.speechUrl,
      MODEL_URL: world.modelUrl,
      DATABASE_URL: databaseUrl,
      AMQP_URL: brokerUrl,
      HANDS: hands,
    },
  });
  const exited = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error('the hand-written chain has ended'))),
  ]);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  return {
    name: hands,
    exchange: `chain.${hands}.events`,
    pid: child.pid ?? 0,
    through: (round) =>
      countOf(
        pool,
        'select count(*)::int as count from events where ended_at is not null and id like $1',
        `e-${round}-%`,
      ),
    stop: async () => {
      await pool.end();
      child.kill();
      await exited;
    },
  };
}

async function countOf(pool: pg.Pool, query: string, pattern: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(query, [pattern]);
  return rows[0]?.count ?? 0;
}

async function drain(
  world: World,
  rabbit: RabbitClient,
  contender: Contender,
  round: string,
  count: number,
): Promise<Round> {
  await world.ask({ ask: 'admit', name: round, count });
  await world.ask({ ask: 'requests' });
  const startedMs = performance.now();
  const cpuBeforeMs = cpuMs(contender.pid);
  const events = Array.from({ length: count }, (_, index) => anEvent(`${round}-${index}`));
  await Promise.all(events.map((event) => rabbit.send(contender.exchange, 'encounter.finished', event)));
  await untilThrough(contender, round, count);
  const taken = {
    eventMs: (cpuMs(contender.pid) - cpuBeforeMs) / count,
    wallMs: (performance.now() - startedMs) / count,
  };
  const answer = await world.ask({ ask: 'requests' });
  const requests = 'requests' in answer ? answer.requests.reduce((sum, [, one]) => sum + one, 0) : Number.NaN;
  return { ...taken, requests: requests / count };
}

export function anEvent(id: string): string {
  const subject = { reference: `Patient/p-${id}` };
  const period = { start: '2026-03-02T09:00:00Z', end: '2026-03-02T09:20:00Z' };
  const meta = { versionId: '1', lastUpdated: '2026-03-02T09:20:00Z' };
  const cls = { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' };
  return JSON.stringify({
    resourceType: 'Encounter',
    id: `e-${id}`,
    meta,
    status: 'finished',
    class: cls,
    subject,
    period,
  });
}

async function untilThrough({ name, through }: Contender, round: string, count: number): Promise<void> {
  const deadlineMs = performance.now() + ROUND_MS;
  for (;;) {
    const done = await through(round);
    if (done >= count) return;
    if (performance.now() > deadlineMs) throw new Error(`${name}: ${done} of ${count} events are through`);
    await sleep(50);
  }
}

async function onceEach(world: World): Promise<readonly Figure[]> {
  const answer = await world.ask({ ask: 'documents', name: 'engine' });
  const counts = new Map('documents' in answer ? answer.documents : []);
  const rounds = [
    ['warm', WARM_UP] as const,
    ...Array.from({ length: ROUNDS }, (_, round) => [round, EVENTS] as const),
  ];
  const wanted = rounds.flatMap(([round, count]) =>
    Array.from({ length: count }, (_, index) => `Encounter/e-engine-${round}-${index}`),
  );
  let [lost, several] = [0, 0];
  for (const encounter of wanted) {
    for (const [type, count] of DOCUMENTS) {
      const there = counts.get(`${encounter} ${type}`) ?? 0;
      lost += Math.max(0, count - there);
      several += Math.max(0, there - count);
    }
  }
  return [
    { name: '  documents that are not there', value: String(lost), bound: '0', isKept: lost === 0 },
    {
      name: '  documents that are there once more than they should',
      value: String(several),
      bound: '0',
      isKept: several === 0,
    },
  ];
}
