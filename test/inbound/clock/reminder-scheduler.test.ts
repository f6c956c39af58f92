// The reminder schedulers of two engines on one database: each checks all sites, and each reminder is sent once.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeSendReminders, type SendReminders } from '../../../src/flows/reviews/send-reminders.ts';
import { startReminderScheduler } from '../../../src/inbound/clock/reminder-scheduler.ts';
import { makePostgresInbox } from '../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresOutbox } from '../../../src/outbound/postgres/runs/outbox.ts';
import { makePostgresQueue } from '../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresReminders } from '../../../src/outbound/postgres/runs/reminders.ts';
import { makePostgresRuns } from '../../../src/outbound/postgres/runs/runs.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aLiveSite } from '../../support/chart-writing.ts';
import { makeTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { fixedSecrets } from '../../support/secrets.ts';
import { aKeptRun, HELD } from '../../support/stored-runs.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await makeTestDatabase();
});
afterAll(() => database.drop());

function aSiteNamed(name: string): LoadedSite {
  const site = aLiveSite({ name });
  const attention = { afterMs: 0, to: ['amqp'] } as const;
  return { ...site, settings: { ...site.settings, attention, review: { by: 'task', remindAfterMs: 0 } } };
}

/** Pauses end when the test calls `pass`. */
function aRoom(sites: readonly LoadedSite[]) {
  let waiting: (() => void)[] = [];
  const reminded: string[] = [];
  const failed: string[] = [];
  const snapshot = {
    sites: new Map(sites.map((site) => [site.name, site])),
    problems: [],
    stale: new Set<string>(),
    unavailable: new Set<string>(),
  };
  return {
    reminded,
    failed,
    isIdle: (engines = 1) => waiting.length >= engines,
    pass: () => {
      const due = waiting;
      waiting = [];
      for (const go of due) go();
    },
    start: (sendReminders: SendReminders) =>
      startReminderScheduler({
        sites: { current: () => snapshot },
        sendReminders,
        runtime: {
          chance: () => 0.5,
          pause: (_ms, signal) =>
            new Promise<void>((resolve, reject) => {
              waiting.push(resolve);
              signal.addEventListener('abort', () => reject(signal.reason), { once: true });
            }),
        },
        onReminded: (site, count) => reminded.push(`${site} ${count}`),
        onFailed: (site) => failed.push(site),
      }),
  };
}

describe('the reminder scheduler', () => {
  it('sends each reminder once if two engines check the same sites', async () => {
    const parts = { ...database, secrets: fixedSecrets(7) };
    const stores = {
      inbox: makePostgresInbox(parts),
      queue: makePostgresQueue(parts),
      runs: makePostgresRuns(parts),
    };
    const parked = { status: 'parked', reason: 'tries', message: 'It failed.', advice: 'Look at it.' } as const;
    const one = await aKeptRun(stores, { site: 'mercy', session: 's', end: parked });
    const other = await aKeptRun(stores, { site: 'north', session: 's', end: HELD });
    const room = aRoom([aSiteNamed('mercy'), aSiteNamed('north')]);
    const engine = () =>
      room.start(makeSendReminders({ reminders: makePostgresReminders(parts), runtime: makeFakeRuntime() }));
    const engines = [engine(), engine()];
    for (let round = 0; round < 3; round += 1) {
      await until(() => room.isIdle(engines.length));
      room.pass();
    }
    for (const { stop } of engines) await stop();
    const rows = await makePostgresOutbox(parts).take({ limit: 10, leaseMs: 60_000 });
    expect(rows.map(({ kind, event }) => `${kind} ${event.runId} ${event.because}`).toSorted()).toEqual(
      [`attention ${one.id} needs-person`, `attention ${other.id} review-due`].toSorted(),
    );
    expect(room.reminded.toSorted()).toEqual(['mercy 1', 'north 1']);
    expect(room.failed).toEqual([]);
  });

  it('checks the other sites if one fails, and reports the failure once', async () => {
    const room = aRoom([aSiteNamed('mercy'), aSiteNamed('north')]);
    let isBroken = true;
    const scheduler = room.start(async ({ site }) => {
      if (site.name === 'mercy' && isBroken) throw new AppError('overloaded', 'The database is busy');
      return 1;
    });
    for (const _ of [1, 2]) {
      await until(() => room.isIdle());
      room.pass();
    }
    await until(() => room.isIdle());
    expect(room.failed).toEqual(['mercy']);
    expect(room.reminded).toEqual(['north 1', 'north 1', 'north 1']);
    isBroken = false;
    room.pass();
    await until(() => room.reminded.includes('mercy 1'));
    await until(() => room.isIdle());
    isBroken = true;
    room.pass();
    await until(() => room.isIdle());
    expect(room.failed).toEqual(['mercy', 'mercy']);
    await scheduler.stop();
  });
});
