// Tells runs from looks. A look is a run that only finds out whether an encounter which has a run already has something new: an event or a
// search named the encounter again. It gets a session, or is deleted, within a moment. People see it only if it ends, which means that it
// could not look: a parked one needs them. A run that an operator started is never a look: it gets an answer.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { BLOCKING_STATUSES } from '../../../domain/run/run.ts';

/** The alias is that of the table `runs`. With `exists` the planner would choose to read all sessions once, for the sake of a few looks. */
export function isLookOnly(alias: string): RawBuilder<SqlBool> {
  const run = sql.raw(alias);
  const statuses = sql.join(BLOCKING_STATUSES.map((status) => sql.lit(status)));
  return sql<SqlBool>`(
    ${run}.is_look and ${run}.status in (${statuses}) and ${run}.trigger_source <> 'operator' and coalesce((
      select true from runs known
      where known.site = ${run}.site and known.encounter = ${run}.encounter and not known.is_look
        and known.replay_of is null
      limit 1
    ), false))`;
}
