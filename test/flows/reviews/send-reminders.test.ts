// Reminders of runs and drafts that wait for a person, after the times in the settings of the site.
import { describe, expect, it } from '@jest/globals';
import type { RunEnd } from '../../../src/domain/run/run-end.ts';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import { makeSendReminders } from '../../../src/flows/reviews/send-reminders.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aLiveSite } from '../../support/chart-writing.ts';
import { aKeptRun, HELD, WRITTEN } from '../../support/stored-runs.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const PARKED: RunEnd = { status: 'parked', reason: 'tries', message: 'It failed five times.', advice: 'Look at it.' };
const SENSITIVE: RunEnd = { status: 'held', reason: 'sensitive', message: 'A person decides.' };
const ALL: Partial<SiteSettings> = {
  attention: { afterMs: 10 * MINUTE_MS, to: ['amqp'] },
  review: { by: 'task', remindAfterMs: DAY_MS, escalateAfterMs: 3 * DAY_MS },
};
const WITHOUT_REVIEW: Partial<SiteSettings> = {
  write: {
    ...aLiveSite().settings.write,
    review: 'final',
    signedWithoutReview: {
      acceptedBy: 'A. Chief',
      role: 'CMO',
      date: '2026-01-01',
      until: '2026-12-31',
      reason: 'trial',
    },
  },
};

function aRoom(settings: Partial<SiteSettings> = ALL) {
  const runtime = makeFakeRuntime();
  const stores = makeFakeRuns({ now: runtime.now });
  const site = aLiveSite();
  const remind = makeSendReminders({ reminders: stores.reminders, runtime });
  let count = 0;
  const change = (parts: Partial<SiteSettings>) => Object.assign(site.settings, parts);
  change(settings);
  return {
    change,
    /** One of its own patient, that came to this end. */
    run: async (end: RunEnd) => {
      count += 1;
      const place = { encounter: `Encounter/e-${count}`, patient: `Patient/p-${count}`, session: 's' };
      return (await aKeptRun(stores, { ...place, end })).id;
    },
    pass: runtime.advance,
    remind: (signal = new AbortController().signal) => remind({ site }, signal),
    told: () => stores.outbox.map(({ event }) => [event.runId, event.because]),
  };
}

describe('a reminder is sent', () => {
  it('a reminder is sent for a run that needs a person and has not changed for the set time', async () => {
    const { run, pass, remind, told } = aRoom();
    const parked = await run(PARKED);
    const held = await run(SENSITIVE);
    pass(10 * MINUTE_MS - 1);
    expect(await remind()).toBe(0);
    pass(1);
    expect(await remind()).toBe(2);
    pass(30 * DAY_MS);
    expect(await remind()).toBe(0);
    expect(told().toSorted()).toEqual(
      [
        [parked, 'needs-person'],
        [held, 'needs-person'],
      ].toSorted(),
    );
  });

  it.each([
    ['in the chart', WRITTEN],
    ['in the engine', HELD],
  ])('a reminder is sent for a draft %s without a decision, and another one when it is overdue', async (_, end) => {
    const { run, pass, remind, told } = aRoom();
    const draft = await run(end);
    pass(10 * MINUTE_MS);
    expect(await remind()).toBe(0);
    pass(DAY_MS);
    expect(await remind()).toBe(1);
    expect(await remind()).toBe(0);
    pass(2 * DAY_MS);
    expect(await remind()).toBe(1);
    pass(30 * DAY_MS);
    expect(await remind()).toBe(0);
    expect(told()).toEqual([
      [draft, 'review-due'],
      [draft, 'review-overdue'],
    ]);
  });

  it('only the overdue reminder is sent if the engine was down for that long', async () => {
    const { run, pass, remind, told } = aRoom();
    const draft = await run(HELD);
    pass(4 * DAY_MS);
    expect(await remind()).toBe(1);
    expect(told()).toEqual([[draft, 'review-overdue']]);
  });

  it('a limited number of reminders is sent per pass, and the rest in the next passes', async () => {
    const { run, pass, remind } = aRoom();
    for (let n = 0; n < 105; n += 1) await run(PARKED);
    pass(DAY_MS);
    expect([await remind(), await remind(), await remind()]).toEqual([100, 5, 0]);
  });
});

describe('no reminder is sent', () => {
  it('for a site without reminder times', async () => {
    const { run, pass, remind } = aRoom({});
    for (const end of [PARKED, SENSITIVE, HELD, WRITTEN]) await run(end);
    pass(300 * DAY_MS);
    expect(await remind()).toBe(0);
  });

  it('for a site that is off', async () => {
    const { run, pass, remind, change } = aRoom({ ...ALL, mode: 'off' });
    await run(PARKED);
    pass(DAY_MS);
    expect(await remind()).toBe(0);
    change({ mode: 'live' });
    expect(await remind()).toBe(1);
  });

  it('for a held draft in shadow mode, but for written drafts and runs that need a person', async () => {
    const { run, pass, remind, told } = aRoom({ ...ALL, mode: 'shadow' });
    await run(HELD);
    const written = await run(WRITTEN);
    const parked = await run(PARKED);
    pass(DAY_MS);
    expect(await remind()).toBe(2);
    expect(told().toSorted()).toEqual(
      [
        [written, 'review-due'],
        [parked, 'needs-person'],
      ].toSorted(),
    );
  });

  it('for a note that is final without a review, during the accepted period', async () => {
    const { run, pass, remind, told } = aRoom({ ...ALL, ...WITHOUT_REVIEW });
    await run(WRITTEN);
    const held = await run(HELD);
    pass(DAY_MS);
    expect(await remind()).toBe(1);
    expect(told()).toEqual([[held, 'review-due']]);
    pass(365 * DAY_MS);
    expect(await remind()).toBe(2);
  });

  it('while the engine stops', async () => {
    const { run, pass, remind, told } = aRoom();
    await run(PARKED);
    pass(DAY_MS);
    await expect(remind(AbortSignal.abort())).rejects.toThrow(/aborted/);
    expect(told()).toEqual([]);
  });
});
