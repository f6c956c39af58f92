// Tests the cost of the queue's statements with very many waiting runs: each uses an index, and none reads all rows.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CompiledQuery, sql } from 'kysely';
import { REVIEWABLE_REASONS } from '../../../../src/domain/run/reviewable.ts';
import { draftsQuery } from '../../../../src/outbound/postgres/runs/drafts.ts';
import { acceptQuery } from '../../../../src/outbound/postgres/runs/inbox.ts';
import type { InboxStorage } from '../../../../src/outbound/postgres/runs/inbox-storage.ts';
import { patientDraftsQuery } from '../../../../src/outbound/postgres/runs/patient-drafts.ts';
import { claimQuery, promoteQuery } from '../../../../src/outbound/postgres/runs/queue-claims.ts';
import { finishStepQuery, settleQuery } from '../../../../src/outbound/postgres/runs/queue-steps.ts';
import { tellQuery } from '../../../../src/outbound/postgres/runs/reminders.ts';
import { expiredQuery, resultsQuery } from '../../../../src/outbound/postgres/runs/run-purge.ts';
import type { RunRow } from '../../../../src/outbound/postgres/runs/run-rows.ts';
import { makeRunStorage } from '../../../../src/outbound/postgres/runs/run-storage.ts';
import { awaitingReviewQuery, listQuery } from '../../../../src/outbound/postgres/runs/run-views.ts';
import type { Claim } from '../../../../src/ports/queue.ts';
import { anEvent, anOrder, WRITTEN } from '../../../contracts/queue-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

let test: TestDatabase;
let storage: InboxStorage;
let claim: Claim;
const many = 30_000;

beforeAll(async () => {
  test = await makeTestDatabase();
  storage = {
    ...makeRunStorage({ ...test, secrets: fixedSecrets(0) }),
    bodies: fixedSecrets(0).sealing('inbox-bodies'),
    hash: (...texts) => Buffer.from(texts.join(' ')),
  };
  // Autovacuum is off, because statements must be as fast on tables that were never analyzed.
  await sql`alter table runs set (autovacuum_enabled = off)`.execute(storage.db);
  await fill({ from: 1, count: many, organization: "'large'", status: 'queued', is_ready: 'true', ready_at: 'null' });
  await fill({
    from: 40_001,
    count: 2000,
    organization: "'org-' || n % 50",
    status: 'queued',
    is_ready: 'true',
    ready_at: 'null',
  });
  await fill({
    from: 50_001,
    count: 5000,
    organization: "'large'",
    status: 'waiting',
    is_ready: 'false',
    ready_at: "now() + interval '1 hour'",
  });
  await fill({
    from: 60_001,
    count: 5000,
    organization: "'large'",
    status: 'queued',
    is_ready: 'false',
    ready_at: "now() + interval '1 minute'",
    patient: "'Patient/many'",
  });
  await fill({
    from: 70_001,
    count: 5000,
    organization: "'large'",
    status: 'written',
    is_ready: 'false',
    ready_at: 'null',
    patient: "'Patient/' || n",
  });
  await fill({
    from: 100_001,
    count: 50,
    organization: "'large'",
    status: 'held',
    is_ready: 'false',
    ready_at: 'null',
  });
  await fill({
    from: 80_001,
    count: 20,
    organization: "'large'",
    status: 'running',
    is_ready: 'false',
    ready_at: 'null',
    patient: "'Patient/' || n",
  });
  await fill({
    from: 90_001,
    count: 5000,
    organization: "'large'",
    status: 'written',
    is_ready: 'false',
    ready_at: 'null',
  });
  await sql`
    update runs set reminded_at = now(), reminded_of = changed_at, reminded_as = 'review-overdue'
    where status = 'written' and patient is null`.execute(storage.db);
  await sql`update runs set revision = 1 where status = 'written' and patient is not null`.execute(storage.db);
  await sql`
    insert into run_steps (run_id, name, status, attempts, started_at, result)
    select id, name, 'done', 1, now(), 'sealed' from runs, unnest(array['read-chart', 'transcribe', 'check']) name
    where status = 'written'`.execute(storage.db);
  const { rows } = await sql<RunRow>`select * from runs where status = 'running' limit 1`.execute(storage.db);
  const [row] = rows;
  if (!row) throw new Error('one is at work');
  claim = { run: storage.asRun(row), holder: 'testbed/1', fence: row.fence };
});
afterAll(() => test.drop());

type Rows = {
  readonly from: number;
  readonly count: number;
  readonly organization: string;
  readonly status: string;
  readonly is_ready: string;
  readonly ready_at: string;
  readonly patient?: string;
};

async function fill({ from, count, organization, status, is_ready, ready_at, patient = 'null' }: Rows): Promise<void> {
  const isAtWork = status === 'running';
  await sql`
    insert into runs (site, organization, encounter, patient, session, is_urgent, status, due_at, is_ready, ready_at, holder, lease_until,
      ended_at, trigger_source, trigger_received_at, created_at, changed_at, revision, draft_order, reason)
    select 'mercy', ${sql.raw(organization)}, 'Encounter/' || n, ${sql.raw(patient)}, case when n > 40000 then 's' else '' end, n % 1000 = 0,
      ${status}, now() - interval '1 minute', ${sql.raw(is_ready)}, ${sql.raw(ready_at)}, ${isAtWork ? 'testbed/1' : null},
      case when ${isAtWork} then now() + interval '1 minute' end, case when ${status} = 'written' then now() end,
      'amqp', now(), now(), now(), case when ${status} in ('written', 'held') then 1 else 0 end, -(n % 5),
      case when ${status} = 'held' then 'review' end
    from generate_series(${from}::int, ${from + count - 1}::int) n`.execute(storage.db);
}

type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
};

/** Executes the statement, returns its plan, and rolls its changes back. */
async function planOf({
  sql: text,
  parameters,
}: Pick<CompiledQuery, 'sql' | 'parameters'>): Promise<readonly PlanNode[]> {
  const client = await test.database.pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, [...parameters]);
    await client.query('rollback');
    return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    client.release(true);
  }
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** Returns the largest number of rows that a part of the plan read. */
function mostRows(nodes: readonly PlanNode[]): number {
  const read = nodes.map(
    (node) =>
      node['Actual Loops'] *
      (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)),
  );
  return Math.max(...read);
}

function scansOf(nodes: readonly PlanNode[]): readonly string[] {
  return nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? '');
}

const DRAFTS = { site: 'mercy', because: 'review-due', afterMs: 0, limit: 100 } as const;
/** All runs have had this reminder. */
const TOLD = { next: 'review-overdue', status: 'written' } as const;

const TWO_SITES = {
  places: (['mercy', 'general'] as const).flatMap((site) =>
    (['held', 'written'] as const).map((status) => ({ site, status })),
  ),
  reasons: REVIEWABLE_REASONS,
  limit: 50,
};

const statements = () =>
  [
    ['a claim', claimQuery(storage, anOrder({ limit: 10 })).compile(storage.db), 2500],
    ['a promotion', promoteQuery(storage).compile(storage.db), 100],
    [
      'taking an event',
      acceptQuery(storage, anEvent({ now: () => new Date() }), [['Encounter/5', true]]).compile(storage.db),
      10,
    ],
    [
      'the end of a step',
      finishStepQuery(
        storage,
        claim,
        { name: 'map', startedAt: new Date(), finishedAt: new Date() },
        'write-chart',
      ).compile(storage.db),
      10,
    ],
    ['the end of a run', settleQuery(storage, { claim, end: WRITTEN, outcome: 'documented' }).compile(storage.db), 100],
    ['a round of deletion', resultsQuery(storage, { resultsMs: 1_000_000 }, 100).compile(storage.db), 200],
    [
      'a round that ends what was held for too long',
      expiredQuery(storage, { heldMs: 0 }, 100).compile(storage.db),
      400,
    ],
    ['a list', listQuery(storage, { scope: 'all', limit: 50 }).compile(), 51],
    [
      'a list of those that need a person',
      listQuery(storage, { scope: 'all', limit: 50, status: ['parked', 'held'] }).compile(),
      100,
    ],
    ['the drafts of a site', awaitingReviewQuery({ sites: ['mercy'] }, 50).compile(storage.db), 200],
    ['a page of the drafts of two sites', draftsQuery(storage, TWO_SITES).compile(storage.db), 250],
    [
      'a further page of them, of those that are free',
      draftsQuery(storage, { ...TWO_SITES, claimed: 'free', cursor: '2.5' }).compile(storage.db),
      250,
    ],
    [
      'a round of reminders',
      tellQuery(storage, DRAFTS, { next: 'review-due', status: 'written' }).compile(storage.db),
      500,
    ],
    [
      'the drafts of a patient',
      patientDraftsQuery({
        site: 'mercy',
        patient: 'Patient/70500',
        reasons: REVIEWABLE_REASONS,
        withWritten: true,
        limit: 5,
      }).compile(storage.db),
      5,
    ],
    ['one in which all are told', tellQuery(storage, DRAFTS, TOLD).compile(storage.db), 100],
  ] as const;

it('a page of drafts is full', async () => {
  expect((await draftsQuery(storage, TWO_SITES).execute(storage.db)).rows).toHaveLength(51);
});

describe('The statements of the queue on many thousand runs', () => {
  it.each([false, true])('read no more rows than needed (analyzed: %s)', async (isAnalyzed) => {
    if (isAnalyzed) await sql`analyze runs, run_steps, inbox, inbox_runs`.execute(storage.db);
    for (const [name, query, most] of statements()) {
      const nodes = await planOf(query);
      expect([name, scansOf(nodes).filter((table) => table === 'runs' || table === 'run_steps')]).toEqual([name, []]);
      expect([name, mostRows(nodes), mostRows(nodes) <= most]).toEqual([name, expect.any(Number), true]);
    }
  });
});
