// All drills, one after the other on one engine with a broker: the fault is visible, the drill ends by itself with the expected result, and
// nothing of it remains.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DRILL_PLANS } from '../../src/sandbox/drills/open-drills.ts';
import type { Drill } from '../../src/sandbox/sandbox-model.ts';
import type { RunAnswer } from '../../src/wire/run.ts';
import type { RunViewAnswer } from '../../src/wire/run-view.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { eventually, type HeardOutcome, listen, runsOf, untilRun, viewOf } from '../support/journey-runs.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';
import { connectRabbit, type RabbitClient } from '../support/rabbit-client.ts';
import { startBroker, type TestBroker } from '../support/rabbitmq.ts';

const MAPPINGS = path.join(import.meta.dirname, '../../mappings');
/** The time limit of a drill on a busy machine. */
const LIMIT_MS = 240_000;
/** Each sign of a fault lasts longer than this. */
const SIGN_LASTS_MS = 250;

type Started = { readonly drill: Drill; readonly visit: { readonly name: string; readonly encounter: string } };
type Listed = { readonly drills: readonly Drill[]; readonly underWay?: Started };
type Chart = {
  readonly entry: readonly {
    readonly resource: {
      readonly resourceType: string;
      readonly meta?: { readonly versionId?: string; readonly security?: readonly { readonly code?: string }[] };
    };
  }[];
};

let broker: TestBroker;
let rabbit: RabbitClient;
let database: Awaited<ReturnType<typeof makeMigratedDatabase>>;
let engine: Engine;

beforeAll(async () => {
  [broker, database] = await Promise.all([startBroker(), makeMigratedDatabase()]);
  rabbit = await connectRabbit(broker.url);
  const env = { SANDBOX: 'on', SANDBOX_PORT: '0', MAPPINGS_DIR: MAPPINGS };
  engine = await startEngine({ env: { ...env, AMQP_URL: broker.url, DATABASE_URL: database.connectionString } });
  await eventually(isTold, { what: 'an active Subscription' });
}, LIMIT_MS);
afterAll(async () => {
  await engine?.stop();
  await rabbit?.close();
  await Promise.all([database?.drop(), broker?.close()]);
});

/** The sandbox sends events to the engine by its Subscription, also without a broker. */
async function isTold(): Promise<true | undefined> {
  const { baseUrl } = (await engine.ops('GET', '/sandbox')) as { readonly baseUrl: string };
  const answer = await fetch(`${baseUrl}/Subscription`);
  return /"status":\s*"active"/.test(await answer.text()) ? true : undefined;
}

const drills = async () => (await engine.ops('GET', '/sandbox/drills')) as Listed;
const start = async (name: string) => (await engine.ops('POST', `/sandbox/drills/${name}`)) as Started;

/** Observes a run continuously: its states, /readyz, and the duration of each step. */
type Diary = { readonly run: RunAnswer; readonly lines: ReadonlySet<string> };

async function follow({ visit }: Started): Promise<Diary> {
  const lines = new Set<string>();
  const run = await eventually(
    async () => {
      const [found] = await runsOf(engine, { encounter: visit.encounter });
      if (found !== undefined) lines.add(`run ${found.status} ${found.reason ?? ''}`.trim());
      for (const line of await troubles()) lines.add(line);
      const { underWay } = await drills();
      const isGoing = found === undefined || ['queued', 'running', 'waiting'].includes(found.status);
      return isGoing || underWay !== undefined ? undefined : found;
    },
    { giveUpMs: LIMIT_MS - 20_000, what: 'the end of a drill', lookAtLeastEveryMs: SIGN_LASTS_MS },
  );
  for (const line of stepLines(await viewOf(engine, run.id))) lines.add(line);
  return { run, lines };
}

async function troubles(): Promise<readonly string[]> {
  const { components } = (await (await fetch(`${engine.url}/readyz`)).json()) as {
    readonly components: readonly { readonly name: string; readonly status: string; readonly detail: string }[];
  };
  return components.filter(({ status }) => status !== 'ok').map(({ name, detail }) => `${name}: ${detail}`);
}

function stepLines({ steps }: RunViewAnswer): readonly string[] {
  return steps.map(({ name, attempts, startedAt, finishedAt }) => {
    const tookMs = Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '');
    const took = tookMs >= 10_000 ? 'very long' : tookMs >= 900 ? 'long' : 'no time';
    return `${name} ${attempts} ${took}`;
  });
}

/** Counts the written resources of each type. */
async function written(name: string): Promise<Readonly<Record<string, number>>> {
  const { entry } = (await engine.ops('GET', `/sandbox/visits/${name}/chart`)) as Chart;
  const ours = entry
    .map(({ resource }) => resource)
    .filter(({ meta }) => meta?.security?.some(({ code }) => code === 'AIAST'));
  const counts: Record<string, number> = {};
  for (const { resourceType } of ours) counts[resourceType] = (counts[resourceType] ?? 0) + 1;
  return counts;
}

/** Counts the requests to the EHR since the engine's start. */
async function ehrCalls(operation = '[a-z-]+'): Promise<number> {
  const text = await (await fetch(`${engine.url}/metrics`)).text();
  const line = new RegExp(
    `^chartwright_ehr_call_duration_seconds_count\\{operation="${operation}",[^}]*\\} (\\d+)$`,
    'gm',
  );
  return [...text.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The sign, for each drill, that its fault has affected the run. */
const SIGNS: Readonly<Record<string, readonly RegExp[]>> = {
  'ehr-down': [/^run waiting ehr$/],
  'ehr-slow': [/^read-chart 1 long$/, /^write-chart 1 (very )?long$/],
  'ehr-errors': [/^run waiting ehr$/],
  'ehr-hangs': [/^write-chart 1 very long$/],
  'ehr-entry-limit': [/^write-chart 1/],
  'ehr-tokens': [/^write-chart 1/],
  'ehr-links': [/^fetch-recording 1/],
  'ehr-like-epic': [/^run parked refused$/],
  'ehr-like-oracle': [/^run parked refused$/],
  'model-down': [/^run waiting reasoner$/, /^runs: not available: reasoner/, /^write-note [4-9]/, /^transcribe 1 /],
  'model-malformed': [/^run waiting retry$/, /^write-note 3/],
  'model-cut': [/^run waiting retry$/, /^write-note 4/],
  'model-slow': [/^write-note 1 long$/, /^diagnose 1 long$/],
  'speech-down': [/^run waiting speech$/, /^runs: not available: speech/, /^transcribe [4-9]/],
  'broker-down': [/^broker: RabbitMQ cannot be reached/],
};

/** Runs a drill from start to end and checks its expected result. */
async function rehearse(name: string): Promise<Started> {
  const started = await start(name);
  const { run, lines } = await follow(started);
  const { promise } = started.drill;
  expect({ status: run.status, reason: run.reason }).toEqual({ status: promise.status, reason: promise.reason });
  const there = await written(started.visit.name);
  for (const [type, count] of Object.entries(promise.resources ?? {})) {
    expect({ type, count: there[type] ?? 0 }).toEqual({ type, count });
  }
  for (const sign of SIGNS[name] ?? []) expect([...lines].join('\n')).toMatch(new RegExp(sign, 'm'));
  // A search for missed events can add a run for a moment.
  const runs = () => runsOf(engine, { encounter: started.visit.encounter });
  await eventually(async () => ((await runs()).length === 1 ? true : undefined), { what: 'one run alone' });
  return started;
}

it('each drill has a visible sign, and all are available here', async () => {
  const listed = (await drills()).drills;
  expect(listed.map(({ name }) => name).toSorted()).toEqual(Object.keys(SIGNS).toSorted());
  expect(listed.filter(({ unavailable }) => unavailable !== undefined)).toEqual([]);
});

describe('a drill', () => {
  const apart = new Set(['ehr-entry-limit', 'ehr-tokens', 'broker-down', 'model-malformed']);
  const others = DRILL_PLANS.map(({ name }) => name).filter((name) => !apart.has(name));

  it.each(others)(
    'the drill %s ends by itself with its expected result',
    (name) => rehearse(name).then(() => undefined),
    LIMIT_MS,
  );

  it(
    'the drill ehr-entry-limit ends by itself with its expected result, and its documents are written one by one',
    async () => {
      const before = await ehrCalls('create');
      const { visit } = await rehearse('ehr-entry-limit');
      const { Device: _, ...documents } = await written(visit.name);
      const total = Object.values(documents).reduce((sum, count) => sum + count, 0);
      expect(total).toBeGreaterThan(4);
      expect((await ehrCalls('create')) - before).toBeGreaterThanOrEqual(total);
    },
    LIMIT_MS,
  );

  it(
    'the drill ehr-tokens ends by itself with its expected result, with more requests than one token allows',
    async () => {
      const before = await ehrCalls();
      await rehearse('ehr-tokens');
      expect((await ehrCalls()) - before).toBeGreaterThan(16);
    },
    LIMIT_MS,
  );

  it(
    'the drill broker-down ends by itself with its expected result, and the outcome event is sent afterwards',
    async () => {
      const { heard } = await listen({ rabbit, sites: ['sandbox'] });
      const { visit } = await rehearse('broker-down');
      const isOutcome = ({ routingKey, outcome }: HeardOutcome) =>
        routingKey === 'sandbox.encounter.documented' && outcome['encounter'] === visit.encounter;
      const outcome = await eventually(async () => (await heard()).find(isOutcome), { what: 'the outcome' });
      expect(outcome.outcome).toMatchObject({ status: 'written' });
      const isAway = (line: string) => line.startsWith('broker');
      await eventually(async () => ((await troubles()).some(isAway) ? undefined : true), { what: 'the broker' });
    },
    LIMIT_MS,
  );
});

it(
  'a drill that is ended by hand leaves no faults: its visit is documented, and the next drill has its expected result',
  async () => {
    const { visit } = await start('ehr-down');
    await expect(start('model-down')).rejects.toThrow(/409.*ehr-down/s);
    await engine.ops('DELETE', '/sandbox/drill');
    expect((await drills()).underWay).toBeUndefined();
    await untilRun(engine, visit.encounter);
    await rehearse('model-malformed');
  },
  LIMIT_MS,
);
