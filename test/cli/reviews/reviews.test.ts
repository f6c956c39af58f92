// Tests the reviews commands as a reviewer uses them, against the real /ops.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  claimResponse,
  draftListResponse,
  nextDraftResponse,
  reviewFiguresResponse,
  signedResponse,
} from '../../../src/wire/drafts.ts';
import { aPerson } from '../../inbound/http/ops/ops-callers.ts';
import { type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import { aKeptRun, HELD, RESULTS } from '../../support/stored-runs.ts';
import { lines, type Typed, typeCommand } from '../ops-person.ts';

let engine: OpsEngine;
let environment: Record<string, string>;
let drafts = 0;
beforeEach(async () => {
  engine = await startOpsEngine();
  const made = ['--site', 'mercy', '--practitioner', 'Practitioner/7', '--name', 'Dr. Example'];
  const { stdout } = await typeCommand(engine.baseUrl, ['--json', 'reviewers', 'create', ...made]);
  environment = { CHARTWRIGHT_REVIEWER_KEY: JSON.parse(stdout).key };
});
afterEach(() => engine.stop());

const asOperator = (typed: Typed) => typeCommand(engine.baseUrl, typed);
const cli = (typed: Typed) => typeCommand(engine.baseUrl, typed, { environment });

function aDraft() {
  drafts += 1;
  const names = { encounter: `Encounter/d-${drafts}`, patient: `Patient/d-${drafts}`, session: `s-${drafts}` };
  return aKeptRun(engine.stores, { ...names, results: RESULTS, end: HELD });
}

describe('reviews list', () => {
  it('shows each draft in a line, with who has it', async () => {
    const [mine, free] = [await aDraft(), await aDraft()];
    await cli(['reviews', 'claim', mine.id.slice(0, 8)]);
    const { code, stdout, stderr } = await cli('reviews list');
    expect([code, stderr]).toEqual([0, '']);
    const [head, first, second] = lines(stdout);
    expect(head).toMatch(/^ID +SITE +ENCOUNTER +TRIAGE +HELD +MARKS +MISSING +AGE +CLAIMED$/);
    expect(first).toMatch(new RegExp(`^${mine.id.slice(0, 8)} +mercy +${mine.encounter} .* by you$`));
    expect(second).toMatch(new RegExp(`^${free.id.slice(0, 8)} +mercy +${free.encounter} .* -$`));
    const { answer } = { answer: JSON.parse((await cli('--json reviews list --claimed free')).stdout) };
    expect(draftListResponse.safeParse(answer).success).toBe(true);
    expect(answer.runs.map(({ id }: { readonly id: string }) => id)).toEqual([free.id]);
  });

  it('says if no draft waits, and if there are more', async () => {
    expect((await cli('reviews list')).stdout).toBe('No draft waits for a decision.\n');
    await aDraft();
    await aDraft();
    const { stdout } = await cli('reviews list --limit 1');
    const [, cursor = ''] = /^There are more: --cursor (\S+)$/m.exec(stdout) ?? [];
    expect(lines((await cli(['reviews', 'list', '--cursor', cursor])).stdout)[1]).toContain(`Encounter/d-${drafts}`);
  });

  it('names the option that is wrong', async () => {
    const { code, stderr } = await cli('reviews list --claimed them');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^--claimed must be one of me, free, any/)]);
  });
});

describe('reviews next, claim, unclaim and delegate', () => {
  it('gives the reviewer a draft and the commands that follow', async () => {
    const run = await aDraft();
    const { stdout } = await cli('reviews next');
    expect(stdout).toContain(`npm run cli -- runs show ${run.id} --as-reviewer --patient-data`);
    expect(stdout).toContain(`npm run cli -- runs review ${run.id} --revision 1`);
    expect((await cli('reviews next')).stdout).toBe('No draft is free.\n');
    expect(nextDraftResponse.safeParse(JSON.parse((await cli('--json reviews next')).stdout)).success).toBe(true);
    expect((await cli(['reviews', 'unclaim', run.id])).stdout).toBe('Released.\n');
    expect((await cli(['reviews', 'unclaim', run.id])).stdout).toBe('You had not claimed it.\n');
  });

  it('says who has a draft, and takes it over if told to', async () => {
    const run = await aDraft();
    await engine.stores.drafts.claim({
      run: run.id,
      site: 'mercy',
      holder: 'person/a',
      name: 'Ana Example',
      lastsMs: 60_000,
      takesOver: false,
    });
    const refused = await cli(['reviews', 'claim', run.id]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^Ana Example has this draft .* To go on nevertheless, add --take-over$/m),
    ]);
    const { stdout } = await cli(['--json', 'reviews', 'claim', run.id, '--take-over']);
    expect(claimResponse.parse(JSON.parse(stdout)).claim).toMatchObject({ by: 'Dr. Example', isMine: true });
  });

  it('hands a draft to a colleague', async () => {
    const colleague = { role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/8' } as const;
    await aPerson(engine, { grants: [colleague] });
    const run = await aDraft();
    const { code, stdout } = await cli(['reviews', 'delegate', run.id, '--to', 'Practitioner/8']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/ has it until .* UTC\.\n$/)]);
    const unknown = await cli(['reviews', 'delegate', run.id, '--to', 'Practitioner/9', '--take-over']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('must name a reviewer of mercy')]);
  });

  it('refuses an id that fits no draft, and says where the drafts are', async () => {
    const { code, stderr } = await cli('reviews claim 00000000');
    expect([code, stderr]).toEqual([1, expect.stringContaining('npm run cli -- reviews list')]);
  });
});

describe('reviews signed and figures', () => {
  it('show what was signed, and how much was changed, without text', async () => {
    const [one, two] = [await aDraft(), await aDraft()];
    await cli(['runs', 'review', one.id, '--approve']);
    await cli(['runs', 'review', two.id, '--edit', 'PLAN=Chest X-ray tomorrow.']);
    const { stdout } = await cli('reviews signed');
    expect(lines(stdout)[1]).toMatch(new RegExp(`${two.encounter} .* edited .* ${two.id}$`));
    expect(lines(stdout)[2]).toMatch(new RegExp(`${one.encounter} .* approved .* ${one.id}$`));
    const signed = JSON.parse((await cli('--json reviews signed')).stdout);
    expect(signedResponse.safeParse(signed).success).toBe(true);
    const figures = await asOperator('reviews figures --from 30d');
    expect(lines(figures.stdout)[1]).toMatch(/^unknown +1 +1 +0 +0 +50 %$/);
    expect(figures.stdout).toMatch(/^unknown +PLAN +2 +\d+ % +50 %$/m);
    expect(figures.stdout).not.toContain('tomorrow');
    const answer = JSON.parse((await asOperator('--json reviews figures')).stdout);
    expect(reviewFiguresResponse.safeParse(answer).success).toBe(true);
    expect((await asOperator('reviews figures --to 2026-01-01')).stdout).toBe('No decision was made in this time.\n');
    expect((await typeCommand(engine.baseUrl, 'reviews signed')).stdout).toBe('You have signed nothing yet.\n');
  });
});
