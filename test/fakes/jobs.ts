// Jobs, in memory, with a clock that the test sets.
import type { Caller } from '../../src/domain/access/api-key.ts';
import type { Job, JobResult, JobStatus } from '../../src/domain/access/job.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { ClaimedJob, JobRequest, Jobs, NewJob } from '../../src/ports/jobs.ts';

type Row = NewJob & {
  readonly body: readonly Uint8Array[];
  readonly createdAt: Date;
  status: JobStatus | 'receiving';
  request: JobRequest;
  result: JobResult | undefined;
  attempts: number;
  holder: string | undefined;
  leaseUntil: number;
  endedAt: Date | undefined;
  expiresAt: number;
};

const LEASE_MS = 15_000;
const DAY_MS = 24 * 60 * 60_000;
const RECEIVING_MS = 20 * 60_000;
const MOST_OPEN = 100;
const OPEN: readonly string[] = ['receiving', 'queued', 'running'];

export function makeFakeJobs({
  now = () => new Date(),
  mostBytesPerKey = Number.POSITIVE_INFINITY,
}: {
  readonly now?: () => Date;
  readonly mostBytesPerKey?: number;
} = {}): Jobs {
  const rows = new Map<string, Row>();
  const time = () => now().getTime();
  const all = () => [...rows.values()];
  const isOwn = ({ caller: owner }: Row, caller: Caller) =>
    owner.keyId === caller.keyId && owner.organization === caller.organization;
  const visible = (row: Row | undefined, caller: Caller) =>
    row !== undefined && isOwn(row, caller) && row.status !== 'receiving' && (!row.endedAt || row.expiresAt > time())
      ? row
      : undefined;
  const held = (id: string, holder: string) => {
    const row = rows.get(id);
    return row?.status === 'running' && row.holder === holder ? row : undefined;
  };
  const end = (row: Row, status: JobStatus, result?: JobResult): void => {
    Object.assign(row, { status, result, holder: undefined, endedAt: now(), expiresAt: time() + DAY_MS });
  };
  const toJob = ({ id, status, operation, createdAt, result }: Row): Job => ({
    id,
    status: status as JobStatus,
    operation,
    createdAt,
    ...(result !== undefined && { result }),
  });
  const namesOf = ({ caller, operation, requestId, createdAt }: Row) => ({
    keyId: caller.keyId,
    organization: caller.organization,
    operation,
    requestId,
    createdAt,
  });
  const open = (row: Row) =>
    async function* () {
      yield* row.body;
    };
  const underWay = (keyId: string) =>
    all().filter((row) => row.caller.keyId === keyId && row.status === 'running').length;
  const claimOf = (row: Row): ClaimedJob => {
    const { id, attempts, request } = row;
    return { id, ...namesOf(row), attempts, request, open: open(row) };
  };

  return {
    async ensureRoom({ keyId }) {
      const mine = all().filter((row) => row.caller.keyId === keyId && OPEN.includes(row.status));
      if (mine.length >= MOST_OPEN) throw new AppError('overloaded', 'This key has too many jobs');
    },
    async receive(job, bytes) {
      const body = await Array.fromAsync(bytes);
      const row: Row = {
        ...job,
        body,
        createdAt: now(),
        status: 'receiving',
        request: { headers: {} },
        result: undefined,
        attempts: 0,
        holder: undefined,
        leaseUntil: 0,
        endedAt: undefined,
        expiresAt: time() + RECEIVING_MS,
      };
      rows.set(job.id, row);
      return open(row);
    },
    async queue(id, request) {
      const row = rows.get(id);
      if (row?.status !== 'receiving') throw new AppError('internal', 'A job vanished while it was stored');
      const { clientKey, caller } = row;
      const isSecond = all().some(
        (one) =>
          one.status !== 'receiving' && isOwn(one, caller) && clientKey !== undefined && one.clientKey === clientKey,
      );
      if (isSecond) rows.delete(id);
      else Object.assign(row, { status: 'queued', request });
      return !isSecond;
    },
    async discard(id) {
      if (rows.get(id)?.status === 'receiving') rows.delete(id);
    },
    async findByKey(caller, clientKey) {
      const row = all().find((one) => one.clientKey === clientKey && visible(one, caller) !== undefined);
      if (row === undefined) return undefined;
      const { bodyDigest } = row.request;
      return { job: toJob(row), ...(bodyDigest !== undefined && { bodyDigest }) };
    },
    async find(id, caller) {
      const row = visible(rows.get(id), caller);
      return row && toJob(row);
    },
    async remove(id, caller) {
      const row = visible(rows.get(id), caller);
      if (row === undefined) return undefined;
      const isCancelled = row.endedAt === undefined;
      if (isCancelled) end(row, 'cancelled');
      else rows.delete(id);
      return { ...namesOf(row), isCancelled };
    },
    async claim(holder, limit) {
      const due = all()
        .filter(({ status, leaseUntil }) => status === 'queued' || (status === 'running' && leaseUntil <= time()))
        .toSorted((one, other) => underWay(one.caller.keyId) - underWay(other.caller.keyId))
        .slice(0, limit);
      for (const row of due) {
        Object.assign(row, { status: 'running', holder, leaseUntil: time() + LEASE_MS, attempts: row.attempts + 1 });
      }
      return due.map(claimOf);
    },
    async renew(holder, ids) {
      for (const id of ids) Object.assign(held(id, holder) ?? {}, { leaseUntil: time() + LEASE_MS });
      return ids.filter((id) => held(id, holder) === undefined);
    },
    async finish(id, holder, result) {
      const row = held(id, holder);
      if (row !== undefined) end(row, result.status < 400 ? 'done' : 'failed', result);
      return row !== undefined;
    },
    async release(id, holder) {
      const row = held(id, holder);
      if (row !== undefined) Object.assign(row, { status: 'queued', holder: undefined, attempts: row.attempts - 1 });
    },
    async sweep() {
      const before = rows.size;
      for (const [id, { endedAt, status, expiresAt }] of rows) {
        if (expiresAt <= time() && (endedAt !== undefined || status === 'receiving')) rows.delete(id);
      }
      const bytes = new Map<string, number>();
      const ended = all().toSorted((one, other) => Number(other.endedAt ?? 0) - Number(one.endedAt ?? 0));
      for (const { id, caller, result } of ended) {
        if (result === undefined) continue;
        const sum = (bytes.get(caller.keyId) ?? 0) + JSON.stringify(result).length;
        bytes.set(caller.keyId, sum);
        if (sum > mostBytesPerKey) rows.delete(id);
      }
      return before - rows.size;
    },
  };
}
