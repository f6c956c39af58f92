// One PostgreSQL for the whole run, started before the first test. The workers find it by TEST_DATABASE_URL.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';

declare global {
  // For the teardown, which runs in the same process.
  var testPostgres: { readonly server: EmbeddedPostgres; readonly folder: string } | undefined;
}

export default async function startTestPostgres(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chartwright-test-'));
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    homesFolder: `${folder}-homes`,
    onUnexpectedExit: (error) => console.error(error.message),
  });
  globalThis.testPostgres = { server, folder };
  process.env['TEST_DATABASE_URL'] = server.connectionString;
}
