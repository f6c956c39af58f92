// Tests how runs recall retracts what a model wrote: it shows, asks, then retracts. The engine is a fake that answers as documented.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recallBody, recallPreviewResponse, recallResponse } from '../../../src/wire/recall.ts';
import { type LocalServers, makeLocalServers } from '../../support/local-servers.ts';
import type { Person } from '../mappings/mappings-program.ts';
import { lines, NOW, type Typed, typeCommand } from '../ops-person.ts';

const PLACES = ['e-1', 'e-2'].map((id) => ({ site: 'mercy', encounter: `Encounter/${id}`, session: `s-${id}` }));
const PLACE = { site: 'mercy', encounter: 'Encounter/e-9', session: 's-9' };
const REASON = ['--reason', 'It mixed up left and right.'];

let servers: LocalServers;
let url: string;
let places: typeof PLACES;
let drafts: readonly { readonly id: string; readonly status: string }[];
let withdrawn: readonly string[];
let outcomes: readonly { readonly status: string; readonly message?: string }[];
const asked: unknown[] = [];

beforeEach(async () => {
  places = PLACES;
  drafts = [];
  withdrawn = [];
  outcomes = [{ status: 'retracted' }, { status: 'retracted' }];
  asked.length = 0;
  servers = makeLocalServers();
  url = await servers.serve(async (req, res) => {
    const body = JSON.parse(Buffer.concat(await Array.fromAsync(req)).toString());
    expect([req.method, req.url, recallBody.safeParse(body).success]).toEqual(['POST', '/ops/runs/recall', true]);
    asked.push(body);
    const named = drafts.map((draft) => ({ ...PLACE, ...draft }));
    const found = recallPreviewResponse.parse({ count: places.length, places, drafts: named });
    const done = () =>
      recallResponse.parse({
        withdrawn: named.map((draft, index) => ({ ...draft, status: withdrawn[index] })),
        recalled: places.map((place, index) => ({ ...place, ...outcomes[index] })),
      });
    res.setHeader('content-type', 'application/json').end(JSON.stringify(body.dryRun === true ? found : done()));
  });
});
afterEach(() => servers.close());

const recall = (options: readonly string[], person?: Person) =>
  typeCommand(url, ['runs', 'recall', ...options], person);

describe('runs recall', () => {
  it('shows first what would be retracted, asks, and reports each result', async () => {
    const { code, stdout, asked: questions } = await recall(['--model', 'example-model', ...REASON], { answer: 'y' });
    expect(questions).toEqual([
      'The unsigned documents of 2 sessions will be retracted from the charts. Continue? [y/N] ',
    ]);
    expect(asked).toEqual([
      { model: 'example-model', dryRun: true },
      { model: 'example-model', reason: 'It mixed up left and right.' },
    ]);
    expect(code).toBe(0);
    expect(lines(stdout).slice(0, 3)).toEqual([
      expect.stringMatching(/^SITE +ENCOUNTER +SESSION$/),
      expect.stringMatching(/^mercy +Encounter\/e-1 +s-e-1$/),
      expect.stringMatching(/^mercy +Encounter\/e-2 +s-e-2$/),
    ]);
    expect(stdout).toMatch(/^mercy +Encounter\/e-2 +s-e-2 +retracted +-$/m);
  });

  it.each<[string, Typed, Person, RegExp]>([
    ['the answer no', [], { answer: 'n' }, /^Nothing was retracted\.\n$/],
    ['an empty answer', [], { answer: '' }, /^Nothing was retracted\.\n$/],
    ['no person at the terminal', [], {}, /^Nothing was retracted\. 2 sessions would be .*Pass --yes to confirm/],
    ['a program', ['--json'], { answer: 'y' }, /^Nothing was retracted\. .*Pass --yes/],
  ])('retracts no document with %s', async (_, options, person, message) => {
    const { code, stderr } = await recall([...options, '--prompt', 'v3', ...REASON], person);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(asked).toEqual([{ prompt: 'v3', dryRun: true }]);
  });

  it('with --yes does not ask, and gives programs only the result', async () => {
    const { code, stdout, stderr } = await recall(['--json', '--mapping', 'abc', '--yes', ...REASON]);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).recalled).toHaveLength(2);
  });

  it('with --dry-run only shows what would be retracted', async () => {
    const { code, stdout } = await recall(['--site', 'mercy', '--from', '2h', '--to', '2026-11-21', '--dry-run']);
    const from = new Date(NOW.getTime() - 2 * 3_600_000).toISOString();
    expect(asked).toEqual([{ site: 'mercy', from, to: '2026-11-21', dryRun: true }]);
    expect([code, lines(stdout).at(-1)]).toEqual([0, '2 sessions would be retracted.']);
  });

  it('says if no document matches, and does not ask', async () => {
    places = [];
    const { code, stdout, asked: questions } = await recall(['--model', 'other', ...REASON], { answer: 'y' });
    expect([code, stdout, questions]).toEqual([
      0,
      expect.stringMatching(/^Nothing to retract: no document or draft matches\..*as runs show\nprints them/s),
      [],
    ]);
  });

  it('shows matching drafts that are not written, includes them in the question, and reports that they are withdrawn', async () => {
    drafts = [{ id: 'r-1', status: 'held' }];
    withdrawn = ['withdrawn'];
    const shown = await recall(['--model', 'example-model', '--dry-run']);
    expect(shown.stdout).toMatch(/^SITE +ENCOUNTER +RUN, NOT WRITTEN +IT IS\nmercy +Encounter\/e-9 +r-1 +held$/m);
    expect(lines(shown.stdout).slice(-2)).toEqual([
      '2 sessions would be retracted.',
      '1 run that has not written yet would be withdrawn.',
    ]);
    const done = await recall(['--model', 'example-model', ...REASON], { answer: 'y' });
    expect(done.asked).toEqual([
      'The unsigned documents of 2 sessions will be retracted from the charts. 1 run that has not written yet will be withdrawn and can no longer be approved. Continue? [y/N] ',
    ]);
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/^mercy +Encounter\/e-9 +r-1 +withdrawn$/m)]);
  });

  it('asks about drafts alone if only drafts match', async () => {
    places = [];
    drafts = [
      { id: 'r-1', status: 'held' },
      { id: 'r-2', status: 'waiting' },
    ];
    withdrawn = ['withdrawn', 'withdrawn'];
    const { code, asked: questions, stdout } = await recall(['--prompt', 'v3', ...REASON], { answer: 'y' });
    expect(questions).toEqual([
      '2 runs that have not written yet will be withdrawn and can no longer be approved. Continue? [y/N] ',
    ]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^mercy +Encounter\/e-9 +r-2 +withdrawn$/m)]);
    const { stdout: result } = await recall(['--json', '--prompt', 'v3', '--yes', ...REASON]);
    expect(JSON.parse(result)).toMatchObject({
      withdrawn: [{ id: 'r-1', status: 'withdrawn' }, { id: 'r-2' }],
      recalled: [],
    });
  });

  it('ends with 1 if a run was still running, and says that the command has to be repeated', async () => {
    drafts = [{ id: 'r-1', status: 'running' }];
    withdrawn = ['at-work'];
    const { code, stdout, stderr } = await recall(['--model', 'example-model', '--yes', ...REASON]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^mercy +Encounter\/e-9 +r-1 +AT WORK$/m)]);
    expect(stderr).toBe('1 run was running. Repeat the command to include what they wrote meanwhile.\n');
  });

  it('ends with 1 if a document could not be retracted, and says which', async () => {
    outcomes = [
      { status: 'retracted' },
      { status: 'parked', message: 'Composition/12 is signed: retract it by hand.' },
    ];
    const { code, stdout, stderr } = await recall(['--model', 'example-model', '--yes', ...REASON]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^mercy +Encounter\/e-2 +s-e-2 +BY HAND +Composition\/12 is signed: retract it by hand\.$/m);
    expect(stderr).toBe('Of 2 sessions 1 could not be retracted completely; the table says why.\n');
  });

  it.each([
    [[], /^Select what to retract with --model/],
    [['--site', 'mercy', ...REASON], /^Select what to retract/],
    [['--model', 'x'], /^--reason is required, because it is written into each chart/],
    [['--model', 'x', '--reason', ' '], /^--reason is required/],
  ])('refuses the arguments %j before the engine is asked', async (options, message) => {
    const { code, stderr } = await recall(options, { answer: 'y' });
    expect([code, asked]).toEqual([1, []]);
    expect(stderr).toMatch(message);
  });
});
