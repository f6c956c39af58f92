// Conditions on the model of a run or of one of its results: the one that was asked for, or the one that answered. The first may have its
// vendor in front, the second its fingerprint behind.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { modelNames } from '../../../domain/model-name.ts';

/** The run names the last model. An earlier result of another one names its own. */
export function usedModel(model: string): RawBuilder<SqlBool> {
  const ofStep = isModel(model, { asked: sql`step.model`, answered: sql`step.answered_by` });
  return sql<SqlBool>`(${isModel(model, { asked: sql`runs.model`, answered: sql`runs.answered_by` })}
    or exists (select from run_steps step where step.run_id = runs.id and ${ofStep}))`;
}

type Columns = { readonly asked: RawBuilder<unknown>; readonly answered: RawBuilder<unknown> };

export function isModel(model: string, { asked, answered }: Columns): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${asked} = any(${[...modelNames(model)]}::text[])
    or ${model} in (${answered}, split_part(${answered}, ' ', 1)))`;
}
