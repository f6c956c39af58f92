// Tests the sites commands as a person uses them, against the real /ops.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
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
  it('shows each site with its EHR, its discrepancies and its warnings', async () => {
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

  it('gives programs only the result', async () => {
    const { stdout, stderr } = await cli('--json sites list');
    expect(JSON.parse(stdout)).toMatchObject({
      sites: expect.arrayContaining([expect.objectContaining({ name: 'mercy' })]),
      unavailable: ['st-mary'],
    });
    expect(stderr).toBe('');
  });
});

describe('sites probe', () => {
  it('shows each write strategy with the reason, and the one that will be used, in lines that fit a terminal', async () => {
    const { code, stdout } = await cli('sites probe mercy');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mercy \(shadow\): http:\/\/ehr\.example\.org\/fhir, Fake EHR 1\.0, auth: none$/m);
    expect(stdout).toMatch(/^WRITE STRATEGY +USABLE +WHY$/m);
    for (const rung of ['transaction', 'conditional-transaction', 'document-only', 'hold']) {
      expect(stdout).toMatch(new RegExp(`^${rung} +(no|can be used) +[A-Z]`, 'm'));
    }
    expect(stdout).toMatch(/^single-creates +will be used +One resource after the other/m);
    expect(stdout).toMatch(/^AllergyIntolerance +s .* reading$/m);
    expect(stdout).toMatch(/^Practitioner +r .* reading$/m);
    expect(stdout).toMatch(/^Composition +crus +crus +identifier +yes +composition$/m);
    expect(stdout).toMatch(/^- The site's mode is shadow: nothing is written\.$/m);
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(engine.ehr.sent).toEqual([]);
  });

  it('with --write-test says what will be written, and asks first', async () => {
    const { code, stdout, asked } = await cli('sites probe mercy --write-test', 'y');
    expect(asked).toEqual([expect.stringContaining('Chartwright-Test, not a person')]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^WRITE TEST +RESULT +WHY$/m);
    expect(stdout).toMatch(/^test patient +ok +Stored, and found again at once\.$/m);
    expect(stdout).toMatch(/^removed again +ok +All \d+ test resources are gone\.$/m);
  });

  it.each([
    ['the answer no', 'n'],
    ['an empty answer', ''],
  ])('with --write-test and %s writes nothing', async (_, answer) => {
    const { code, stderr } = await cli('sites probe mercy --write-test', answer);
    expect([code, stderr]).toEqual([1, 'Nothing was written.\n']);
    expect(engine.ehr.calls).toEqual([]);
  });

  it.each(['sites probe mercy --write-test', '--json sites probe mercy --write-test'])(
    '"%s" writes nothing if no person can answer',
    async (line) => {
      const { code, stdout, stderr } = await cli(line);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('Pass --yes to confirm');
      expect(engine.ehr.calls).toEqual([]);
    },
  );

  it('with --yes writes without a question', async () => {
    const { code, stdout } = await cli('--json sites probe mercy --write-test --yes');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ writeTest: { leftBehind: [] } });
  });

  it('names what remains in the EHR, and ends with 1', async () => {
    engine.ehr.misbehave({ on: 'remove', type: 'Patient', does: 'throw-unavailable' });
    const { code, stdout, stderr } = await cli('sites probe mercy --write-test --yes');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /could not be removed \(its patient has the identifier urn:chartwright:mercy\|probe\/\S+\)\n- Patient\/r1\n/,
    );
    expect(stderr).toBe('Test data is left in the EHR of mercy: remove 1 by hand, as listed.\n');
  });

  it('ends with 1 if the EHR cannot be used, after the table that says why', async () => {
    engine.ehr.misbehave({ on: 'capabilities', does: 'throw-unavailable' });
    const { code, stdout, stderr } = await cli('sites probe mercy');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^reached +FAILED +/m);
    expect(stderr).toContain('The EHR of mercy cannot be used as it is');
  });

  it('with --forget deletes what was learned about the EHR', async () => {
    await cli('sites probe mercy --write-test --yes');
    expect((await cli('sites probe mercy')).stdout).toMatch(/^LEARNED +IT IS +LAST \(UTC\) +OF$/m);
    const { stdout } = await cli('sites probe mercy --forget');
    expect(stdout).toMatch(/^Forgotten: \d+ facts learned about this EHR earlier\.$/m);
    expect(stdout).not.toMatch(/^LEARNED/m);
    expect((await cli('sites probe mercy --forget')).stdout).toMatch(/^Nothing was known about this EHR/m);
  });
});

describe('sites reconcile', () => {
  it('reports how many resources it compared', async () => {
    const { code, stdout } = await cli('sites reconcile mercy');
    expect([code, stdout]).toEqual([0, '0 written resources of mercy looked at, 0 findings.\n']);
  });
});

describe('A sites command that fails', () => {
  it.each([
    ['an unknown site', 'sites probe mery', /There is no site mery; did you mean mercy\?/],
    ['a site that cannot be loaded', 'sites reconcile st-mary', /mappings check shows them/],
    ['an invalid name of a site', 'sites probe a/../b', /No site has this name\..*sites list/],
    ['--yes without a write test', 'sites probe mercy --yes', /--yes goes with --write-test/],
    ['an invalid limit', 'sites reconcile mercy --limit many', /^--limit must be a whole number/],
  ])('%s is reported on stderr, and the command ends with 1', async (_, line, message) => {
    const { code, stdout, stderr } = await cli(line);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  it('a sites command without a running engine says so', async () => {
    const environment = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY };
    const { code, stderr } = await runProgram(['sites', 'list'], { environment });
    expect(code).toBe(1);
    expect(stderr).toMatch(/No engine answers at http:\/\/127\.0\.0\.1:1/);
  });
});

describe('Long sentences', () => {
  it('are broken at blanks, and a word that is too long gets its own line', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('a muchtoolongword b', 6)).toEqual(['a', 'muchtoolongword', 'b']);
    expect(wrap('', 8)).toEqual(['']);
  });
});
