// The sites commands as a person uses them, against the real /ops.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { wrap } from '../../../src/cli/shared/wrapped-table.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import { type Outcome, runProgram } from '../mappings/mappings-program.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

function cli(line: string, answer?: string): Promise<Outcome> {
  const environment = { CHARTWRIGHT_URL: engine.baseUrl, OPERATOR_KEY };
  return runProgram(line.split(' '), { environment, ...(answer !== undefined && { answer }) });
}

const lines = (text: string) => text.trimEnd().split('\n');

describe('sites list', () => {
  test('shows each site with its EHR and what was found amiss, and what somebody should know', async () => {
    await engine.ledger.storeFindings(
      'mercy',
      [],
      [{ site: 'mercy', kind: 'missing', identity: 'a', references: ['Composition/1'] }],
    );
    const { code, stdout } = await cli('sites list');
    expect(code).toBe(0);
    expect(lines(stdout)[0]).toMatch(/^SITE +MODE +LAST CONTACT \(UTC\) +FINDINGS +EHR$/);
    expect(stdout).toMatch(/^mercy +shadow +2026-11-21 08:00 +1 missing +http:\/\/ehr\.example\.org\/fhir$/m);
    expect(stdout).toContain(
      'mercy: ehr.baseUrl is plain http: patient data crosses the network without encryption.\n',
    );
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(stdout).toContain('mercy: its files have problems, and it goes on as it was');
    expect(stdout).toContain('st-mary: not in force');
  });

  test('gives programs the result alone', async () => {
    const { stdout, stderr } = await cli('--json sites list');
    expect(JSON.parse(stdout)).toMatchObject({
      sites: expect.arrayContaining([expect.objectContaining({ name: 'mercy' })]),
      unavailable: ['st-mary'],
    });
    expect(stderr).toBe('');
  });
});

describe('sites probe', () => {
  test('shows every way of writing with why, and which one will be used, in lines that fit', async () => {
    const { code, stdout } = await cli('sites probe mercy');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mercy \(shadow\): http:\/\/ehr\.example\.org\/fhir, Fake EHR 1\.0, auth: none$/m);
    expect(stdout).toMatch(/^WRITE STRATEGY +USABLE +WHY$/m);
    for (const rung of ['conditional-transaction', 'single-creates', 'document-only', 'hold']) {
      expect(stdout).toMatch(new RegExp(`^${rung} +(no|can be used) +[A-Z]`, 'm'));
    }
    expect(stdout).toMatch(/^transaction +will be used +All or nothing/m);
    expect(stdout).toMatch(/^- The site's mode is shadow: nothing is written\.$/m);
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(engine.ehr.sent).toEqual([]);
  });

  test('with a write test asks first, and says what will be written', async () => {
    const { code, stdout, asked } = await cli('sites probe mercy --write-test', 'y');
    expect(asked).toEqual([expect.stringContaining('Chartwright-Test, not a person')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^WRITE TEST +RESULT +WHY$/m);
    expect(stdout).toMatch(/^test patient +ok +Stored, and found again at once\.$/m);
    expect(stdout).toMatch(/^removed again +ok +All \d+ test resources are gone\.$/m);
  });

  test.each([
    ['no', 'n'],
    ['nothing at all', ''],
  ])('with %s for an answer writes nothing', async (_, answer) => {
    const { code, stderr } = await cli('sites probe mercy --write-test', answer);
    expect([code, stderr]).toEqual([1, 'Nothing was written.\n']);
    expect(engine.ehr.calls).toEqual([]);
  });

  test.each(['sites probe mercy --write-test', '--json sites probe mercy --write-test'])(
    '%s writes nothing where nobody can be asked',
    async (line) => {
      const { code, stdout, stderr } = await cli(line);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('Pass --yes to confirm');
      expect(engine.ehr.calls).toEqual([]);
    },
  );

  test('with --yes goes without a question', async () => {
    const { code, stdout } = await cli('--json sites probe mercy --write-test --yes');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ writeTest: { leftBehind: [] } });
  });

  test('names what is left in the EHR, and ends with 1', async () => {
    engine.ehr.misbehave({ on: 'remove', type: 'Patient', does: 'throw-unavailable' });
    const { code, stdout, stderr } = await cli('sites probe mercy --write-test --yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /could not be removed \(its patient has the identifier urn:chartwright:mercy\|probe\/\S+\)\n- Patient\/r1\n/,
    );
    expect(stderr).toBe('Test data is left in the EHR of mercy: remove 1 by hand, as listed.\n');
  });

  test('ends with 1 where the EHR cannot be used, after the table that says why', async () => {
    engine.ehr.misbehave({ on: 'capabilities', does: 'throw-unavailable' });
    const { code, stdout, stderr } = await cli('sites probe mercy');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^reached +FAILED +/m);
    expect(stderr).toContain('The EHR of mercy cannot be used as it is');
  });

  test('forgets what was learned, where that is asked for', async () => {
    await cli('sites probe mercy --write-test --yes');
    expect((await cli('sites probe mercy')).stdout).toMatch(/^LEARNED +IT IS +LAST \(UTC\) +OF$/m);
    const { stdout } = await cli('sites probe mercy --forget');
    expect(stdout).toMatch(/^Forgotten: \d+ facts learned about this EHR earlier\.$/m);
    expect(stdout).not.toMatch(/^LEARNED/m);
    expect((await cli('sites probe mercy --forget')).stdout).toMatch(/^Nothing was known about this EHR/m);
  });
});

describe('sites reconcile', () => {
  test('says how much was looked at', async () => {
    const { code, stdout } = await cli('sites reconcile mercy');
    expect([code, stdout]).toEqual([0, '0 written resources of mercy looked at, 0 findings.\n']);
  });
});

describe('what goes wrong', () => {
  test.each([
    ['a site that nobody has', 'sites probe mery', /There is no site mery; did you mean mercy\?/],
    ['a site that is not in force', 'sites reconcile st-mary', /mappings check shows them/],
    ['a name that no site can have', 'sites probe a/../b', /No site has this name\..*sites list/],
    ['--yes without a write test', 'sites probe mercy --yes', /--yes goes with --write-test/],
    ['a limit that is none', 'sites reconcile mercy --limit many', /^--limit must be a whole number/],
  ])('%s is told on stderr, and ends with 1', async (_, line, message) => {
    const { code, stdout, stderr } = await cli(line);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  test('an engine that is not there is told', async () => {
    const environment = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY };
    const { code, stderr } = await runProgram(['sites', 'list'], { environment });
    expect(code).toBe(1);
    expect(stderr).toMatch(/No engine answers at http:\/\/127\.0\.0\.1:1/);
  });
});

describe('long sentences', () => {
  test('are broken at blanks, and a word that is too long stands alone', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('a muchtoolongword b', 6)).toEqual(['a', 'muchtoolongword', 'b']);
    expect(wrap('', 8)).toEqual(['']);
  });
});
