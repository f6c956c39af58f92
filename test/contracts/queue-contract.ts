// What every queue of runs promises: who works on what and when, what a look makes of a run, and how a run is left. And the builders that
// the contracts of the inbox and of the runs share with it.
import { describe, expect, it } from '@jest/globals';
import type { Run, StepName } from '../../src/domain/run/run.ts';
import type { RunEnd } from '../../src/domain/run/run-end.ts';
import type { StepResults } from '../../src/domain/run/step-results.ts';
import type { AcceptOrder, Inbox } from '../../src/ports/inbox.ts';
import type { OutboxRow } from '../../src/ports/outbox.ts';
import type { Claim, ClaimOrder, Queue } from '../../src/ports/queue.ts';
import type { Runs } from '../../src/ports/runs.ts';

export type RunsSubject = {
  readonly inbox: Inbox;
  readonly queue: Queue;
  /** The same queue, as another engine sees it. */
  readonly other: Queue;
  readonly runs: Runs;
  readonly now: () => Date;
  /** Moves the clock of all of them on. */
  readonly pass: (ms: number) => void;
  /** The stored outcome events, in their order. */
  readonly outbox: () => Promise<readonly OutboxRow[]>;
};

export type MakeRunsSubject = () => Promise<RunsSubject>;

export const SITE = 'mercy';
export const LEASE_MS = 30_000;
const MINUTE_MS = 60_000;

let eventCount = 0;
/** A new event of `Encounter/1` whose run is due now. */
export function anEvent({ now }: Pick<RunsSubject, 'now'>, parts: Partial<AcceptOrder> = {}): AcceptOrder {
  eventCount += 1;
  return {
    site: SITE,
    organization: 'mercy-general',
    source: 'amqp',
    key: `id:${eventCount}`,
    content: `{"eventId":${eventCount}}`,
    eventId: String(eventCount),
    receivedAt: now(),
    encounters: [{ encounter: 'Encounter/1', isUrgent: false }],
    settleMs: 0,
    ...parts,
  };
}

/** The id of the run that looks at this encounter. */
export async function accepted(
  subject: RunsSubject,
  encounter: string,
  parts: Partial<AcceptOrder> & { readonly isUrgent?: boolean } = {},
): Promise<string> {
  const { isUrgent = false, ...rest } = parts;
  const answer = await subject.inbox.accept(anEvent(subject, { encounters: [{ encounter, isUrgent }], ...rest }));
  const [id] = answer.kind === 'accepted' ? answer.runs : [];
  if (id === undefined) throw new Error('it was not accepted');
  return id;
}

export function anOrder(parts: Partial<ClaimOrder> = {}): ClaimOrder {
  const { sites = [SITE] } = parts;
  return { holder: 'testbed/1', limit: 10, leaseMs: LEASE_MS, sites, intakeSites: sites, ...parts };
}

export async function claimedIds({ queue }: Pick<RunsSubject, 'queue'>, parts: Partial<ClaimOrder> = {}) {
  return (await queue.claim(anOrder(parts))).map(({ run }) => run.id);
}

export async function claimOne({ queue }: Pick<RunsSubject, 'queue'>, parts: Partial<ClaimOrder> = {}): Promise<Claim> {
  const [claim] = await queue.claim(anOrder({ limit: 1, ...parts }));
  if (!claim) throw new Error('there was nothing to claim');
  return claim;
}

export async function found(subject: Pick<RunsSubject, 'runs'>, id: string): Promise<Run> {
  const run = await subject.runs.find(id, 'all');
  if (!run) throw new Error('there is no such run');
  return run;
}

export function who(claim: Claim, patient = 'Patient/1') {
  return { encounter: claim.run.encounter, patient, isUrgent: false };
}

/** A run at work that knows its patient and its session. */
export async function determined(subject: RunsSubject, encounter: string, patient = 'Patient/1'): Promise<Claim> {
  const id = await accepted(subject, encounter);
  const claims = await subject.queue.claim(anOrder());
  const mine = claims.find(({ run }) => run.id === id);
  if (!mine || claims.length > 1) throw new Error('it is the only one that is due');
  if ((await subject.queue.identify(mine, who(mine, patient))) !== 'mine') throw new Error('nobody comes before it');
  const claim = await subject.queue.assignSessions(mine, [{ session: `s-${encounter}`, recordings: ['Media/1'] }]);
  if (claim === 'none') throw new Error('nobody has this session');
  return claim;
}

/** The store does not read the results of steps. */
export function aResult<Name extends StepName>(words: string): StepResults[Name] {
  return { words } as unknown as StepResults[Name];
}

export function finished(subject: RunsSubject, claim: Claim, name: StepName, next?: StepName) {
  const times = { startedAt: subject.now(), finishedAt: subject.now() };
  return subject.queue.finishStep(claim, { name, ...times, result: aResult<never>(name) }, next);
}

const document = { document: 'document', reference: 'DocumentReference/1', status: 'created' } as const;
export const WRITTEN: RunEnd = { status: 'written', resources: [document], left: [] };
export const SKIPPED: RunEnd = { status: 'skipped', reason: 'no-recording', message: 'There is no recording.' };

export function aWait(
  subject: Pick<RunsSubject, 'now'>,
  parts: Partial<Extract<RunEnd, { status: 'waiting' }>> = {},
): RunEnd {
  const until = new Date(subject.now().getTime() + MINUTE_MS);
  return { status: 'waiting', reason: 'retry', message: 'It is tried again.', until, countsAsTry: true, ...parts };
}

export const PARKED: RunEnd = { status: 'parked', reason: 'tries', message: 'It failed.', advice: 'Look at it.' };

export function queueContract(name: string, makeSubject: MakeRunsSubject): void {
  describe(`the queue of ${name}`, () => {
    claimContract(makeSubject);
    fairnessContract(makeSubject);
    patientContract(makeSubject);
    leaseContract(makeSubject);
    identifyContract(makeSubject);
    determineContract(makeSubject);
    stepContract(makeSubject);
    settleContract(makeSubject);
    wakeContract(makeSubject);
  });
}

function claimContract(makeSubject: MakeRunsSubject): void {
  it('gives each run to one of those who ask', async () => {
    const subject = await makeSubject();
    for (let n = 0; n < 6; n += 1) await accepted(subject, `Encounter/${n}`);
    const claims = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        (n % 2 ? subject.queue : subject.other).claim(anOrder({ holder: `testbed/${n}`, limit: 2 })),
      ),
    );
    const more = await subject.queue.claim(anOrder());
    const ids = [...claims.flat(), ...more].map(({ run }) => run.id);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(6);
  });

  it('gives a run with all that is known of it, and keeps that it is at work', async () => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'Encounter/7', { eventId: 'event-7' });
    const claim = await claimOne(subject);
    expect(claim).toMatchObject({ holder: 'testbed/1', fence: expect.any(Number) });
    expect(claim.run).toEqual({
      id,
      serial: expect.any(Number),
      site: SITE,
      organization: 'mercy-general',
      encounter: 'Encounter/7',
      recordings: [],
      isUrgent: false,
      status: 'running',
      tries: 0,
      crashes: 0,
      isCancelling: false,
      trigger: { source: 'amqp', eventId: 'event-7', receivedAt: subject.now() },
      versions: {},
      isDry: false,
      revision: 0,
      resources: [],
      left: [],
      createdAt: subject.now(),
      startedAt: subject.now(),
      changedAt: subject.now(),
    });
    expect(await found(subject, id)).toEqual(claim.run);
  });

  it('gives nothing before its time, nothing of other sites, and no more than was asked for', async () => {
    const subject = await makeSubject();
    const late = await accepted(subject, 'Encounter/1', { settleMs: 5000 });
    await accepted(subject, 'Encounter/2', { site: 'elsewhere' });
    expect(await claimedIds(subject)).toEqual([]);
    expect(await claimedIds(subject, { sites: [] })).toEqual([]);
    subject.pass(5000);
    expect(await claimedIds(subject, { limit: 0 })).toEqual([]);
    expect(await claimedIds(subject)).toEqual([late]);
    expect(await claimedIds(subject, { sites: ['elsewhere'] })).toHaveLength(1);
  });

  it('gives runs that have to look only of sites that may be looked at', async () => {
    const subject = await makeSubject();
    const { run } = await determined(subject, 'Encounter/1');
    await subject.queue.leave({ run, holder: '', fence: await claimFence(subject, run.id) }, { status: 'queued' });
    const looking = await accepted(subject, 'Encounter/2');
    expect(await claimedIds(subject, { intakeSites: [] })).toEqual([run.id]);
    expect(await claimedIds(subject, { intakeSites: ['elsewhere'] })).toEqual([]);
    expect(await claimedIds(subject)).toEqual([looking]);
  });
}

/** Its holder has died: a new claim of it. */
async function claimFence(subject: RunsSubject, id: string): Promise<number> {
  subject.pass(LEASE_MS);
  const claims = await subject.queue.claim(anOrder());
  return claims.find(({ run }) => run.id === id)?.fence ?? 0;
}

function fairnessContract(makeSubject: MakeRunsSubject): void {
  it('gives emergencies first, and otherwise those first that came first', async () => {
    const subject = await makeSubject();
    const first = await accepted(subject, 'Encounter/1');
    const second = await accepted(subject, 'Encounter/2');
    const urgent = await accepted(subject, 'Encounter/3', { isUrgent: true });
    const late = await accepted(subject, 'Encounter/4', { isUrgent: true });
    expect(await claimedIds(subject, { limit: 3 })).toEqual([urgent, late, first]);
    expect(await claimedIds(subject)).toEqual([second]);
  });

  it('gives an emergency first, however many its organization has at work', async () => {
    const subject = await makeSubject();
    for (const n of [1, 2, 3]) await accepted(subject, `Encounter/${n}`);
    await claimedIds(subject, { limit: 2 });
    await accepted(subject, 'Encounter/4', { organization: 'small-clinic' });
    const urgent = await accepted(subject, 'Encounter/5', { isUrgent: true });
    expect(await claimedIds(subject, { limit: 1 })).toEqual([urgent]);
  });

  it('lets an organization with five runs not wait for one with a thousand', async () => {
    const subject = await makeSubject();
    const encounters = Array.from({ length: 1000 }, (_, n) => ({ encounter: `Encounter/a${n}`, isUrgent: false }));
    await subject.inbox.accept(anEvent(subject, { encounters }));
    const few = encounters.slice(0, 5).map((one) => ({ ...one, encounter: one.encounter.replace('a', 'b') }));
    await subject.inbox.accept(anEvent(subject, { encounters: few, organization: 'small-clinic' }));
    const claims = [];
    for (let n = 0; n < 5; n += 1) claims.push(...(await subject.queue.claim(anOrder({ limit: 2 }))));
    expect(claims.map(({ run }) => run.organization).filter((name) => name === 'small-clinic')).toHaveLength(5);
    expect(claims.slice(0, 2).map(({ run }) => run.organization)).toContain('small-clinic');
  });

  it('gives an organization fewer where it has more at work already', async () => {
    const subject = await makeSubject();
    for (const n of [1, 2, 3, 4]) await accepted(subject, `Encounter/a${n}`);
    await claimedIds(subject, { limit: 2 });
    for (const n of [1, 2, 3]) await accepted(subject, `Encounter/b${n}`, { organization: 'small-clinic' });
    const claims = await subject.queue.claim(anOrder({ limit: 3 }));
    expect(claims.map(({ run }) => run.encounter)).toEqual(['Encounter/b1', 'Encounter/b2', 'Encounter/a3']);
  });
}

/** Runs of one patient, given back at once so that all of them know whose they are. */
async function ofOnePatient(subject: RunsSubject, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n += 1) ids.push(await accepted(subject, `Encounter/${n}`));
  const claims = await subject.queue.claim(anOrder({ limit: count }));
  for (const claim of claims) await subject.queue.identify(claim, who(claim));
  return ids;
}

function patientContract(makeSubject: MakeRunsSubject): void {
  it('gives the runs of a patient one after another, in the order in which they were made', async () => {
    const subject = await makeSubject();
    const [first, second, third] = await ofOnePatient(subject, 3);
    expect((await found(subject, first ?? '')).status).toBe('running');
    expect(await claimedIds(subject)).toEqual([]);
    subject.pass(LEASE_MS);
    const claim = await claimOne(subject, { limit: 5 });
    expect(claim.run.id).toBe(first);
    await subject.queue.leave(claim, aWait(subject));
    expect(await claimedIds(subject)).toEqual([]);
    subject.pass(MINUTE_MS);
    const again = await claimOne(subject, { limit: 5 });
    expect(again.run.id).toBe(first);
    await subject.queue.leave(again, PARKED);
    const next = await claimOne(subject, { limit: 5 });
    expect(next.run.id).toBe(second);
    await subject.queue.leave(next, WRITTEN);
    expect(await claimedIds(subject)).toEqual([third]);
  });

  it.each(['recording', 'encounter'] as const)(
    'lets no patient wait for a run that waits for its %s',
    async (reason) => {
      const subject = await makeSubject();
      const [first, second] = await ofOnePatient(subject, 2);
      subject.pass(LEASE_MS);
      const claim = await claimOne(subject, { limit: 5 });
      await subject.queue.leave(claim, aWait(subject, { reason, countsAsTry: false }));
      const next = await claimOne(subject, { limit: 5 });
      expect(next.run.id).toBe(second);
      subject.pass(MINUTE_MS);
      await subject.queue.renewLeases({ holder: 'testbed/1', leaseMs: LEASE_MS, ids: [second ?? ''] });
      expect(await claimedIds(subject)).toEqual([]);
      await subject.queue.leave(next, WRITTEN);
      expect(await claimedIds(subject)).toEqual([first]);
    },
  );

  it('does not let a patient with many runs stop the others', async () => {
    const subject = await makeSubject();
    await ofOnePatient(subject, 40);
    const other = await accepted(subject, 'Encounter/other');
    expect(await claimedIds(subject, { limit: 1 })).toEqual([other]);
  });

  it('goes on with the next of a patient where the one before was cancelled', async () => {
    const subject = await makeSubject();
    const [first, second, third] = await ofOnePatient(subject, 3);
    expect(await subject.runs.cancel(second ?? '')).toBe('cancelled');
    subject.pass(LEASE_MS);
    const claim = await claimOne(subject, { limit: 5 });
    expect(claim.run.id).toBe(first);
    await subject.queue.leave(claim, SKIPPED);
    expect(await claimedIds(subject)).toEqual([third]);
  });

  it('takes patients of two sites for two, whatever they are called', async () => {
    const subject = await makeSubject();
    const sites = [SITE, 'elsewhere'];
    for (const site of sites) await accepted(subject, 'Encounter/1', { site });
    const claims = await subject.queue.claim(anOrder({ sites }));
    const turns = [];
    for (const claim of claims) turns.push(await subject.queue.identify(claim, who(claim)));
    expect(turns).toEqual(['mine', 'mine']);
  });
}

function leaseContract(makeSubject: MakeRunsSubject): void {
  it('gives the run of a holder that died to the next, at the step where it was, with one more crash', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await finished(subject, claim, 'read-chart', 'fetch-recording');
    subject.pass(LEASE_MS - 1);
    expect(await claimedIds(subject)).toEqual([]);
    subject.pass(1);
    const next = await claimOne(subject, { holder: 'testbed/2' });
    expect(next.run).toMatchObject({ id: claim.run.id, crashes: 1, step: 'fetch-recording', status: 'running' });
    expect(next.fence).toBeGreaterThan(claim.fence);
    expect(await subject.queue.results(next)).toEqual({ 'read-chart': aResult('read-chart') });
  });

  it('keeps runs at work for as long as their holder lives, and names those that it has lost', async () => {
    const subject = await makeSubject();
    const ids = [await accepted(subject, 'Encounter/1'), await accepted(subject, 'Encounter/2')];
    const [kept, lost] = [await claimOne(subject), await claimOne(subject)];
    subject.pass(LEASE_MS - 1);
    const keep = (holder: string, those: readonly string[]) =>
      subject.queue.renewLeases({ holder, leaseMs: LEASE_MS, ids: those });
    expect(await keep('testbed/1', [kept.run.id])).toEqual([]);
    subject.pass(1);
    expect(await claimedIds(subject, { holder: 'testbed/2' })).toEqual([lost.run.id]);
    expect(await keep('testbed/1', ids)).toEqual([lost.run.id]);
    expect(await keep('testbed/2', [kept.run.id])).toEqual([kept.run.id]);
  });

  it('fences off a worker that was stopped for too long', async () => {
    const subject = await makeSubject();
    const stale = await determined(subject, 'Encounter/1');
    subject.pass(LEASE_MS);
    const fresh = await claimOne(subject, { holder: 'testbed/2' });
    const { queue, now } = subject;
    const calls = [
      () => queue.identify(stale, who(stale)),
      () => queue.assignSessions(stale, []),
      () => queue.siblings(stale),
      () => queue.fold(stale),
      () => queue.results(stale),
      () => queue.finishStep(stale, { name: 'map', startedAt: now(), finishedAt: now() }, undefined),
      () => queue.goBack(stale, 'map'),
      () => queue.leave(stale, WRITTEN, 'documented'),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'inUse' });
    expect(await found(subject, fresh.run.id)).toEqual(fresh.run);
    expect(await subject.outbox()).toEqual([]);
    await queue.leave(fresh, WRITTEN);
    await expect(queue.leave(fresh, WRITTEN)).rejects.toMatchObject({ code: 'inUse' });
  });

  it('frees the runs of an earlier process of the same engine at once', async () => {
    const subject = await makeSubject();
    const mine = await accepted(subject, 'Encounter/1');
    await claimOne(subject, { holder: 'testbed/1' });
    await accepted(subject, 'Encounter/2');
    await claimOne(subject, { holder: 'testbed-two/1' });
    expect(await subject.queue.reclaim('testbed')).toBe(1);
    const claim = await claimOne(subject, { holder: 'testbed/2', limit: 5 });
    expect(claim.run).toMatchObject({ id: mine, crashes: 1 });
    expect(await subject.queue.reclaim('hous_')).toBe(0);
  });
}

function identifyContract(makeSubject: MakeRunsSubject): void {
  it('keeps what a look found out, and urgency once it is known', async () => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'Encounter/1', { isUrgent: true });
    const claim = await claimOne(subject);
    expect(await subject.queue.identify(claim, who(claim, 'Patient/9'))).toBe('mine');
    expect(await found(subject, id)).toMatchObject({ patient: 'Patient/9', isUrgent: true, status: 'running' });
  });

  it('gives a run back where an earlier one of its patient has not ended, and takes the claim', async () => {
    const subject = await makeSubject();
    const first = await determined(subject, 'Encounter/1');
    await accepted(subject, 'Encounter/2');
    const later = await claimOne(subject);
    expect(await subject.queue.identify(later, who(later))).toBe('later');
    expect(await found(subject, later.run.id)).toMatchObject({
      status: 'queued',
      patient: 'Patient/1',
      tries: 0,
      crashes: 0,
    });
    await expect(subject.queue.results(later)).rejects.toMatchObject({ code: 'inUse' });
    expect(await claimedIds(subject)).toEqual([]);
    await subject.queue.leave(first, WRITTEN);
    expect(await claimedIds(subject)).toEqual([later.run.id]);
  });

  it('gives an earlier run back, too, where a later one of its patient is at work', async () => {
    const subject = await makeSubject();
    const early = await accepted(subject, 'Encounter/1');
    await accepted(subject, 'Encounter/2');
    const [one, two] = await subject.queue.claim(anOrder());
    if (!one || !two) throw new Error('two');
    expect(await subject.queue.identify(two, who(two))).toBe('mine');
    expect(await subject.queue.identify(one, who(one))).toBe('later');
    await subject.queue.leave(two, WRITTEN);
    expect(await claimedIds(subject)).toEqual([early]);
  });

  it('goes on with an earlier one at once that had to wait for a run that was given back', async () => {
    const subject = await makeSubject();
    const first = await accepted(subject, 'Encounter/1');
    await accepted(subject, 'Encounter/2');
    const [one, two] = await subject.queue.claim(anOrder());
    if (!one || !two) throw new Error('two');
    await subject.queue.identify(one, who(one));
    await subject.queue.leave(one, aWait(subject, { reason: 'recording', countsAsTry: false }));
    await subject.queue.identify(two, who(two));
    await accepted(subject, 'Encounter/1');
    expect(await claimedIds(subject)).toEqual([]);
    expect(await subject.queue.identify(two, who(two))).toBe('later');
    expect(await claimedIds(subject)).toEqual([first]);
  });

  it('lets one of many go on who find out at the same moment that they are of one patient', async () => {
    const subject = await makeSubject();
    for (let n = 0; n < 5; n += 1) await accepted(subject, `Encounter/${n}`);
    const claims = await subject.queue.claim(anOrder());
    const turns = await Promise.all(
      claims.map((claim, n) => (n % 2 ? subject.queue : subject.other).identify(claim, who(claim))),
    );
    expect(turns.toSorted()).toEqual(['later', 'later', 'later', 'later', 'mine']);
    const { runs } = await subject.runs.list({ scope: 'all', limit: 10, status: ['running'] });
    expect(runs).toHaveLength(1);
  });

  it('says which encounter a visit is', async () => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'visit:V-77');
    const claim = await claimOne(subject);
    expect(await subject.queue.identify(claim, { ...who(claim), encounter: 'Encounter/5' })).toBe('mine');
    expect(await found(subject, id)).toMatchObject({ encounter: 'Encounter/5' });
  });

  it('folds a visit into the run that looks at its encounter already: that one has its events, and looks', async () => {
    const subject = await makeSubject();
    const standing = await accepted(subject, 'Encounter/5');
    await subject.queue.leave(await claimOne(subject), SKIPPED);
    const visit = await accepted(subject, 'visit:V-77', { eventId: 'of-the-visit', isUrgent: true });
    const claim = await claimOne(subject);
    expect(await subject.queue.identify(claim, { ...who(claim), encounter: 'Encounter/5' })).toBe('folded');
    expect(await subject.runs.find(visit, 'all')).toBeUndefined();
    expect(await found(subject, standing)).toMatchObject({ status: 'queued', isUrgent: true });
    expect((await subject.runs.events(standing)).map(({ eventId }) => eventId)).toContain('of-the-visit');
    expect(await claimedIds(subject)).toEqual([standing]);
  });
}

function determineContract(makeSubject: MakeRunsSubject): void {
  const one = { session: 's-1', recordings: ['Media/1', 'Media/2'] };
  const two = { session: 's-2', recordings: ['DocumentReference/3'] };
  const three = { session: 's-3', recordings: ['Media/4'] };

  it('gives the run the first free session, and each other one a run of its own', async () => {
    const subject = await makeSubject();
    await accepted(subject, 'Encounter/1', { eventId: 'e-1', isUrgent: true });
    const claim = await claimOne(subject);
    await subject.queue.identify(claim, who(claim));
    const mine = await subject.queue.assignSessions(claim, [one, two, three]);
    expect(mine).toMatchObject({ holder: claim.holder, fence: claim.fence, run: { ...one, status: 'running' } });
    const all = await subject.runs.ofEncounter(SITE, 'Encounter/1');
    expect(all).toMatchObject([
      { id: claim.run.id, ...one },
      { ...two, status: 'queued', patient: 'Patient/1', isUrgent: true, trigger: claim.run.trigger },
      { ...three, status: 'queued' },
    ]);
    for (const { id } of all) expect(await subject.runs.events(id)).toMatchObject([{ eventId: 'e-1' }]);
    const siblings = await subject.queue.siblings(claim);
    expect(siblings).toEqual(
      all.slice(1).map(({ id, session, recordings, status }) => ({ id, session, recordings, status })),
    );
    expect(await claimedIds(subject)).toEqual([]);
    await subject.queue.leave(claim, WRITTEN);
    expect(await claimedIds(subject)).toEqual([all[1]?.id]);
  });

  it('passes over sessions that have a run, and says so where all have one', async () => {
    const subject = await makeSubject();
    for (const expected of [one, two, 'none'] as const) {
      await accepted(subject, 'Encounter/1');
      const claim = await claimOne(subject);
      await subject.queue.identify(claim, who(claim));
      const mine = await subject.queue.assignSessions(claim, expected === two ? [one, two] : [one]);
      expect(mine === 'none' ? mine : mine.run.session).toBe(expected === 'none' ? expected : expected.session);
      if (mine === 'none') await subject.queue.fold(claim);
      else await subject.queue.leave(mine, WRITTEN);
    }
    const all = await subject.runs.ofEncounter(SITE, 'Encounter/1');
    expect(all.map(({ session }) => session)).toEqual(['s-1', 's-2']);
    for (const { id } of all) expect((await subject.runs.events(id)).length).toBeGreaterThan(1);
  });

  it('looks once more where an event came while it looked: a recording may have come since', async () => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    expect(await accepted(subject, 'Encounter/1')).toBe(id);
    await subject.queue.assignSessions(claim, [one]);
    const [, fresh] = await subject.runs.ofEncounter(SITE, 'Encounter/1');
    expect(fresh).toMatchObject({ status: 'queued' });
    expect(fresh?.session).toBeUndefined();
    expect(await claimedIds(subject)).toEqual([fresh?.id]);
  });

  it('folds nothing away that an event came for meanwhile', async () => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    await accepted(subject, 'Encounter/1');
    await subject.queue.fold(claim);
    const again = await claimOne(subject);
    expect(again.run).toMatchObject({ id, crashes: 0 });
    await subject.queue.fold(again);
    expect(await subject.runs.find(id, 'all')).toBeUndefined();
  });
}

function stepContract(makeSubject: MakeRunsSubject): void {
  it('keeps what each step gave, and shows all nine', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    const { queue, now, runs } = subject;
    const startedAt = now();
    subject.pass(1000);
    const versions = { engine: '1.2.3', speech: 'nova' };
    const done = { startedAt, finishedAt: now(), versions } as const;
    expect(
      await queue.finishStep(
        claim,
        { ...done, name: 'read-chart', result: aResult<'read-chart'>('Wört 🩺 \0') },
        'fetch-recording',
      ),
    ).toEqual({
      isCancelling: false,
    });
    await queue.finishStep(claim, { ...done, name: 'fetch-recording', versions: { model: 'm-1' } }, 'transcribe');
    expect(await queue.results(claim)).toEqual({ 'read-chart': aResult('Wört 🩺 \0') });
    expect(await runs.results(claim.run.id)).toEqual({ 'read-chart': aResult('Wört 🩺 \0') });
    expect(await found(subject, claim.run.id)).toMatchObject({
      step: 'transcribe',
      versions: { ...versions, model: 'm-1' },
    });
    expect((await runs.steps(claim.run.id)).slice(0, 4)).toEqual([
      { name: 'read-chart', status: 'done', attempts: 1, startedAt, finishedAt: now() },
      { name: 'fetch-recording', status: 'skipped', attempts: 1, startedAt, finishedAt: now() },
      { name: 'transcribe', status: 'running', attempts: 0 },
      { name: 'write-note', status: 'pending', attempts: 0 },
    ]);
    expect(await runs.steps(claim.run.id)).toHaveLength(9);
  });

  it('goes back to a step: what it and those after it gave is gone, how often they were tried is not', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    for (const name of ['read-chart', 'check', 'map', 'write-chart'] as const) await finished(subject, claim, name);
    await subject.queue.goBack(claim, 'map');
    expect(Object.keys(await subject.queue.results(claim)).toSorted()).toEqual(['check', 'read-chart']);
    expect(await found(subject, claim.run.id)).toMatchObject({ step: 'map' });
    await finished(subject, claim, 'map', 'write-chart');
    const steps = await subject.runs.steps(claim.run.id);
    expect(steps.filter(({ name }) => name === 'map' || name === 'write-chart')).toMatchObject([
      { status: 'done', attempts: 2 },
      { status: 'running', attempts: 1 },
    ]);
  });

  it('stores the steps that finished just before a step, or before the last one, together with it', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1', 'Patient/3');
    const step = <Name extends StepName>(name: Name, result: string, model: string) => ({
      name,
      startedAt: subject.now(),
      finishedAt: subject.now(),
      result: aResult<Name>(result),
      versions: { model },
    });
    await finished(subject, claim, 'check', 'check');
    await subject.queue.finishStep(
      claim,
      { ...step('map', 'mapped', 'm-2'), before: [step('check', 'checked', 'm-1')] },
      'write-chart',
    );
    expect(await subject.queue.results(claim)).toEqual({ check: aResult('checked'), map: aResult('mapped') });
    expect(await found(subject, claim.run.id)).toMatchObject({ step: 'write-chart', versions: { model: 'm-2' } });
    const last = { ...step('publish', 'published', 'm-4'), before: [step('write-chart', 'wrote', 'm-3')] };
    await subject.queue.leave(claim, WRITTEN, 'documented', last);
    expect(await subject.runs.results(claim.run.id)).toMatchObject({
      'write-chart': aResult('wrote'),
      publish: aResult('published'),
    });
    expect(await found(subject, claim.run.id)).toMatchObject({ status: 'written', versions: { model: 'm-4' } });
    const steps = await subject.runs.steps(claim.run.id);
    expect(steps.filter(({ name }) => name === 'check' || name === 'write-chart')).toMatchObject([
      { status: 'done', attempts: 2 },
      { status: 'done', attempts: 1 },
    ]);
  });

  it('tells with a step what does not wait for the end of the run', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    const { now, queue } = subject;
    const done = { name: 'diagnose', startedAt: now(), finishedAt: now(), outcome: 'attention' } as const;
    await queue.finishStep(claim, done, 'check');
    expect(await subject.outbox()).toMatchObject([
      { kind: 'attention', event: { runId: claim.run.id, status: 'running', because: 'red' } },
    ]);
  });

  it('reports at the end of a step that an operator has cancelled the run', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    expect(await subject.runs.cancel(claim.run.id)).toBe('cancelling');
    expect(await finished(subject, claim, 'read-chart')).toEqual({ isCancelling: true });
    await subject.queue.leave(claim, { status: 'cancelled' }, 'skipped');
    const run = await found(subject, claim.run.id);
    expect(run).toMatchObject({ status: 'cancelled', isCancelling: false, endedAt: subject.now() });
    expect(await subject.outbox()).toEqual([]);
  });
}

function settleContract(makeSubject: MakeRunsSubject): void {
  it('stores the end of a run and its outcome event together', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1', 'Patient/3');
    await finished(subject, claim, 'write-chart', 'publish');
    await subject.queue.leave(claim, { ...WRITTEN, versions: { mapping: 'map-1' } }, 'documented');
    const run = await found(subject, claim.run.id);
    expect(run).toMatchObject({
      status: 'written',
      resources: [document],
      left: [],
      revision: 1,
      endedAt: subject.now(),
    });
    expect(run).toMatchObject({ versions: { mapping: 'map-1' } });
    expect(run.step).toBeUndefined();
    expect(await subject.outbox()).toEqual([
      {
        id: expect.any(String),
        kind: 'documented',
        event: {
          runId: claim.run.id,
          site: SITE,
          encounter: 'Encounter/1',
          patient: 'Patient/3',
          session: 's-Encounter/1',
          status: 'written',
          resources: [document],
          occurredAt: subject.now().toISOString(),
        },
      },
    ]);
  });

  it('tells of a run that never had a patient or a session without them', async () => {
    const subject = await makeSubject();
    await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    await subject.queue.leave(claim, SKIPPED, 'skipped');
    const [told] = await subject.outbox();
    expect(Object.keys(told?.event ?? {}).toSorted()).toEqual([
      'encounter',
      'occurredAt',
      'resources',
      'runId',
      'site',
      'status',
    ]);
  });

  it('keeps why and until when a run waits, counts what was a try, and says nothing more of it once it is at work', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    const error = { code: 'vendorAnswer', message: 'It said nothing.' };
    const failedStep = { name: 'transcribe', startedAt: subject.now(), error } as const;
    const until = new Date(subject.now().getTime() + 8000);
    await subject.queue.leave(claim, { ...aWait(subject, { until, advice: 'Wait.' }), failedStep });
    expect(await found(subject, claim.run.id)).toMatchObject({
      status: 'waiting',
      reason: 'retry',
      message: 'It is tried again.',
      advice: 'Wait.',
      waitsUntil: until,
      tries: 1,
    });
    expect((await subject.runs.steps(claim.run.id))[2]).toMatchObject({ status: 'failed', attempts: 1, error });
    subject.pass(8000);
    const again = await claimOne(subject);
    const { reason, message, advice, waitsUntil, waitsFor } = again.run;
    expect([reason, message, advice, waitsUntil, waitsFor]).toEqual(Array(5).fill(undefined));
    const down = { reason: 'speech', waitsFor: 'speech', countsAsTry: false } as const;
    await subject.queue.leave(again, { ...aWait(subject, down), failedStep });
    expect(await found(subject, claim.run.id)).toMatchObject({ tries: 1, waitsFor: 'speech' });
    subject.pass(MINUTE_MS);
    await finished(subject, await claimOne(subject), 'transcribe', 'write-note');
    const [, , step] = await subject.runs.steps(claim.run.id);
    expect(step).toMatchObject({ status: 'done', attempts: 3 });
    expect(step?.error).toBeUndefined();
  });

  it.each([
    ['waiting', (subject: RunsSubject) => aWait(subject, { reason: 'recording', countsAsTry: false })],
    ['skipped', () => SKIPPED],
  ] as const)('queues a run again instead of leaving it %s where an event came while it looked', async (_, end) => {
    const subject = await makeSubject();
    const id = await accepted(subject, 'Encounter/1');
    const claim = await claimOne(subject);
    await accepted(subject, 'Encounter/1');
    await subject.queue.leave(claim, end(subject), 'skipped');
    expect((await found(subject, id)).status).toBe('queued');
    expect(await subject.outbox()).toEqual([]);
    await subject.queue.leave(await claimOne(subject), end(subject), 'skipped');
    expect((await found(subject, id)).status).toBe(_);
    expect(await subject.outbox()).toHaveLength(1);
  });

  it.each([
    ['waiting', (subject: RunsSubject) => aWait(subject)],
    ['queued', () => ({ status: 'queued' }) as const],
    ['held', () => ({ status: 'held', reason: 'review', message: 'It is to be reviewed.' }) as const],
  ] as const)('cancels a run with a pending cancellation instead of leaving it %s', async (_, end) => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await subject.runs.cancel(claim.run.id);
    await subject.queue.leave(claim, end(subject), 'parked');
    const run = await found(subject, claim.run.id);
    expect(run).toMatchObject({ status: 'cancelled', endedAt: subject.now(), revision: 0 });
    expect(run.message).toBeUndefined();
    expect(await subject.outbox()).toEqual([]);
  });

  it('leaves a run to the patient into whom its own was merged, and lets those go on who came after it', async () => {
    const subject = await makeSubject();
    const first = await determined(subject, 'Encounter/1', 'Patient/1');
    const second = await accepted(subject, 'Encounter/2');
    const claim = await claimOne(subject);
    expect(await subject.queue.identify(claim, who(claim, 'Patient/1'))).toBe('later');
    expect(await claimedIds(subject)).toEqual([]);
    await subject.queue.leave(first, { ...WRITTEN, patient: 'Patient/2' }, 'documented');
    expect((await found(subject, first.run.id)).patient).toBe('Patient/2');
    expect(await subject.outbox()).toMatchObject([{ kind: 'documented', event: { patient: 'Patient/2' } }]);
    expect(await claimedIds(subject)).toEqual([second]);
  });

  it('keeps what a step gave before, where it fails when it is done again', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await finished(subject, claim, 'map', 'map');
    const failedStep = {
      name: 'map',
      startedAt: subject.now(),
      error: { code: 'ehrUnavailable', message: 'Down.' },
    } as const;
    await subject.queue.leave(claim, { ...aWait(subject), failedStep });
    expect((await subject.runs.steps(claim.run.id))[6]).toMatchObject({ status: 'failed', attempts: 2 });
    subject.pass(MINUTE_MS);
    expect(await subject.queue.results(await claimOne(subject))).toEqual({ map: aResult('map') });
  });

  it('gives a run back as it is, where the engine stops', async () => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await finished(subject, claim, 'read-chart', 'fetch-recording');
    await subject.queue.leave(claim, { status: 'queued' });
    expect(await found(subject, claim.run.id)).toMatchObject({ status: 'queued', step: 'fetch-recording', tries: 0 });
    expect(await claimedIds(subject)).toEqual([claim.run.id]);
  });

  it.each([
    [PARKED, 'parked', 0],
    [{ status: 'held', reason: 'review', message: 'It is to be reviewed.' } as const, 'held', 1],
    [{ status: 'retracted', resources: [], left: [] } as const, 'retracted', 0],
  ])('leaves a run: %j', async (end, kind, revision) => {
    const subject = await makeSubject();
    const claim = await determined(subject, 'Encounter/1');
    await subject.queue.leave(claim, end, kind as 'parked');
    const run = await found(subject, claim.run.id);
    expect(run).toMatchObject({ ...end, revision });
    expect(run.endedAt).toEqual(kind === 'held' ? undefined : subject.now());
    expect(await subject.outbox()).toMatchObject([{ kind, event: { status: end.status } }]);
  });
}

function wakeContract(makeSubject: MakeRunsSubject): void {
  it('lets runs look again at once when what they waited for is there', async () => {
    const subject = await makeSubject();
    for (const n of [1, 2, 3, 4]) await accepted(subject, `Encounter/${n}`);
    const claims = await subject.queue.claim(anOrder());
    const waits = [
      { reason: 'speech', waitsFor: 'speech' },
      { reason: 'reasoner', waitsFor: 'reasoner' },
      { reason: 'paused' },
      { reason: 'retry' },
    ] as const;
    for (const [n, claim] of claims.entries()) await subject.queue.leave(claim, aWait(subject, waits[n]));
    const ids = claims.map(({ run }) => run.id);
    expect(await claimedIds(subject)).toEqual([]);
    expect(await subject.queue.wake({ service: 'speech' })).toBe(1);
    expect(await subject.queue.wake({ service: 'ehr/mercy' })).toBe(0);
    expect(await claimedIds(subject)).toEqual([ids[0]]);
    expect(await subject.queue.wake({ site: SITE })).toBe(2);
    expect(await subject.queue.wake({ site: SITE })).toBe(0);
    expect(await claimedIds(subject)).toEqual([ids[1], ids[2]]);
  });
}
