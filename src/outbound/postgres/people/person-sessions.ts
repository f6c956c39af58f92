// Sessions of people, in PostgreSQL. They end by the database's clock, which is the same for all engines.
import { type RawBuilder, sql } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Purpose } from '../../../domain/people/purpose.ts';
import type { SiteScope } from '../../../domain/people/role.ts';
import { present } from '../../../domain/present.ts';
import type { PersonSession, PersonSessions, SessionKind, SignInWay } from '../../../ports/person-sessions.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';
import { withoutNulls } from '../without-nulls.ts';
import { asPerson, inScope, type PersonRow, personColumns } from './person-rows.ts';

type SessionRow = {
  session_id: string;
  person_id: string;
  kind: SessionKind;
  way: SignInWay;
  purpose: Purpose | null;
  opened_site: string | null;
  opened_encounter: string | null;
  opened_patient: string | null;
  address: string;
  agent: string | null;
  session_created_at: Date;
  last_used_at: Date;
  idle_at: Date;
  ends_at: Date;
};

const COLUMNS = sql`
  s.id as session_id, s.person_id, s.kind, s.way, s.purpose, s.opened_site, s.opened_encounter, s.opened_patient,
  s.address, s.agent, s.created_at as session_created_at, s.last_used_at,
  least(s.ends_at, s.last_used_at + make_interval(secs => s.idle_ms / 1000.0)) as idle_at, s.ends_at`;

/** Requests of the same page may be under way when a secret is replaced. */
const FORMER_SECONDS = 10;
const IS_OPEN = sql`
  s.ended_at is null and s.ends_at > now() and s.last_used_at + make_interval(secs => s.idle_ms / 1000.0) > now()`;
const KEPT_DAYS = 1;

export function makePostgresPersonSessions({
  database: { db },
}: {
  readonly database: Pick<Database, 'db'>;
}): PersonSessions {
  return guardedMethods<PersonSessions>({
    async create({ secretDigest, opened, provider, agent, ...session }) {
      // To note the sign-in locks the person, so that a person who is being disabled gets no session afterwards.
      const { rows } = await sql<SessionRow>`
        with p as (
          update people set last_seen_at = now() where id = ${session.person} and disabled_at is null returning id
        ), s as (
          insert into person_sessions (id, person_id, kind, way, secret_digest, opened_site, opened_encounter, opened_patient,
            issuer, subject, provider_session, address, agent, idle_ms, ends_at)
          select ${session.id}, p.id, ${session.kind}, ${session.way}, ${Buffer.from(secretDigest)}::bytea,
            ${opened?.site ?? null}, ${opened?.encounter ?? null}, ${opened?.patient ?? null},
            ${provider?.issuer ?? null}, ${provider?.subject ?? null}, ${provider?.sessionId ?? null},
            ${session.address}, ${agent ?? null}, ${session.idleMs}, now() + make_interval(secs => ${session.totalMs / 1000})
          from p
          returning *)
        select ${COLUMNS} from s`.execute(db);
      const [row] = rows;
      if (row === undefined) throw new AppError('forbidden', 'This account is disabled');
      return asSession(row);
    },

    async use(id, secretDigest, how) {
      const { rows } = await useQuery(id, Buffer.from(secretDigest), how?.isWatching).execute(db);
      const [row] = rows;
      return row && { session: asSession(row), person: asPerson(row) };
    },

    async renew(id, { former, next, afterMs }) {
      const { rows } = await sql`
        update person_sessions s set former_digest = secret_digest,
          former_until = now() + make_interval(secs => ${FORMER_SECONDS}), secret_digest = ${Buffer.from(next)}
        where id = ${id} and ${IS_OPEN} and secret_digest = ${Buffer.from(former)}
          and coalesce(former_until - make_interval(secs => ${FORMER_SECONDS}), created_at)
              <= now() - make_interval(secs => ${afterMs / 1000})
        returning 1`.execute(db);
      return rows.length > 0;
    },

    async setPurpose(id, purpose) {
      await sql`update person_sessions s set purpose = ${purpose} where id = ${id} and ${IS_OPEN}`.execute(db);
    },

    async list({ scope, person, limit }) {
      const { rows } = await sql<SessionRow>`
        select ${COLUMNS} from person_sessions s
        where ${IS_OPEN} and ${isOfScope(scope)} and (${person ?? null}::text is null or s.person_id = ${person ?? null})
        order by s.created_at desc limit ${limit}`.execute(db);
      return rows.map(asSession);
    },

    async end(which, why) {
      const { rows } = await sql<{ id: string }>`
        update person_sessions s set ended_at = now(), ended_why = ${why}
        where ${IS_OPEN} and ${isMeant(which)} returning id`.execute(db);
      return rows.map(({ id }) => id);
    },

    async sweep() {
      await sql`
        delete from person_sessions s
        where least(coalesce(s.ended_at, s.ends_at), s.ends_at,
                    s.last_used_at + make_interval(secs => s.idle_ms / 1000.0)) < now() - make_interval(days => ${KEPT_DAYS})`.execute(
        db,
      );
    },
  });
}

/**
 * The use is written only when the last one that was written is older than 30 seconds (for short idle times: a twentieth of
 * them), not at each request. A session thus may end so much before its idle time after a request is over, and never after it.
 */
function useQuery(id: string, given: Buffer, isWatching = false) {
  return sql<SessionRow & PersonRow>`
    with found as (
      select s.id from person_sessions s
      where s.id = ${id} and ${IS_OPEN}
        and (s.secret_digest = ${given} or (s.former_digest = ${given} and s.former_until > now()))
    ), noted as (
      update person_sessions s set last_used_at = now() from found
      where s.id = found.id and not ${isWatching}::boolean
        and s.last_used_at < now() - least(interval '30 seconds', make_interval(secs => s.idle_ms / 20000.0))
      returning s.id, s.last_used_at
    ), s as (
      select s.id, s.person_id, s.kind, s.way, s.purpose, s.opened_site, s.opened_encounter, s.opened_patient, s.address, s.agent,
        s.created_at, coalesce(noted.last_used_at, s.last_used_at) as last_used_at, s.idle_ms, s.ends_at
      from found join person_sessions s on s.id = found.id left join noted on noted.id = found.id
    )
    select ${COLUMNS}, ${personColumns()} from s join people p on p.id = s.person_id and p.disabled_at is null`;
}

function isOfScope(scope: SiteScope): RawBuilder<unknown> {
  if (scope === 'all') return sql`true`;
  return sql`
    (s.opened_site is null or ${inScope(scope, sql`s.opened_site`)})
    and exists (select 1 from person_grants g where g.person_id = s.person_id and ${inScope(scope, sql`g.site`)})`;
}

function isMeant(which: Parameters<PersonSessions['end']>[0]): RawBuilder<unknown> {
  if ('id' in which) return sql`id = ${which.id}`;
  if ('person' in which) return sql`person_id = ${which.person} and id is distinct from ${which.except ?? null}`;
  if ('subject' in which) return sql`issuer = ${which.issuer} and subject = ${which.subject}`;
  return sql`issuer = ${which.issuer} and provider_session = ${which.providerSession}`;
}

function asSession(row: SessionRow): PersonSession {
  const { session_id: id, person_id: person, kind, way, purpose, address, agent, last_used_at, idle_at, ends_at } = row;
  const { opened_site: site, opened_encounter: encounter, opened_patient: patient } = row;
  const opened = site === null ? undefined : withoutNulls({ site, encounter, patient });
  const times = { createdAt: row.session_created_at, lastUsedAt: last_used_at, idleAt: idle_at, endsAt: ends_at };
  return present({ ...withoutNulls({ id, person, kind, way, purpose, address, agent, ...times }), opened });
}
