// The engine and its external database: one that is shared, one of another engine, one that is missing. database-restarts.test.ts has the
// embedded one that dies.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { postJson } from '../support/journey-client.ts';
import { makeSite, type Site } from '../support/journey-engine.ts';
import { makeEmptyDatabase } from '../support/postgres.ts';

const QUESTION = { clinical_history: 'Boy of 11 years, pain in the right lower belly since yesterday.' };

describe('an external database (DATABASE_URL)', () => {
  const MASTER_KEY = randomBytes(32).toString('base64');
  let sites: readonly Site[] = [];
  let connectionString: string;
  let drop: (() => Promise<void>) | undefined;

  beforeAll(async () => {
    ({ connectionString, drop } = await makeEmptyDatabase());
    sites = await Promise.all(Array.from({ length: 4 }, makeSite));
  });
  afterAll(async () => {
    await Promise.all(sites.map((site) => site.remove()));
    await drop?.();
  });

  it('an external database is set up once by two engines that start at the same moment, and shared by both', async () => {
    const [one, two] = sites;
    const engines = [one, two].map((site) => site?.start({ DATABASE_URL: connectionString, MASTER_KEY }));
    const [first, second] = await Promise.all(engines.map((engine) => engine?.ready()));
    const order = { organization: 'shared-clinic' };
    const made = (await one?.ops(first?.url ?? '', 'POST', '/keys', order)) as { readonly key: string };
    for (const { url } of [first, second].filter((each) => each !== undefined)) {
      expect((await postJson({ url }, '/diagnose', made.key, QUESTION)).status).toBe(200);
    }
    for (const engine of engines) {
      expect(engine?.output().stdout).toContain(`PostgreSQL at ${new URL(connectionString).host}`);
      expect(engine?.output().stdout).not.toContain(new URL(connectionString).password);
      engine?.signal('SIGTERM');
      expect(await engine?.exited).toBe(0);
    }
  });

  it('an engine with another master key does not open an external database: it exits with 1 and a message', async () => {
    const engine = sites[2]?.start({ DATABASE_URL: connectionString, MASTER_KEY: randomBytes(32).toString('base64') });
    expect(await engine?.exited).toBe(1);
    expect(engine?.output().stderr).toMatch(/^Chartwright cannot start: .* another MASTER_KEY/);
    expect(engine?.output().stdout).toBe('');
  });

  it('a missing external database is reported in one line without its password, and the engine exits with 1', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const engine = sites[3]?.start({ DATABASE_URL: `postgres://someone:made-up-password@127.0.0.1:${port}/none` });
    expect(await engine?.exited).toBe(1);
    expect(engine?.output().stderr).toMatch(/^Chartwright cannot start: The database cannot be used: .*\n$/);
    expect(engine?.output().stderr).not.toContain('made-up-password');
  });
});
