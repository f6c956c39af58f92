// What every store of jobs promises.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { JobResult } from '../../src/domain/access/job.ts';
import type { JobBody, Jobs, NewJob } from '../../src/ports/jobs.ts';

export type JobsSubject = {
  readonly jobs: Jobs;
  /** The same jobs, as another engine has them. */
  readonly other: Jobs;
  /** Makes everything older by this much. */
  readonly pass: (ms: number) => Promise<void>;
};

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** An API key may keep so much in these tests. */
export const MOST_JOB_BYTES = 100_000;

const CALLER = { keyId: 'key-1', organization: 'clinic-1', plan: 'unlimited' };
const REQUEST = { headers: { 'content-type': 'application/json' }, bodyDigest: 'a1' };
const RESULT: JobResult = { status: 200, body: { of: 'someone made up' } };

export function aJob(parts: Partial<NewJob> = {}): NewJob {
  const id = randomUUID();
  return { id, caller: CALLER, operation: 'diagnose', requestId: `request-${id}`, ...parts };
}

async function* bytesOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function textOf(open: JobBody): Promise<string> {
  let text = '';
  for await (const bytes of open()) text += Buffer.from(bytes).toString('utf8');
  return text;
}

async function queued(jobs: Jobs, parts: Partial<NewJob> = {}): Promise<string> {
  const job = aJob(parts);
  await jobs.receive(job, bytesOf('{"clinical', '_history":"made up"}'));
  expect(await jobs.queue(job.id, REQUEST)).toBe(true);
  return job.id;
}

export function jobsContract(name: string, makeSubject: () => Promise<JobsSubject>): void {
  describe(`the jobs of ${name}`, () => {
    it('give a queued job, with its request and body, to one of many engines that ask at once', async () => {
      const { jobs, other } = await makeSubject();
      const id = await queued(jobs);
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? jobs : other).claim(randomUUID(), 5)),
      );
      const [claimed, ...more] = claims.flat();
      expect(more).toEqual([]);
      expect(claimed).toMatchObject({ id, keyId: 'key-1', operation: 'diagnose', attempts: 1, request: REQUEST });
      expect(claimed && (await textOf(claimed.open))).toBe('{"clinical_history":"made up"}');
      expect(await other.find(id, CALLER)).toMatchObject({ id, status: 'running' });
    });

    it('show a job to its key only, and one whose body is not stored yet to no caller', async () => {
      const { jobs, other } = await makeSubject();
      const id = await queued(jobs);
      expect(await other.find(id, CALLER)).toMatchObject({ id, status: 'queued', operation: 'diagnose' });
      for (const foreign of [{ keyId: 'key-2' }, { organization: 'clinic-2' }]) {
        expect(await jobs.find(id, { ...CALLER, ...foreign })).toBeUndefined();
        expect(await jobs.remove(id, { ...CALLER, ...foreign })).toBeUndefined();
      }
      const half = aJob();
      await jobs.receive(half, bytesOf('x'));
      expect(await jobs.find(half.id, CALLER)).toBeUndefined();
      await jobs.discard(half.id);
      expect((await jobs.claim(randomUUID(), 5)).map((one) => one.id)).toEqual([id]);
    });

    it('keep the result of the holder for 24 hours, and no other', async () => {
      const { jobs, other, pass } = await makeSubject();
      const id = await queued(jobs);
      const holder = randomUUID();
      await jobs.claim(holder, 1);
      expect(await other.finish(id, randomUUID(), RESULT)).toBe(false);
      expect(await jobs.finish(id, holder, RESULT)).toBe(true);
      expect(await jobs.finish(id, holder, { ...RESULT, status: 500 })).toBe(false);
      expect(await other.find(id, CALLER)).toMatchObject({ status: 'done', result: RESULT });
      await pass(23 * HOUR_MS);
      expect(await jobs.sweep()).toBe(0);
      expect(await jobs.find(id, CALLER)).toMatchObject({ result: RESULT });
      await pass(2 * HOUR_MS);
      expect(await jobs.find(id, CALLER)).toBeUndefined();
      expect(await jobs.sweep()).toBe(1);
    });

    it('have failed if the status of the result is that of a failure', async () => {
      const { jobs } = await makeSubject();
      const id = await queued(jobs);
      const holder = randomUUID();
      await jobs.claim(holder, 1);
      await jobs.finish(id, holder, { status: 400, body: {} });
      expect(await jobs.find(id, CALLER)).toMatchObject({ status: 'failed', result: { status: 400 } });
    });

    it('give the job of an engine that died to another one, whose result counts, and not that of an engine that renews', async () => {
      const { jobs, other, pass } = await makeSubject();
      const id = await queued(jobs);
      const [first, second] = [randomUUID(), randomUUID()];
      await jobs.claim(first, 1);
      await pass(10 * SECOND_MS);
      expect(await jobs.renew(first, [id])).toEqual([]);
      await pass(10 * SECOND_MS);
      expect(await other.claim(second, 1)).toEqual([]);
      await pass(6 * SECOND_MS);
      expect(await other.claim(second, 1)).toMatchObject([{ id, attempts: 2 }]);
      expect(await jobs.renew(first, [id])).toEqual([id]);
      expect(await jobs.finish(id, first, RESULT)).toBe(false);
      expect(await other.finish(id, second, RESULT)).toBe(true);
    });

    it('give a job that an engine gives back to the next one at once, without a counted attempt', async () => {
      const { jobs, other } = await makeSubject();
      const id = await queued(jobs);
      const holder = randomUUID();
      await jobs.claim(holder, 1);
      await other.release(id, randomUUID());
      expect(await other.claim(randomUUID(), 1)).toEqual([]);
      await jobs.release(id, holder);
      expect(await other.claim(randomUUID(), 1)).toMatchObject([{ id, attempts: 1 }]);
    });

    it('cancel a job that has not ended, whose work no longer counts, and delete one that has', async () => {
      const { jobs, other } = await makeSubject();
      const id = await queued(jobs);
      const holder = randomUUID();
      await jobs.claim(holder, 1);
      expect(await other.remove(id, CALLER)).toMatchObject({ isCancelled: true, operation: 'diagnose' });
      expect(await jobs.renew(holder, [id])).toEqual([id]);
      expect(await jobs.finish(id, holder, RESULT)).toBe(false);
      expect((await jobs.find(id, CALLER))?.status).toBe('cancelled');
      expect(await other.remove(id, CALLER)).toMatchObject({ isCancelled: false });
      expect(await jobs.find(id, CALLER)).toBeUndefined();
      expect(await jobs.remove(id, CALLER)).toBeUndefined();
    });

    it('have one job for an Idempotency-Key of a caller, and find it again', async () => {
      const { jobs, other } = await makeSubject();
      const clientKey = 'of the client';
      const [first, second] = [aJob({ clientKey }), aJob({ clientKey })];
      await jobs.receive(first, bytesOf('x'));
      await other.receive(second, bytesOf('x'));
      expect(await jobs.findByKey(CALLER, clientKey)).toBeUndefined();
      expect(await jobs.queue(first.id, REQUEST)).toBe(true);
      expect(await other.queue(second.id, REQUEST)).toBe(false);
      expect(await other.findByKey(CALLER, clientKey)).toMatchObject({ job: { id: first.id }, bodyDigest: 'a1' });
      expect(await other.findByKey({ ...CALLER, keyId: 'key-2' }, clientKey)).toBeUndefined();
      expect((await jobs.claim(randomUUID(), 5)).map(({ id }) => id)).toEqual([first.id]);
      await queued(jobs, { clientKey, caller: { ...CALLER, keyId: 'key-2' } });
    });

    it('refuse a key that has a hundred jobs which have not ended, and no other', async () => {
      const { jobs } = await makeSubject();
      for (let count = 0; count < 100; count += 1) await queued(jobs);
      await expect(jobs.ensureRoom(CALLER)).rejects.toMatchObject({ code: 'overloaded' });
      await jobs.ensureRoom({ ...CALLER, keyId: 'key-2' });
      const holder = randomUUID();
      const [one] = await jobs.claim(holder, 1);
      await jobs.finish(one?.id ?? '', holder, RESULT);
      await jobs.ensureRoom(CALLER);
    });

    it('begin with the job of a key that has none under way', async () => {
      const { jobs } = await makeSubject();
      await queued(jobs);
      await queued(jobs);
      await jobs.claim(randomUUID(), 1);
      const late = await queued(jobs, { caller: { ...CALLER, keyId: 'key-2' } });
      expect(await jobs.claim(randomUUID(), 1)).toMatchObject([{ id: late }]);
    });

    it('delete bodies that broke off, and the oldest results of a key that keeps too much', async () => {
      const { jobs, pass } = await makeSubject();
      await jobs.receive(aJob(), bytesOf('x'));
      const holder = randomUUID();
      const large = { status: 200, body: 'x'.repeat(MOST_JOB_BYTES / 2) };
      const ids: string[] = [];
      for (let count = 0; count < 3; count += 1) {
        const id = await queued(jobs);
        ids.push(id);
        await jobs.claim(holder, 1);
        await jobs.finish(id, holder, large);
        await pass(SECOND_MS);
      }
      expect(await jobs.sweep()).toBe(2);
      const found = await Promise.all(ids.map((id) => jobs.find(id, CALLER)));
      expect(found.map((job) => job !== undefined)).toEqual([false, false, true]);
      await pass(HOUR_MS);
      expect(await jobs.sweep()).toBe(1);
    });
  });
}
