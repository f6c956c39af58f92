// A hundred thousand events that wait when the engine starts, as after a long outage: the time until it is ready and works, whether it begins
// with urgent events, and the cost in memory.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase } from '../../src/outbound/postgres/database.ts';
import { type Figure, mebibytes, times } from './figures.ts';
import { peakBytes } from './process-figures.ts';
import { type RunTestbed, SITE } from './run-testbed.ts';

const WAITING = 100_000;
const READY_MS = 10_000;
const URGENT = 5;
const WORKERS = 8;
/** Figures are taken after that many runs. */
const ENDED = 100;
const MEMORY_BOUND_BYTES = 64 * 1_048_576;
const SECONDS = 30;

/** Measures a start, and the time until a hundred runs have ended. */
type Start = {
  readonly readyMs: number;
  readonly firstClaimMs: number;
  readonly urgentFirst: number;
  readonly peakBytes: number;
};

export async function measureWaiting(testbed: RunTestbed): Promise<readonly Figure[]> {
  const few = await measureStart(testbed, ENDED + URGENT);
  const many = await measureStart(testbed, WAITING);
  const growthBytes = many.peakBytes - few.peakBytes;
  return [
    {
      name: `${WAITING} events wait: ready after`,
      value: inSeconds(many.readyMs),
      bound: 'within 10 s',
      isKept: many.readyMs < READY_MS,
    },
    { name: `  against a start with ${ENDED}`, value: times(many.readyMs / few.readyMs) },
    {
      name: '  the first run is claimed after',
      value: inSeconds(many.firstClaimMs),
      bound: 'within 10 s',
      isKept: many.firstClaimMs < READY_MS,
    },
    {
      name: `  urgent ones among the first ${WORKERS}`,
      value: String(many.urgentFirst),
      bound: `all ${URGENT}`,
      isKept: many.urgentFirst === URGENT,
    },
    {
      name: `  memory, ${ENDED} runs later, over that with ${ENDED} that waited`,
      value: mebibytes(growthBytes),
      bound: 'under 64 MB',
      isKept: growthBytes < MEMORY_BOUND_BYTES,
    },
  ];
}

async function measureStart(testbed: RunTestbed, count: number): Promise<Start> {
  const name = `waiting-${count}`;
  const databaseUrl = await testbed.makeDatabase(name);
  await fill(databaseUrl, name, count);
  // The run that is claimed first exists; the others are only rows that the claim passes.
  await testbed.world.ask({ ask: 'admit', name, count: 3 * ENDED });
  await testbed.world.ask({ ask: 'admit', name, from: count - URGENT, count: URGENT });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const startedMs = performance.now();
  const engine = await testbed.startEngine(databaseUrl, { WORKERS: String(WORKERS) });
  try {
    const { status } = await fetch(`${engine.url}/readyz`);
    if (status !== 200) throw new Error(`the engine says that it is not ready: ${status}`);
    const readyMs = performance.now() - startedMs;
    const firstClaimMs = (await untilCount(pool, STARTED, 1)) - startedMs;
    await untilCount(pool, OVER, ENDED);
    const { rows } = await pool.query<{ is_urgent: boolean }>(
      'select is_urgent from runs where started_at is not null order by started_at limit $1',
      [WORKERS],
    );
    const urgentFirst = rows.filter(({ is_urgent: isUrgent }) => isUrgent).length;
    return { readyMs, firstClaimMs, urgentFirst, peakBytes: peakBytes(engine.pid) };
  } finally {
    await pool.end();
    await engine.stop();
  }
}

const STARTED = 'select count(*)::int as count from runs where started_at is not null';
const OVER = `select count(*)::int as count from runs where status not in ('queued', 'running', 'waiting')`;

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

async function untilCount(pool: pg.Pool, query: string, count: number): Promise<number> {
  const deadlineMs = performance.now() + SECONDS * 1000;
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(query);
    if ((rows[0]?.count ?? 0) >= count) return performance.now();
    if (performance.now() > deadlineMs) throw new Error(`after ${SECONDS} s not yet ${count}: ${query}`);
    await sleep(20);
  }
}

/** Rows in the shape of accepted events: some of the last ones are urgent, and half of them were accepted just before the engine stopped. */
async function fill(databaseUrl: string, name: string, count: number): Promise<void> {
  const database = await openDatabase({ connectionString: databaseUrl, maxConnections: 1, onError: () => undefined });
  await database.close();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`
      insert into inbox (id, site, source, outcome, key_hash, content_hash, received_at, last_at)
      select gen_random_uuid(), '${SITE}', 'amqp', 'accepted', sha256(('key ' || n)::bytea), sha256(('content ' || n)::bytea),
        now() - interval '1 hour', now() - interval '1 hour'
      from generate_series(0, ${count - 1}) n`);
    await client.query(`
      insert into runs (site, organization, encounter, is_urgent, due_at, is_ready, ready_at, trigger_source,
        trigger_received_at, created_at, changed_at)
      select '${SITE}', 'mercy-general', 'Encounter/e-${name}-' || n,
        n >= ${count - URGENT}, now() - interval '1 hour', n % 2 = 0, case when n % 2 = 1 then now() - interval '1 hour' end, 'amqp',
        now() - interval '1 hour', now() - interval '1 hour', now() - interval '1 hour'
      from generate_series(0, ${count - 1}) n`);
    await client.query(`
      insert into inbox_runs (inbox_id, run_id)
      select inbox.id, runs.id from runs join inbox
        on inbox.key_hash = sha256(('key ' || split_part(runs.encounter, '-', -1))::bytea)`);
    await client.query('analyze');
  } finally {
    await client.end();
  }
}
