// Migrates a database to the state that this code expects. Engines that start together wait for each other; a database that a newer
// engine has migrated is refused, so that an old engine never writes to unknown tables.
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { AppError } from '../../domain/errors.ts';
import type { MasterKeys } from '../../ports/master-keys.ts';
import { openKeysIn } from './master-key.ts';
import * as service from './migrations/0001-service.ts';
import * as charts from './migrations/0002-charts.ts';
import * as runs from './migrations/0003-runs.ts';
import * as watch from './migrations/0004-watch.ts';
import * as reminders from './migrations/0005-reminders.ts';
import * as recall from './migrations/0006-recall.ts';
import * as answers from './migrations/0007-answers.ts';
import * as codes from './migrations/0008-codes.ts';
import * as replays from './migrations/0009-replays.ts';
import { makeSealedNames } from './migrations/0010-sealed-names.ts';
import * as moves from './migrations/0011-moves.ts';
import * as keyedAnswers from './migrations/0014-keyed-answers.ts';
import * as traces from './migrations/0015-traces.ts';
import * as newcomers from './migrations/0016-newcomers.ts';
import * as jobs from './migrations/0017-jobs.ts';
import * as people from './migrations/0018-people.ts';
import * as reviews from './migrations/0019-reviews.ts';
import * as cds from './migrations/0020-cds.ts';
import * as auditEvents from './migrations/0021-audit-events.ts';
import type { Schema } from './schema.ts';
import type { SecretKeys } from './secrets/secrets.ts';

type GivenKeys = Pick<MasterKeys, 'read'>;

/** `masterKeys` is needed only for a database in which an earlier version has stored something. */
export function makeMigrations(masterKeys?: GivenKeys): Readonly<Record<string, Migration>> {
  return { ...MIGRATIONS, '0010-sealed-names': makeSealedNames((db) => keysOf(db, masterKeys)) };
}

const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-service': service,
  '0002-charts': charts,
  '0003-runs': runs,
  '0004-watch': watch,
  '0005-reminders': reminders,
  '0006-recall': recall,
  '0007-answers': answers,
  '0008-codes': codes,
  '0009-replays': replays,
  '0011-moves': moves,
  '0014-keyed-answers': keyedAnswers,
  '0015-traces': traces,
  '0016-newcomers': newcomers,
  '0017-jobs': jobs,
  '0018-people': people,
  '0019-reviews': reviews,
  '0020-cds': cds,
  '0021-audit-events': auditEvents,
};

/** Throws an Error for the operator. */
export async function migrate(db: Kysely<unknown>, migrations = makeMigrations()): Promise<void> {
  await refuseNewer(db, migrations);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  // It is for the operator already: the master key is missing or a wrong one.
  if (error instanceof AppError) throw error;
  const failed = results?.find((result) => result.status === 'Error');
  throw new Error(`The database could not be brought up to date (${failed?.migrationName ?? 'no step was begun'}).`, {
    cause: error,
  });
}

async function refuseNewer(db: Kysely<unknown>, migrations: Readonly<Record<string, Migration>>): Promise<void> {
  const { rows: tables } = await sql<{
    found: string | null;
  }>`select to_regclass('kysely_migration')::text as found`.execute(db);
  if (!tables[0]?.found) return;
  const { rows: done } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  const unknown = done.find(({ name }) => !(name in migrations));
  if (unknown === undefined) return;
  throw new Error(
    `The database was changed by a newer engine (${unknown.name}). Start that version, or give this one a database of its own (DATABASE_URL).`,
  );
}

async function keysOf(db: Kysely<unknown>, masterKeys: GivenKeys | undefined): Promise<SecretKeys> {
  if (masterKeys === undefined) throw new Error('what is stored cannot be changed without the master key');
  return (await openKeysIn(db as Kysely<Schema>, masterKeys)).keys;
}
