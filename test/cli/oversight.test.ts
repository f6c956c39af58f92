// Pauses, the audit trail and reviewers on the command line, against the real /ops; and the help of all commands.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpsEngine, startOpsEngine } from '../inbound/http/ops/ops-engine.ts';
import { makeLocalServers } from '../support/local-servers.ts';
import { RESTRICTED_RESULTS } from '../support/restricted-results.ts';
import { aKeptRun, aQueuedRun } from '../support/stored-runs.ts';
import type { Person } from './mappings/mappings-program.ts';
import { lines, type Typed, typeCommand } from './ops-person.ts';
import { runCli } from './run-cli.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const cli = (typed: Typed, person?: Person) => typeCommand(engine.baseUrl, typed, person);
const pause = (...rest: readonly string[]) => cli(['sites', 'pause', ...rest, '--reason', 'EHR upgrade.']);

describe('sites pause and sites resume', () => {
  it('sites pause stops a part of the work, sites list shows it, and sites resume continues it', async () => {
    const paused = await pause('Site/mercy', 'write');
    expect(paused).toMatchObject({
      code: 0,
      stdout: 'mercy: write is paused since 2026-11-21 08:00 UTC (EHR upgrade).\n',
      stderr: '',
    });
    expect((await cli('sites list')).stdout).toMatch(
      /^mercy: write is paused since 2026-11-21 08:00 UTC \(EHR upgrade\)\. npm run cli -- sites resume mercy\n? +write$/m,
    );
    expect((await cli('sites resume mercy write')).stdout).toBe(
      'mercy goes on: encounters are read; reasoner and speech recognition are called; charts are written, if the mode of the site is live.\nNothing is paused at mercy.\n',
    );
    expect((await cli('sites list')).stdout).not.toContain('paused');
  });

  it('sites pause and sites resume affect all parts unless one is named', async () => {
    expect((await pause('mercy')).stdout).toMatch(/^mercy: all of it is paused since/);
    await pause('mercy', 'model');
    const { stdout } = await cli('--json sites resume mercy');
    expect(JSON.parse(stdout)).toEqual({ site: 'mercy', paused: [], wokenRuns: 0 });
  });

  it('sites resume says what goes on, how many runs, and what is still paused', async () => {
    await pause('mercy', 'model');
    await pause('mercy', 'write');
    const end = { status: 'waiting', reason: 'paused', message: 'Paused.', countsAsTry: false } as const;
    await aKeptRun(engine.stores, { session: 's-1', end: { ...end, until: new Date('2026-11-22T08:00:00Z') } });
    expect(lines((await cli('sites resume mercy model')).stdout)).toEqual([
      'mercy goes on: encounters are read; reasoner and speech recognition are called. 1 waiting run goes on now.',
      'mercy: write is paused since 2026-11-21 08:00 UTC (EHR upgrade).',
    ]);
  });

  it.each([
    [['mercy', 'everything'], /^everything is nothing that can be paused: say one of intake, model, write, all/],
    [['mery', 'write'], /^There is no site mery; did you mean mercy\?/],
    [['a/../b'], /^No site has this name/],
  ])('sites pause refuses the arguments %j', async (options, message) => {
    const { code, stdout, stderr } = await pause(...options);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  it('sites list shows the alarm of a feed, with what to do', async () => {
    const message = 'Nothing came for 3 hours: see that the interface engine sends.';
    await engine.feeds.note('mercy', 'amqp', { alarm: { kind: 'silent', message } });
    const { stdout } = await cli('sites list');
    expect(stdout).toMatch(
      /^mercy: ALARM of its events by amqp \(silent\) since 2026-11-21 08:00 UTC: Nothing came for/m,
    );
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe('audit list', () => {
  it('audit list says if the audit trail is empty', async () => {
    expect((await cli('audit list')).stdout).toMatch(/^The audit trail is empty/);
  });

  it('audit list shows who did what, newest first', async () => {
    await pause('mercy', 'write');
    const run = await aQueuedRun(engine.stores);
    await cli(['runs', 'cancel', run]);
    const { code, stdout } = await cli('audit list');
    expect(code).toBe(0);
    expect(lines(stdout)[0]).toMatch(/^NUMBER +AT \(UTC\) +ACTION +BY +SITE +OF WHAT$/);
    expect(lines(stdout)[1]).toMatch(/^2 +2026-11-21 08:00:00 +run\.cancel +operator +mercy +run/);
    expect(stdout).toMatch(/^1 +2026-11-21 08:00:00 +site\.pause +operator +mercy +what write$/m);
    expect(lines((await cli(['audit', 'list', '--run', run.slice(0, 8)])).stdout)[1]).toMatch(/^2 .*run\.cancel/);
    expect(JSON.parse((await cli('--json audit list --limit 1')).stdout)).toMatchObject({
      entries: [{ seq: 2 }],
      next: expect.any(String),
    });
    expect((await cli('audit list --action key.create --site mercy')).stdout).toBe(
      'No entry of the audit trail matches.\n',
    );
  });

  it.each([
    ['--action run.look', /^--action must be one of run\.write/],
    ['--since soon', /^--since must be a day/],
    ['--run dead', /^No run has an id that begins with dead/],
  ])('audit list %s is refused', async (options, message) => {
    const { code, stdout, stderr } = await cli(`audit list ${options}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });
});

describe('runs break-glass and audit break-glass', () => {
  const reason = 'Called to the ward.';

  it('open a restricted chart with a reason, and list it with the reason', async () => {
    const end = { status: 'held', reason: 'label', message: 'It is labelled.' } as const;
    const run = await aKeptRun(engine.stores, { session: 's-1', results: RESTRICTED_RESULTS, end });
    expect((await cli('audit break-glass')).stdout).toBe('No restricted chart was opened.\n');
    const opened = await cli(['runs', 'break-glass', run.id.slice(0, 8), '--reason', reason]);
    expect([opened.code, opened.stdout]).toEqual([
      0,
      `The chart of run ${run.id} is open for you until 2026-11-21 09:00:00 UTC. The site has no privacy address: the opening is only listed.\n`,
    ]);
    const { stdout } = await cli('audit break-glass');
    expect(lines(stdout)).toEqual([
      `2026-11-21 08:00:00 UTC  operator opened run ${run.id} of mercy until 2026-11-21 09:00:00`,
      `  ${reason}`,
    ]);
    await cli(['runs', 'break-glass', run.id, '--reason', reason]);
    const first = JSON.parse((await cli('--json audit break-glass --limit 1')).stdout);
    expect(first).toMatchObject({ openings: [{ run: run.id, reason }], next: expect.any(String) });
    expect((await cli('audit break-glass --limit 1')).stdout).toContain(`There are more: --cursor ${first.next}`);
    expect(JSON.parse((await cli(`--json audit break-glass --cursor ${first.next}`)).stdout).openings).toHaveLength(1);
  });

  it('runs break-glass needs a reason, and a chart that is restricted', async () => {
    const run = await aQueuedRun(engine.stores);
    expect((await cli(`runs break-glass ${run}`)).stderr).toContain('--reason is required');
    const { code, stderr } = await cli(['runs', 'break-glass', run, '--reason', reason]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('The chart of this run is not restricted')]);
  });
});

describe('audit verify', () => {
  it('audit verify says that the trail is unbroken, and what to write down for the next time', async () => {
    await pause('mercy', 'write');
    const { code, stdout } = await cli('audit verify');
    const { seq, hash } = await engine.audit.head();
    expect(code).toBe(0);
    expect(stdout).toContain('1 entry looked at: the audit trail is whole.');
    expect(stdout).toContain(`  --seq ${seq} --hash ${hash}\n`);
    await pause('mercy', 'model');
    const again = await cli(['--json', 'audit', 'verify', '--seq', String(seq), '--hash', hash.toUpperCase()]);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { isWhole: true, entries: 2, head: { seq: 2 } }]);
  });

  it('audit verify ends with 1 if the trail is broken, says from which entry on, and shows no head to trust', async () => {
    const verdict = {
      isWhole: false,
      entries: 7,
      at: 4,
      why: 'Its hash is another',
      head: { seq: 7, hash: 'a'.repeat(64) },
    };
    const servers = makeLocalServers();
    try {
      const url = await servers.serve((_req, res) => res.end(JSON.stringify(verdict)));
      const { code, stdout, stderr } = await typeCommand(url, 'audit verify');
      expect([code, stdout]).toEqual([1, '7 entries looked at: the audit trail is NOT what was kept.\n']);
      expect(stderr).toMatch(
        /^The audit trail was changed: Its hash is another\. From entry 4 on it cannot be trusted\./,
      );
      const forPrograms = await typeCommand(url, '--json audit verify');
      expect([forPrograms.code, JSON.parse(forPrograms.stdout)]).toEqual([1, verdict]);
    } finally {
      await servers.close();
    }
  });

  it.each([
    [['--seq', '4'], /^--seq and --hash are given together/],
    [['--seq', 'four', '--hash', 'a'.repeat(64)], /^--seq must be the number of an entry/],
    [['--seq', '4', '--hash', 'short'], /^--hash must be the hash of an entry/],
  ])('audit verify %j is refused', async (options, message) => {
    const { code, stdout, stderr } = await cli(['audit', 'verify', ...options]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });
});

describe('The reviewers commands', () => {
  const create = (...rest: readonly string[]) =>
    cli([...rest, ...'reviewers create --site mercy --practitioner Practitioner/7 --name'.split(' '), 'Dr. Example']);

  it('reviewers create makes an account, and shows its key once with how to use it', async () => {
    const { code, stdout } = await create();
    const [key = ''] = /rv_\S+/.exec(stdout) ?? [];
    expect([code, key]).toEqual([0, expect.stringMatching(/^rv_[0-9a-f]{16}_[\w-]{43}$/)]);
    expect(stdout).toContain('Dr. Example (Practitioner/7).\nThe key is shown only now');
    expect(stdout).toContain('CHARTWRIGHT_REVIEWER_KEY=<key> npm run cli -- runs review');
    expect((await cli('reviewers list')).stdout).not.toContain(key.slice(20));
  });

  it('reviewers create makes an account while the EHR cannot be asked, and says that the practitioner was not checked', async () => {
    expect((await create()).stdout).not.toContain('could not be asked');
    engine.ehr.misbehave({ on: 'read', does: 'throw-unavailable' });
    const { code, stdout } = await create();
    expect([code, stdout]).toEqual([0, expect.stringMatching(/rv_[0-9a-f]{16}_/)]);
    expect(stdout).toContain('could not confirm that Practitioner/7 exists: check there before');
  });

  it('reviewers list shows the reviewers, and reviewers revoke revokes one', async () => {
    expect((await cli('reviewers list')).stdout).toMatch(
      /^No reviewers yet\. Create one: npm run cli -- reviewers create/,
    );
    const { id } = JSON.parse((await create('--json')).stdout);
    const { stdout } = await cli('reviewers list --site mercy');
    expect(lines(stdout)[1]).toMatch(new RegExp(`^${id} +mercy +Practitioner/7 +2026-11-21 08:00 +- +Dr\\. Example$`));
    expect((await cli(`reviewers revoke Reviewer/${id}`)).stdout).toBe(`The reviewer ${id} is revoked.\n`);
    expect(JSON.parse((await cli(`--json reviewers revoke ${id}`)).stdout)).toEqual({ id, revoked: true });
    expect(JSON.parse((await cli('--json reviewers list')).stdout)).toMatchObject({
      reviewers: [{ id, revokedAt: expect.any(String) }],
    });
  });

  it.each([
    [['reviewers', 'revoke', '0123456789abcdef'], /^There is no reviewer with this id/],
    [['reviewers', 'revoke', '../keys'], /^There is nothing at this address/],
    [
      ['reviewers', 'create', '--site', 'mercy', '--practitioner', 'Dr', '--name', 'x'],
      /^--practitioner must be Practitioner\/id/,
    ],
    [
      ['reviewers', 'create', '--site', 'mercy', '--practitioner', 'Practitioner/70', '--name', 'x'],
      /^The EHR of mercy has no Practitioner\/70/,
    ],
    [
      ['reviewers', 'create', '--site', 'mery', '--practitioner', 'Practitioner/7', '--name', 'x'],
      /did you mean mercy\?/,
    ],
  ])('the arguments %j are refused', async (typed, message) => {
    const { code, stdout, stderr } = await cli(typed);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });
});

describe('The command line as a started program', () => {
  const start = (line: string, environment: Record<string, string> = {}) =>
    runCli({ args: line.split(' '), environment: { CHARTWRIGHT_URL: 'not an address', ...environment }, folder: '.' });

  it.each([
    ...['list', 'show', 'watch', 'explain', 'start', 'replay', 'cancel', 'review', 'recall', 'aside'].map(
      (name) => `runs ${name}`,
    ),
    ...['sites pause', 'sites resume', 'audit list', 'audit verify'],
    ...['reviewers create', 'reviewers list', 'reviewers revoke'],
  ])('%s --help prints the usage with examples, without an engine', async (command) => {
    const { code, stdout, stderr } = await start(`${command} --help`);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`Examples:\\n {2}npm run .*cli -- (--json )?${command}`));
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(125);
  });

  it('an unknown command is reported, and ends with 1', async () => {
    const { code, stdout, stderr } = await start('runs stop 1');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain("unknown command 'stop'");
  });
});
