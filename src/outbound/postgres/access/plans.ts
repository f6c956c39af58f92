// The operator's plans, in PostgreSQL.
import type { Plan } from '../../../domain/access/plan.ts';
import type { Plans } from '../../../ports/keys.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { PlansTable } from '../schema.ts';
import { withoutNulls } from '../without-nulls.ts';

export function makePostgresPlans({ database: { db } }: { readonly database: Database }): Plans {
  return guardedMethods({
    async put(plan) {
      const { name, ...numbers } = toRow(plan);
      const row = await db
        .insertInto('plans')
        .values({ name, ...numbers })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(numbers))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toPlan(row);
    },
    async find(name) {
      const row = await db.selectFrom('plans').selectAll().where('name', '=', name).executeTakeFirst();
      return row && toPlan(row);
    },
    list: async () => (await db.selectFrom('plans').selectAll().orderBy('name').execute()).map((row) => toPlan(row)),
  });
}

function toRow(plan: Plan): PlansTable {
  return {
    name: plan.name,
    requests_per_minute: plan.requestsPerMinute ?? null,
    requests_per_month: plan.requestsPerMonth ?? null,
    audio_seconds_per_month: plan.audioSecondsPerMonth ?? null,
  };
}

function toPlan(row: PlansTable): Plan {
  return withoutNulls({
    name: row.name,
    requestsPerMinute: row.requests_per_minute,
    requestsPerMonth: row.requests_per_month,
    audioSecondsPerMonth: row.audio_seconds_per_month,
  });
}
