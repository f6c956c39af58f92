// People from the first admin to the last session, each command in a process of its own against a running engine with the sandbox: the operator key
// makes an admin, the admin signs in by the link, and from then on the key does nothing else.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deviceCodeResponse } from '../../src/wire/device.ts';
import { DEVICE_GRANT } from '../../src/wire/device-grant.ts';
import { type Run, runCli } from '../cli/run-cli.ts';
import { openSandboxEngine } from '../eval/play-sandbox.ts';
import { type Engine, OPERATOR_KEY } from '../support/engine.ts';

const LIMIT_MS = 120_000;

let engine: Engine;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chartwright-people-'));
  engine = await openSandboxEngine();
}, LIMIT_MS);
afterAll(async () => {
  await engine?.stop();
  await rm(folder, { recursive: true, force: true });
});

type Who = Readonly<Record<string, string>>;

/** A person with a home of their own on this machine; only the operator has the key of the engine. */
const someone = (name: string): Who => ({ HOME: join(folder, name) });
const OPERATOR: Who = { OPERATOR_KEY };

function cli(who: Who, ...args: readonly string[]): Promise<Run> {
  return runCli({ args, environment: { CHARTWRIGHT_URL: engine.url, ...who }, folder });
}

async function cliJson<Answer>(who: Who, ...args: readonly string[]): Promise<Answer> {
  const { code, stdout, stderr } = await cli(who, '--json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

type Made = { readonly id: string; readonly link: string };
type Audit = { readonly entries: readonly { readonly action: string; readonly actor: string }[] };

const make = (who: Who, name: string, ...roles: readonly string[]) =>
  cliJson<Made>(who, 'people', 'create', '--name', name, '--role', ...roles);

describe('people of an engine, at the command line', () => {
  it(
    'come in by one-time links, work within their roles and purpose, and are out when their sessions end',
    async () => {
      const [ada, bea, sam] = [someone('ada'), someone('bea'), someone('sam')];
      // The key still opens everything, and makes the first admin.
      expect((await cli(OPERATOR, 'runs', 'list')).code).toBe(0);
      const admin = await make(OPERATOR, 'Ada Example', 'admin@*');
      expect(admin.link).toMatch(/\/sign-in\/link\/[\w-]{43}$/);
      for (const refused of [
        ['runs', 'list'],
        ['tokens', 'list'],
        ['audit', 'list'],
        ['keys', 'list'],
      ]) {
        const { code, stderr } = await cli(OPERATOR, ...refused);
        expect([refused, code, stderr]).toEqual([refused, 1, expect.stringContaining('npm run cli -- login')]);
      }

      const login = await cli(ada, 'login', '--link', admin.link);
      expect(login.stdout).toContain(`You are signed in at ${engine.url} as Ada Example`);
      const file = join(folder, 'ada', '.config', 'chartwright', 'logins.json');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const used = await cli(bea, 'login', '--link', admin.link);
      expect([used.code, used.stderr]).toEqual([1, expect.stringContaining('ask an admin for a new one')]);

      const operator = await make(ada, 'Sam Example', 'operator@sandbox', 'auditor@sandbox');
      await cli(sam, 'login', '--link', operator.link);
      expect((await cli(sam, 'runs', 'list')).code).toBe(0);
      expect((await cli(sam, 'people', 'list')).stderr).toMatch(/^This needs the role admin/);
      expect((await cli(sam, 'purpose', 'operations')).code).toBe(0);
      expect((await cli(sam, 'whoami')).stdout).toMatch(/^Purpose: operations$/m);

      const { id: token, token: text } = await cliJson<{ readonly id: string; readonly token: string }>(
        ...([ada, 'tokens', 'create', '--label', 'report', '--role', 'viewer@sandbox'] as const),
      );
      const script = { ...someone('nobody'), CHARTWRIGHT_TOKEN: text };
      expect((await cli(script, 'runs', 'list')).code).toBe(0);
      expect((await cli(script, 'audit', 'list')).stderr).toMatch(/^This needs the role auditor/);

      const ended = await cliJson<{ readonly ended: readonly string[] }>(
        ada,
        'sessions',
        'end',
        '--person',
        operator.id,
      );
      expect(ended.ended).toHaveLength(1);
      const out = await cli(sam, 'runs', 'list');
      expect([out.code, out.stderr]).toEqual([
        1,
        `Your session at ${engine.url} has ended: sign in again: npm run cli -- login\n`,
      ]);
      await cli(ada, 'people', 'disable', operator.id);
      const link = await cli(ada, 'people', 'link', operator.id);
      expect([link.code, link.stderr]).toEqual([1, 'This person is disabled: enable them first\n']);
      await cli(ada, 'people', 'enable', operator.id);
      const again = await cliJson<Made>(ada, 'people', 'link', operator.id);
      await cli(sam, 'login', '--link', again.link);

      const { entries } = await cliJson<Audit>(sam, 'audit', 'list', '--site', 'sandbox', '--limit', '500');
      expect(JSON.stringify(entries)).not.toMatch(/Ada|Sam|Example/);
      expect(entries.map(({ action, actor }) => `${action} ${actor}`)).toEqual(
        expect.arrayContaining([
          `person.create person/${admin.id}`,
          `token.create person/${admin.id}`,
          `person.disable person/${admin.id}`,
          `person.enable person/${admin.id}`,
          `person.link person/${admin.id}`,
        ]),
      );
      await cli(ada, 'tokens', 'revoke', token);
      expect((await cli(script, 'runs', 'list')).stderr).toMatch(/does not accept the token from CHARTWRIGHT_TOKEN/);

      const last = await cli(ada, 'people', 'disable', admin.id);
      expect([last.code, last.stderr]).toEqual([1, 'This is the last admin of every site: make another one first\n']);
      expect((await cli(ada, 'logout', '--everywhere')).stdout).toMatch(/^Your session at \S+ ended\.$/m);
      await expect(readFile(file)).rejects.toThrow();

      // Who has lost the way in is let in again by the key of the engine.
      const next = await make(OPERATOR, 'Bea Example', 'admin@*');
      expect((await cli(bea, 'login', '--link', next.link)).code).toBe(0);
    },
    LIMIT_MS,
  );

  it('a program gets a code, and the page that confirms it asks a person to sign in first', async () => {
    const begun = await fetch(`${engine.url}/device/code`, { method: 'POST', body: new URLSearchParams() });
    const { user_code: code, verification_uri: address, device_code } = deviceCodeResponse.parse(await begun.json());
    expect([code, address]).toEqual([expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/), `${engine.url}/device`]);
    const page = await fetch(address, { redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([303, '/sign-in?return=%2Fdevice']);
    const body = new URLSearchParams({ grant_type: DEVICE_GRANT, device_code });
    const asked = await fetch(`${engine.url}/device/token`, { method: 'POST', body });
    expect([asked.status, await asked.json()]).toMatchObject([400, { error: 'authorization_pending' }]);
    expect((await fetch(`${engine.url}/device/token`)).status).toBe(405);
  });
});
