// Tests the cost of the statements, and their behaviour with hostile text.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CompiledQuery, sql } from 'kysely';
import { INITIAL_PLANS } from '../../../src/domain/access/plan.ts';
import { claimQuery as jobClaimQuery } from '../../../src/outbound/postgres/access/jobs.ts';
import { answerQuery, claimQuery as keyedClaimQuery } from '../../../src/outbound/postgres/access/keyed-answers.ts';
import { goodKeysQuery, keyQuery, makePostgresKeys } from '../../../src/outbound/postgres/access/keys.ts';
import { makePostgresLimits } from '../../../src/outbound/postgres/access/limits.ts';
import { makePostgresPlans } from '../../../src/outbound/postgres/access/plans.ts';
import { makePostgresUsage } from '../../../src/outbound/postgres/access/usage.ts';
import { displaysQuery, officialCodesQuery } from '../../../src/outbound/postgres/codes/code-lists.ts';
import { makePostgresLedger } from '../../../src/outbound/postgres/ledger/ledger.ts';
import { openFindingsQuery } from '../../../src/outbound/postgres/ledger/ledger-findings.ts';
import { freezeQuery, lastRevisionQuery } from '../../../src/outbound/postgres/ledger/ledger-freeze.ts';
import { acquireQuery, holdLeaseQuery } from '../../../src/outbound/postgres/ledger/ledger-leases.ts';
import {
  dueForCheckQuery,
  findWrittenQuery,
  knownIdentitiesQuery,
  riskyForCheckQuery,
} from '../../../src/outbound/postgres/ledger/ledger-lookups.ts';
import { closeQuery, placeQuery, revisionsQuery } from '../../../src/outbound/postgres/ledger/ledger-revisions.ts';
import { makeLedgerRoom } from '../../../src/outbound/postgres/ledger/ledger-room.ts';
import { revisionRow, writeRow } from '../../../src/outbound/postgres/ledger/ledger-rows.ts';
import {
  beginSendingQuery,
  lockWritesQuery,
  settleQuery,
} from '../../../src/outbound/postgres/ledger/ledger-writes.ts';
import { makePostgresEhrKnowledge } from '../../../src/outbound/postgres/sites/ehr-knowledge.ts';
import { claimQuery, makePostgresPreparedStreams } from '../../../src/outbound/postgres/streams/prepared-streams.ts';
import { aKey } from '../../contracts/keys-contract.ts';
import { aPlace, aRevision, aWrite, taken } from '../../contracts/ledger-contract.ts';
import { mercy } from '../../contracts/prepared-streams-contract.ts';
import { aUsageRecord } from '../../contracts/usage-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { fixedSecrets } from '../../support/secrets.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await makeTestDatabase();
});
afterAll(() => test.drop());

/** Returns the plan of a statement on a large table: a full scan is used only if no index is suitable. */
/** An index over the elements of a list is read by bitmaps only. */
async function planOf({ sql: text }: Pick<CompiledQuery, 'sql'>, { hasBitmaps = false } = {}): Promise<string> {
  return test.database.db.transaction().execute(async (transaction) => {
    await sql`set local enable_seqscan = off`.execute(transaction);
    if (!hasBitmaps) await sql`set local enable_bitmapscan = off`.execute(transaction);
    const { rows } = await sql.raw<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`).execute(transaction);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}

describe('The statements of each request', () => {
  it('find a key by its primary key', async () => {
    const plan = await planOf(keyQuery(test.database, 'id').compile());
    expect(plan).toMatch(/Index Scan using api_keys_pkey/);
    expect(plan).not.toContain('Seq Scan');
  });

  it('find an answer by Idempotency-Key, and claim a key, by the primary key', async () => {
    const hash = Buffer.alloc(32);
    const { db } = test.database;
    const claim = keyedClaimQuery({ keyId: 'key-1', hash, holder: randomUUID(), operation: 'diagnose' }).compile(db);
    expect(await planOf(claim)).toContain('Conflict Arbiter Indexes: keyed_answers_pkey');
    const plan = await planOf(answerQuery('key-1', hash).compile(db));
    expect(plan).toMatch(/Index Scan using keyed_answers_pkey/);
    expect(plan).not.toContain('Seq Scan');
  });

  it('look for jobs among those that have not ended, and no others', async () => {
    const plan = await planOf(jobClaimQuery(randomUUID(), 4).compile(test.database.db), { hasBitmaps: true });
    expect(plan).toMatch(/Scan (using|on) jobs_open/);
    expect(plan).not.toContain('Seq Scan');
  });

  it('find the official names of codes by the primary key of the codes', async () => {
    const queries = [officialCodesQuery(test.database, 'icd-10', ['J18.9']), displaysQuery(test.database, ['J18.9'])];
    for (const query of queries) {
      const plan = await planOf(query.compile());
      expect(plan).toMatch(/Index (Only )?Scan using official_codes_pkey/);
      expect(plan).toMatch(/Index Cond: .*code = ANY/);
    }
  });

  it('find the keys of open streams by their primary key', async () => {
    expect(await planOf(goodKeysQuery(test.database, ['a', 'b']).compile())).toMatch(/Index Scan using api_keys_pkey/);
  });

  it('claim a prepared stream by its primary key', async () => {
    const plan = await planOf(claimQuery('id', mercy, 'token').compile(test.database.db));
    expect(plan).toMatch(/Index Scan using prepared_streams_pkey/);
    expect(plan).not.toContain('Seq Scan');
  });
});

describe('The statements of each write to a chart', () => {
  const place = { site: 'mercy', encounter: 'e', session: 's' };
  const lease = { name: 'mercy/Patient/1', holder: 'one', fence: 1 };
  const dialect = () => test.database.db;
  const aRow = () => revisionRow({ place, number: 2 }, aRevision([]));
  const aWriteRow = () =>
    writeRow(makeLedgerRoom(test.database, fixedSecrets(0)), {
      place,
      number: 2,
      id: 'a',
      position: 0,
      write: aWrite({ ...place }),
    });

  // On empty tables, all indices cost the same.
  beforeAll(async () => {
    await sql`
      insert into chart_revisions (site, encounter, session, number, kind, patient, run_id, run_time, run_at, engine, mapping, prompt, model)
      select 'mercy', 'e' || n, 's', 1, 'documents', 'Patient/1', 'r', '', timestamptz '2026-01-01' + n * interval '1 hour', '1',
        'map-' || n % 100, 'p-' || n % 100, 'm-' || n % 100
      from generate_series(1, 4000) n`.execute(dialect());
    await sql`
      insert into chart_writes (id, site, encounter, session, revision, position, document, action, type, identity_digest, names,
        body, sha256, state, reference)
      select 'w' || n, 'mercy', 'e' || n, 's', 1, 0, 'flag', 'create', 'Flag', sha256(('e' || n)::bytea), '', '', '', 'written', 'Flag/' || n
      from generate_series(1, 4000) n`.execute(dialect());
    await sql`analyze chart_revisions, chart_writes`.execute(dialect());
  });
  afterAll(async () => {
    await sql`truncate chart_revisions, chart_writes`.execute(dialect());
  });

  it.each([
    ['take a lease', () => acquireQuery('a', 'b', 1).compile(dialect()), /write_leases_pkey|Insert on write_leases/],
    ['hold a lease', () => holdLeaseQuery(lease, 0).compile(dialect()), /using write_leases_pkey/],
    ['read revisions', () => revisionsQuery(dialect(), place).compile(), /using chart_revisions_pkey/],
    [
      'read a place',
      () => placeQuery(dialect(), place).compile(),
      /using chart_revisions_pkey[\s\S]*using chart_writes_\w+/,
    ],
    ['see the last revision', () => lastRevisionQuery(place).compile(dialect()), /using chart_revisions_pkey/],
    ['freeze at once', () => freezeQuery(lease, aRow(), [aWriteRow()]).compile(dialect()), /using chart_revisions_\w+/],
    [
      'begin to send at once',
      () => beginSendingQuery(lease, [{ id: 'a', sentSha256: 'b' }]).compile(dialect()),
      /using chart_revisions_pkey[\s\S]*using chart_writes_pkey/,
    ],
    [
      'settle at once',
      () => settleQuery(lease, [{ id: 'a', state: 'written' }]).compile(dialect()),
      /using chart_writes_pkey/,
    ],
    [
      'close at once',
      () => closeQuery(lease, place, { number: 1, state: 'done', isLast: true }).compile(dialect()),
      /using chart_revisions_pkey[\s\S]*using chart_writes_\w+/,
    ],
    ['settle writes', () => lockWritesQuery(dialect(), ['a']).compile(), /using chart_writes_pkey/],
    [
      'know identities',
      () => knownIdentitiesQuery(dialect(), 'mercy', [Buffer.from('a')]).compile(),
      /using chart_writes_by_identity/,
    ],
    ['list findings', () => openFindingsQuery(dialect(), ['mercy']).compile(), /using chart_findings_open/],
  ] as const)('%s by an index', async (_, compile, index) => {
    const plan = await planOf(compile());
    expect(plan).toMatch(index);
    expect(plan).not.toContain('Seq Scan');
  });

  it('return due writes in the order of an index, without sorting all of them', async () => {
    const plan = await planOf(dueForCheckQuery('mercy', 100).compile(dialect()));
    expect(plan).toMatch(/using chart_writes_by_check on chart_writes written/);
    expect(plan).toMatch(/using chart_writes_\w+ on chart_writes later/);
    expect(plan).not.toMatch(/Seq Scan|Sort/);
  });

  it('return risky writes by the indexes of findings and of recent writes', async () => {
    const now = new Date();
    const times = { sentAfter: now, sentBefore: now, checkedBefore: now };
    const found = [{ encounter: 'e-1', session: 's-1' }];
    const plan = await planOf(riskyForCheckQuery({ site: 'mercy', limit: 100, found }, times).compile(dialect()), {
      hasBitmaps: true,
    });
    expect(plan).toMatch(/(using|Bitmap Index Scan on) chart_writes_recent/);
    expect(plan).toMatch(/(using|Bitmap Index Scan on) chart_findings_open/);
    expect(plan).not.toContain('Seq Scan');
  });

  it('find the writes of a recall by the indexes of the model that was asked for and of those that answered', async () => {
    const plan = await planOf(findWrittenQuery({ scope: 'all', model: 'm' }).compile(dialect()), { hasBitmaps: true });
    expect(plan).toMatch(/(using|Bitmap Index Scan on) chart_revisions_by_model/);
    expect(plan).toContain('Bitmap Index Scan on chart_revisions_by_answer');
    expect(plan).toMatch(/(using|Bitmap Index Scan on) chart_writes_\w+/);
    expect(plan).not.toContain('Seq Scan');
  });

  it.each([
    [{ mapping: 'm' }, 'chart_revisions_by_mapping'],
    [{ prompt: 'p' }, 'chart_revisions_by_prompt'],
    [{ from: new Date(0), to: new Date(1) }, 'chart_revisions_by_run'],
  ])('find the writes of a recall by an index: %j', async (query, index) => {
    const plan = await planOf(findWrittenQuery({ scope: 'all', ...query }).compile(dialect()));
    expect(plan).toContain(`using ${index}`);
    expect(plan).toMatch(/using chart_writes_\w+ on chart_writes written/);
    expect(plan).toMatch(/using chart_writes_\w+ on chart_writes later/);
    expect(plan).not.toContain('Seq Scan');
  });
});

describe('The plans of a new database', () => {
  it('are the initial plans of the product', async () => {
    const plans = await makePostgresPlans(test).list();
    expect(plans).toEqual(INITIAL_PLANS.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });
});

describe('Text that a database cannot hold', () => {
  const nul = 'a\0b';
  const lone = 'a\ud800b';

  it('is refused as a bad request by every adapter if it has a NUL', async () => {
    const keys = makePostgresKeys(test);
    const streams = makePostgresPreparedStreams({ ...test, secrets: fixedSecrets(0) });
    const ledger = makePostgresLedger({ ...test, secrets: fixedSecrets(0) });
    const knowledge = makePostgresEhrKnowledge(test);
    const lease = await taken(ledger);
    const place = aPlace({ session: nul });
    const refusals = [
      () => keys.find(nul),
      () => keys.create(aKey({ organization: nul })),
      () => keys.revoke(nul),
      () => keys.findEnded([nul]),
      () => keys.noteUse(nul),
      () => makePostgresPlans(test).find(nul),
      () => makePostgresUsage(test).record(aUsageRecord({ organization: nul })),
      () => makePostgresUsage(test).summarize({ organization: nul }),
      () => makePostgresLimits(test).takeMinute(nul, { name: 'small', requestsPerMinute: 1 }),
      () => makePostgresLimits(test).takeMonth(nul, { name: 'small' }),
      () => streams.claim(nul, mercy),
      () => ledger.acquire(nul, 'one', 1000),
      () => ledger.release({ ...lease, name: nul }),
      () => ledger.read(place),
      () => ledger.freeze(lease, place, aRevision([])),
      () => ledger.recordResults(lease, [{ id: nul, state: 'refused' }]),
      () => ledger.bindEhr(nul, 'https://ehr.example.org'),
      () => ledger.findWritten({ scope: 'all', model: nul }),
      () => ledger.knownIdentities(nul, ['a']),
      () => ledger.storeFindings(nul, ['a'], []),
      () => knowledge.learn(nul, '', { name: 'drafts', value: 'taken' }),
    ];
    for (const refusal of refusals) await expect(refusal()).rejects.toMatchObject({ code: 'invalidRequest' });
  });

  it('does no harm if it has half a character', async () => {
    const keys = makePostgresKeys(test);
    expect(await keys.find(lone)).toBeUndefined();
    expect(await keys.create(aKey({ label: lone }))).toMatchObject({ label: 'a\ufffdb' });
  });
});

describe('Limits that two engines count', () => {
  it('are counted together', async () => {
    const [one, other] = [makePostgresLimits(test), makePostgresLimits(test)];
    const plan = { name: 'small', requestsPerMinute: 3, requestsPerMonth: 5 };
    const minutes = await Promise.all([one, other, one, other, one].map((limits) => limits.takeMinute('key-1', plan)));
    expect(minutes.filter((minute) => minute?.isAllowed)).toHaveLength(3);
    const months = await Promise.all(
      [one, other, one, other, one, other, one].map((limits) => limits.takeMonth('mercy', plan)),
    );
    expect(months.filter(Boolean)).toHaveLength(5);
  });
});
