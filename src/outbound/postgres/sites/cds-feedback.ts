// What clinicians did with cards, in PostgreSQL.
import { sql } from 'kysely';
import type { CardFeedback, CdsFeedback, FeedbackCount } from '../../../ports/cds-feedback.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { withoutNulls } from '../without-nulls.ts';

type CountRow = {
  readonly service: CardFeedback['service'];
  readonly outcome: CardFeedback['outcome'];
  readonly reason: NonNullable<CardFeedback['reason']> | null;
  readonly count: number;
};

export function makePostgresCdsFeedback({
  database: { db },
}: {
  readonly database: Pick<Database, 'db'>;
}): CdsFeedback {
  return guardedMethods<CdsFeedback>({
    async record(feedback) {
      // One statement cannot change a row twice: of several entries about one card the last counts.
      const last = new Map(feedback.map((one) => [`${one.site} ${one.service} ${one.card}`, one]));
      const rows = [...last.values()];
      await sql`
        insert into cds_feedback (site, service, card, outcome, reason, given_at)
        select * from unnest(${rows.map(({ site }) => site)}::text[], ${rows.map(({ service }) => service)}::text[],
          ${rows.map(({ card }) => card)}::uuid[], ${rows.map(({ outcome }) => outcome)}::text[],
          ${rows.map(({ reason }) => reason ?? null)}::text[], ${rows.map(({ at }) => at)}::timestamptz[])
        on conflict (site, service, card) do update set outcome = excluded.outcome, reason = excluded.reason,
          given_at = excluded.given_at`.execute(db);
    },
    async counts(site) {
      const { rows } = await sql<CountRow>`
        select service, outcome, reason, count(*)::int as count from cds_feedback where site = ${site}
        group by service, outcome, reason order by service, outcome, reason nulls first`.execute(db);
      return rows.map((row): FeedbackCount => withoutNulls(row));
    },
  });
}
