// Sign-ins of the command line that a person confirms in a browser, in PostgreSQL.
import { sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { DeviceSignIns } from '../../../ports/device-sign-ins.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { withoutNulls } from '../without-nulls.ts';

type PollAnswer = { state: 'pending' | 'denied' | 'expired' | 'too-soon' } | { state: 'approved'; person: string };

/** RFC 8628, section 3.5. */
const SLOWER_MS = 5_000;
const KEPT_HOURS = 1;
const IS_WAITING = sql`state = 'pending' and expires_at > now()`;

export function makePostgresDeviceSignIns({
  database: { db },
}: {
  readonly database: Pick<Database, 'db'>;
}): DeviceSignIns {
  return guardedMethods<DeviceSignIns>({
    async begin({ deviceDigest, userCodeDigest, address, agent, lifeMs, intervalMs }) {
      const { rows } = await sql`
        insert into device_sign_ins (device_digest, user_code_digest, address, agent, interval_ms, expires_at)
        values (${Buffer.from(deviceDigest)}, ${Buffer.from(userCodeDigest)}, ${address}, ${agent ?? null}, ${intervalMs},
          now() + make_interval(secs => ${lifeMs / 1000}))
        on conflict do nothing returning 1`.execute(db);
      if (rows.length === 0) throw new AppError('conflict', 'Another sign-in has this code: begin again');
    },

    async findByUserCode(userCodeDigest) {
      const { rows } = await sql<{ address: string; agent: string | null }>`
        select address, agent from device_sign_ins
        where user_code_digest = ${Buffer.from(userCodeDigest)} and ${IS_WAITING}`.execute(db);
      return rows[0] && withoutNulls(rows[0]);
    },

    async decide(userCodeDigest, decision) {
      const [state, person] = decision === 'denied' ? ['denied', null] : ['approved', decision.person];
      const { rows } = await sql`
        update device_sign_ins set state = ${state}, person_id = ${person}
        where user_code_digest = ${Buffer.from(userCodeDigest)} and ${IS_WAITING} returning 1`.execute(db);
      return rows.length > 0;
    },

    async poll(deviceDigest) {
      const device = Buffer.from(deviceDigest);
      // One statement decides and notes the time, so that two programs with the same code do not both get the session.
      const { rows } = await sql<PollAnswer>`
        with asked as (
          select device_digest, person_id, case
            when expires_at <= now() then 'expired'
            when polled_at > now() - make_interval(secs => interval_ms / 1000.0) then 'too-soon'
            else state end as answer
          from device_sign_ins where device_digest = ${device} for update
        ), noted as (
          update device_sign_ins d set polled_at = now(),
            interval_ms = interval_ms + case when asked.answer = 'too-soon' then ${SLOWER_MS}::integer else 0 end
          from asked where d.device_digest = asked.device_digest and asked.answer <> 'approved'
        ), taken as (
          delete from device_sign_ins d using asked
          where d.device_digest = asked.device_digest and asked.answer = 'approved'
        )
        select answer as state, person_id as person from asked`.execute(db);
      const [asked] = rows;
      if (asked === undefined) return { state: 'unknown' };
      return asked.state === 'approved' ? { state: 'approved', person: asked.person } : { state: asked.state };
    },

    async sweep() {
      await sql`
        delete from device_sign_ins where expires_at < now() - make_interval(hours => ${KEPT_HOURS})`.execute(db);
    },
  });
}
