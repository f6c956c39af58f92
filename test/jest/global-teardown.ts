// Ends the PostgreSQL of the run and removes its data.
import { rm } from 'node:fs/promises';
import './global-setup.ts';

export default async function stopTestPostgres(): Promise<void> {
  const { testPostgres } = globalThis;
  if (!testPostgres) return;
  await testPostgres.server.stop();
  await testPostgres.lock.release();
  await rm(testPostgres.folder, { recursive: true, force: true });
}
