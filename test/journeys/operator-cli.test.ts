// An operator's path along the command line, each step in a process of its own against a running engine: the first key, the first answer, its
// usage, and everything that an operator does with keys and plans on the way.
import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { type Run, runCli } from '../cli/run-cli.ts';
import {
  CONVERSATION_PATH,
  expectError,
  NOTE_PATH,
  openClinic,
  secretOf,
  sendRecording,
} from '../support/journey-upload.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const OPERATOR_KEY = 'made-up-operator-key-for-tests-0123456789';

const clinic = openedForFile(openClinic);

function cli(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Run> {
  return runCli({
    args,
    environment: { CHARTWRIGHT_URL: clinic.engine.url, OPERATOR_KEY, ...environment },
    folder: tmpdir(),
  });
}

/** Runs a command with `--json`, which prints the result alone on stdout. */
async function cliJson(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await cli([...args, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
}

type Issued = { readonly id: string; readonly key: string; readonly organization: string; readonly plan: string };

const create = async (...more: readonly string[]): Promise<Issued> =>
  (await cliJson('keys', 'create', ...more)) as unknown as Issued;

describe('the command line from the first key to the first bill', () => {
  it('an operator makes a key, its holder gets a note and a conversation, and usage shows both', async () => {
    const made = await cli(['keys', 'create', '--organization', 'first clinic']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const key = /cw_[0-9a-f]{16}_\S{43}/.exec(made.stdout)?.[0] ?? '';
    expect(made.stdout).toContain(`curl ${clinic.engine.url}/diagnose -H 'x-api-key: ${key}'`);

    for (const path of [NOTE_PATH, CONVERSATION_PATH]) {
      expect((await sendRecording({ ...clinic, key }, path)).status).toBe(200);
    }
    const usage = await cli(['usage', '--organization', 'first clinic']);
    expect(usage).toMatchObject({ code: 0, stderr: '' });
    expect(usage.stdout).toMatch(/ORGANIZATION\s+KEY\s+OPERATION\s+REQUESTS\s+FAILED/);
    expect(usage.stdout).toMatch(/first clinic\s+[0-9a-f]{16}\s+transcribe\s+1\s+0\s+0/);
    expect(usage.stdout).toMatch(/first clinic\s+[0-9a-f]{16}\s+transcribe-conversation\s+1\s+0\s+0/);
  });

  it('each command prints the result alone as JSON for programs', async () => {
    const { id, key, organization, plan } = await create('--organization', 'by program', '--plan', 'unlimited');
    expect({ organization, plan }).toEqual({ organization: 'by program', plan: 'unlimited' });
    expect((await sendRecording({ ...clinic, key }, CONVERSATION_PATH)).status).toBe(200);
    const { usage } = await cliJson('usage', '--key', id);
    expect(usage).toMatchObject([{ organization: 'by program', key: id, requests: 1, failures: 0 }]);
  });

  it('usage --csv prints the CSV of /ops/usage', async () => {
    const { stdout } = await cli(['usage', '--csv', '--organization', 'by program']);
    expect(stdout).toBe(await clinic.engine.ops('GET', '/usage?format=csv&organization=by%20program'));
  });
});

describe('the key commands', () => {
  it('keys list shows ids, organizations, plans and states, and no secret', async () => {
    const { id, key } = await create('--organization', 'listed', '--label', 'ward 3');
    const { stdout } = await cli(['keys', 'list']);
    expect(stdout).toMatch(new RegExp(`${id}\\s+listed\\s+standard\\s+active.*ward 3`));
    expect(stdout).not.toContain(secretOf(key));
  });

  it('keys rotate makes a new key and leaves the old one valid until the overlap ends', async () => {
    const old = await create('--organization', 'rotated');
    const successor = (await cliJson('keys', 'rotate', old.id, '--overlap-hours', '1')) as unknown as Issued;
    expect(successor).toMatchObject({ replaces: old.id, organization: 'rotated' });
    for (const { key } of [old, successor]) {
      expect((await sendRecording({ ...clinic, key }, CONVERSATION_PATH)).status).toBe(200);
    }
    await cliJson('keys', 'rotate', successor.id, '--overlap-hours', '0');
    expectError(await sendRecording({ ...clinic, key: successor.key }, CONVERSATION_PATH), 401);
  });

  it('keys revoke makes the key 401 from then on', async () => {
    const { id, key } = await create('--organization', 'revoked');
    expect(await cliJson('keys', 'revoke', `Key/${id}`)).toEqual({ id: `Key/${id}`, revoked: true });
    expectError(await sendRecording({ ...clinic, key }, CONVERSATION_PATH), 401);
    const { keys } = await cliJson('keys', 'list');
    expect(keys).toContainEqual(expect.objectContaining({ id, status: 'revoked' }));
  });
});

describe('the plan commands', () => {
  it('a plan of one request a month, made with plans set, lets one request through', async () => {
    await cliJson('plans', 'set', 'trial', '--requests-per-month', '1', '--audio-seconds-per-month', '600');
    expect(await cliJson('plans', 'list')).toMatchObject({
      plans: expect.arrayContaining([{ name: 'trial', requestsPerMonth: 1, audioSecondsPerMonth: 600 }]),
    });
    const { key } = await create('--organization', 'on trial', '--plan', 'trial');
    expect((await sendRecording({ ...clinic, key }, CONVERSATION_PATH)).status).toBe(200);
    expectError(await sendRecording({ ...clinic, key }, CONVERSATION_PATH), 402);
  });
});

describe('errors of the command line', () => {
  it.each([
    ['a plan that is not there', ['keys', 'create', '--organization', 'a', '--plan', 'gold'], /plan must be one of/],
    ['a key that is not there', ['keys', 'revoke', '0123456789abcdef'], /no key/],
    ['an end in the past', ['keys', 'create', '--organization', 'a', '--expires', '2020-01-01'], /--expires must be/],
    ['a limit that is no number', ['plans', 'set', 'a', '--requests-per-minute', 'many'], /--requests-per-minute must/],
    ['a command that is not there', ['keys', 'destroy'], /unknown command/],
    ['an option that is missing', ['keys', 'create'], /--organization/],
  ])('a command with %s prints its error on stderr and exits with 1', async (_, args, message) => {
    const { code, stdout, stderr } = await cli([...args, '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('a command with a wrong operator key exits with 1 and does not repeat the key', async () => {
    const wrong = 'wrong-operator-key-for-tests-9876543210';
    const { code, stdout, stderr } = await cli(['keys', 'list'], { OPERATOR_KEY: wrong });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/does not accept the operator key from OPERATOR_KEY/);
    expect(stderr).not.toContain(wrong);
  });

  it('a command without a running engine exits with 1 and names the address', async () => {
    const { code, stderr } = await cli(['usage'], { CHARTWRIGHT_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/No engine answers at http:\/\/127\.0\.0\.1:1/);
  });

  it.each([
    '--help',
    'keys --help',
    'keys create --help',
    'keys list --help',
    'keys rotate --help',
    'keys revoke --help',
    'plans --help',
    'plans list --help',
    'plans set --help',
    'usage --help',
  ])('%s explains the command without an engine', async (line) => {
    const { code, stdout } = await cli(line.split(' '), { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY: '' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: cli/);
  });
});
