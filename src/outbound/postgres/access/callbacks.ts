// Call-backs of jobs, in PostgreSQL: their state is in the row of the job, so that a job and the call that it owes end in one statement.
import { sql } from 'kysely';
import { z } from 'zod';
import { JOB_STATUSES } from '../../../domain/access/job.ts';
import type { Callbacks } from '../../../ports/callbacks.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { openWhole, sealWhole } from '../secrets/whole-values.ts';
import { openRequest } from './job-rows.ts';

type CallbackParts = { readonly database: Database; readonly secrets: Secrets };

const CLAIM_SECONDS = 60;
const statusOf = z.enum(JOB_STATUSES);

type DueRow = { id: string; key_id: string; status: string; request: Buffer; callback_tries: number };

export function makePostgresCallbacks({ database, secrets }: CallbackParts): Callbacks {
  const { db } = database;
  const jobSealing = secrets.sealing('jobs');
  const sealing = secrets.sealing('callbacks');
  return guardedMethods<Callbacks>({
    async set(keyId, { origins, secret }) {
      const sealed = sealWhole(sealing, secret, secretContext(keyId));
      const { rows } = await sql`
        insert into key_callbacks (key_id, origins, secret)
        select id, ${[...origins]}::text[], ${sealed} from api_keys where id = ${keyId}
        on conflict (key_id) do update set origins = excluded.origins, secret = excluded.secret
        returning 1`.execute(db);
      return rows.length > 0;
    },

    async find(keyId) {
      const row = await db
        .selectFrom('key_callbacks')
        .select(['origins', 'secret'])
        .where('key_id', '=', keyId)
        .executeTakeFirst();
      return row && { origins: row.origins, secret: openWhole(sealing, row.secret, secretContext(keyId)) };
    },

    async claim(limit) {
      const { rows } = await sql<DueRow>`
        with due as (
          select id from jobs where callback_state = 'due' and callback_at <= now()
          order by callback_at limit ${limit} for update skip locked
        )
        update jobs set callback_tries = callback_tries + 1, callback_at = now() + make_interval(secs => ${CLAIM_SECONDS})
        from due where jobs.id = due.id
        returning jobs.id, key_id, status, request, callback_tries`.execute(db);
      return rows.map((row) => ({
        jobId: row.id,
        keyId: row.key_id,
        status: statusOf.parse(row.status),
        url: openRequest(jobSealing, row.id, row.request).callbackUrl ?? '',
        tries: row.callback_tries,
      }));
    },

    async settle({ jobId, tries }, outcome) {
      const seconds = outcome.state === 'due' ? outcome.inMs / 1_000 : null;
      await sql`
        update jobs set callback_state = ${outcome.state}, callback_at = now() + make_interval(secs => ${seconds})
        where id = ${jobId} and callback_tries = ${tries} and callback_state = 'due'`.execute(db);
    },

    async repeat(jobId, { keyId, organization }) {
      const { rows } = await sql`
        update jobs set callback_state = 'due', callback_tries = 0, callback_at = now()
        where id = ${jobId} and key_id = ${keyId} and organization = ${organization}
          and callback_state in ('due', 'delivered', 'given-up')
        returning 1`.execute(db);
      return rows.length > 0;
    },
  });
}

export function secretContext(keyId: string): readonly string[] {
  return ['callback-secret', keyId];
}
