// Starts of the engine: the first one, later ones, and starts that must fail.

import { once } from 'node:events';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { postJson } from '../support/journey-client.ts';
import { makeSite, type RunningEngine, type Site } from '../support/journey-engine.ts';
import { until } from '../support/until.ts';

const QUESTION = { clinical_history: 'Girl of 7 years, itching rash after a walk in the woods.' };

describe('an engine', () => {
  let site: Site;
  let engine: RunningEngine;
  let url: string;
  let port: number;
  let key: string;

  const restart = async () => {
    engine = site.start();
    ({ url, port } = await engine.ready());
  };
  const listKeys = () => site.ops(url, 'GET', '/keys');

  beforeAll(async () => {
    site = await makeSite();
    await restart();
  });
  afterAll(() => site?.remove());

  it('an engine prints its address, its documentation and its reasoner at the first start without settings', () => {
    const { stdout, stderr } = engine.output();
    expect(stdout).toMatch(/Chartwright \d+\.\d+\.\d+ is ready/);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(stdout).toContain(`${url}/docs`);
    expect(stdout).toMatch(
      /Reasoner\s+builtin:rules@\d+: rules .*not a medical device\s+for a model set OPENAI_API_KEY/,
    );
    expect(stdout).toMatch(
      /Speech\s+builtin:recordings@1: .*\n\s+for others set DEEPGRAM_API_KEY or DEEPGRAM_BASE_URL/,
    );
    expect(stdout).toMatch(/Database\s+embedded PostgreSQL in/);
    expect(stdout).toMatch(/Operator key\s+\.data\/operator\.key/);
    expect(stdout).toMatch(/First API key\s+npm run cli -- keys create --organization my-clinic/);
    expect(stderr).toMatch(/^\{[^\n]*"engine":"builtin:rules@\d+","msg":"no model is set[^\n]*\}\n$/);
  });

  it('an engine stores its secrets in files that only its user can read, and prints none of them', async () => {
    for (const name of ['operator.key', 'master.key', 'postgres.password']) {
      const file = path.join(site.dataDir, name);
      expect([name, (await stat(file)).mode & 0o777]).toEqual([name, 0o600]);
      const secret = (await readFile(file, 'utf8')).trim();
      expect(secret.length).toBeGreaterThanOrEqual(32);
      expect(engine.output().stdout).not.toContain(secret);
    }
    expect((await stat(site.dataDir)).mode & 0o777).toBe(0o700);
  });

  it('an engine is ready without speech recognition and names the missing setting', async () => {
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'degraded' }]);
  });

  it('the command that an engine prints makes the first key', async () => {
    key = (
      JSON.parse(await site.cli(port, 'keys', 'create', '--organization', 'my-clinic', '--json')) as { key: string }
    ).key;
    const answer = await postJson({ url }, '/diagnose', key, QUESTION);
    expect([answer.status, answer.body]).toMatchObject([200, { triage: { triage_level: expect.any(String) } }]);
    expect((await postJson({ url }, '/diagnose', `${key}x`, QUESTION)).status).toBe(401);
  });

  it('a second engine cannot use the folder of a running one: it exits with 1 and names the first', async () => {
    const second = site.start();
    expect(await second.exited).toBe(1);
    expect(second.output().stderr).toContain(`pid ${engine.pid}`);
    expect(second.output().stderr).toContain('DATA_DIR');
    expect(second.output().stdout).toBe('');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await listKeys()).toMatchObject({ keys: [{ organization: 'my-clinic' }] });
  });

  it('an engine has its keys and its data after a stop and a start', async () => {
    await site.ops(url, 'PUT', '/plans/small', { requestsPerMinute: 3 });
    const before = await site.operatorKey();
    engine.signal('SIGTERM');
    expect(await engine.exited).toBe(0);
    expect(await site.databaseProcesses()).toEqual([]);
    await restart();
    expect(await site.operatorKey()).toBe(before);
    expect((await postJson({ url }, '/diagnose', key, QUESTION)).status).toBe(200);
    expect(await listKeys()).toMatchObject({ keys: [{ organization: 'my-clinic', status: 'active' }] });
  });

  it('an engine starts again after kill -9 with its data and with one database only', async () => {
    const orphan = await site.postmaster();
    engine.signal('SIGKILL');
    expect(await engine.exited).toBe('SIGKILL');
    await restart();
    const postmaster = await site.postmaster();
    expect(postmaster).not.toBe(orphan);
    expect(await site.databaseProcesses()).not.toContain(orphan);
    expect(engine.output().stderr).toContain('a database server of an earlier run was stopped');
    const second = (await site.ops(url, 'POST', '/keys', { organization: 'my-clinic', plan: 'small' })) as {
      key: string;
    };
    for (const each of [key, second.key]) {
      const answer = await postJson({ url }, '/diagnose', each, QUESTION);
      expect(answer.status).toBe(200);
    }
    const limited = await postJson({ url }, '/diagnose', second.key, QUESTION);
    expect(limited.headers.get('ratelimit-policy')).toBe('"minute";q=3;w=60');
  });

  it('an engine whose master.key was lost does not start, and makes no new one beside its database', async () => {
    engine.signal('SIGTERM');
    await engine.exited;
    const file = path.join(site.dataDir, 'master.key');
    const secret = await readFile(file);
    await rm(file);
    const keyless = site.start();
    expect(await keyless.exited).toBe(1);
    expect(keyless.output().stderr).toMatch(/The master key is missing: there is no .*master\.key, /);
    expect(await readdir(site.dataDir)).not.toContain('master.key');
    await writeFile(file, secret, { mode: 0o600 });
    await restart();
    const { keys } = (await listKeys()) as { readonly keys: readonly unknown[] };
    expect(keys).toHaveLength(2);
  });

  it('the inspector of Node cannot be opened by a signal', async () => {
    process.kill(engine.pid, 'SIGUSR1');
    await until(() => engine.output().stderr.includes('the inspector of Node cannot be opened'));
    expect(engine.output().stderr).not.toContain('Debugger listening');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

describe('a start that must fail', () => {
  let site: Site;
  beforeAll(async () => {
    site = await makeSite();
  });
  afterEach(async () => {
    expect(await site.databaseProcesses()).toEqual([]);
  });
  afterAll(() => site?.remove());

  it('a start on a port in use exits with 1 and a message, and starts no database', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const engine = site.start({ PORT: port });
    expect(await engine.exited).toBe(1);
    expect(engine.output()).toEqual({
      stdout: '',
      stderr: `Chartwright cannot start: cannot listen on 127.0.0.1:${port}: the port is in use; set PORT to another one\n`,
    });
    other.close();
    expect(await readdir(site.dataDir)).not.toContain('postgres');
  });

  it('a start on an address of another machine exits with 1 and a message', async () => {
    const engine = site.start({ HOST: '192.0.2.1' });
    expect(await engine.exited).toBe(1);
    expect(engine.output().stderr).toContain('cannot listen on 192.0.2.1:0: check HOST and PORT');
  });

  it('a start with invalid settings exits with 1 and names all of them', async () => {
    const engine = site.start({
      DATA_DIR: 'elsewhere',
      PORT: 'many',
      OPERATOR_KEY: 'short-secret',
      MASTER_KEY: 'not-base64',
      DATABASE_URL: 'mysql://a/b',
      OPENAI_BASE_URL: 'ftp://a',
      DEEPGRAM_MODEL: 'xx=a b',
      LOG_LEVEL: 'loud',
      MAX_UPLOADS: '0',
    });
    expect(await engine.exited).toBe(1);
    const { stdout, stderr } = engine.output();
    const named = ['PORT', 'OPERATOR_KEY', 'MASTER_KEY', 'DATABASE_URL', 'OPENAI_BASE_URL', 'DEEPGRAM_MODEL'];
    for (const name of [...named, 'LOG_LEVEL', 'MAX_UPLOADS']) expect(stderr).toMatch(new RegExp(`^ +${name}: `, 'm'));
    expect(stderr).not.toMatch(/short-secret|\bat .*:\d+/);
    expect(stdout).toBe('');
    expect(await readdir(site.folder)).not.toContain('elsewhere');
  });
});
