import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { type AnswerJob, makeRemoveJob, makeWorkOnJob } from '../../../src/flows/service/work-on-job.ts';
import type { ClaimedJob } from '../../../src/ports/jobs.ts';
import { aJob } from '../../contracts/jobs-contract.ts';
import { makeFakeJobs } from '../../fakes/jobs.ts';
import { makeFakeUsage } from '../../fakes/usage.ts';

const HOLDER = 'engine-1';
const going = new AbortController().signal;
const ANSWER = { result: { status: 200, body: { of: 'made up' } }, usage: { aiMs: 12.4, audioSeconds: 3 } };

async function* noBytes(): AsyncGenerator<Uint8Array> {}

async function aSetup(answerJob: AnswerJob) {
  let time = Date.parse('2026-03-02T10:00:00Z');
  const now = () => new Date(time);
  const jobs = makeFakeJobs({ now });
  const usage = makeFakeUsage({ now });
  const failures: unknown[] = [];
  const onFailed = ({ thrown }: { readonly thrown: unknown }) => void failures.push(thrown);
  const parts = { jobs, usage, runtime: { now }, onFailed };
  const { id, caller, ...more } = aJob();
  await jobs.receive({ id, caller, ...more }, noBytes());
  await jobs.queue(id, { headers: {} });
  const claim = async (): Promise<ClaimedJob> => {
    const [job] = await jobs.claim(HOLDER, 1);
    if (job === undefined) throw new Error('there is no job to claim');
    return job;
  };
  return {
    jobs,
    failures,
    claim,
    work: makeWorkOnJob({ ...parts, answerJob }),
    remove: () => makeRemoveJob(parts)(id, caller),
    shown: () => jobs.find(id, caller),
    records: () => usage.summarize({}),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('a job', () => {
  it('has its result kept and its usage recorded once, with the time since the request', async () => {
    const { claim, work, shown, records, pass } = await aSetup(async () => ANSWER);
    const job = await claim();
    pass(2_000);
    await work(job, HOLDER, going);
    expect(await shown()).toMatchObject({ status: 'done', result: ANSWER.result });
    await work(job, HOLDER, going);
    expect(await records()).toMatchObject([
      { operation: 'diagnose', requests: 1, failures: 0, aiMs: 12, audioSeconds: 3, durationMs: 2_000 },
    ]);
  });

  it('is given back without a counted attempt when the engine stops, and nothing is recorded', async () => {
    const stopped = new AppError('shuttingDown', 'The engine is stopping');
    const { claim, work, shown, records, failures } = await aSetup(async () => {
      throw stopped;
    });
    await work(await claim(), HOLDER, AbortSignal.abort(stopped));
    expect((await shown())?.status).toBe('queued');
    expect((await claim()).attempts).toBe(1);
    expect([await records(), failures]).toEqual([[], []]);
  });

  it('waits for the end of its lease if the engine fails, and is given up after five attempts', async () => {
    let answers = 0;
    const { claim, work, shown, records, failures, pass } = await aSetup(async () => {
      answers += 1;
      throw new AppError('cancelled', 'The body could not be read');
    });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await work(await claim(), HOLDER, going);
      expect((await shown())?.status).toBe('running');
      pass(16_000);
    }
    await work(await claim(), HOLDER, going);
    expect(answers).toBe(5);
    expect(await shown()).toMatchObject({ status: 'failed', result: { status: 500 } });
    expect(await records()).toMatchObject([{ requests: 1, failures: 1 }]);
    expect(failures).toHaveLength(6);
  });

  it('is tried again while the engine has too much work, and has failed with that after five attempts', async () => {
    const failure = new AppError('overloaded', 'Too many uploads');
    const result = { status: 503, body: { statusCode: 503 } };
    const { claim, work, shown, records, pass } = await aSetup(async () => ({ result, usage: ANSWER.usage, failure }));
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await work(await claim(), HOLDER, going);
      expect([(await shown())?.status, await records()]).toEqual(['running', []]);
      pass(16_000);
    }
    await work(await claim(), HOLDER, going);
    expect(await shown()).toMatchObject({ status: 'failed', result });
    expect(await records()).toMatchObject([{ requests: 1, failures: 1 }]);
  });

  it('that is cancelled counts as cancelled, and the work that was under way counts for nothing', async () => {
    const { claim, work, shown, records, remove } = await aSetup(async () => ANSWER);
    const job = await claim();
    expect(await remove()).toBe(true);
    await work(job, HOLDER, going);
    expect(await shown()).toMatchObject({ status: 'cancelled' });
    expect(await records()).toMatchObject([{ requests: 1, failures: 0, cancelled: 1, audioSeconds: 0 }]);
    expect(await remove()).toBe(true);
    expect(await remove()).toBe(false);
    expect(await records()).toMatchObject([{ requests: 1 }]);
  });
});
