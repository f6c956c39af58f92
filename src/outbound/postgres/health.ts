// Checks for /readyz that the database answers. The check itself always answers within two seconds. While an embedded server is started
// again it says so: no person has to do anything then.
import type { HealthCheck } from '../../ports/health.ts';
import type { Database } from './database.ts';

const ANSWER_TIMEOUT_MS = 2000;

type PostgresHealthParts = {
  readonly database: Pick<Database, 'pool'>;
  /** What is being done about a server that is known to be down, in a sentence. */
  readonly outage?: () => string | undefined;
};

export function makePostgresHealth({ database, outage }: PostgresHealthParts): HealthCheck {
  return async () => {
    const known = outage?.();
    if (known !== undefined) return { name: 'database', status: 'down', detail: known };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('late')), ANSWER_TIMEOUT_MS);
    });
    try {
      await Promise.race([database.pool.query('select 1'), late]);
      return { name: 'database', status: 'ok', detail: 'The database answers.' };
    } catch {
      return {
        name: 'database',
        status: 'down',
        detail:
          'The database does not answer: look at the PostgreSQL server (DATABASE_URL), or at postgres.log in DATA_DIR.',
      };
    } finally {
      clearTimeout(timer);
    }
  };
}
