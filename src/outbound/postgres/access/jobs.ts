// Jobs, in PostgreSQL, so that any engine can work on what another received. Single statements decide by the database's clock which engine works
// on a job, and whose result counts. Bodies are stored in chunks, as prepared streams and recordings are.
import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../../../domain/access/api-key.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ClaimedJob, JobBody, Jobs, NewJob } from '../../../ports/jobs.ts';
import type { Database } from '../database.ts';
import { guarded, guardedMethods } from '../errors.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { readFile, storeFile } from '../streams/stream-chunks.ts';
import {
  bodyParts,
  JOB_COLUMNS,
  type JobRow,
  openRequest,
  operationOf,
  sealRequest,
  sealResult,
  toJob,
} from './job-rows.ts';

type JobParts = {
  readonly database: Database;
  readonly secrets: Secrets;
  /** What the results of one API key may take together. */
  readonly mostBytesPerKey?: number;
};

const LEASE_SECONDS = 15;
const DAY_SECONDS = 24 * 60 * 60;
/** A body that is not complete after this time has broken off. */
const RECEIVING_SECONDS = 20 * 60;
/** A key may have so many jobs that have not ended, and so many bytes in their bodies. */
const MOST_OPEN = 100;
const MOST_OPEN_BYTES = 2 * 1024 * 1_048_576;
const MOST_BYTES_PER_KEY = 256 * 1_048_576;

const isOpen = sql<boolean>`status in ('receiving', 'queued', 'running')`;

type ClaimedRow = {
  readonly id: string;
  readonly key_id: string;
  readonly organization: string;
  readonly operation: string;
  readonly request_id: string;
  readonly created_at: Date;
  readonly attempts: number;
  readonly size_bytes: number;
  readonly request: Buffer;
};

export function makePostgresJobs(parts: JobParts): Jobs {
  const { db } = parts.database;
  const sealing = parts.secrets.sealing('jobs');
  const digest = parts.secrets.digest('idempotency-keys');
  const own = ({ keyId, organization }: Caller) => sql`key_id = ${keyId} and organization = ${organization}`;
  const opener =
    (id: string, sizeBytes: number): JobBody =>
    () =>
      readFile({ ...bodyParts({ db, sealing }, id), sizeBytes });

  async function discard(id: string): Promise<void> {
    await sql`delete from jobs where id = ${id} and status = 'receiving'`.execute(db);
  }

  async function select(where: RawBuilder<unknown>) {
    const { rows } = await sql<JobRow & { request: Buffer }>`
      select ${JOB_COLUMNS}, request from jobs where ${where} and status <> 'receiving'
        and (ended_at is null or expires_at > now())`.execute(db);
    return rows[0];
  }

  /** Stored row by row: one transaction would hold a connection for as long as the client takes. */
  async function receive(job: NewJob, bytes: AsyncIterable<Uint8Array>): Promise<JobBody> {
    const { id, caller, operation, requestId, clientKey } = job;
    const hash = clientKey === undefined ? null : digest(caller.keyId, clientKey);
    await guarded(() =>
      sql`
        insert into jobs (id, key_id, organization, operation, request_id, client_key_hash, status, expires_at)
        values (${id}, ${caller.keyId}, ${caller.organization}, ${operation}, ${requestId}, ${hash}, 'receiving',
          now() + make_interval(secs => ${RECEIVING_SECONDS}))`.execute(db),
    );
    try {
      const { sizeBytes } = await storeFile({ ...bodyParts({ db, sealing }, id), source: bytes });
      await guarded(() => sql`update jobs set size_bytes = ${sizeBytes} where id = ${id}`.execute(db));
      return opener(id, sizeBytes);
    } catch (thrown) {
      // A row that cannot be deleted now is deleted by the next sweep.
      await discard(id).catch(() => undefined);
      throw thrown;
    }
  }

  const methods = guardedMethods<Omit<Jobs, 'receive'>>({
    async ensureRoom({ keyId }) {
      const { rows } = await sql<{ jobs: number; bytes: number }>`
        select count(*)::int as jobs, coalesce(sum(size_bytes), 0)::float8 as bytes from jobs
        where key_id = ${keyId} and ${isOpen}`.execute(db);
      const { jobs = 0, bytes = 0 } = rows[0] ?? {};
      if (jobs >= MOST_OPEN || bytes >= MOST_OPEN_BYTES) throw tooMany();
    },

    async queue(id, request) {
      try {
        const { rows } = await sql`
          update jobs set status = 'queued', request = ${sealRequest(sealing, id, request)},
            callback_state = ${request.callbackUrl === undefined ? null : 'wanted'},
            expires_at = now() + make_interval(secs => ${DAY_SECONDS})
          where id = ${id} and status = 'receiving' returning 1`.execute(db);
        if (rows.length === 0) throw new AppError('internal', 'A job vanished while it was stored');
        return true;
      } catch (thrown) {
        if (!isSecondOfKey(thrown)) throw thrown;
        await discard(id);
        return false;
      }
    },

    discard,

    async findByKey(caller, clientKey) {
      const row = await select(sql`${own(caller)} and client_key_hash = ${digest(caller.keyId, clientKey)}`);
      if (row === undefined) return undefined;
      const { bodyDigest } = openRequest(sealing, row.id, row.request);
      return { job: toJob(sealing, row), ...(bodyDigest !== undefined && { bodyDigest }) };
    },

    async find(id, caller) {
      const row = await select(sql`id = ${id} and ${own(caller)}`);
      return row && toJob(sealing, row);
    },

    async remove(id, caller) {
      const cancelled = await sql<ClaimedRow>`
        with cancelled as (
          update jobs set status = 'cancelled', holder = null, lease_until = null, ended_at = now(), callback_state = null,
            expires_at = now() + make_interval(secs => ${DAY_SECONDS})
          where id = ${id} and ${own(caller)} and status in ('queued', 'running')
          returning *
        ), emptied as (delete from job_chunks using cancelled where job_id = cancelled.id)
        select * from cancelled`.execute(db);
      const [row] = cancelled.rows;
      if (row !== undefined) return { ...namesOf(row), isCancelled: true };
      const deleted = await sql<ClaimedRow>`
        delete from jobs where id = ${id} and ${own(caller)} and ended_at is not null returning *`.execute(db);
      const [gone] = deleted.rows;
      return gone && { ...namesOf(gone), isCancelled: false };
    },

    async claim(holder, limit) {
      const { rows } = await claimQuery(holder, limit).execute(db);
      return rows.map((row): ClaimedJob => {
        const { id, attempts, size_bytes: sizeBytes } = row;
        return {
          id,
          ...namesOf(row),
          attempts,
          request: openRequest(sealing, id, row.request),
          open: opener(id, sizeBytes),
        };
      });
    },

    async renew(holder, ids) {
      const { rows } = await sql<{ id: string }>`
        update jobs set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
        where id = any(${[...ids]}::uuid[]) and holder = ${holder} and status = 'running' returning id`.execute(db);
      const kept = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => !kept.has(id));
    },

    async finish(id, holder, result) {
      const { rows } = await sql`
        with ended as (
          update jobs set status = ${result.status < 400 ? 'done' : 'failed'}, result = ${sealResult(sealing, id, result)},
            callback_state = case when callback_state is not null then 'due' end, callback_at = now(),
            holder = null, lease_until = null, ended_at = now(), expires_at = now() + make_interval(secs => ${DAY_SECONDS})
          where id = ${id} and holder = ${holder} and status = 'running'
          returning id
        ), emptied as (delete from job_chunks using ended where job_id = ended.id)
        select 1 from ended`.execute(db);
      return rows.length > 0;
    },

    async release(id, holder) {
      await sql`
        update jobs set status = 'queued', holder = null, lease_until = null, attempts = attempts - 1
        where id = ${id} and holder = ${holder} and status = 'running'`.execute(db);
    },

    async sweep() {
      const over = await sql`
        delete from jobs where expires_at <= now() and (ended_at is not null or status = 'receiving')
        returning 1`.execute(db);
      const tooMuch = await sql`
        with sized as (
          select id, sum(octet_length(result)) over (partition by key_id order by ended_at desc, id) as bytes
          from jobs where result is not null
        )
        delete from jobs using sized
        where jobs.id = sized.id and sized.bytes > ${parts.mostBytesPerKey ?? MOST_BYTES_PER_KEY}
        returning 1`.execute(db);
      return over.rows.length + tooMuch.rows.length;
    },
  });
  return { ...methods, receive };
}

function namesOf(row: ClaimedRow) {
  return {
    keyId: row.key_id,
    organization: row.organization,
    operation: operationOf(row),
    requestId: row.request_id,
    createdAt: row.created_at,
  };
}

/** One statement, so that only one of several engines gets a job. Keys with little under way come first, so that no key waits for another's hundred. */
export function claimQuery(holder: string, limit: number) {
  return sql<ClaimedRow>`
    with due as (
      select id from jobs job
      where status = 'queued' or status = 'running' and lease_until <= now()
      order by (
        select count(*) from jobs other where other.key_id = job.key_id and other.status = 'running'
      ), created_at, id
      limit ${limit} for update skip locked
    )
    update jobs set status = 'running', holder = ${holder}, attempts = attempts + 1,
      lease_until = now() + make_interval(secs => ${LEASE_SECONDS}), started_at = coalesce(started_at, now())
    from due where jobs.id = due.id
    returning jobs.*`;
}

function isSecondOfKey(thrown: unknown): boolean {
  return String((thrown as { readonly constraint?: unknown }).constraint) === 'jobs_by_client_key';
}

function tooMany(): AppError {
  return new AppError('overloaded', `This key has ${MOST_OPEN} jobs, or 2 GB of them, that have not ended`, {
    retryAfterSeconds: 10,
  });
}
