// Signing in at the command line, and people, roles, sessions and tokens, against the real /ops.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { formTokenOf } from '../../inbound/http/ops/ops-accounts.ts';
import { type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import type { Person } from '../mappings/mappings-program.ts';
import { lines, type Typed, typeCommand } from '../ops-person.ts';
import { runCli } from '../run-cli.ts';

let engine: OpsEngine;
let home: string;
beforeEach(async () => {
  engine = await startOpsEngine();
  home = await mkdtemp(join(tmpdir(), 'chartwright-home-'));
});
afterEach(async () => {
  await engine.stop();
  await rm(home, { recursive: true, force: true });
});

const FILE = () => join(home, '.config', 'chartwright', 'logins.json');

function cli(typed: Typed, { environment, ...person }: Person = {}) {
  return typeCommand(engine.baseUrl, typed, { environment: { HOME: home, ...environment }, ...person });
}

/** Everything that was typed must have been accepted. */
async function typed<Answer>(line: Typed): Promise<Answer> {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const { code, stdout, stderr } = await cli(['--json', ...words]);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

type Made = { readonly id: string; readonly link: string };
const make = (name: string, ...roles: readonly string[]) =>
  typed<Made>(['people', 'create', '--name', name, '--role', ...roles]);

async function anAdmin(): Promise<Made> {
  const admin = await make('Ada Example', 'admin@*');
  await typed(['login', '--link', admin.link]);
  return admin;
}

async function confirm(code: string, decision: string, person: string): Promise<void> {
  const bearer = await engine.accounts.signIn(person, 'browser');
  const cookie = `__Host-chartwright=${bearer.replace(/^ps_/, '')}`;
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const form = formTokenOf(bearer.split('_')[1] ?? '');
  const body = new URLSearchParams({ code, decision, form });
  await fetch(`${engine.baseUrl}/device`, { method: 'POST', headers, body });
}

describe('login', () => {
  it('login shows an address and a code, waits until the person has confirmed it, and keeps the session', async () => {
    const sam = await engine.accounts.aPerson([{ role: 'operator', site: 'mercy' }], 'Sam Example');
    let shown = '';
    const waits: number[] = [];
    const pause = async (ms: number) => {
      waits.push(ms);
      engine.setTime(new Date(Date.parse('2026-11-21T08:00:00Z') + waits.length * 6_000).toISOString());
      const [code = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(shown) ?? [];
      if (waits.length === 2) await confirm(code, 'allow', sam);
    };
    const onWarn = (text: string) => {
      shown += text;
    };
    const { code, stdout } = await cli('login', { pause, onWarn });
    expect([code, waits]).toEqual([0, [5_000, 5_000]]);
    expect(shown).toContain('Open https://charts.example.org/device in a browser');
    expect(lines(stdout)).toEqual([
      expect.stringMatching(
        /^You are signed in at http:\S+ as Sam Example, until 2026-11-21 \d\d:\d\d UTC at the latest\.$/,
      ),
      'To read patient data, say why: npm run cli -- purpose treatment',
    ]);
    expect((await stat(FILE())).mode & 0o777).toBe(0o600);
    expect((await typed<{ person: string }>('whoami')).person).toBe(sam);
  });

  it('login says that the person has refused, or that the code was not confirmed', async () => {
    const sam = await engine.accounts.aPerson([{ role: 'viewer', site: 'mercy' }]);
    let shown = '';
    const onWarn = (text: string) => {
      shown += text;
    };
    const refuse = () => confirm(/[A-Z]{4}-[A-Z]{4}/.exec(shown)?.[0] ?? '', 'deny', sam);
    const refused = await cli('login', { onWarn, pause: refuse });
    expect([refused.code, lines(refused.stderr).at(-1)]).toEqual([1, 'The sign-in was refused on the page.']);
    const late = await cli('login', { pause: async () => engine.setTime('2026-11-21T08:10:00Z') });
    expect([late.code, lines(late.stderr).at(-1)]).toEqual([
      1,
      expect.stringMatching(/^The code was not confirmed in time/),
    ]);
    await expect(stat(FILE())).rejects.toThrow();
  });

  it('login --link uses a one-time link up', async () => {
    const { link } = await anAdmin();
    expect(await readFile(FILE(), 'utf8')).not.toContain(link.split('/').at(-1));
    const again = await cli(['login', '--link', link]);
    expect([again.code, again.stderr]).toEqual([
      1,
      'This link was used, has ended, or is wrong: ask an admin for a new one\n',
    ]);
    expect((await cli(['login', '--link', 'https://evil.example/x'])).stderr).toMatch(/must be a one-time link/);
  });

  it('login says where a folder is missing, and that no engine answers', async () => {
    expect((await cli('login', { environment: { HOME: '' } })).stderr).toMatch(/^There is no folder for your sign-ins/);
    const environment = { CHARTWRIGHT_URL: 'http://127.0.0.1:9' };
    expect((await cli('login', { environment })).stderr).toMatch(/^No engine answers at http:\/\/127\.0\.0\.1:9/);
  });
});

describe('a session at the command line', () => {
  it('goes before the operator key, and tells what to do when it has ended', async () => {
    const { id } = await anAdmin();
    expect((await cli('people list')).stdout).toContain('Ada Example');
    await engine.personSessions.end({ person: id }, 'by-admin');
    const refused = await cli('people list');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `Your session at ${engine.baseUrl} has ended: sign in again: npm run cli -- login\n`,
    ]);
    expect((await cli('logout')).stdout).toBe('This machine has forgotten your session.\n');
    expect((await cli('logout')).stdout).toBe(`You are not signed in at ${engine.baseUrl}.\n`);
    expect((await cli('people list')).code).toBe(0);
  });

  it('ends with logout, alone or with all others of the person', async () => {
    const { id } = await anAdmin();
    const open = () => engine.personSessions.list({ scope: 'all', person: id, limit: 9 });
    await engine.accounts.signIn(id, 'browser');
    expect((await cli('logout')).stdout).toBe(`Your session at ${engine.baseUrl} ended.\n`);
    expect(await open()).toMatchObject([{ kind: 'browser' }]);
    await typed(['login', '--link', await engine.accounts.aLink(id)]);
    expect((await cli('logout --everywhere')).stdout).toBe(`Your 2 sessions at ${engine.baseUrl} ended.\n`);
    expect(await open()).toEqual([]);
  });

  it('has a purpose, and says that patient data needs one', async () => {
    expect((await cli('whoami')).stdout).toMatch(/^Purpose: not asked of this key$/m);
    const admin = await anAdmin();
    expect((await cli('whoami')).stdout).toMatch(/^Purpose: none is needed: these roles read no patient data$/m);
    await typed(['people', 'roles', admin.id, 'admin@*', 'operator@mercy']);
    const { code, stderr } = await cli('runs quarantine show 0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a78 --patient-data');
    expect([code, stderr]).toEqual([1, expect.stringContaining('npm run cli -- purpose treatment')]);
    expect((await cli('whoami')).stdout).toMatch(/^Purpose: none, so no patient data is shown/m);
    expect((await cli('purpose treatment')).stdout).toBe(
      'You read patient data for treatment until the session ends.\n',
    );
    expect((await cli('whoami')).stdout).toMatch(/^Purpose: treatment$/m);
    expect((await cli('purpose fun')).stderr).toMatch(/^fun is no purpose: say one of treatment, emergency/);
  });
});

describe('people', () => {
  it('people create makes the first admin with the operator key, which then makes no other account', async () => {
    const first = await cli(['people', 'create', '--name', 'Ada Example', '--role', 'admin@*']);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(/^Ada Example has the account [0-9a-f]{16}, with the roles admin@\*\.$/m);
    expect(first.stdout).toMatch(/^ {2}https:\/\/charts\.example\.org\/sign-in\/link\/[\w-]{43}$/m);
    const second = await cli(['people', 'create', '--name', 'Sam Example', '--role', 'operator@mercy']);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('only makes admins of every site')]);
    expect((await cli('runs list')).stderr).toBe(
      'There is an admin now, so the operator key only makes admins: sign in (npm run cli -- login)\n',
    );
  });

  it('people list, show, change, roles, link, disable and enable work for an admin', async () => {
    await anAdmin();
    const { id } = await make('Sam Example', 'operator@mercy', 'auditor@mercy');
    const listed = await cli('people list');
    expect(lines(listed.stdout)[0]).toMatch(/^ID +NAME +LAST SIGN-IN +ROLES$/);
    expect(lines(listed.stdout)[1]).toMatch(new RegExp(`^${id} +Sam Example +- +auditor@mercy, operator@mercy$`));
    expect((await cli(['people', 'change', id, '--name', 'Sam Sample'])).stdout).toMatch(/^Sam Sample \(Person\//);
    expect((await cli(['people', 'roles', id, 'viewer@*'])).stdout).toMatch(/^ {2}viewer@\* \(given by an admin\)$/m);
    expect((await cli(['people', 'roles', id])).stderr).toMatch(/^Name all roles .* or pass --none\.$/m);
    expect((await cli(['people', 'roles', id, '--none'])).stdout).toMatch(/^Roles: +none$/m);
    expect((await cli(['people', 'link', `Person/${id}`])).stdout).toMatch(/sign-in\/link\//);
    expect((await cli(['people', 'disable', id])).stdout).toBe('Sam Sample is disabled.\n');
    expect((await cli('people list')).stdout).toMatch(/Sam Sample +disabled/);
    expect((await cli(['people', 'enable', id])).stdout).toBe('Sam Sample is enabled.\n');
    expect((await cli('people show ffffffffffffffff')).stderr).toBe('There is no person with this id\n');
  });

  it.each([
    ['operator', /^operator is no role at a site\. Write it like operator@mercy/],
    ['boss@mercy', /^--role must be one of viewer/],
    ['operator@mery', /^There is no site mery; did you mean mercy\?/],
    ['reviewer@mercy', /^A reviewer needs the practitioner/],
  ])('people create refuses the role %s', async (role, message) => {
    await anAdmin();
    const { code, stdout, stderr } = await cli(['people', 'create', '--name', 'Sam', '--role', role]);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
  });

  it('people create names a Practitioner whom the EHR could not confirm', async () => {
    await anAdmin();
    const typedRole = ['people', 'create', '--name', 'Dr. Example', '--role', 'reviewer@mercy=Practitioner/7'];
    expect((await cli(typedRole)).stdout).toMatch(/reviewer@mercy=Practitioner\/7\.$/m);
  });

  it('roles shows what each role is for, and what one may do', async () => {
    await anAdmin();
    expect((await cli('roles')).stdout).toMatch(/^auditor +no +Reads and verifies the audit trail/m);
    expect((await cli('roles auditor')).stdout).toMatch(/^ {2}GET \/ops\/audit$/m);
    expect((await cli('roles boss')).stderr).toMatch(/^There is no role boss: say one of viewer,/);
  });
});

describe('sessions and tokens', () => {
  it('sessions list and sessions end show and end those of others and one’s own', async () => {
    const admin = await anAdmin();
    const { id } = await make('Sam Example', 'operator@mercy');
    const key = await engine.accounts.signIn(id);
    const session = key.split('_')[1] ?? '';
    expect(lines((await cli('sessions list')).stdout)[1]).toMatch(new RegExp(`^${session} +${id} +cli +device +192`));
    expect(lines((await cli('sessions list --mine')).stdout)[1]).toMatch(new RegExp(` ${admin.id} +cli +link `));
    expect((await cli(['sessions', 'end', `Session/${session}`])).stdout).toBe('The session ended.\n');
    expect((await cli(['sessions', 'end', session])).stderr).toBe('There is no open session with this id\n');
    await engine.accounts.signIn(id);
    expect((await cli(['sessions', 'end', '--person', id])).stdout).toBe('Sessions ended: 1.\n');
    expect((await cli(['sessions', 'list', '--person', id])).stdout).toBe('No session is open.\n');
    expect((await cli('sessions end')).stderr).toBe('Name a session, or a person with --person.\n');
  });

  it('tokens create makes a token that a script uses until it is revoked', async () => {
    await anAdmin();
    const options = ['--label', 'night report', '--role', 'viewer@mercy', '--expires', '2027-01-31'];
    const made = await cli(['tokens', 'create', ...options]);
    const [token = ''] = /st_\S+/.exec(made.stdout) ?? [];
    expect(made.stdout).toContain('until 2027-01-31 00:00 UTC. It is shown only now');
    const environment = { CHARTWRIGHT_TOKEN: token };
    expect((await cli('whoami', { environment })).stdout).toMatch(/^night report \(token\/[0-9a-f]{16}\)/);
    expect((await cli('runs list', { environment })).code).toBe(0);
    const id = token.split('_')[1] ?? '';
    expect((await cli('tokens list')).stdout).toMatch(
      new RegExp(`^${id} +night report +2027-01-31 00:00 +\\S.* viewer@mercy$`, 'm'),
    );
    expect((await cli(['tokens', 'revoke', id])).stdout).toBe(`The token ${id} is revoked.\n`);
    expect((await cli('runs list', { environment })).stderr).toMatch(
      /does not accept the token from CHARTWRIGHT_TOKEN/,
    );
    expect((await cli('tokens list')).stdout).toMatch(/night report +revoked/);
  });
});

describe('The command line as a started program', () => {
  it.each([
    ...['login', 'logout', 'whoami', 'purpose', 'roles'],
    ...['create', 'list', 'show', 'change', 'roles', 'link', 'disable', 'enable'].map((name) => `people ${name}`),
    ...['sessions list', 'sessions end', 'tokens create', 'tokens list', 'tokens revoke'],
  ])('%s --help prints the usage with examples, without an engine', async (command) => {
    const args = `${command} --help`.split(' ');
    const { code, stdout, stderr } = await runCli({ args, environment: { CHARTWRIGHT_URL: 'none' }, folder: '.' });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`Examples:\\n {2}npm run .*cli -- (--json )?${command}`));
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(125);
  });
});
