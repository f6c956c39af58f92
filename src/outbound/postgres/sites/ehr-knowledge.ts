// Facts that were learned by using EHRs, in PostgreSQL, shared by all engines.
import { sql } from 'kysely';
import { z } from 'zod';
import type { EhrFact, LearnedFact } from '../../../domain/chart/ehr-capabilities.ts';
import type { EhrKnowledge } from '../../../ports/ehr-knowledge.ts';
import type { Database } from '../database.ts';
import { guardedMethods } from '../errors.ts';

const factSchema: z.ZodType<EhrFact> = z.union([
  // Earlier versions stored `atomic` after any transaction that succeeded: that counts as unknown.
  z.object({ name: z.literal('transaction'), value: z.enum(['proven-atomic', 'batch', 'refused']) }),
  z.object({ name: z.literal('conditional'), value: z.enum(['passed', 'failed']) }),
  z.object({ name: z.literal('conditional-limit'), value: z.number() }),
  z.object({ name: z.templateLiteral(['type:', z.string()]), value: z.enum(['taken', 'refused']) }),
  z.object({ name: z.templateLiteral(['search:', z.string()]), value: z.enum(['works', 'refused']) }),
  z.object({ name: z.literal('search-lag-ms'), value: z.number() }),
  z.object({ name: z.literal('if-match'), value: z.enum(['honoured', 'ignored']) }),
  z.object({ name: z.templateLiteral(['names:', z.string()]), value: z.enum(['kept', 'lost']) }),
  z.object({ name: z.literal('drafts'), value: z.enum(['taken', 'refused']) }),
  z.object({ name: z.literal('recording-origin'), value: z.string() }),
]);

export function makePostgresEhrKnowledge({ database: { db } }: { readonly database: Database }): EhrKnowledge {
  return guardedMethods({
    async recall(site, software) {
      const { rows } = await sql<FactRow>`
        select name, value, learned_at from ehr_facts where site = ${site} and software = ${software}
        order by name collate "C"`.execute(db);
      return rows.flatMap(asLearned);
    },
    async learn(site, software, { name, value }) {
      await db
        .insertInto('ehr_facts')
        .values({ site, software, name, value: JSON.stringify(value) })
        .onConflict((conflict) =>
          conflict.columns(['site', 'software', 'name']).doUpdateSet({
            value: sql<string>`excluded.value`,
            learned_at: sql<Date>`excluded.learned_at`,
          }),
        )
        .execute();
    },
    async forget(site) {
      const forgotten = await db.deleteFrom('ehr_facts').where('site', '=', site).executeTakeFirst();
      return Number(forgotten.numDeletedRows);
    },
  });
}

type FactRow = { readonly name: string; readonly value: unknown; readonly learned_at: Date };

/** A fact of another version that this one does not know is ignored. */
function asLearned({ name, value, learned_at: learnedAt }: FactRow): readonly LearnedFact[] {
  const fact = factSchema.safeParse({ name, value });
  return fact.success ? [{ ...fact.data, learnedAt }] : [];
}
