// Clinicians decide in the EHR: a Task that they completed or rejected is read, and decides about the draft.
import { describe, expect, it } from '@jest/globals';
import type { Task } from '@medplum/fhirtypes';
import { AppError } from '../../../src/domain/errors.ts';
import type { ReviewOrder } from '../../../src/flows/reviews/review-run.ts';
import { makeWatchReviews } from '../../../src/flows/reviews/watch-reviews.ts';
import type { Runs } from '../../../src/ports/runs.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { aLiveSite } from '../../support/chart-writing.ts';
import { aKeptRun, RESULTS } from '../../support/stored-runs.ts';

const TASK: Task = {
  resourceType: 'Task',
  id: 't-1',
  status: 'requested',
  intent: 'order',
  for: { reference: 'Patient/p-1' },
  owner: { reference: 'Practitioner/7' },
};

async function aRoom(task: Partial<Task> = {}, by: 'task' | 'engine' = 'task') {
  const site = aLiveSite();
  Object.assign(site.settings, { review: { by } });
  const ehr = makeFakeEhr({ resources: [{ ...TASK, ...task } as Task] });
  const stores = makeFakeRuns();
  const resources = [{ document: 'task', reference: 'Task/t-1', status: 'created' }] as const;
  await aKeptRun(stores, {
    site: 'mercy',
    session: 'session-1',
    results: RESULTS,
    end: { status: 'written', resources, left: [] },
  });
  const orders: ReviewOrder[] = [];
  const asked: string[] = [];
  let failure: AppError | undefined;
  const runs: Pick<Runs, 'awaitingReview' | 'noteReviewChecked'> = {
    awaitingReview: stores.runs.awaitingReview,
    noteReviewChecked: async (ids) => {
      asked.push(...ids);
      await stores.runs.noteReviewChecked(ids);
    },
  };
  const watch = makeWatchReviews({
    runs,
    ehrs: ehr.ehrs,
    reviewRun: async (order) => {
      orders.push(order);
      if (failure) throw failure;
      return {} as Awaited<ReturnType<Parameters<typeof makeWatchReviews>[0]['reviewRun']>>;
    },
  });
  return {
    orders,
    asked,
    fail: (error: AppError) => {
      failure = error;
    },
    watch: () => watch({ site }, new AbortController().signal),
  };
}

describe('a Task in the EHR', () => {
  it('a completed Task approves the draft in the name of its owner', async () => {
    const { watch, orders } = await aRoom({ status: 'completed' });
    expect(await watch()).toBe(1);
    expect(orders).toMatchObject([
      {
        decision: { kind: 'approve' },
        decider: { signsAs: [{ practitioner: 'Practitioner/7', site: 'mercy' }] },
        revision: 1,
      },
    ]);
  });

  it('a rejected Task retracts the draft with its reason', async () => {
    const { watch, orders } = await aRoom({ status: 'rejected', statusReason: { text: 'Another patient spoke.' } });
    await watch();
    expect(orders).toMatchObject([{ decision: { kind: 'reject', reason: 'Another patient spoke.' } }]);
  });

  it.each(['requested', 'in-progress', 'cancelled', 'failed'] as const)(
    'a Task that is %s decides nothing',
    async (status) => {
      const { watch, orders, asked } = await aRoom({ status });
      expect(await watch()).toBe(0);
      expect(orders).toEqual([]);
      expect(asked).toHaveLength(1);
    },
  );

  it.each([
    ['nobody', undefined],
    ['a group', { reference: 'CareTeam/1' }],
    ['somebody of another server', { reference: 'https://elsewhere.example.org/fhir/Practitioner/7' }],
  ])('a Task that belongs to %s decides nothing', async (_, owner) => {
    const { watch, orders } = await aRoom({ status: 'completed', owner } as Partial<Task>);
    await watch();
    expect(orders).toEqual([]);
  });

  it('a Task is ignored if another decision came first', async () => {
    const { watch, fail } = await aRoom({ status: 'completed' });
    fail(new AppError('conflict', 'This draft has revision 2 by now'));
    expect(await watch()).toBe(0);
  });

  it('Tasks are not read if the site reviews in the engine', async () => {
    const { watch, orders } = await aRoom({ status: 'completed' }, 'engine');
    expect(await watch()).toBe(0);
    expect(orders).toEqual([]);
  });
});
