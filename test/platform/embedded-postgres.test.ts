// The database that comes with the product: first and later starts, what is refused, and what may be seen of it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { findBinaries } from '../../src/platform/embedded-postgres/binaries.ts';
import { findHome } from '../../src/platform/embedded-postgres/home.ts';
import { startServer } from '../../src/platform/embedded-postgres/server.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';
import { processStart } from '../../src/platform/process-table.ts';
import { holdNextStart } from '../support/held-database.ts';

const run = promisify(execFile);
let died: ((error: Error) => void) | undefined;
let deaths = 0;
let folder: string;
let dataDir: string;

/** The cluster is made once for the file: the tests start and stop servers on it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chartwright-embedded-'));
  dataDir = join(folder, 'data');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const running: EmbeddedPostgres[] = [];
beforeEach(() => {
  deaths = 0;
  died = undefined;
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

async function start(inDir = dataDir): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dataDir: inDir,
    homesFolder: join(folder, 'homes'),
    onUnexpectedExit: (error) => {
      deaths += 1;
      died?.(error);
    },
  });
  running.push(server);
  return server;
}

async function query<Row extends pg.QueryResultRow>(
  { connectionString }: EmbeddedPostgres,
  text: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function serverPid(inDir = dataDir): Promise<number> {
  return Number((await readFile(join(inDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

describe('the embedded database', () => {
  it('is made at the first start and keeps what was stored for the later ones', async () => {
    const first = await start();
    await query(first, `create table kept as select 'here' as word`);
    await first.stop();
    expect(await query(await start(), 'select word from kept')).toEqual([{ word: 'here' }]);
    expect(deaths).toBe(0);
  });

  it('is durable, checks its pages, and speaks UTF-8 and UTC', async () => {
    const names = ['fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums', 'server_encoding', 'TimeZone'];
    const columns = names.map((name) => `current_setting('${name}') as "${name}"`).join();
    expect(await query(await start(), `select ${columns}`)).toEqual([
      {
        fsync: 'on',
        full_page_writes: 'on',
        synchronous_commit: 'on',
        data_checksums: 'on',
        server_encoding: 'UTF8',
        TimeZone: 'UTC',
      },
    ]);
  });

  it('listens on this machine only, at a port of its own, and refuses connections without the password', async () => {
    const server = await start();
    const rows = await query(
      server,
      `select name, setting from pg_settings
      where name in ('listen_addresses', 'unix_socket_directories') order by name`,
    );
    expect(rows).toEqual([
      { name: 'listen_addresses', setting: '127.0.0.1' },
      { name: 'unix_socket_directories', setting: '' },
    ]);
    const url = new URL(server.connectionString);
    url.password = 'wrong';
    await expect(query({ ...server, connectionString: url.href }, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect((await stat(join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, 'postgres.log'))).mode & 0o777).toBe(0o600);
  });

  it('runs in a session of its own and gets none of our keys', async () => {
    process.env['OPENAI_API_KEY'] = 'key-canary';
    await start();
    delete process.env['OPENAI_API_KEY'];
    const pid = await serverPid();
    const session = await run('ps', ['-o', 'sid=', '-p', String(pid)]);
    expect(Number(session.stdout)).toBe(pid);
    const environment = await run('ps', ['eww', '-o', 'command=', '-p', String(pid)]);
    expect(environment.stdout).toContain('PATH=');
    expect(environment.stdout).not.toContain('key-canary');
  });

  it('writes no statement, parameter or value into its log', async () => {
    const server = await start();
    await query(server, `create table if not exists patients (name text primary key, age int)`);
    await query(server, `insert into patients values ('canary-one', 1)`);
    const client = new pg.Client({ connectionString: server.connectionString });
    await client.connect();
    await expect(client.query('insert into patients values ($1, 1)', ['canary-one'])).rejects.toThrow();
    await expect(client.query('select $1::int', ['canary-two'])).rejects.toThrow();
    await expect(client.query(`select 'canary-three' from nowhere`)).rejects.toThrow();
    await client.query(`do $$ begin raise warning 'canary-four'; end $$`);
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const busy = client.query(`select pg_sleep(60), 'canary-five'`).catch(() => undefined);
    client.on('error', () => undefined);
    const activity = `select 1 from pg_stat_activity where state = 'active' and query like '%canary' || '-five%'`;
    while ((await query(server, activity)).length === 0);
    // A killed process of the server makes it log what that process was doing.
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await busy;
    await client.end().catch(() => undefined);
    await server.stop();
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('was terminated by signal 9');
    expect(log).not.toMatch(/canary|patients/);
  });

  it('begins a new log after the old one has grown large', async () => {
    await writeFile(join(dataDir, 'postgres.log'), 'x'.repeat(5_000_000));
    await start();
    expect((await stat(join(dataDir, 'postgres.log'))).size).toBeLessThan(100_000);
  });

  it('is reported when it ends by itself, and not when it is stopped', async () => {
    const server = await start();
    const death = new Promise<Error>((resolve) => {
      died = resolve;
    });
    process.kill(await serverPid(), 'SIGKILL');
    expect((await death).message).toMatch(/ended by itself \(SIGKILL\)/);
    await server.stop();
    await (await start()).stop();
    expect(deaths).toBe(1);
  });
});

describe('an embedded database that ended by itself', () => {
  const never = new AbortController().signal;

  async function endOf(): Promise<void> {
    const death = new Promise<Error>((resolve) => {
      died = resolve;
    });
    process.kill(await serverPid(), 'SIGKILL');
    await death;
  }

  it('is started again at the same address with the stored data, and a busy process of the dead server has ended before', async () => {
    const server = await start();
    await query(server, 'drop table if exists kept_again');
    await query(server, `create table kept_again as select 'here' as word`);
    const client = new pg.Client({ connectionString: server.connectionString });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const busy = client.query('select count(*) from generate_series(1, 1e15)').catch(() => undefined);
    await endOf();
    await server.startAgain(never);
    expect(await query(server, 'select word from kept_again')).toEqual([{ word: 'here' }]);
    await busy;
    await client.end().catch(() => undefined);
    expect(await processStart(rows[0]?.pid ?? 0)).toBeUndefined();
  });

  it('is reported, after it was started again, when it ends once more, and is stopped like the first one', async () => {
    const server = await start();
    await endOf();
    await server.startAgain(never);
    await endOf();
    await server.startAgain(never);
    expect(deaths).toBe(2);
    const pid = await serverPid();
    await server.stop();
    expect(await processStart(pid)).toBeUndefined();
    expect(deaths).toBe(2);
  });

  it('leaves no process when its start is ended before it is ready, and starts after that', async () => {
    const server = await start();
    const held = await holdNextStart(join(dataDir, 'postgres'));
    await endOf();
    const stopping = new AbortController();
    const starting = server.startAgain(stopping.signal);
    await held.reached;
    stopping.abort(new Error('the engine is stopping'));
    await expect(starting).rejects.toThrow('the engine is stopping');
    expect((await run('ps', ['-eo', 'args='])).stdout).not.toContain(join(dataDir, 'postgres'));
    await held.release();
    await server.startAgain(never);
    expect(await query(server, 'select 1 as n')).toEqual([{ n: 1 }]);
  });
});

describe('a start of the embedded database', () => {
  it('is not blocked by the pid of a dead server that belongs to another process by now', async () => {
    await (await start()).stop();
    // Not our own number: PostgreSQL passes over that of the process that started it.
    const other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'inherit'] });
    const cluster = join(dataDir, 'postgres');
    const lines = [other.pid, cluster, 1_700_000_000, 54_321, '', '127.0.0.1', '  1234567 0', 'ready'];
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${lines.join('\n')}\n`);
    expect(await query(await start(), 'select 1 as n')).toEqual([{ n: 1 }]);
    expect(other.exitCode ?? other.signalCode).toBeNull();
    other.stdin.end();
    await once(other, 'exit');
  });

  it('ends a busy process that a killed server left behind', async () => {
    const server = await start();
    const client = new pg.Client({ connectionString: server.connectionString });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const busy = client.query('select count(*) from generate_series(1, 1e15)').catch(() => undefined);
    process.kill(await serverPid(), 'SIGKILL');
    expect(await query(await start(), 'select 1 as n')).toEqual([{ n: 1 }]);
    await busy;
    await client.end().catch(() => undefined);
    expect(await processStart(rows[0]?.pid ?? 0)).toBeUndefined();
  });

  it('removes the remains of an interrupted first start', async () => {
    await mkdir(join(dataDir, 'postgres.new-abc123', 'cluster'), { recursive: true });
    await start();
    expect((await readdir(dataDir)).filter((name) => name.includes('new'))).toEqual([]);
  });

  it('refuses a cluster of another PostgreSQL version, and says what to do', async () => {
    const path = join(dataDir, 'postgres', 'PG_VERSION');
    const version = await readFile(path, 'utf8');
    await writeFile(path, '17\n');
    await expect(start()).rejects.toThrow(/made by PostgreSQL 17, this engine comes with 18\.\d+.*DATABASE_URL/);
    await writeFile(path, version);
  });

  it('refuses to go on without the password of the cluster', async () => {
    const path = join(dataDir, 'postgres.password');
    const password = await readFile(path, 'utf8');
    await rm(path);
    await expect(start()).rejects.toThrow(/password of the database .* is missing/);
    await writeFile(path, password, { mode: 0o600 });
  });

  it('never makes a cluster over files that it does not know', async () => {
    const strange = join(folder, 'strange');
    const file = join(strange, 'postgres', 'restored.txt');
    await mkdir(join(strange, 'postgres'), { recursive: true });
    await writeFile(file, 'somebody needs this');
    await expect(start(strange)).rejects.toThrow(/could not be made in/);
    expect(await readFile(file, 'utf8')).toBe('somebody needs this');
  });

  it('says what to do on a platform for which there is no PostgreSQL', async () => {
    await expect(findBinaries('plan9-mips')).rejects.toThrow(/no embedded PostgreSQL for plan9-mips.*DATABASE_URL/);
  });

  it('tells a port that was taken meanwhile from other failures', async () => {
    await (await start()).stop();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const binaries = await findBinaries();
    const home = await findHome({ dataDir, binaries, way: undefined, homesFolder: join(folder, 'homes') });
    const parts = { home, port, logPath: join(dataDir, 'postgres.log'), onUnexpectedExit: () => undefined };
    await expect(startServer(parts)).rejects.toMatchObject({ name: 'ServerStartError', isPortTaken: true });
    other.close();
    await once(other, 'close');
    const missing = { ...home, cluster: join(folder, 'nowhere') };
    await expect(startServer({ ...parts, home: missing })).rejects.toMatchObject({ isPortTaken: false });
  });
});
