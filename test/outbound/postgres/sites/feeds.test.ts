// Pauses, feeds and reviewers on a real PostgreSQL keep the promises of their ports.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresReviewers } from '../../../../src/outbound/postgres/access/reviewers.ts';
import { makePostgresFeeds } from '../../../../src/outbound/postgres/sites/feeds.ts';
import { makePostgresPauses } from '../../../../src/outbound/postgres/sites/pauses.ts';
import { feedsContract } from '../../../contracts/feeds-contract.ts';
import { pausesContract } from '../../../contracts/pauses-contract.ts';
import { aReviewer, reviewersContract } from '../../../contracts/reviewers-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await makeTestDatabase();
});
beforeEach(async () => {
  await sql`truncate pauses, feeds, reviewers`.execute(test.database.db);
});
afterAll(() => test.drop());

pausesContract('PostgreSQL', async () => makePostgresPauses(test));
feedsContract('PostgreSQL', async () => makePostgresFeeds(test));
reviewersContract('PostgreSQL', async () => makePostgresReviewers(test));

describe('An alarm that was raised long ago', () => {
  it('keeps its time, whatever is noted since', async () => {
    const feeds = makePostgresFeeds(test);
    const alarm = { kind: 'silent', message: 'nothing came' } as const;
    await feeds.note('mercy', 'amqp', { alarm });
    await sql`update feeds set alarm_since = alarm_since - interval '2 hours'`.execute(test.database.db);
    const [old] = await feeds.of('mercy');
    expect(await feeds.note('mercy', 'amqp', { alarm })).toEqual(old);
    const other = await feeds.note('mercy', 'amqp', { alarm: { kind: 'topology', message: 'x' } });
    expect(Number(other.alarmSince) - Number(old?.alarmSince)).toBeGreaterThanOrEqual(2 * 3_600_000);
  });
});

describe('Text that the database cannot hold', () => {
  it('is refused as a bad request by pauses, feeds and reviewers', async () => {
    const nul = 'a\0b';
    const [pauses, feeds, reviewers] = [makePostgresPauses(test), makePostgresFeeds(test), makePostgresReviewers(test)];
    const refusals = [
      () => pauses.pause('mercy', 'all', nul),
      () => pauses.resume(nul, 'all'),
      () => feeds.note(nul, 'amqp', {}),
      () => feeds.note('mercy', 'amqp', { subscriptionStatus: nul }),
      () => feeds.of(nul),
      () => reviewers.create(aReviewer({ name: nul })),
      () => reviewers.find(nul, 'all'),
      () => reviewers.list([nul]),
      () => reviewers.revoke(nul),
    ];
    for (const refusal of refusals) await expect(refusal()).rejects.toMatchObject({ code: 'invalidRequest' });
  });
});
