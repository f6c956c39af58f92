// A running engine and the files of its sites: what it reports about them, and what it does when they change.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Engine, startEngine } from '../support/engine.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

type Storage = Awaited<ReturnType<typeof makeMigratedDatabase>>;

const REPOSITORY = path.join(import.meta.dirname, '../..');

type Component = { readonly name: string; readonly status: string; readonly detail: string };

describe('an engine whose sites are edited', () => {
  let storage: Storage;
  let engine: Engine;
  let mappings = '';
  const fileOf = (site: string, name: string) => path.join(mappings, site, name);

  async function mappingsHealth(): Promise<Component> {
    const { components } = (await (await fetch(`${engine.url}/readyz`)).json()) as { components: Component[] };
    return components.find(({ name }) => name === 'mappings') ?? { name: 'mappings', status: 'absent', detail: '' };
  }

  const isHealth = (status: string) => until(async () => (await mappingsHealth()).status === status);
  const logHas = (text: string) => until(async () => engine.output().stderr.includes(text));

  beforeAll(async () => {
    storage = await makeMigratedDatabase();
    mappings = await mkdtemp(path.join(tmpdir(), 'chartwright-mappings-'));
    await cp(path.join(REPOSITORY, 'mappings'), mappings, { recursive: true });
    for (const site of ['mercy', 'grace']) {
      await cp(fileOf('profiles', 'us-core'), path.join(mappings, site), { recursive: true });
    }
    engine = await startEngine({
      env: { DATABASE_URL: storage.connectionString, MAPPINGS_DIR: mappings, MERCY_SECRET: 'made-up-secret-of-mercy' },
    });
  });
  afterAll(async () => {
    await engine?.stop();
    await storage?.drop();
    await rm(mappings, { recursive: true, force: true });
  });

  it('an engine reports its sites and their modes at its start', async () => {
    expect(engine.output().stdout).toMatch(/Sites +grace \(shadow\), mercy \(shadow\)/);
    expect(await mappingsHealth()).toMatchObject({ status: 'ok', detail: '2 sites in force.' });
  });

  it("a mistake in a site's files is logged with its place, and the last good version remains in force", async () => {
    const file = fileOf('mercy', 'document-reference.yaml');
    const good = await readFile(file, 'utf8');
    await writeFile(file, good.replace('%note.text', '%note.txet'));
    await isHealth('degraded');
    const { detail } = await mappingsHealth();
    expect(detail).toBe('2 sites in force, 1 of them as last good. 1 problem: run npm run cli -- mappings check.');
    await logHas('document-reference.yaml:');
    await logHas('%note.txet is not known here; did you mean %note.text?');
    await logHas('the last good mappings of mercy stay in force');

    await writeFile(file, good);
    await isHealth('ok');
    await logHas('the files of mercy are good again');
  });

  it('a new site whose files have problems is counted and named as not in force', async () => {
    await mkdir(path.join(mappings, 'hope'));
    await writeFile(
      fileOf('hope', 'site.yaml'),
      'extends: base\norganization: hope-clinic\nmode:\nehr: { baseUrl: https://ehr.example.org }\n',
    );
    await logHas('the site hope is not in force: its files have problems');
    await logHas('mode has no value');
    const { detail } = await mappingsHealth();
    expect(detail).toBe('2 sites in force; 1 site not in force. 1 problem: run npm run cli -- mappings check.');
    await rm(path.join(mappings, 'hope'), { recursive: true });
    await isHealth('ok');
  });

  it('a site that cannot be read does not prevent a change of another site', async () => {
    const broken = fileOf('mercy', 'site.yaml');
    const good = await readFile(broken, 'utf8');
    await writeFile(broken, 'ehr: { baseUrl: [');
    await isHealth('degraded');
    const other = fileOf('grace', 'site.yaml');
    await writeFile(other, (await readFile(other, 'utf8')).replace(/^mode: shadow/m, 'mode: off'));
    await logHas('the mappings of grace are in force (off)');
    await writeFile(broken, good);
    await isHealth('ok');
  });

  it('a site whose folder is removed is gone', async () => {
    await rm(path.join(mappings, 'grace'), { recursive: true });
    await logHas('the site grace is gone');
    expect(await mappingsHealth()).toMatchObject({ status: 'ok', detail: '1 site in force.' });
  });

  it('a secret that is set is read and never logged, and a missing one is logged by its name', async () => {
    const file = fileOf('mercy', 'site.yaml');
    const good = await readFile(file, 'utf8');
    const withSecret = (name: string) =>
      good.replace('auth: { type: none }', `auth: { type: bearer, token: "\${${name}}" }`);
    await writeFile(file, withSecret('MERCY_SECERT'));
    await logHas('needs the environment variable MERCY_SECERT');
    await writeFile(file, withSecret('MERCY_SECRET'));
    await isHealth('ok');
    expect(engine.output().stderr).not.toContain('made-up-secret-of-mercy');
  });
});

describe('an engine without sites', () => {
  let storage: Storage;
  let engine: Engine;
  beforeAll(async () => {
    storage = await makeMigratedDatabase();
    const MAPPINGS_DIR = path.join(tmpdir(), 'chartwright-no-such-folder');
    engine = await startEngine({ env: { DATABASE_URL: storage.connectionString, MAPPINGS_DIR } });
  });
  afterAll(async () => {
    await engine?.stop();
    await storage?.drop();
  });

  it('an engine without sites starts and says how to make one', () => {
    expect(engine.output().stdout).toContain('none yet: npm run cli -- mappings new my-hospital --from plain-r4');
  });

  it('an engine whose folder of mappings is missing starts and logs the missing folder', async () => {
    const { status } = await fetch(`${engine.url}/readyz`);
    expect(status).toBe(200);
    expect(engine.output().stderr).toContain('chartwright-no-such-folder');
  });
});
