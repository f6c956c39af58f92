// What all who look after runs are promised: to see them, and to repeat, end, decide and forget them.
import { describe, expect, it } from '@jest/globals';
import type { Run, RunReview, RunVersions, StepName } from '../../src/domain/run/run.ts';
import type { RunEnd } from '../../src/domain/run/run-end.ts';
import type { WrittenQuery } from '../../src/ports/ledger.ts';
import type { Claim } from '../../src/ports/queue.ts';
import type { Retention } from '../../src/ports/runs.ts';
import {
  accepted,
  anEvent,
  aResult,
  aWait,
  claimedIds,
  claimOne,
  determined,
  finished,
  found,
  LEASE_MS,
  type MakeRunsSubject,
  PARKED,
  type RunsSubject,
  SITE,
  SKIPPED,
  WRITTEN,
} from './queue-contract.ts';

const NOBODY = '00000000-0000-4000-8000-00000000dead';
const HELD: RunEnd = { status: 'held', reason: 'review', message: 'It is to be reviewed.' };
const DAY_MS = 86_400_000;

export function runsContract(name: string, makeSubject: MakeRunsSubject): void {
  describe(`the runs of ${name}`, () => {
    listContract(makeSubject);
    viewContract(makeSubject);
    lookContract(makeSubject);
    replayContract(makeSubject);
    replayedContract(makeSubject);
    cancelContract(makeSubject);
    recallContract(makeSubject);
    withdrawContract(makeSubject);
    reviewContract(makeSubject);
    retractContract(makeSubject);
    moveContract(makeSubject);
    draftContract(makeSubject);
    purgeContract(makeSubject);
    expiryContract(makeSubject);
  });
}

/** A run that came to that end with results of these steps. */
async function ended(subject: RunsSubject, encounter: string, end: RunEnd, patient?: string): Promise<Claim> {
  const claim = await determined(subject, encounter, patient);
  for (const name of [
    'read-chart',
    'fetch-recording',
    'transcribe',
    'write-note',
    'diagnose',
    'check',
    'map',
  ] as const) {
    await finished(subject, claim, name);
  }
  await subject.queue.leave(claim, end);
  return claim;
}

function listContract(makeSubject: MakeRunsSubject): void {
  it('are listed page by page, the newest first', async () => {
    const { inbox, runs, ...rest } = await makeSubject();
    const encounters = ['a', 'b', 'c', 'd', 'e'].map((n) => ({ encounter: `Encounter/${n}`, isUrgent: false }));
    await inbox.accept(anEvent(rest, { encounters }));
    const pages: string[][] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page: Awaited<ReturnType<typeof runs.list>> = await runs.list({
        scope: 'all',
        limit: 2,
        ...(cursor && { cursor }),
      });
      pages.push(page.runs.map(({ encounter }) => encounter.slice(-1)));
      cursor = page.next;
    }
    expect(pages).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
  });

  it('are found by each of the things that one may ask for', async () => {
    const subject = await makeSubject();
    const written = await determined(subject, 'Encounter/12', 'Patient/7');
    await subject.queue.leave(written, { ...WRITTEN, versions: { model: 'm-1', mapping: 'map-1' } });
    subject.pass(1000);
    const since = subject.now();
    const other = await accepted(subject, 'Encounter/2%', { site: 'elsewhere' });
    const one = written.run.id;
    const cases = [
      [{ status: ['written', 'parked'] }, [one]],
      [{ status: [] }, []],
      [{ site: 'elsewhere' }, [other]],
      [{ patient: 'Patient/7' }, [one]],
      [{ encounter: 'Encounter/12' }, [one]],
      [{ since }, [other]],
      [{ model: 'm-1' }, [one]],
      [{ model: 'm-2' }, []],
      [{ mapping: 'map-1' }, [one]],
      [{ q: one.slice(0, 13) }, one.slice(0, 13) === other.slice(0, 13) ? [other, one] : [one]],
      [{ q: 'Encounter/1' }, [one]],
      [{ q: '12' }, [one]],
      [{ q: 'Patient/7' }, [one]],
      [{ q: 's-Enc' }, [one]],
      [{ q: '%' }, []],
      [{ q: 'Encounter_' }, []],
      [{ q: '2%' }, [other]],
      [{ q: '' }, [other, one]],
    ] as const;
    for (const [query, ids] of cases) {
      const { runs } = await subject.runs.list({ scope: 'all', limit: 10, ...query });
      expect([query, runs.map(({ id }) => id)]).toEqual([query, ids]);
    }
  });

  it('are listed by the model that was asked for or that answered, also if a later step has another one', async () => {
    const subject = await makeSubject();
    const answered = { ...OLD, answeredBy: 'm-0-2026-03 fp_1' };
    const one = await drafted(subject, 'Encounter/1', { note: answered, diagnosis: NEW });
    await drafted(subject, 'Encounter/2', { note: NEW });
    const idsOf = async (model: string) =>
      (await subject.runs.list({ scope: 'all', limit: 10, model })).runs.map(({ id }) => id);
    for (const model of ['openai:m-0', 'm-0', 'm-0-2026-03', 'm-0-2026-03 fp_1']) {
      expect([model, await idsOf(model)]).toEqual([model, [one.run.id]]);
    }
    for (const model of ['other:m-0', 'm-0-2026', 'fp_1', 'm-0-2026-03 fp_2']) {
      expect([model, await idsOf(model)]).toEqual([model, []]);
    }
    expect(await idsOf('m-1')).toHaveLength(2);
  });

  it('are all of an encounter in the order in which they were made', async () => {
    const subject = await makeSubject();
    const one = await ended(subject, 'Encounter/1', WRITTEN);
    const again = await subject.runs.replay({ id: one.run.id, from: 'map', isDry: true });
    await accepted(subject, 'Encounter/1', { site: 'elsewhere' });
    const all = await subject.runs.ofEncounter(SITE, 'Encounter/1');
    expect(all.map(({ id }) => id)).toEqual([one.run.id, again.id]);
  });

  it('are found, listed and sent as changes only in the scope of the caller', async () => {
    const subject = await makeSubject();
    const start = new Date(subject.now().getTime() - 1);
    const one = await accepted(subject, 'Encounter/1');
    const two = await accepted(subject, 'Encounter/2');
    const foreign = await accepted(subject, 'Encounter/1', { site: 'elsewhere' });
    const cases = [
      ['all', [one, two, foreign]],
      [{ sites: [SITE] }, [one, two]],
      [{ sites: ['elsewhere', SITE] }, [one, two, foreign]],
      [{ sites: [SITE], encounter: 'Encounter/2' }, [two]],
      [{ sites: ['elsewhere'], encounter: 'Encounter/2' }, []],
      [{ sites: [] }, []],
    ] as const;
    for (const [scope, ids] of cases) {
      const found = await Promise.all([one, two, foreign].map((id) => subject.runs.find(id, scope)));
      const listed = (await subject.runs.list({ scope, limit: 10 })).runs.map(({ id }) => id);
      const changed = (await subject.runs.changesSince(scope, start, 10)).map(({ id }) => id);
      expect([scope, found.flatMap((run) => run?.id ?? [])]).toEqual([scope, ids]);
      expect([scope, listed.toSorted(), changed.toSorted()]).toEqual([scope, ids.toSorted(), ids.toSorted()]);
    }
    const narrowed = await subject.runs.list({ scope: { sites: ['elsewhere'] }, site: SITE, limit: 10 });
    expect(narrowed.runs).toEqual([]);
  });

  it('are not found if they were never created', async () => {
    const { runs } = await makeSubject();
    for (const id of [NOBODY, 'nothing', "'; --", 'a\0b']) {
      expect(await runs.find(id, 'all')).toBeUndefined();
      const orders = [
        () => runs.steps(id),
        () => runs.results(id),
        () => runs.replay({ id, from: 'map', isDry: true }),
        () => runs.cancel(id),
        () => runs.review({ id, review: aReview(1) }),
        () => runs.reject({ id, revision: 1, message: '', advice: 'Again.' }),
      ];
      for (const order of orders) await expect(order()).rejects.toMatchObject({ code: 'notFound' });
    }
    await runs.noteReviewChecked(['nothing', NOBODY]);
  });
}

function viewContract(makeSubject: MakeRunsSubject): void {
  it('tell what changed since, the oldest change first, and never only some of one moment', async () => {
    const subject = await makeSubject();
    const start = new Date(subject.now().getTime() - 1);
    const first = await accepted(subject, 'Encounter/1');
    subject.pass(1000);
    const encounters = ['2', '3', '4'].map((n) => ({ encounter: `Encounter/${n}`, isUrgent: false }));
    await subject.inbox.accept(anEvent(subject, { encounters }));
    subject.pass(1000);
    await claimOne(subject);
    const all = await subject.runs.changesSince('all', start, 10);
    expect(all.map(({ encounter, status }) => `${encounter} ${status}`).toSorted()).toEqual([
      'Encounter/1 running',
      'Encounter/2 queued',
      'Encounter/3 queued',
      'Encounter/4 queued',
    ]);
    expect(all.at(-1)).toEqual({
      id: first,
      site: SITE,
      encounter: 'Encounter/1',
      status: 'running',
      changedAt: subject.now(),
    });
    const some = await subject.runs.changesSince('all', start, 1);
    expect(some).toHaveLength(3);
    expect(await subject.runs.changesSince('all', some[0]?.changedAt ?? start, 1)).toMatchObject([{ id: first }]);
    expect(await subject.runs.changesSince('all', subject.now(), 10)).toEqual([]);
  });

  it('are counted by their state and reason, with the time of the oldest that could be worked on', async () => {
    const subject = await makeSubject();
    expect((await subject.runs.counts()).oldestQueuedAt).toBeUndefined();
    for (const n of [1, 2, 3, 4]) await accepted(subject, `Encounter/${n}`);
    const ends = [aWait(subject), aWait(subject, { reason: 'speech' }), PARKED];
    for (const end of ends) await subject.queue.leave(await claimOne(subject), end);
    subject.pass(1000);
    await accepted(subject, 'Encounter/5');
    await accepted(subject, 'Encounter/6', { settleMs: 9000 });
    const { byStatus, waiting, parked, oldestQueuedAt } = await subject.runs.counts();
    expect([...byStatus].toSorted()).toEqual([
      ['parked', 1],
      ['queued', 3],
      ['waiting', 2],
    ]);
    expect([...waiting].toSorted()).toEqual([
      ['retry', 1],
      ['speech', 1],
    ]);
    expect([...parked]).toEqual([['tries', 1]]);
    expect(oldestQueuedAt).toEqual(new Date(subject.now().getTime() - 1000));
  });
}

function lookContract(makeSubject: MakeRunsSubject): void {
  /** Ids in lists, of counted runs by state, and of changed runs. */
  async function seen({ runs }: RunsSubject) {
    const listed = (await runs.list({ scope: 'all', limit: 10 })).runs.map(({ id }) => id);
    const changed = await runs.changesSince('all', new Date(0), 10);
    const { byStatus, waiting } = await runs.counts();
    return { listed, changed: changed.map(({ id }) => id).toSorted(), byStatus: [...byStatus].toSorted(), waiting };
  }

  it('are not listed, counted or followed while they only look whether an encounter with a run has something new', async () => {
    const subject = await makeSubject();
    const { id } = (await determined(subject, 'Encounter/1')).run;
    const only = { listed: [id], changed: [id], byStatus: [['running', 1]], waiting: new Map() };
    const look = await accepted(subject, 'Encounter/1', { source: 'catch-up' });
    expect(await seen(subject)).toEqual(only);
    expect((await subject.runs.list({ scope: 'all', status: ['queued'], limit: 10 })).runs).toEqual([]);
    expect((await subject.runs.counts()).oldestQueuedAt).toEqual(subject.now());
    const claim = await claimOne(subject);
    expect([claim.run.id, await seen(subject)]).toEqual([look, only]);
    await subject.queue.leave(claim, aWait(subject));
    expect(await seen(subject)).toEqual(only);
    const all = await subject.runs.list({ scope: 'all', withLooks: true, limit: 10 });
    expect(all.runs.map((run) => run.id)).toEqual([look, id]);
    expect(await found(subject, look)).toMatchObject({ status: 'waiting' });
  });

  it('are listed and counted as soon as a look has found a session, could not look, or was started by an operator', async () => {
    const subject = await makeSubject();
    for (const encounter of ['Encounter/1', 'Encounter/2', 'Encounter/3']) {
      await subject.queue.leave(await determined(subject, encounter), WRITTEN);
    }
    const late = await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    await subject.queue.assignSessions(claim, [{ session: 'late', recordings: ['Media/2'] }]);
    expect((await seen(subject)).listed).toContain(late);
    const failed = await accepted(subject, 'Encounter/2');
    await subject.queue.leave(await claimOne(subject), PARKED);
    const asked = await accepted(subject, 'Encounter/3', { source: 'operator' });
    const { listed, byStatus } = await seen(subject);
    expect(listed.slice(0, 3)).toEqual([asked, failed, late]);
    expect(byStatus).toEqual([
      ['parked', 1],
      ['queued', 1],
      ['running', 1],
      ['written', 3],
    ]);
  });

  it('are listed and counted if they are the only run of their encounter, with or without a session', async () => {
    const subject = await makeSubject();
    const { id } = (await determined(subject, 'Encounter/1')).run;
    const elsewhere = await accepted(subject, 'Encounter/1', { site: 'elsewhere' });
    const other = await accepted(subject, 'Encounter/2');
    const { listed, byStatus } = await seen(subject);
    expect(listed).toEqual([other, elsewhere, id]);
    expect(byStatus).toEqual([
      ['queued', 2],
      ['running', 1],
    ]);
  });
}

function replayContract(makeSubject: MakeRunsSubject): void {
  it('are done again from a step with what the steps before gave', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', { ...WRITTEN, versions: { model: 'm-1' } });
    subject.pass(1000);
    const again = await subject.runs.replay({ id: run.id, from: 'write-note', isDry: true });
    expect(again).toMatchObject({
      site: SITE,
      encounter: 'Encounter/1',
      patient: 'Patient/1',
      session: run.session,
      recordings: run.recordings,
      status: 'queued',
      step: 'write-note',
      replayOf: run.id,
      isDry: true,
      revision: 0,
      resources: [],
      trigger: { source: 'operator', receivedAt: subject.now() },
    });
    expect(again.id).not.toBe(run.id);
    const claim = await claimOne(subject);
    expect(claim.run.id).toBe(again.id);
    const kept = ['read-chart', 'fetch-recording', 'transcribe'] as const;
    const results = Object.fromEntries(kept.map((name) => [name, aResult<StepName>(name)]));
    expect(await subject.queue.results(claim)).toEqual(results);
    const steps = await subject.runs.steps(again.id);
    expect(steps.map(({ status }) => status).slice(0, 5)).toEqual(['done', 'done', 'done', 'running', 'pending']);
    expect(Object.keys(await subject.runs.results(run.id))).toHaveLength(7);
    expect(await subject.queue.siblings(claim)).toMatchObject([{ id: run.id }]);
  });

  it('go on where they failed, where that is before the step that was asked for', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await finished(subject, claim, 'read-chart');
    await subject.queue.leave(claim, PARKED);
    const again = await subject.runs.replay({ id: claim.run.id, from: 'map', isDry: false });
    expect(again).toMatchObject({ step: 'fetch-recording', isDry: false });
    expect(await subject.runs.results(again.id)).toEqual({ 'read-chart': aResult('read-chart') });
  });

  it('are not done again while they are at work, or without a session', async () => {
    const subject = await makeSubject();
    const refused = (id: string) =>
      expect(subject.runs.replay({ id, from: 'read-chart', isDry: false })).rejects.toMatchObject({ code: 'conflict' });
    const claim = await determined(subject, 'Encounter/1');
    await refused(claim.run.id);
    await subject.queue.leave(claim, aWait(subject));
    await refused(claim.run.id);
    const id = await accepted(subject, 'Encounter/2', { source: 'operator' });
    await refused(id);
    await subject.queue.leave(await claimOne(subject), SKIPPED);
    await refused(id);
  });

  it('are not done again with what was deleted', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN);
    subject.pass(DAY_MS + 1);
    await subject.runs.purge(keeping({ resultsMs: DAY_MS }));
    await expect(subject.runs.replay({ id: run.id, from: 'map', isDry: true })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await subject.runs.replay({ id: run.id, from: 'read-chart', isDry: true })).toMatchObject({
      step: 'read-chart',
    });
  });
}

function replayedContract(makeSubject: MakeRunsSubject): void {
  it('that are parked are closed when their replay is written: lists and counts of parked runs leave them out', async () => {
    const subject = await makeSubject();
    const { runs } = subject;
    const { run } = await ended(subject, 'Encounter/1', PARKED);
    const other = await ended(subject, 'Encounter/2', PARKED, 'Patient/2');
    const again = await replayed(subject, run.id, PARKED);
    await replayed(subject, again, DRY, true);
    const parked = async (withReplayed: boolean) => {
      const page = await runs.list({ scope: 'all', limit: 10, status: ['parked', 'held'], withReplayed });
      return page.runs.map(({ id }) => id);
    };
    expect(await parked(false)).toEqual([again, other.run.id, run.id]);
    const { changedAt } = await found(subject, run.id);
    subject.pass(1000);
    const last = await replayed(subject, again, WRITTEN);
    for (const id of [run.id, again]) {
      expect(await found(subject, id)).toMatchObject({ status: 'parked', reason: 'tries', replayedBy: last });
    }
    expect((await found(subject, run.id)).changedAt).toEqual(changedAt);
    expect(await found(subject, other.run.id)).not.toHaveProperty('replayedBy');
    expect(await found(subject, last)).not.toHaveProperty('replayedBy');
    expect(await parked(false)).toEqual([other.run.id]);
    expect(await parked(true)).toEqual([again, other.run.id, run.id]);
    expect((await runs.list({ scope: 'all', limit: 10 })).runs).toHaveLength(5);
    const counts = await runs.counts();
    expect([counts.byStatus.get('parked'), counts.parked.get('tries')]).toEqual([1, 1]);
  });

  it('that are parked stay open if their replay is held, skipped or parked', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', PARKED);
    for (const end of [HELD, SKIPPED, PARKED]) await replayed(subject, run.id, end);
    expect(await found(subject, run.id)).not.toHaveProperty('replayedBy');
  });

  it('that are parked with documents in the chart of another patient stay open when their replay is written', async () => {
    const subject = await makeSubject();
    const left = [{ document: 'composition', reference: 'Composition/1', why: 'signed' }] as const;
    const cases = [
      { encounter: 'Encounter/1', reason: 'touched', left, patient: 'Patient/9', isClosed: false },
      { encounter: 'Encounter/2', reason: 'touched', left, patient: 'Patient/2', isClosed: true },
      { encounter: 'Encounter/3', reason: 'touched', left: [], patient: 'Patient/9', isClosed: true },
      { encounter: 'Encounter/4', reason: 'retract-by-hand', left: [], patient: 'Patient/9', isClosed: false },
      { encounter: 'Encounter/5', reason: 'retract-by-hand', left: [], patient: 'Patient/5', isClosed: true },
    ] as const;
    for (const { encounter, reason, left: kept, patient, isClosed } of cases) {
      const former = encounter.replace('Encounter', 'Patient');
      const { run } = await ended(subject, encounter, parkedWith(reason, kept), former);
      const last = await replayed(subject, run.id, { ...WRITTEN, patient });
      expect([encounter, (await found(subject, run.id)).replayedBy]).toEqual([encounter, isClosed ? last : undefined]);
    }
  });
}

/** Replays a run and ends the replay so. Returns the id of the replay. */
async function replayed(subject: RunsSubject, id: string, end: RunEnd, isDry = false): Promise<string> {
  const again = await subject.runs.replay({ id, from: 'map', isDry });
  const claim = await claimOne(subject);
  expect(claim.run.id).toBe(again.id);
  await subject.queue.leave(claim, end);
  return again.id;
}

function parkedWith(reason: 'touched' | 'retract-by-hand', left: Run['left']): RunEnd {
  return { status: 'parked', reason, message: 'It failed.', advice: 'Look at it.', resources: [], left };
}

const DRY: RunEnd = { status: 'skipped', reason: 'dry-run', message: 'Only the differences were shown.' };

function cancelContract(makeSubject: MakeRunsSubject): void {
  it('are cancelled at once if no worker has them, else at their next step, and not twice', async () => {
    const subject = await makeSubject();
    const { runs, queue } = subject;
    const queued = await accepted(subject, 'Encounter/1');
    expect(await runs.cancel(queued)).toBe('cancelled');
    expect(await found(subject, queued)).toMatchObject({ status: 'cancelled', endedAt: subject.now() });
    expect(await runs.cancel(queued)).toBe('ended');
    for (const end of [aWait(subject), PARKED, HELD]) {
      const { run } = await ended(subject, `Encounter/${end.status}`, end, `Patient/${end.status}`);
      expect([end.status, await runs.cancel(run.id)]).toEqual([end.status, 'cancelled']);
    }
    const claim = await determined(subject, 'Encounter/2', 'Patient/2');
    expect(await runs.cancel(claim.run.id)).toBe('cancelling');
    expect(await found(subject, claim.run.id)).toMatchObject({ status: 'running', isCancelling: true });
    await queue.leave(claim, WRITTEN);
    expect(await runs.cancel(claim.run.id)).toBe('ended');
    expect(await found(subject, claim.run.id)).toMatchObject({ status: 'written', isCancelling: false });
    expect(await claimedIds(subject)).toEqual([]);
  });

  it('are still to end where the one at work on them died', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await subject.runs.cancel(claim.run.id);
    subject.pass(LEASE_MS);
    expect((await claimOne(subject)).run).toMatchObject({ id: claim.run.id, isCancelling: true });
  });
}

const WORDS = { message: 'It is recalled.', advice: 'Replay it from write-note.' };
const OLD = { model: 'openai:m-0', prompt: 'p-0' };
const NEW = { model: 'openai:m-1', prompt: 'p-1' };

/** A run at work with a note, a diagnosis and documents, each made by what is said of it. */
async function drafted(
  subject: RunsSubject,
  encounter: string,
  {
    note = OLD,
    diagnosis = note,
    mapping = 'map-0',
  }: { note?: RunVersions; diagnosis?: RunVersions; mapping?: string } = {},
): Promise<Claim> {
  const claim = await determined(subject, encounter, encounter.replace('Encounter', 'Patient'));
  for (const name of ['read-chart', 'fetch-recording', 'transcribe'] as const) await finished(subject, claim, name);
  const made = [
    ['write-note', note],
    ['diagnose', diagnosis],
    ['check', {}],
    ['map', { mapping }],
  ] as const;
  for (const [name, versions] of made) {
    const times = { startedAt: subject.now(), finishedAt: subject.now() };
    await subject.queue.finishStep(claim, { name, ...times, result: aResult<never>(name), versions }, 'write-chart');
  }
  return claim;
}

function recallContract(makeSubject: MakeRunsSubject): void {
  it('are found by what made the draft that they have not written: held, waiting, queued or at work', async () => {
    const subject = await makeSubject();
    const start = subject.now();
    const ids: string[] = [];
    const ends = [HELD, aWait(subject, { until: new Date(start.getTime() + DAY_MS) }), undefined] as const;
    for (const [n, end] of ends.entries()) {
      const claim = await drafted(subject, `Encounter/${n}`);
      if (end !== undefined) await subject.queue.leave(claim, end);
      ids.push(claim.run.id);
    }
    for (const end of [WRITTEN, PARKED]) {
      await subject.queue.leave(await drafted(subject, `Encounter/${end.status}`), end);
    }
    const approved = await drafted(subject, 'Encounter/8');
    await subject.queue.leave(approved, HELD);
    await subject.runs.review({ id: approved.run.id, review: aReview(1) });
    ids.push(approved.run.id);
    const found = async (query: Omit<WrittenQuery, 'scope'>) =>
      (await subject.runs.findUnwritten({ scope: 'all', ...query })).map(({ id }) => id);
    const from = new Date(start.getTime() + 1);
    for (const query of [
      { model: 'openai:m-0' },
      { model: 'm-0' },
      { model: 'm-0', prompt: 'p-0', site: SITE, from: start, to: from },
      { prompt: 'p-0' },
      { from: start },
      { to: from },
    ]) {
      expect([query, await found(query)]).toEqual([query, ids]);
    }
    for (const query of [
      { model: 'm-1' },
      { model: 'other:m-0' },
      { model: 'm-0', prompt: 'p-1' },
      { model: 'm-0', mapping: 'map-1' },
      { model: 'm-0', site: 'elsewhere' },
      { from },
      { to: start },
    ]) {
      expect([query, await found(query)]).toEqual([query, []]);
    }
  });

  it('are found by the mapping for as long as they hold what it made', async () => {
    const subject = await makeSubject();
    const claim = await drafted(subject, 'Encounter/1');
    const found = async () =>
      (await subject.runs.findUnwritten({ scope: 'all', mapping: 'map-0' })).map(({ id }) => id);
    expect(await found()).toEqual([claim.run.id]);
    await subject.queue.goBack(claim, 'map');
    expect(await found()).toEqual([]);
  });

  it('are found by the model that answered, with and without its fingerprint', async () => {
    const subject = await makeSubject();
    const answered = { ...OLD, answeredBy: 'm-0-2026-03 fp_1' };
    const claim = await drafted(subject, 'Encounter/1', { note: answered, diagnosis: OLD });
    await subject.queue.leave(claim, HELD);
    for (const model of ['m-0-2026-03', 'm-0-2026-03 fp_1', 'm-0']) {
      expect(await subject.runs.findUnwritten({ scope: 'all', model })).toMatchObject([{ id: claim.run.id }]);
    }
    for (const model of ['fp_1', 'm-0-2026', 'm-0-2026-03 fp_2']) {
      expect(await subject.runs.findUnwritten({ scope: 'all', model })).toEqual([]);
    }
  });

  it('show what answered last, and nothing beside a model whose vendor does not say it', async () => {
    const subject = await makeSubject();
    const answered = { ...OLD, answeredBy: 'm-0-2026-03' };
    const claim = await drafted(subject, 'Encounter/1', { note: answered });
    expect((await found(subject, claim.run.id)).versions).toMatchObject({ ...answered, mapping: 'map-0' });
    await subject.queue.leave(claim, WRITTEN);
    const other = await drafted(subject, 'Encounter/2', { note: answered, diagnosis: NEW });
    const again = await subject.runs.replay({ id: claim.run.id, from: 'map', isDry: false });
    expect(again.versions).toMatchObject(answered);
    const { versions } = await found(subject, other.run.id);
    expect(versions).toMatchObject(NEW);
    expect(versions).not.toHaveProperty('answeredBy');
  });

  it('are found by the model of their note, also where another one made the diagnosis', async () => {
    const subject = await makeSubject();
    const claim = await drafted(subject, 'Encounter/1', { note: OLD, diagnosis: NEW });
    await subject.queue.leave(claim, HELD);
    for (const query of [{ model: 'm-0' }, { model: 'm-1' }, { prompt: 'p-0' }]) {
      expect(await subject.runs.findUnwritten({ scope: 'all', ...query })).toMatchObject([{ id: claim.run.id }]);
    }
    expect(await subject.runs.findUnwritten({ scope: 'all', model: 'm-0', prompt: 'p-1' })).toEqual([]);
    expect(await subject.runs.findUnwritten({ scope: ['elsewhere', SITE], model: 'm-0' })).toHaveLength(1);
    expect(await subject.runs.findUnwritten({ scope: ['elsewhere'], model: 'm-0' })).toEqual([]);
  });

  it('are not found while they make it anew, where they are dry, or before there is anything', async () => {
    const subject = await makeSubject();
    const claim = await drafted(subject, 'Encounter/1');
    await subject.queue.leave(claim, WRITTEN);
    const dry = await subject.runs.replay({ id: claim.run.id, from: 'write-chart', isDry: true });
    await subject.queue.leave(await claimOne(subject), SKIPPED);
    const anew = await subject.runs.replay({ id: claim.run.id, from: 'write-note', isDry: false });
    expect((await found(subject, anew.id)).versions.model).toBe('openai:m-0');
    await accepted(subject, 'Encounter/2');
    expect(dry.isDry).toBe(true);
    expect(await subject.runs.findUnwritten({ scope: 'all', model: 'm-0' })).toEqual([]);
    const again = await claimOne(subject);
    await finished(subject, again, 'write-note');
    expect(await subject.runs.findUnwritten({ scope: 'all', model: 'm-0' })).toMatchObject([{ id: anew.id }]);
  });
}

function withdrawContract(makeSubject: MakeRunsSubject): void {
  const RECALLED = { status: 'cancelled', reason: 'recalled', ...WORDS } as const;

  it('are withdrawn at once if no worker has them, and take no decision any more', async () => {
    const subject = await makeSubject();
    const { runs } = subject;
    for (const end of [HELD, aWait(subject)]) {
      const { run } = await ended(subject, `Encounter/${end.status}`, end, `Patient/${end.status}`);
      expect(await runs.withdraw(run.id, WORDS)).toBe('cancelled');
      expect(await found(subject, run.id)).toMatchObject({ ...RECALLED, endedAt: subject.now() });
      await expect(runs.review({ id: run.id, review: aReview(1) })).rejects.toMatchObject({ code: 'conflict' });
      await expect(runs.reject({ id: run.id, revision: 1, message: '', advice: 'Again.' })).rejects.toMatchObject({
        code: 'conflict',
      });
      expect(await runs.withdraw(run.id, WORDS)).toBe('ended');
    }
    expect(await claimedIds(subject)).toEqual([]);
    await expect(runs.withdraw(NOBODY, WORDS)).rejects.toMatchObject({ code: 'notFound' });
  });

  it('are left where they need a person, or have written', async () => {
    const subject = await makeSubject();
    for (const end of [PARKED, WRITTEN]) {
      const { run } = await ended(subject, `Encounter/${end.status}`, end, `Patient/${end.status}`);
      const before = await found(subject, run.id);
      expect(await subject.runs.withdraw(run.id, WORDS)).toBe('ended');
      expect(await found(subject, run.id)).toEqual(before);
    }
  });

  it.each<[string, (subject: RunsSubject) => RunEnd]>([
    ['cancelled', () => ({ status: 'cancelled', message: 'Somebody cancelled it.' })],
    ['held', () => HELD],
    ['waiting', aWait],
    ['given back', () => ({ status: 'queued' })],
  ])('are marked as recalled while a worker has them, and are withdrawn when they are %s', async (_, endOf) => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    expect(await subject.runs.withdraw(claim.run.id, WORDS)).toBe('cancelling');
    expect(await found(subject, claim.run.id)).toMatchObject({ ...RECALLED, status: 'running', isCancelling: true });
    await subject.queue.leave(claim, endOf(subject), endOf(subject) === HELD ? 'held' : undefined);
    expect(await found(subject, claim.run.id)).toMatchObject({ ...RECALLED, revision: 0, isCancelling: false });
    expect([await claimedIds(subject), await subject.outbox()]).toEqual([[], []]);
  });

  it('are written all the same where it was too late, and nothing is said of a recall then', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await subject.runs.withdraw(claim.run.id, WORDS);
    await subject.queue.leave(claim, WRITTEN);
    const { status, reason, message, advice } = await found(subject, claim.run.id);
    expect([status, reason, message, advice]).toEqual(['written', undefined, undefined, undefined]);
  });

  it('are still recalled where the one at work on them died', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await subject.runs.withdraw(claim.run.id, WORDS);
    subject.pass(LEASE_MS);
    const again = await claimOne(subject);
    expect(again.run).toMatchObject({ id: claim.run.id, isCancelling: true, reason: 'recalled', ...WORDS });
    await subject.queue.leave(again, { status: 'cancelled', message: 'Somebody cancelled it.' });
    expect(await found(subject, claim.run.id)).toMatchObject(RECALLED);
  });

  it('are done again from write-note, and from no later step: the same words must not come back', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', HELD);
    await subject.runs.withdraw(run.id, WORDS);
    for (const from of ['diagnose', 'map', 'write-chart'] as const) {
      const refused = subject.runs.replay({ id: run.id, from, isDry: false });
      await expect(refused).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/recalled/) });
    }
    const again = await subject.runs.replay({ id: run.id, from: 'write-note', isDry: false });
    expect(again).toMatchObject({ status: 'queued', step: 'write-note' });
    expect(again.reason).toBeUndefined();
    const kept = Object.keys(await subject.runs.results(again.id));
    expect(kept.toSorted()).toEqual(['fetch-recording', 'read-chart', 'transcribe']);
  });

  it('are retracted if they had written before, with an outcome event', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN);
    await subject.runs.review({ id: run.id, review: aReview(1) });
    expect(await subject.runs.withdraw(run.id, WORDS)).toBe('cancelled');
    const held = await ended(subject, 'Encounter/2', HELD);
    await subject.runs.withdraw(held.run.id, WORDS);
    for (const one of [run, held.run]) {
      const place = { site: SITE, encounter: one.encounter, session: one.session ?? '' };
      await subject.runs.markRetracted({ ...place, resources: [], left: [] });
    }
    expect((await found(subject, run.id)).status).toBe('retracted');
    expect((await found(subject, held.run.id)).status).toBe('cancelled');
    expect(await subject.outbox()).toMatchObject([{ kind: 'retracted', event: { runId: run.id } }]);
  });
}

function aReview(revision: number): RunReview {
  return {
    decision: 'approve',
    time: '2026-03-02T10:00:00Z',
    reviewer: 'Practitioner/7',
    name: 'Dr. Example',
    revision,
  };
}

function reviewContract(makeSubject: MakeRunsSubject): void {
  it.each([
    ['written', WRITTEN],
    ['held', HELD],
  ])('go on from the mapping with a decision about what is %s', async (_, end) => {
    const subject = await makeSubject();
    const drafted = await determined(subject, 'Encounter/1');
    const { run } = drafted;
    for (const name of ['check', 'map', 'write-chart'] as const) await finished(subject, drafted, name);
    await subject.queue.leave(drafted, end);
    const review = aReview(1);
    const decided = await subject.runs.review({ id: run.id, review });
    expect(decided).toMatchObject({ status: 'queued', step: 'map', review, revision: 1 });
    expect([decided.reason, decided.endedAt]).toEqual([undefined, undefined]);
    expect(await found(subject, run.id)).toEqual(decided);
    const claim = await claimOne(subject);
    const results = await subject.queue.results(claim);
    // What was decided about is still known, and nothing that came of it.
    expect(results).toEqual({ check: aResult('check'), map: aResult('map') });
    await subject.queue.leave(claim, WRITTEN);
    expect(await found(subject, run.id)).toMatchObject({ review, revision: 2 });
  });

  it('have the words of an edit in place of what the check gave, and its report as it was', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    const result = {
      report: { statements: [], unsupported: {}, exceeded: [], overSilence: [] },
      note: aResult<'check'>('before').note,
    };
    const times = { startedAt: subject.now(), finishedAt: subject.now() };
    await subject.queue.finishStep(claim, { name: 'check', ...times, result }, 'map');
    await subject.queue.leave(claim, HELD);
    const note = aResult('after') as unknown as NonNullable<typeof result.note>;
    await subject.runs.review({ id: claim.run.id, review: { ...aReview(1), decision: 'edit' }, note });
    const check = { report: result.report, note, shown: result.note };
    expect(await subject.runs.results(claim.run.id)).toEqual({ check });
  });

  it('are not decided about where something else was shown, or nothing, or what they found was deleted', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    const { id } = claim.run;
    const refused = async (revision: number) => {
      await expect(subject.runs.review({ id, review: aReview(revision) })).rejects.toMatchObject({ code: 'conflict' });
      await expect(subject.runs.reject({ id, revision, message: '', advice: 'Again.' })).rejects.toMatchObject({
        code: 'conflict',
      });
    };
    await refused(0);
    await subject.queue.leave(claim, WRITTEN);
    await refused(0);
    await refused(2);
    subject.pass(DAY_MS + 1);
    await subject.runs.purge(keeping({ resultsMs: DAY_MS }));
    await expect(subject.runs.review({ id, review: aReview(1) })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('are decided about once, by one of two who do it at the same moment', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', HELD);
    const reject = subject.runs.reject({ id: run.id, revision: 1, message: 'It is wrong.', advice: 'Again.' });
    const outcomes = await Promise.allSettled([subject.runs.review({ id: run.id, review: aReview(1) }), reject]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('go back into the queue with their results, from the state that was seen', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', HELD);
    await expect(subject.runs.putBack({ id: run.id, from: 'waiting' })).rejects.toMatchObject({ code: 'conflict' });
    const results = await subject.runs.results(run.id);
    const back = await subject.runs.putBack({ id: run.id, from: 'held' });
    expect(back).toMatchObject({ status: 'queued', tries: 0 });
    expect([back.step, back.reason, back.message]).toEqual([run.step, undefined, undefined]);
    expect(await subject.runs.results(run.id)).toEqual(results);
    expect(await claimedIds(subject)).toEqual([run.id]);
    await expect(subject.runs.putBack({ id: NOBODY, from: 'held' })).rejects.toMatchObject({ code: 'notFound' });
  });

  it('have ended where their draft is rejected, and count as no parked run', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', HELD);
    const words = { message: 'It may still be in the chart.', advice: 'Again.' };
    const parked = await subject.runs.reject({ id: run.id, revision: 1, ...words });
    expect(parked).toMatchObject({ status: 'parked', reason: 'rejected', ...words, endedAt: subject.now() });
    expect(await found(subject, run.id)).toEqual(parked);
    await subject.runs.endRejected({ id: run.id, message: 'It is wrong.' });
    const rejected = await found(subject, run.id);
    expect(rejected).toMatchObject({ status: 'rejected', message: 'It is wrong.', endedAt: subject.now() });
    expect(rejected.advice).toBeUndefined();
    expect(rejected.reason).toBeUndefined();
    const counts = await subject.runs.counts();
    expect([counts.byStatus.get('rejected'), counts.byStatus.get('parked'), counts.parked.size]).toEqual([
      1,
      undefined,
      0,
    ]);
    expect(await claimedIds(subject)).toEqual([]);
  });
}

function retractContract(makeSubject: MakeRunsSubject): void {
  const retired = [{ document: 'document', reference: 'DocumentReference/1', status: 'retired' }] as const;
  const signed = [{ document: 'condition', reference: 'Condition/2', why: 'signed' }] as const;

  it('are retracted after their documents were, with one outcome event', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN);
    const other = await ended(subject, 'Encounter/2', WRITTEN);
    const place = { site: SITE, encounter: 'Encounter/1', session: run.session ?? '' };
    for (const _ of [1, 2]) await subject.runs.markRetracted({ ...place, resources: retired, left: [] });
    const retracted = await found(subject, run.id);
    expect(retracted).toMatchObject({ status: 'retracted', resources: retired, left: [], endedAt: subject.now() });
    expect(await found(subject, other.run.id)).toMatchObject({ status: 'written' });
    expect(await subject.outbox()).toMatchObject([{ kind: 'retracted', event: { runId: run.id, resources: retired } }]);
  });

  it('are parked if a signed document is left, with one outcome event', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN);
    const place = { site: SITE, encounter: 'Encounter/1', session: run.session ?? '' };
    const park = { message: 'Signed.', advice: 'Retract Condition/2 by hand.' };
    for (const _ of [1, 2]) await subject.runs.markRetracted({ ...place, resources: [], left: signed, park });
    const parked = await found(subject, run.id);
    expect(parked).toMatchObject({ status: 'parked', reason: 'retract-by-hand', ...park, left: signed });
    expect(parked.resources).toHaveLength(1);
    expect(await subject.outbox()).toMatchObject([{ kind: 'parked', event: { status: 'parked' } }]);
    await subject.runs.markRetracted({ ...place, resources: retired, left: [] });
    expect(await found(subject, run.id)).toMatchObject({ status: 'retracted', left: [] });
  });

  it('are left alone while they are at work, and where they were only to show something', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN);
    const dry = await subject.runs.replay({ id: run.id, from: 'map', isDry: true });
    const claim = await claimOne(subject);
    const place = { site: SITE, encounter: 'Encounter/1', session: run.session ?? '' };
    await subject.runs.markRetracted({ ...place, resources: [], left: [] });
    expect((await found(subject, dry.id)).status).toBe('running');
    await subject.queue.leave(claim, PARKED);
    await subject.runs.markRetracted({ ...place, resources: [], left: [] });
    expect((await found(subject, dry.id)).status).toBe('parked');
  });
}

function moveContract(makeSubject: MakeRunsSubject): void {
  const resources = [{ document: 'composition', reference: 'Composition/1', status: 'unchanged' }] as const;

  it('tell once for each patient that their encounter was moved, with the documents', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN, 'Patient/1');
    for (const to of ['Patient/2', 'Patient/2', undefined, 'Patient/2', 'Patient/3']) {
      await subject.runs.noteMove({ id: run.id, to, resources });
      expect((await found(subject, run.id)).movedTo).toBe(to);
    }
    const event = { runId: run.id, patient: 'Patient/1', status: 'written', because: 'moved', resources };
    expect(await subject.outbox()).toMatchObject(
      ['Patient/2', 'Patient/2', 'Patient/3'].map((movedTo) => ({ kind: 'attention', event: { ...event, movedTo } })),
    );
  });

  it('tell nothing of a move if nothing is in a chart', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', HELD, 'Patient/1');
    await subject.runs.noteMove({ id: run.id, to: 'Patient/2', resources: [] });
    expect(await found(subject, run.id)).toMatchObject({ movedTo: 'Patient/2' });
    expect(await subject.outbox()).toEqual([]);
  });

  it('get one run for the other patient, from its beginning, with the event that showed the move', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN, 'Patient/1');
    await accepted(subject, 'Encounter/1');
    const look = await claimOne(subject);
    const order = { id: run.id, patient: 'Patient/2', seenBy: look.run.id };
    const [one, other] = await Promise.all([subject.runs.moveSession(order), subject.runs.moveSession(order)]);
    const made = one ?? other;
    if (made === undefined || (one !== undefined && other !== undefined)) throw new Error('there must be one run');
    expect(await subject.runs.moveSession(order)).toBeUndefined();
    const { session, recordings } = run;
    expect(made).toMatchObject({ session, recordings, patient: 'Patient/2', status: 'queued', step: 'read-chart' });
    expect(made).toMatchObject({ replayOf: run.id, isDry: false, trigger: look.run.trigger });
    expect(await found(subject, run.id)).toMatchObject({ movedTo: 'Patient/2', movedBy: made.id });
    expect(await subject.runs.events(made.id)).toEqual(await subject.runs.events(look.run.id));
    await subject.queue.leave(look, SKIPPED);
    const claim = await claimOne(subject);
    expect(claim.run.id).toBe(made.id);
    expect(await subject.queue.results(claim)).toEqual({});
  });

  it('are retracted up to a run, and later runs of the session are left', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN, 'Patient/1');
    const later = await replayed(subject, run.id, WRITTEN);
    const place = { site: SITE, encounter: 'Encounter/1', session: run.session ?? '' };
    await subject.runs.markRetracted({ ...place, upTo: run.id, resources: [], left: [] });
    expect((await found(subject, run.id)).status).toBe('retracted');
    expect((await found(subject, later)).status).toBe('written');
  });
}

function draftContract(makeSubject: MakeRunsSubject): void {
  it('are asked about as drafts, those first that were asked about longest ago', async () => {
    const subject = await makeSubject();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) ids.push((await ended(subject, `Encounter/${n}`, WRITTEN)).run.id);
    await ended(subject, 'Encounter/4', PARKED, 'Patient/4');
    const asked = async (limit = 10) =>
      (await subject.runs.awaitingReview({ sites: [SITE] }, limit)).map(({ id }) => id);
    expect(await asked()).toEqual(ids);
    await subject.runs.noteReviewChecked([ids[0] ?? '']);
    subject.pass(1000);
    await subject.runs.noteReviewChecked([ids[1] ?? '']);
    expect(await asked()).toEqual([ids[2], ids[0], ids[1]]);
    expect(await asked(1)).toEqual([ids[2]]);
    expect(await subject.runs.awaitingReview({ sites: ['elsewhere'] }, 10)).toEqual([]);
    const scopes = ['all', { sites: ['elsewhere', SITE] }, { sites: [SITE], encounter: 'Encounter/2' }] as const;
    const found = await Promise.all(scopes.map((scope) => subject.runs.awaitingReview(scope, 10)));
    expect(found.map((runs) => runs.length)).toEqual([3, 3, 1]);
    await subject.runs.review({ id: ids[0] ?? '', review: aReview(1) });
    await subject.queue.leave(await claimOne(subject), WRITTEN);
    expect(await asked()).toEqual([ids[2], ids[1]]);
  });

  it('are the last of their session: what a replay replaced is no draft any more', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN);
    const again = await subject.runs.replay({ id: run.id, from: 'map', isDry: false });
    await subject.queue.leave(await claimOne(subject), WRITTEN);
    expect((await subject.runs.awaitingReview({ sites: [SITE] }, 10)).map(({ id }) => id)).toEqual([again.id]);
    await subject.runs.review({ id: again.id, review: aReview(1) });
    await subject.queue.leave(await claimOne(subject), WRITTEN);
    expect(await subject.runs.awaitingReview({ sites: [SITE] }, 10)).toEqual([]);
  });
}

export function keeping(parts: Partial<Retention> = {}): Retention {
  const ever = 10_000 * DAY_MS;
  return { audioMs: ever, resultsMs: ever, heldMs: ever, quarantineMs: ever, keysMs: ever, ...parts };
}

function purgeContract(makeSubject: MakeRunsSubject): void {
  it('forget what they found when it is old enough, and not before they have ended', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', WRITTEN);
    const held = await ended(subject, 'Encounter/2', HELD);
    subject.pass(DAY_MS);
    expect(await subject.runs.purge(keeping({ resultsMs: DAY_MS }))).toMatchObject({ results: 0 });
    subject.pass(1);
    const late = await ended(subject, 'Encounter/3', WRITTEN);
    expect(await subject.runs.purge(keeping({ resultsMs: DAY_MS }))).toEqual({
      expired: 0,
      recordings: 0,
      results: 1,
      bodies: 0,
      keys: 0,
      outcomes: 0,
    });
    expect(await subject.runs.purge(keeping({ resultsMs: DAY_MS }))).toMatchObject({ results: 0 });
    expect(await subject.runs.results(run.id)).toEqual({});
    expect((await subject.runs.steps(run.id))[0]).toMatchObject({ status: 'done', attempts: 1 });
    for (const kept of [held, late]) expect(Object.keys(await subject.runs.results(kept.run.id))).toHaveLength(7);
    expect(await found(subject, run.id)).toMatchObject({
      status: 'written',
      changedAt: new Date(subject.now().getTime() - DAY_MS - 1),
    });
  });

  it('forget quarantined deliveries, and later that an event ever arrived', async () => {
    const subject = await makeSubject();
    const event = anEvent(subject);
    await subject.inbox.accept(event);
    const aside = {
      site: SITE,
      source: 'push',
      outcome: 'not-understood',
      key: 'k',
      why: 'No JSON.',
      receivedAt: subject.now(),
    } as const;
    await subject.inbox.quarantine({ ...aside, body: Buffer.from('Ada Example') });
    subject.pass(DAY_MS + 1);
    expect(await subject.runs.purge(keeping({ quarantineMs: DAY_MS }))).toMatchObject({ bodies: 1, keys: 0 });
    expect(await subject.runs.purge(keeping({ quarantineMs: DAY_MS }))).toMatchObject({ bodies: 0 });
    expect((await subject.inbox.accept(event)).kind).toBe('repeated');
    expect(await subject.runs.purge(keeping({ keysMs: DAY_MS }))).toMatchObject({ keys: 2 });
    expect((await subject.inbox.accept(event)).kind).toBe('accepted');
    expect((await subject.inbox.listQuarantined({ scope: 'all', limit: 10 })).deliveries).toEqual([]);
  });

  it('keep an event in mind for as long as it comes again', async () => {
    const subject = await makeSubject();
    const event = anEvent(subject);
    await subject.inbox.accept(event);
    subject.pass(DAY_MS);
    await subject.inbox.accept({ ...event, receivedAt: subject.now() });
    subject.pass(DAY_MS);
    expect(await subject.runs.purge(keeping({ keysMs: DAY_MS }))).toMatchObject({ keys: 0 });
  });
}

function expiryContract(makeSubject: MakeRunsSubject): void {
  it('are parked when they were held for too long, without their results, with an outcome event', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', HELD);
    subject.pass(30 * DAY_MS);
    const later = await ended(subject, 'Encounter/2', HELD, 'Patient/2');
    const waiting = await ended(subject, 'Encounter/3', aWait(subject), 'Patient/3');
    expect(await subject.runs.purge(keeping({ heldMs: 30 * DAY_MS }))).toMatchObject({ expired: 0 });
    subject.pass(1);
    const before = await subject.runs.steps(run.id);
    expect(await subject.runs.purge(keeping({ heldMs: 30 * DAY_MS }))).toMatchObject({ expired: 1, results: 0 });
    expect(await found(subject, run.id)).toMatchObject({
      status: 'parked',
      reason: 'expired',
      message: 'No decision was made within 30 days, so the results of the run were deleted.',
      advice: expect.stringMatching(/^Replay the run if .* document by hand\.$/),
      endedAt: subject.now(),
      changedAt: subject.now(),
    });
    expect(await subject.runs.results(run.id)).toEqual({});
    expect(await subject.runs.steps(run.id)).toEqual(before);
    expect(await subject.outbox()).toMatchObject([
      { kind: 'parked', event: { runId: run.id, status: 'parked', encounter: 'Encounter/1' } },
    ]);
    for (const kept of [later, waiting]) {
      expect(Object.keys(await subject.runs.results(kept.run.id))).toContain('map');
    }
    expect(await subject.runs.purge(keeping({ heldMs: 30 * DAY_MS }))).toMatchObject({ expired: 0 });
    expect(await subject.outbox()).toHaveLength(1);
  });

  it('are held anew from each decision of the engine, and listen again when they are replayed after it was too late', async () => {
    const subject = await makeSubject();
    const { run } = await ended(subject, 'Encounter/1', HELD);
    subject.pass(DAY_MS);
    await subject.runs.review({ id: run.id, review: aReview(1) });
    await subject.queue.leave(await claimOne(subject), HELD);
    subject.pass(DAY_MS);
    expect(await subject.runs.purge(keeping({ heldMs: DAY_MS }))).toMatchObject({ expired: 0 });
    subject.pass(1);
    expect(await subject.runs.purge(keeping({ heldMs: DAY_MS }))).toMatchObject({ expired: 1 });
    await expect(subject.runs.review({ id: run.id, review: aReview(2) })).rejects.toMatchObject({ code: 'conflict' });
    await expect(subject.runs.replay({ id: run.id, from: 'map', isDry: false })).rejects.toMatchObject({
      code: 'conflict',
    });
    const again = await subject.runs.replay({ id: run.id, from: 'read-chart', isDry: false });
    expect(again).toMatchObject({ status: 'queued', step: 'read-chart' });
  });

  it('are parked once each, in portions, where two engines look at the same moment', async () => {
    const subject = await makeSubject();
    for (let n = 0; n < 12; n += 1) await ended(subject, `Encounter/${n}`, HELD, `Patient/${n}`);
    subject.pass(DAY_MS + 1);
    const purges = [1, 2, 3].map(() => subject.runs.purge(keeping({ heldMs: DAY_MS })));
    const counts = (await Promise.all(purges)).map(({ expired }) => expired);
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(12);
    const told = (await subject.outbox()).map(({ event }) => event.encounter);
    expect([told.length, new Set(told).size]).toEqual([12, 12]);
  });
}
