import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { splitApiKey } from '../../src/domain/access/api-key.ts';
import { aUsageRecord, OPERATOR_KEY, type OpsEngine, startOpsEngine } from '../inbound/http/ops/ops-engine.ts';
import { PROJECT, runCli } from './run-cli.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const cli = (line: string | readonly string[], environment: Record<string, string> = {}) =>
  runCli({
    args: typeof line === 'string' ? line.split(' ') : line,
    environment: { CHARTWRIGHT_URL: engine.baseUrl, OPERATOR_KEY, ...environment },
    folder: PROJECT,
  });

const lines = (text: string) => text.trimEnd().split('\n');

async function withServer(listener: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

describe('The keys commands', () => {
  it('keys create makes a first key and shows it once, with a command to try it', async () => {
    const { code, stdout, stderr } = await cli(['keys', 'create', '--organization', 'Clínica São João']);
    expect([code, stderr]).toEqual([0, '']);
    const [key = ''] = /cw_\S+/.exec(stdout) ?? [];
    expect(await engine.keys.find(splitApiKey(key)?.id ?? '')).toMatchObject({ organization: 'Clínica São João' });
    expect(stdout).toContain('shown only now');
    expect(stdout).toContain(`curl ${engine.baseUrl}/diagnose -H 'x-api-key: ${key}' -F 'clinical_history=`);
  });

  it('keys create makes a key with every option', async () => {
    const options = '--organization mercy --plan unlimited --label bench --expires 2027-01-31';
    const { stdout } = await cli(`keys create ${options} --json`);
    expect(JSON.parse(stdout)).toEqual({
      id: expect.any(String),
      key: expect.stringMatching(/^cw_/),
      organization: 'mercy',
      plan: 'unlimited',
      label: 'bench',
      expiresAt: '2027-01-31T00:00:00.000Z',
    });
  });

  it('keys list shows the keys without their secrets, newest first', async () => {
    const made = JSON.parse((await cli('--json keys create --organization first')).stdout);
    await cli('keys create --organization second --label bench');
    const { stdout } = await cli('keys list');
    expect(lines(stdout)[0]).toMatch(/^ID +ORGANIZATION +PLAN +STATUS +CREATED \(UTC\) +EXPIRES +LAST USED +LABEL$/);
    expect(lines(stdout)[1]).toMatch(/ second +standard +active +2026-11-21 08:00 +- +- +bench$/);
    expect(lines(stdout)[2]).toMatch(new RegExp(`^${made.id} +first `));
    expect(stdout).not.toContain(made.key.slice(20));
    expect(JSON.parse((await cli('keys list --json')).stdout).keys).toHaveLength(2);
  });

  it('keys list shows all keys, however many there are', async () => {
    for (let index = 0; index < 501; index += 1) {
      const id = index.toString(16).padStart(16, '0');
      await engine.keys.create({ id, secretDigest: new Uint8Array(32), organization: 'mercy', plan: 'standard' });
    }
    expect(lines((await cli('keys list')).stdout)).toHaveLength(502);
  });

  it('keys list says how to create the first key', async () => {
    expect((await cli('keys list')).stdout).toBe(
      'No keys yet. Create one: npm run cli -- keys create --organization my-clinic\n',
    );
  });

  it('keys rotate makes a new key and says when the old one expires', async () => {
    const { id, key } = JSON.parse((await cli('keys create --organization mercy --json')).stdout);
    const { stdout } = await cli(`keys rotate Key/${id} --overlap-hours 2`);
    expect(/cw_\S+/.exec(stdout)?.[0]).not.toBe(key);
    expect(stdout).toContain(`The old key ${id} expires at 2026-11-21 10:00 UTC at the latest.`);
  });

  it('keys callbacks allows origins for a key, shows its new secret once, and ends call-backs without origins', async () => {
    const { id } = JSON.parse((await cli('keys create --organization my-clinic --json')).stdout);
    const { stdout } = await cli(`keys callbacks ${id} https://clinic.example.org`);
    expect(stdout).toContain(`The key ${id} may name addresses at https://clinic.example.org in Callback-Url.`);
    expect(stdout).toMatch(/whsec_[A-Za-z0-9+/]{43}=/);
    expect((await cli(`keys callbacks ${id}`)).stdout).toBe(`The key ${id} has no call-backs any more.\n`);
  });

  it('keys revoke revokes a key', async () => {
    const { id } = JSON.parse((await cli('keys create --organization mercy --json')).stdout);
    expect((await cli(`keys revoke ${id}`)).stdout).toBe(`The key ${id} is revoked.\n`);
    expect(JSON.parse((await cli(`keys revoke ${id} --json`)).stdout)).toEqual({ id, revoked: true });
    expect((await cli('keys list')).stdout).toContain(' revoked ');
  });
});

describe('The command keys rotate-master', () => {
  it('keys rotate-master replaces the master key, says how far it is and what remains to do', async () => {
    expect((await cli('keys rotate-master --status')).stdout).toBe('The master key was never replaced.\n');
    const { code, stdout } = await cli('keys rotate-master');
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual([
      expect.stringMatching(/^The master key was replaced at 2026-11-21 08:00 UTC\. The old one opens nothing/),
      expect.stringMatching(/^Sealing stored values anew: 1,200 of 5,000 /),
      'Remove MASTER_KEY_NEXT.',
      expect.stringMatching(/^Keep the old key with the backups from before/),
    ]);
    expect(JSON.parse((await cli('keys rotate-master --status --json')).stdout)).toMatchObject({ sealed: 1200 });
  });

  it('keys rotate-master fails with the reason if the key cannot be replaced now', async () => {
    await cli('keys rotate-master');
    const { code, stderr } = await cli('keys rotate-master');
    expect(code).toBe(1);
    expect(stderr).toContain('still being sealed anew');
  });
});

describe('The plans commands', () => {
  it('plans list shows the plans with their limits', async () => {
    const { stdout } = await cli('plans list');
    expect(lines(stdout)[1]).toMatch(/^standard +600 +no limit +no limit$/);
    expect(JSON.parse((await cli('plans list --json')).stdout).plans).toHaveLength(2);
  });

  it('plans set stores the limits of a plan', async () => {
    const { code, stdout } = await cli('plans set pilot --requests-per-minute 5 --audio-seconds-per-month 3600');
    expect([code, lines(stdout)[1]]).toEqual([0, expect.stringMatching(/^pilot +5 +no limit +3,600$/)]);
    expect(await engine.plans.find('pilot')).toEqual({
      name: 'pilot',
      requestsPerMinute: 5,
      audioSecondsPerMonth: 3600,
    });
  });
});

describe('The usage command', () => {
  beforeEach(async () => {
    await engine.usage.record(aUsageRecord());
    await engine.usage.record(aUsageRecord({ organization: 'st-mary', startedAt: new Date('2026-10-05') }));
  });

  it('usage shows the current month by default', async () => {
    const { stdout } = await cli('usage');
    expect(lines(stdout)[0]).toBe('Usage from 2026-11-01 00:00 to 2026-12-01 00:00 (UTC)');
    expect(lines(stdout).at(-1)).toMatch(/^mercy +0123456789abcdef +transcribe +1 +0 +0 +91 +4$/);
  });

  it('usage selects by time, organization and key', async () => {
    const { stdout } = await cli(
      'usage --organization st-mary --key 0123456789abcdef --from 2026-10-01 --to 2026-11-01 --json',
    );
    expect(JSON.parse(stdout).usage).toMatchObject([{ organization: 'st-mary', audioSeconds: 90.5 }]);
  });

  it('usage says if there was none', async () => {
    expect((await cli('usage --organization nobody')).stdout).toBe(
      'No usage from 2026-11-01 00:00 to 2026-12-01 00:00 (UTC).\n',
    );
  });

  it('usage prints the CSV of the engine unchanged', async () => {
    const { stdout } = await cli('usage --csv');
    expect(stdout).toMatch(
      /^organization,key,operation,.*\r\nmercy,0123456789abcdef,transcribe,1,0,0,90.5,4000,5000\r\n$/,
    );
  });
});

describe('A failing command prints on stderr what to do, and ends with 1', () => {
  it.each([
    ['keys create --organization x --plan gold', '--plan must be one of standard, unlimited'],
    ['keys create --organization x --expires soon', '--expires must be a day like 2027-01-31'],
    ['keys create --organization x --expires 2020-01-01', '--expires must be in the future'],
    ['keys create', "required option '--organization <name>' not specified"],
    ['keys rotate 0123456789abcdef --overlap-hours many', '--overlap-hours must be a number from 0 to 720'],
    ['keys revoke 0123456789abcdef', 'There is no key with this id'],
    ['keys revoke ../plans', 'There is nothing at this address'],
    ['plans set Gold', 'name must be 1 to 64 of a-z, 0-9 and -'],
    ['plans set pilot --requests-per-minute 1.5', '--requests-per-minute must be a whole number'],
    ['usage --from 2026-11-02 --to 2026-11-01', '--from must be before to'],
    ['usage --format xml', "unknown option '--format'"],
    ['nothing', "unknown command 'nothing'"],
  ])('"%s" fails with the message "%s"', async (line, message) => {
    const { code, stdout, stderr } = await cli(line);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it('a command without a running engine names the address and what to do', async () => {
    await engine.stop();
    const { code, stdout, stderr } = await cli('keys list --json');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      `No engine answers at ${engine.baseUrl} (ECONNREFUSED). Start one with npm start, or set CHARTWRIGHT_URL to its address.\n`,
    );
    engine = await startOpsEngine();
  });

  it('a command with a wrong operator key says that the engine does not accept it', async () => {
    const { code, stderr } = await cli('keys list', { OPERATOR_KEY: 'another-key-0123456789abcdef0123456789' });
    expect(code).toBe(1);
    expect(stderr).toContain(`The engine at ${engine.baseUrl} does not accept the operator key from OPERATOR_KEY.`);
    expect(stderr).not.toContain('another-key');
  });

  it('a command without an operator key says where it looked for the key', async () => {
    const { code, stderr } = await cli('keys list', { OPERATOR_KEY: '', DATA_DIR: 'no/such/folder' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('There is no operator key at no/such/folder/operator.key.'),
    ]);
  });

  it('a command refuses an operator key that no header can hold, and does not print it', async () => {
    const { code, stderr } = await cli('keys list', { OPERATOR_KEY: 'kéy→with signs' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('OPERATOR_KEY does not hold an operator key')]);
    expect(stderr).not.toContain('with signs');
  });

  it.each<[string, RequestListener]>([
    ['a page', (_req, res) => res.end('<html>hello</html>')],
    ['a failure of another format', (_req, res) => res.writeHead(502).end('Bad gateway')],
    ['a redirect, which is not followed', (_req, res) => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
  ])('a command says that a server that answers with %s is not an engine', (_, listener) =>
    withServer(listener, async (url) => {
      const { code, stderr } = await cli('keys list', { CHARTWRIGHT_URL: url });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`The server at ${url} is not a Chartwright engine`)]);
    }),
  );
});

describe('The help of the commands', () => {
  it.each([
    '--help',
    'keys --help',
    'keys create --help',
    'keys list --help',
    'keys rotate --help',
    'keys revoke --help',
    'plans list --help',
    'plans set --help',
    'usage --help',
  ])('"%s" prints the usage, without an engine', async (line) => {
    const { code, stdout, stderr } = await cli(line, { CHARTWRIGHT_URL: 'not an address', OPERATOR_KEY: '' });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Usage: ');
    if (line !== 'keys --help') expect(stdout).toMatch(/Examples:\n {2}npm run/);
  });
});
