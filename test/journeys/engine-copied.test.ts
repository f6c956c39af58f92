// A copied data folder: two engines with the same engine.id on one database are distinguished, and the settings are in the audit trail once.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PROJECT } from '../cli/run-cli.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { makeEmptyDatabase } from '../support/postgres.ts';
import { untilFound } from '../support/until.ts';

const SHARED = 'another engine at this database has the same id';
const SITE = 'extends: base\norganization: mercy-general\nmode: shadow\nehr: { baseUrl: "http://127.0.0.1:9/fhir" }\n';

let folder: string;
let env: Readonly<Record<string, string>>;
let drop: () => Promise<void>;
const started: Engine[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'copied-'));
  const database = await makeEmptyDatabase();
  ({ drop } = database);
  await cp(path.join(PROJECT, 'mappings'), path.join(folder, 'mappings'), { recursive: true });
  await mkdir(path.join(folder, 'mappings', 'mercy'));
  await writeFile(path.join(folder, 'mappings', 'mercy', 'site.yaml'), SITE);
  env = { DATABASE_URL: database.connectionString, MAPPINGS_DIR: path.join(folder, 'mappings') };
});
afterAll(async () => {
  await Promise.all(started.map((engine) => engine.stop()));
  await drop?.();
  await rm(folder, { recursive: true, force: true });
});

async function startOn(name: string): Promise<Engine> {
  const engine = await startEngine({ env, dataDir: path.join(folder, name) });
  started.push(engine);
  return engine;
}

it('a copied data folder is reported to the operator, and a restart after a kill is not', async () => {
  const first = await startOn('first');
  for (const file of ['engine.id', 'master.key']) {
    await cp(path.join(folder, 'first', file), path.join(folder, 'second', file));
  }
  const second = await startOn('second');
  expect(first.output().stderr).not.toContain(SHARED);
  expect(second.output().stderr).toContain(SHARED);

  first.signal('SIGKILL');
  await first.exited;
  const again = await startOn('first');
  expect(again.output().stderr).not.toContain(SHARED);

  const settings = await untilFound(async () => {
    const { entries } = (await again.ops('GET', '/audit?action=site.settings')) as { readonly entries: unknown[] };
    return entries.length === 0 ? undefined : entries;
  });
  expect(settings).toMatchObject([{ site: 'mercy', actor: 'engine', details: { mode: 'shadow' } }]);
});
