// Recalls runs whose results turned out to be wrong and are not written yet.
import { type RawBuilder, sql } from 'kysely';
import type { StepName } from '../../../domain/run/run.ts';
import type { WrittenQuery } from '../../../ports/ledger.ts';
import type { Runs } from '../../../ports/runs.ts';
import { guarded } from '../errors.ts';
import { ofSites } from '../scope-conditions.ts';
import { isModel } from './model-conditions.ts';
import type { RunRow } from './run-rows.ts';
import type { RunStorage } from './run-storage.ts';

export function makeRunRecall({ db, asRun }: RunStorage): Pick<Runs, 'findUnwritten'> {
  return {
    findUnwritten: (query) => guarded(async () => (await unwrittenQuery(query).execute(db)).rows.map(asRun)),
  };
}

const BY_MODEL = ['write-note', 'diagnose'] as const satisfies readonly StepName[];
const BY_MAPPING = ['map'] as const satisfies readonly StepName[];

/** A step stores model and prompt itself; for steps from before that, the run does. The run stores the last mapping. */
function unwrittenQuery(query: WrittenQuery) {
  const { scope, site, model, mapping, prompt } = query;
  const isOfModel = [
    ...(model === undefined
      ? []
      : [isModel(model, { asked: sql`coalesce(step.model, run.model)`, answered: sql`step.answered_by` })]),
    ...(prompt === undefined ? [] : [sql`coalesce(step.prompt, run.prompt) = ${prompt}`]),
  ];
  const isOfMapping = mapping === undefined ? [] : [sql`run.mapping = ${mapping}`];
  const isOfAny = isOfModel.length + isOfMapping.length === 0;
  const conditions = [
    sql`run.status in ('queued', 'running', 'waiting', 'held') and run.session <> '' and not run.is_dry`,
    ofSites(scope, 'run'),
    ...(site === undefined ? [] : [sql`run.site = ${site}`]),
    ...(isOfModel.length === 0 ? [] : [holds(query, BY_MODEL, isOfModel)]),
    ...(isOfMapping.length === 0 ? [] : [holds(query, BY_MAPPING, isOfMapping)]),
    ...(isOfAny ? [holds(query, [...BY_MODEL, ...BY_MAPPING], [])] : []),
  ];
  return sql<RunRow>`select run.* from runs run where ${sql.join(conditions, sql` and `)} order by run.serial`;
}

/** A result of one of these steps, made within the given time. */
function holds(
  { from, to }: WrittenQuery,
  names: readonly StepName[],
  also: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  const conditions = [
    sql`step.run_id = run.id and step.name = any(${[...names]}::text[]) and step.status = 'done'`,
    ...(from === undefined ? [] : [sql`step.finished_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`step.finished_at < ${to}`]),
    ...also,
  ];
  return sql`exists (select from run_steps step where ${sql.join(conditions, sql` and `)})`;
}
