// Checks for /readyz that the database answers. The check itself always answers within two seconds.
import type { HealthCheck } from '../../ports/health.ts';
import type { Database } from './database.ts';

const ANSWER_TIMEOUT_MS = 2000;

export function makePostgresHealth({ database }: { readonly database: Database }): HealthCheck {
  return async () => {
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
