// Ends the brokers and the PostgreSQL of the run and removes their data.
import { rm } from 'node:fs/promises';
import { endBrokers } from '../support/rabbitmq.ts';
import './global-setup.ts';

export default async function stopTestServers(): Promise<void> {
  const { testPostgres } = globalThis;
  if (!testPostgres) return;
  await endBrokers().catch((thrown) => console.error(thrown));
  await testPostgres.server.stop();
  await testPostgres.lock.release();
  await rm(testPostgres.folder, { recursive: true, force: true });
}
