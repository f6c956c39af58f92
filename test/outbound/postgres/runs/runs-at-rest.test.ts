// Tests events and runs at rest in the database: no data of patients can be read or moved, and the clock and constraints of the database
// decide.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { StepName } from '../../../../src/domain/run/run.ts';
import type { RunEnd } from '../../../../src/domain/run/run-end.ts';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import type { Claim } from '../../../../src/ports/queue.ts';
import {
  accepted,
  anEvent,
  anOrder,
  aResult,
  claimOne,
  PARKED,
  type RunsSubject,
  SITE,
  WRITTEN,
  who,
} from '../../../contracts/queue-contract.ts';
import { keeping } from '../../../contracts/runs-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';
import { until } from '../../../support/until.ts';

const secrets = fixedSecrets(7);
const word = 'hemoptysis-canary';
let test: TestDatabase;
let subject: RunsSubject;

/** Makes stores that use the clock of the database. */
function makeSubject(key = secrets): RunsSubject {
  const parts = { ...test, secrets: key };
  return {
    inbox: makePostgresInbox(parts),
    queue: makePostgresQueue(parts),
    other: makePostgresQueue(parts),
    runs: makePostgresRuns(parts),
    now: () => new Date(),
    pass: () => undefined,
    outbox: async () => [],
  };
}

beforeAll(async () => {
  test = await makeTestDatabase();
  subject = makeSubject();
});
beforeEach(async () => {
  for (const table of ['inbox', 'runs', 'outbox']) await sql`delete from ${sql.table(table)}`.execute(test.database.db);
});
afterAll(() => test.drop());

const run = (statement: string) => sql.raw<Record<string, unknown>>(statement).execute(test.database.db);

async function finish(claim: Claim, name: StepName, words: string): Promise<void> {
  const times = { startedAt: new Date(), finishedAt: new Date() };
  await subject.queue.finishStep(claim, { name, ...times, result: aResult<never>(words) }, undefined);
}

/** Reads all content of these tables, including bytes. */
async function dump(...tables: readonly string[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const table of tables) {
    for (const row of (await run(`select * from ${table}`)).rows) {
      for (const value of Object.values(row))
        pieces.push(Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value) ?? ''));
    }
  }
  return Buffer.concat(pieces);
}

describe('Events and runs at rest', () => {
  it('show nothing of the results, of quarantined bodies, or of the keys of events', async () => {
    await accepted(subject, 'Encounter/1', { key: `id:${word}`, content: word });
    await subject.inbox.accept(anEvent(subject, { key: `id:${word}`, content: `other ${word}` }));
    const aside = {
      site: SITE,
      source: 'push',
      outcome: 'not-understood',
      key: word,
      why: 'No JSON.',
      receivedAt: new Date(),
    } as const;
    await subject.inbox.quarantine({ ...aside, body: Buffer.from(word) });
    await finish(await claimOne(subject), 'transcribe', word);
    const all = await dump('inbox', 'runs', 'run_steps', 'inbox_runs');
    expect(all.length).toBeGreaterThan(500);
    expect(all.includes(word)).toBe(false);
    expect((await run('select 1 from inbox where body is not null')).rows).toHaveLength(1);
  });

  it('include the bytes of an event with a reused id, and show nothing of them', async () => {
    await subject.inbox.accept(anEvent(subject, { key: 'id:1', content: 'one' }));
    const again = anEvent(subject, { key: 'id:1', content: 'another', body: Buffer.from(word) });
    expect(await subject.inbox.accept(again)).toEqual({ kind: 'id-reused' });
    expect((await run("select 1 from inbox where outcome = 'id-reused' and body is not null")).rows).toHaveLength(1);
    expect((await dump('inbox')).includes(word)).toBe(false);
  });

  it('include the bytes of only a thousand quarantined deliveries of a site, so that no sender can fill the disk', async () => {
    const aside = (key: string, site = SITE) =>
      subject.inbox.quarantine({
        site,
        source: 'push',
        outcome: 'not-understood',
        key,
        why: 'No JSON.',
        receivedAt: new Date(),
        body: Buffer.from('x'),
      });
    await aside('first');
    await run(`insert into inbox (id, site, source, outcome, key_hash, received_at, last_at, body)
      select gen_random_uuid(), site, source, outcome, n::text::bytea, now(), now(), body from inbox, generate_series(1, 998) n`);
    for (const key of ['thousandth', 'next', 'last']) expect(await aside(key)).toBe(true);
    await aside('first', 'elsewhere');
    const { rows } = await run(
      'select site, count(*) as count, count(body) as bodies from inbox group by 1 order by 1',
    );
    expect(rows).toEqual([
      { site: 'elsewhere', count: 1, bodies: 1 },
      { site: SITE, count: 1002, bodies: 1000 },
    ]);
  });

  it('have other hashes with another master key, so that event ids cannot be guessed', async () => {
    await accepted(subject, 'Encounter/1', { key: 'id:1', content: '1' });
    const other = makeSubject(fixedSecrets(8));
    await accepted(other, 'Encounter/1', { key: 'id:1', content: '1' });
    expect((await run('select distinct key_hash, content_hash from inbox')).rows).toHaveLength(2);
  });

  it('refuse a result that was changed, moved to another run or step, or sealed with another key', async () => {
    const damages = [
      `update run_steps set result = set_bit(result, 200, 1 - get_bit(result, 200))`,
      `update run_steps set name = 'check'`,
      `update run_steps one set result = other.result from run_steps other where one.run_id <> other.run_id`,
      `update runs set site = 'elsewhere'`,
    ];
    for (const damage of damages) {
      await run('delete from runs');
      await accepted(subject, 'Encounter/1');
      await accepted(subject, 'Encounter/2');
      const claims = await subject.queue.claim(anOrder());
      for (const claim of claims) await finish(claim, 'transcribe', claim.run.encounter);
      const id = claims[0]?.run.id ?? '';
      expect(await subject.runs.results(id)).toEqual({ transcribe: aResult('Encounter/1') });
      await expect(makeSubject(fixedSecrets(8)).runs.results(id)).rejects.toMatchObject({
        code: 'internal',
      });
      await run(damage);
      await expect(subject.runs.results(id)).rejects.toMatchObject({ code: 'internal' });
    }
  });

  it('contain no body and no result after their deletion date', async () => {
    const aside = {
      site: SITE,
      source: 'push',
      outcome: 'not-understood',
      key: 'k',
      why: 'No JSON.',
      receivedAt: new Date(0),
    } as const;
    await subject.inbox.quarantine({ ...aside, body: Buffer.from(word) });
    await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    await finish(claim, 'transcribe', word);
    await subject.queue.leave(claim, WRITTEN);
    await run(`update runs set ended_at = ended_at - interval '1 hour'`);
    expect(await subject.runs.purge(keeping({ resultsMs: 1000, quarantineMs: 1000 }))).toMatchObject({
      results: 1,
      bodies: 1,
    });
    expect((await run('select 1 from run_steps where result is not null')).rows).toEqual([]);
    expect((await run('select 1 from inbox where body is not null')).rows).toEqual([]);
  });
});

describe('Runs that were held for too long', () => {
  const COUNT = 1200;

  it('are parked once each by engines at the same moment, while clinicians decide about some of them', async () => {
    await accepted(subject, 'Encounter/0');
    await subject.queue.leave(await claimOne(subject), { status: 'held', reason: 'review', message: 'x' });
    await run(`insert into runs (site, organization, encounter, patient, session, is_urgent, status, reason, revision, trigger_source,
        trigger_received_at, created_at, changed_at)
      select site, organization, 'Encounter/' || n, 'Patient/' || n, 's', false, status, reason, 1, trigger_source, now(), now(), now()
      from runs, generate_series(1, ${COUNT - 1}) n`);
    await run(`insert into run_steps (run_id, name, status, attempts, started_at, finished_at, result)
      select id, name, 'done', 1, now(), now(), 'sealed' from runs, unnest(array['transcribe', 'write-note', 'check', 'map']) name`);
    await run(`update runs set changed_at = changed_at - interval '1 hour'`);
    const ids = (await run(`select id::text as id from runs where session = 's' order by random() limit 60`)).rows;
    const decisions = ids.map(({ id }) => {
      const review = {
        decision: 'approve',
        time: '2026-03-02T10:00:00Z',
        reviewer: 'Practitioner/7',
        revision: 1,
      } as const;
      return subject.runs.review({ id: String(id), review }).then(
        () => 1,
        (error: { readonly code: string }) => {
          expect(error.code).toBe('conflict');
          return 0;
        },
      );
    });
    const purges = [1, 2, 3].map(() => makeSubject().runs.purge(keeping({ heldMs: 60_000 })));
    const decided = (await Promise.all(decisions)).reduce<number>((sum, one) => sum + one, 0);
    const expired = (await Promise.all(purges)).reduce((sum, one) => sum + one.expired, 0);
    expect(expired + decided).toBe(COUNT);
    const { rows } = await run(`select status, count(*) as count from runs group by 1 order by 1`);
    expect(rows).toEqual([
      { status: 'parked', count: expired },
      ...(decided === 0 ? [] : [{ status: 'queued', count: decided }]),
    ]);
    const told = await run(
      `select count(*) as all, count(distinct event ->> 'runId') as runs from outbox where kind = 'parked'`,
    );
    expect(told.rows).toEqual([{ all: expired, runs: expired }]);
    const left = await run(`select 1 from run_steps step join runs run on run.id = step.run_id
      where run.status = 'parked' and step.result is not null`);
    expect(left.rows).toEqual([]);
  });

  it('contain nothing of their results', async () => {
    await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    await finish(claim, 'transcribe', word);
    await subject.queue.leave(claim, { status: 'held', reason: 'review', message: 'It is to be reviewed.' });
    await run(`update runs set changed_at = changed_at - interval '1 hour'`);
    expect(await subject.runs.purge(keeping({ heldMs: 1000 }))).toMatchObject({ expired: 1 });
    expect((await run('select 1 from run_steps where result is not null')).rows).toEqual([]);
  });
});

describe('A run in the database', () => {
  it('is claimed by the clock of the database', async () => {
    const id = await accepted(subject, 'Encounter/1');
    const first = await claimOne(subject);
    expect(await subject.queue.claim(anOrder())).toEqual([]);
    await run(`update runs set lease_until = lease_until - interval '31 seconds'`);
    const next = await claimOne(subject, { holder: 'testbed/2' });
    expect(next.run).toMatchObject({ id, crashes: 1 });
    await expect(subject.queue.leave(first, WRITTEN)).rejects.toMatchObject({ code: 'inUse' });
  });

  it('is stored together with its outcome, or not at all', async () => {
    await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    await run(`alter table outbox add constraint no_more check (kind <> 'documented')`);
    await expect(subject.queue.leave(claim, WRITTEN, 'documented')).rejects.toMatchObject({ code: 'internal' });
    expect((await subject.runs.find(claim.run.id, 'all'))?.status).toBe('running');
    await run('alter table outbox drop constraint no_more');
    await subject.queue.leave(claim, WRITTEN, 'documented');
    expect((await run('select 1 from outbox')).rows).toHaveLength(1);
  });

  it('can never be the second running one of its patient, whatever statement writes it', async () => {
    await accepted(subject, 'Encounter/1');
    await accepted(subject, 'Encounter/2');
    const [one, two] = await subject.queue.claim(anOrder());
    if (!one || !two) throw new Error('two');
    await subject.queue.identify(one, who(one));
    await expect(run(`update runs set patient = 'Patient/1' where id = '${two.run.id}'`)).rejects.toThrow(
      /runs_one_a_patient/,
    );
  });

  it('can be folded into another one while its event is purged', async () => {
    const standing = await accepted(subject, 'Encounter/1', { key: 'id:standing' });
    const first = await claimOne(subject);
    await subject.queue.identify(first, who(first));
    await subject.queue.assignSessions(first, [{ session: 's-1', recordings: [] }]);
    await subject.queue.leave(first, WRITTEN);
    await accepted(subject, 'Encounter/1', { key: 'id:old' });
    const late = await claimOne(subject);
    const purge = await test.database.pool.connect();
    await purge.query('begin');
    await purge.query('delete from inbox where id in (select inbox_id from inbox_runs where run_id = $1)', [
      late.run.id,
    ]);
    const folded = subject.queue.fold(late);
    await until(async () => (await run('select 1 from pg_locks where not granted')).rows.length > 0);
    await purge.query('commit');
    purge.release();
    await folded;
    expect(await subject.runs.find(late.run.id, 'all')).toBeUndefined();
    expect(await subject.runs.events(standing)).toHaveLength(1);
  });

  it('is refused as a bad request if a text has a NUL', async () => {
    const nul = 'a\0b';
    await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    const refusals = [
      () => accepted(subject, nul),
      () => subject.queue.identify(claim, who(claim, nul)),
      () => subject.queue.assignSessions(claim, [{ session: nul, recordings: [] }]),
      () => subject.queue.leave(claim, { ...PARKED, message: nul } as RunEnd),
      () => subject.runs.list({ scope: 'all', limit: 1, q: nul }),
      () => subject.queue.reclaim(nul),
    ];
    for (const refusal of refusals) await expect(refusal()).rejects.toMatchObject({ code: 'invalidRequest' });
  });

  it('is listed only from a valid cursor', async () => {
    for (const cursor of ['', '-1', '1.5', 'abc', '9'.repeat(20)]) {
      const refused = { code: 'invalidRequest' };
      await expect(subject.runs.list({ scope: 'all', limit: 1, cursor })).rejects.toMatchObject(refused);
      await expect(subject.inbox.listQuarantined({ scope: 'all', limit: 1, cursor })).rejects.toMatchObject(refused);
    }
  });
});
