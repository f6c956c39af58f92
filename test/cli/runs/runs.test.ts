// Tests the runs commands that only read, as a person uses them, against the real /ops.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeEvidence } from '../../../src/cli/runs/runs-evidence.ts';
import { nextCommands } from '../../../src/cli/runs/runs-words.ts';
import type { RunAnswer } from '../../../src/wire/run.ts';
import { evidenceResponse } from '../../../src/wire/run-evidence.ts';
import { runViewResponse } from '../../../src/wire/run-view.ts';
import { type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import {
  aKeptRun,
  aQueuedRun,
  aReplay,
  CHECKED_RESULTS,
  HELD,
  PARKED,
  RESULTS,
  WRITTEN,
} from '../../support/stored-runs.ts';
import type { Person } from '../mappings/mappings-program.ts';
import { lines, type Typed, typeCommand } from '../ops-person.ts';

const NO_RUN = '00000000-0000-4000-8000-00000000dead';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const cli = (typed: Typed, person?: Person) => typeCommand(engine.baseUrl, typed, person);
const written = (parts: Parameters<typeof aKeptRun>[1] = {}) =>
  aKeptRun(engine.stores, { session: 's-1', results: RESULTS, model: 'example-model', end: WRITTEN, ...parts });
const held = () => aKeptRun(engine.stores, { session: 's-1', results: RESULTS, end: HELD });

describe('runs list', () => {
  it('shows each run in a line, newest first, and nothing of the recording', async () => {
    const run = await written();
    const later = await aQueuedRun(engine.stores, { encounter: 'Encounter/e-2' });
    engine.setTime('2026-11-21T08:00:00Z');
    const { code, stdout, stderr } = await cli('runs list', { now: new Date('2026-11-21T08:03:10Z') });
    expect([code, stderr]).toEqual([0, '']);
    expect(lines(stdout)[0]).toMatch(/^ID +SITE +ENCOUNTER +STATUS +REASON +STEP +AGE$/);
    expect(lines(stdout)[1]).toMatch(new RegExp(`^${later.slice(0, 8)} +mercy +Encounter/e-2 +queued +- +- +3 min$`));
    expect(lines(stdout)[2]).toMatch(new RegExp(`^${run.id.slice(0, 8)} +mercy +Encounter/e-1 +written +- +`));
    expect(stdout).not.toContain('cough');
  });

  it('gives programs only the result, with what the next page needs', async () => {
    await written();
    await aQueuedRun(engine.stores, { encounter: 'Encounter/e-2' });
    const { stdout, stderr } = await cli('--json runs list --limit 1');
    expect(JSON.parse(stdout)).toMatchObject({ runs: [{ encounter: 'Encounter/e-2' }], next: expect.any(String) });
    expect(stderr).toBe('');
    expect(JSON.parse((await cli('--json runs list --all')).stdout).runs).toHaveLength(2);
  });

  it('says if there are more runs', async () => {
    await written();
    await aQueuedRun(engine.stores, { encounter: 'Encounter/e-2' });
    const { stdout } = await cli('runs list --limit 1');
    expect(lines(stdout).at(-1)).toBe('There are more: --all shows them, --limit 200 some of them.');
  });

  it.each([
    ['--status held,parked', 0],
    ['--status written', 1],
    ['--site Site/mercy --encounter e-1 --patient Patient/p-1', 1],
    ['--site general', 0],
    ['--model example-model', 1],
    ['--model other', 0],
    ['--since 2h', 1],
    ['--since 2026-11-22', 0],
  ])('with %s shows %d runs', async (filter, count) => {
    await written();
    const { code, stdout } = await cli(`--json runs list ${filter}`);
    expect([code, JSON.parse(stdout).runs.length]).toEqual([0, count]);
  });

  it('leaves out parked runs whose replay was written, unless they are asked for', async () => {
    const run = await written({ end: PARKED });
    const again = await aReplay(engine.stores, run, WRITTEN);
    expect((await cli('runs list --status parked')).stdout).toMatch(/^No matching runs/);
    const { stdout } = await cli('runs list --status parked --replayed');
    expect(lines(stdout)[1]).toMatch(new RegExp(`^${run.id.slice(0, 8)} .* parked +mapping \\(replayed\\) `));
    const shown = (await cli(['runs', 'show', run.id])).stdout;
    expect(shown).toContain('PARKED (mapping): a replay has written its session; nothing to do.\n');
    expect(shown).toContain(`Written by its replay: npm run cli -- runs show ${again.id}\n`);
    expect(shown).not.toMatch(/What to do|runs replay/);
  });

  it('says what to do next if it is empty', async () => {
    expect((await cli('runs list')).stdout).toMatch(/^No runs yet: .*runs explain <site> <encounter>\n$/s);
    expect((await cli('runs list --status parked')).stdout).toMatch(/^No matching runs\. .*runs explain/);
  });

  it.each([
    ['--status broken', /^--status must be one of queued, running/],
    ['--since soon', /^--since must be a day like/],
    ['--limit many', /^--limit must be a whole number/],
    ['--limit 5 --all', /^--limit and --all exclude each other/],
  ])('with %s is refused', async (filter, message) => {
    const { code, stdout, stderr } = await cli(`runs list ${filter}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  it('replaces control characters in names', async () => {
    await aQueuedRun(engine.stores, { encounter: 'Encounter/\u001b[2J\u202ee' });
    expect((await cli('runs list')).stdout).toContain('Encounter/�[2J�e');
  });
});

describe('A run is found', () => {
  it.each([
    ['its whole id', (id: string) => id],
    ['its id with the type', (id: string) => `Run/${id}`],
    ['capital letters', (id: string) => id.toUpperCase()],
    ['its beginning', (id: string) => id.slice(0, 8)],
  ])('a run is found by %s', async (_, nameOf) => {
    const { id } = await written();
    const { code, stdout } = await cli(['--json', 'runs', 'show', nameOf(id)]);
    expect([code, JSON.parse(stdout).id]).toEqual([0, id]);
  });

  it.each([
    [NO_RUN, /^There is no run with this id/],
    ['00000000', /^No run has an id that begins with 00000000\. List the runs: npm run cli -- runs list/],
    ['e-1', /^e-1 is not the id of a run or the beginning of one/],
    ['../keys', /^\.\.\/keys is not the id of a run/],
    ['\u001b[2Jdead', /^�\[2Jdead is not the id of a run/],
  ])('a run is not found by %j', async (name, message) => {
    await written();
    const { code, stdout, stderr } = await cli(['runs', 'show', name]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  it('the beginning of an id that fits several runs is refused, and they are named', async () => {
    const page = await written();
    const answer = { runs: [page.id, `${page.id.slice(0, -1)}f`].map((id) => ({ ...page, id })) };
    const { findRunId } = await import('../../../src/cli/runs/runs-find.ts');
    const ask = async <Answer>() => answer as Answer;
    await expect(findRunId({ ask }, page.id.slice(0, 8))).rejects.toThrow(
      new RegExp(`^2 runs have an id that begins with ${page.id.slice(0, 8)}\\. Which one\\?\\n {2}${page.id}`),
    );
  });
});

describe('runs show', () => {
  it.each([
    [
      { official: 2, unverified: 3, unknown: 0 },
      'Codes of diseases: 2 in the table of the site; 3 unverified (not in the table). Import the official list: npm run cli -- codes import --help',
    ],
    [
      { list: { system: 'icd-10', version: '2019' }, official: 2, unverified: 0, unknown: 1 },
      'Codes of diseases: 2 in icd-10 2019; 1 unknown (not in the list, not written).',
    ],
    [{ official: 2, unverified: 0, unknown: 0 }, 'Codes of diseases: 2 in the table of the site.'],
  ] as const)('shows how many codes are official: %j', async (codes, sentence) => {
    const run = await written({ results: { ...RESULTS, map: { ...RESULTS.map, codes } } });
    const { stdout } = await cli(['runs', 'show', run.id]);
    expect(stdout.replaceAll('\n', ' ')).toContain(sentence);
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("shows how much was taken out of the reasoner's answers", async () => {
    const { check, diagnose } = RESULTS;
    const results = {
      ...RESULTS,
      check: { ...check, removed: { markup: 2, addresses: 0 } },
      diagnose: { ...diagnose, removed: { links: 1, dosages: 3, markup: 0 } },
    } as typeof RESULTS;
    const { stdout } = await cli(['runs', 'show', (await written({ results })).id]);
    expect(stdout.replaceAll('\n', ' ')).toContain(
      "Taken out of the reasoner's answers: 2 of markup; 1 addresses; 3 dosages that cannot be meant.",
    );
  });

  it("says nothing of the reasoner's answers if nothing was taken out of them", async () => {
    expect((await cli(['runs', 'show', (await written()).id])).stdout).not.toContain('Taken out');
  });

  it('shows the state of the run, its steps and the written documents, and nothing of the recording', async () => {
    const run = await written({ eventId: 'evt-1' });
    const { code, stdout, stderr } = await cli(['runs', 'show', run.id]);
    expect([code, stderr]).toEqual([0, '']);
    expect(lines(stdout)[0]).toBe(`Run ${run.id} of mercy, Encounter/e-1`);
    expect(stdout).toMatch(/^WRITTEN: the documents are in the chart\.$/m);
    expect(stdout).toMatch(/^STEP +STATUS +TRIES +STARTED \(UTC\) +TOOK +ERROR$/m);
    expect(stdout).toMatch(/^transcribe +done +1 +2026-03-02 10:00:00 +0\.0 s +-$/m);
    expect(stdout).toMatch(/^composition +Composition\/12 +created$/m);
    expect(stdout).toMatch(/^amqp +2026-03-02 09:59:00 +0 +evt-1$/m);
    expect(stdout).toMatch(/^Versions: model example-model$/m);
    for (const said of ['I cough', 'Cough for three days', 'No sign of danger']) expect(stdout).not.toContain(said);
    expect(engine.audit.entries).toEqual([]);
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('shows for a held run which revision its draft has, and how to decide', async () => {
    const run = await held();
    const { stdout } = await cli(['runs', 'show', run.id]);
    expect(stdout).toMatch(/^HELD \(review\): waits for a person’s decision\.\nIt waits for a review\.$/m);
    expect(stdout).toContain(
      `Next: npm run cli -- runs show ${run.id} --patient-data\nThen: npm run cli -- runs review ${run.id} --revision 1\n`,
    );
  });

  it('suggests no decision for a dry run that is held', async () => {
    const run: RunAnswer = JSON.parse((await cli(['--json', 'runs', 'show', (await held()).id])).stdout);
    expect(nextCommands({ ...run, isDry: true })).toEqual([
      `Next: npm run cli -- runs replay ${run.id} --from map --dry-run`,
    ]);
  });

  it('shows for a parked run why it is parked, and what to do', async () => {
    const advice = 'Look at the EHR, then replay the run.';
    const end = { status: 'parked', reason: 'tries', message: 'The EHR failed 5 times.', advice } as const;
    const run = await aKeptRun(engine.stores, { session: 's-1', end });
    const { stdout } = await cli(['runs', 'show', run.id]);
    expect(stdout).toContain(
      `PARKED (tries): operator action required.\nThe EHR failed 5 times.\nWhat to do: ${advice}\nNext: npm run cli -- runs retry ${run.id}\n`,
    );
  });

  it('shows for a waiting run until when it waits', async () => {
    const end = {
      status: 'waiting',
      reason: 'reasoner',
      until: new Date('2026-11-21T08:00:30Z'),
      countsAsTry: false,
      message: 'The reasoner does not answer.',
    } as const;
    const run = await aKeptRun(engine.stores, { session: 's-1', end });
    const { stdout } = await cli(['runs', 'show', run.id]);
    expect(stdout).toMatch(
      /^WAITING \(reasoner\): .*\nThe reasoner does not answer\.\nNext attempt at 2026-11-21 08:00:30 UTC\.$/m,
    );
  });

  it('with --patient-data shows transcript and note, and says that this view is recorded in the audit trail', async () => {
    const run = await written();
    const { code, stdout, stderr } = await cli(['runs', 'show', run.id, '--patient-data']);
    expect([code, stderr]).toEqual([0, 'This view of patient data is recorded in the audit trail.\n']);
    expect(stdout).toMatch(/^0:00 +Speaker 1 +I cough\.$/m);
    expect(stdout).toMatch(/^Note: Cough and fever\n {2}Subjective \(SUBJECTIVE\)\n {4}Cough for three days\.$/m);
    expect(stdout).toMatch(/^Triage WHITE: No sign of danger\. Rest\.$/m);
    expect(engine.audit.entries).toMatchObject([{ action: 'run.view', actor: 'operator', run: run.id }]);
  });

  it('with --evidence shows each statement beside its verdict and its words, what is missing, and a sum', async () => {
    const words = { utterance: 0, speaker: 1, text: 'I take metformin.', startSeconds: 65, endSeconds: 67 };
    const place = { section: 'SUBJECTIVE', kind: 'dose', polarity: 'affirmed' } as const;
    const claim = { kind: 'dose', text: '850 mg', verdict: 'unsupported', effect: 'hold', by: 'verifier' } as const;
    const text = describeEvidence({
      title: 'Review',
      statements: [
        {
          ...place,
          id: 'st-1',
          title: 'Subjective',
          text: 'Metformin 850 mg.\u001b[31m',
          verdict: 'unsupported',
          effect: 'hold',
          claims: [claim],
          words: [words],
          chart: [{ list: 'drugs', text: 'Metformin 500 mg' }],
        },
      ],
      missing: [
        { kind: 'allergy', text: 'Aspirin gives me a rash.', utterance: 3, words: [{ ...words, startSeconds: 70 }] },
      ],
      diseases: [
        {
          name: 'Gastritis',
          reasons: [{ text: 'pain', speaks: 'for', words: [words], chart: [{ list: 'allergies', text: '' }] }],
        },
        { name: 'Ulcer', reasons: [] },
      ],
      verifier: { model: 'judge-1', outcome: 'failed' },
    });
    expect(text.replace(/ +/g, ' ').split('\n')).toEqual([
      'Note: Review',
      'STATEMENT VERDICT WORDS',
      '',
      'Subjective',
      'Metformin 850 mg.�[31m unsupported 1:05 Speaker 2: I take metformin.',
      '→ dose “850 mg”: unsupported, says the second check held chart, drugs: Metformin 500 mg',
      '',
      'Said, and in no statement',
      ' 1:10 allergy: Aspirin gives me a rash.',
      '',
      'Gastritis',
      'pain for 1:05 Speaker 2: I take metformin.',
      ' chart, allergies: none',
      '',
      'Ulcer',
      'No words were found for its explanation.',
      '',
      '1 statement: 1 unsupported',
      'The second check by judge-1 could not be had: the note was checked by the first alone.',
      '',
    ]);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('with --evidence asks the engine, which records the view', async () => {
    const run = await written({ results: CHECKED_RESULTS });
    const { code, stdout, stderr } = await cli(['runs', 'show', run.id, '--evidence']);
    expect([code, stderr]).toEqual([0, 'This view of patient data is recorded in the audit trail.\n']);
    expect(stdout).toMatch(/^Cough for three days\. +unsupported/m);
    expect(engine.audit.entries).toMatchObject([{ action: 'run.view', actor: 'operator', run: run.id }]);
    const programs = await cli(['--json', 'runs', 'show', run.id, '--evidence']);
    expect(evidenceResponse.safeParse(JSON.parse(programs.stdout)).error?.issues).toBeUndefined();
    const early = await cli(['runs', 'show', await aQueuedRun(engine.stores), '--evidence']);
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('This run has no evidence')]);
  });

  it('replaces control characters in the transcript', async () => {
    const said = 'One \u001b[31mred\u202e line';
    const utterance = { speaker: 0, text: said, startSeconds: 0, endSeconds: 4, confidence: 0.9 };
    const transcribe = {
      ...RESULTS.transcribe,
      transcript: { ...RESULTS.transcribe.transcript, utterances: [utterance] },
    };
    const text = 'First line.\nSecond \u009b2J line.';
    const note = { note: { title: 'T\u001b]0;x\u0007', sections: [{ key: 'PLAN', title: 'Plan', text }] } };
    const report = { ...RESULTS.check.report, unsupported: { dose: 2 }, coverage: 0.987 };
    const run = await written({ results: { ...RESULTS, transcribe, check: { report, note } } });
    const { stdout } = await cli(['runs', 'show', run.id, '--patient-data']);
    expect(stdout).toMatch(/^0:00 +Speaker 1 +One �\[31mred� line$/m);
    expect(stdout).toMatch(/^ {4}First line\.\n {4}Second �2J line\.$/m);
    expect(stdout).toMatch(/^Check: not found in the transcript: 2 dose; 98 % of the speech is in the transcript$/m);
    for (const sign of ['\u001b', '\u0007', '\u009b', '\u202e']) expect(stdout).not.toContain(sign);
  });

  it('says that an early run has no patient data yet', async () => {
    const id = await aQueuedRun(engine.stores);
    const { code, stdout } = await cli(['runs', 'show', id, '--patient-data']);
    expect([code, lines(stdout).at(-1)]).toEqual([
      0,
      'No patient data: the run did not get that far, or its results were deleted.',
    ]);
  });

  it('gives programs the answer of the engine', async () => {
    const run = await written();
    const brief = JSON.parse((await cli(['--json', 'runs', 'show', run.id])).stdout);
    expect(runViewResponse.safeParse(brief).error?.issues).toBeUndefined();
    expect(brief).not.toHaveProperty('note');
    const whole = await cli(['--json', 'runs', 'show', run.id, '--patient-data']);
    expect(JSON.parse(whole.stdout).note.title).toBe('Cough and fever');
  });
});

describe('runs explain', () => {
  it('says in one sentence why an encounter is or is not documented, what to do, and which runs there are', async () => {
    const run = await written();
    const { code, stdout, stderr } = await cli('runs explain mercy e-1');
    expect([code, stderr]).toEqual([0, '']);
    expect(lines(stdout)[0]).toMatch(/^Encounter\/e-1 is documented in the chart: Composition\/12/);
    expect(stdout).toMatch(/^What to do: /m);
    expect(stdout).toMatch(new RegExp(`^${run.id.slice(0, 8)} +written +- +s-1$`, 'm'));
  });

  it('says also if a site does not exist', async () => {
    const { code, stdout } = await cli('runs explain nowhere e-1');
    expect([code, lines(stdout)[0]]).toEqual([0, 'There is no site nowhere here.']);
    expect(lines(stdout)[1]).toMatch(/^What to do: npm run cli -- sites list/);
  });

  it('gives programs only the result', async () => {
    await written();
    const { stdout, stderr } = await cli('--json runs explain mercy Encounter/e-1');
    expect(JSON.parse(stdout)).toMatchObject({ sentence: expect.any(String), details: { encounter: 'Encounter/e-1' } });
    expect(stderr).toBe('');
  });

  it('shows that the EHR is asked only on a terminal, and removes that line again', async () => {
    const told: string[] = [];
    await cli('runs explain mercy e-1', { onProgress: (text) => told.push(text) });
    expect(told).toEqual(['Asking the EHR …', '']);
  });
});

describe('runs aside', () => {
  it('lists the quarantined deliveries with their reasons', async () => {
    await engine.stores.inbox.quarantine({
      site: 'mercy',
      source: 'amqp',
      key: 'broken-1',
      body: Buffer.from('{"name":"nobody should see this"'),
      contentType: 'application/json',
      outcome: 'not-understood',
      why: 'The body is not valid JSON',
      receivedAt: new Date('2026-11-21T07:00:00Z'),
    });
    const { code, stdout } = await cli('runs aside --site mercy');
    expect(code).toBe(0);
    expect(lines(stdout)[1]).toMatch(
      /^[0-9a-f]{8} +2026-11-21 07:00 +mercy +amqp +not-understood +0 +The body is not valid JSON$/,
    );
    expect(JSON.parse((await cli('--json runs aside')).stdout).deliveries).toHaveLength(1);
    expect((await cli('runs aside --site general')).stdout).toBe(
      'No quarantined deliveries: every delivery was understood.\n',
    );
  });
});
