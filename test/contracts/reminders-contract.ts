// The contract of reminders: for the right runs, in time, and once, whatever the number of engines.
import { describe, expect, it } from '@jest/globals';
import type { RunReview } from '../../src/domain/run/run.ts';
import type { RunEnd } from '../../src/domain/run/run-end.ts';
import type { Reminder, ReminderOrder, Reminders } from '../../src/ports/reminders.ts';
import {
  claimOne,
  determined,
  finished,
  found,
  PARKED,
  type RunsSubject,
  SITE,
  SKIPPED,
  WRITTEN,
} from './queue-contract.ts';

type RemindersSubject = RunsSubject & {
  readonly reminders: Reminders;
  /** The same, as another engine sees it. */
  readonly otherReminders: Reminders;
};

type MakeRemindersSubject = () => Promise<RemindersSubject>;

const HOUR_MS = 3_600_000;
const MESSAGE = 'It waits for a person.';
const FOR_REVIEW: RunEnd = { status: 'held', reason: 'review', message: MESSAGE };
const NO_DRAFTS: RunEnd = { status: 'held', reason: 'drafts', message: MESSAGE };
const UNSUPPORTED: RunEnd = { status: 'held', reason: 'unsupported', message: MESSAGE };
const APPROVED: RunReview = {
  decision: 'approve',
  reviewer: 'Practitioner/7',
  time: '2026-03-02T10:00:00Z',
  revision: 1,
};

export function remindersContract(name: string, makeSubject: MakeRemindersSubject): void {
  describe(`the reminders of ${name}`, () => {
    personContract(makeSubject);
    draftContract(makeSubject);
    onceContract(makeSubject);
  });
}

function anOrder(because: Reminder, parts: Partial<ReminderOrder> = {}): ReminderOrder {
  const statuses = because === 'needs-person' ? (['parked', 'held'] as const) : (['written', 'held'] as const);
  return { site: SITE, because, afterMs: HOUR_MS, statuses, limit: 10, ...parts };
}

let patients = 0;
/** A run of its own patient that came to that end. */
async function ended(subject: RemindersSubject, end: RunEnd, encounter?: string): Promise<string> {
  patients += 1;
  const claim = await determined(subject, encounter ?? `Encounter/of-${patients}`, `Patient/${patients}`);
  await finished(subject, claim, 'read-chart', 'map');
  await subject.queue.leave(claim, end);
  return claim.run.id;
}

async function replayed(
  subject: RemindersSubject,
  id: string,
  end: RunEnd | undefined,
  isDry = false,
): Promise<string> {
  const again = await subject.runs.replay({ id, from: 'map', isDry });
  if (end !== undefined) await subject.queue.leave(await claimOne(subject), end);
  return again.id;
}

/** Of which run, and why. */
async function toldOf(subject: RemindersSubject) {
  return (await subject.outbox()).map(({ kind, event }) => [kind, event.runId, event.because]);
}

function personContract(makeSubject: MakeRemindersSubject): void {
  it('are sent for runs that are parked, or held for another reason than a review, and for no others', async () => {
    const subject = await makeSubject();
    const parked = await ended(subject, PARKED);
    await ended(subject, { status: 'parked', reason: 'rejected', message: MESSAGE });
    const held = await ended(subject, UNSUPPORTED);
    for (const end of [FOR_REVIEW, NO_DRAFTS, WRITTEN, SKIPPED]) await ended(subject, end);
    subject.pass(HOUR_MS);
    expect(await subject.reminders.record(anOrder('needs-person'))).toBe(2);
    expect((await toldOf(subject)).toSorted()).toEqual(
      [
        ['attention', parked, 'needs-person'],
        ['attention', held, 'needs-person'],
      ].toSorted(),
    );
    expect((await found(subject, parked)).remindedAt).toEqual(subject.now());
  });

  it('carry the references and the state of the run, and no text', async () => {
    const subject = await makeSubject();
    const id = await ended(subject, PARKED, 'Encounter/1');
    subject.pass(HOUR_MS);
    await subject.reminders.record(anOrder('needs-person'));
    const { patient } = await found(subject, id);
    expect((await subject.outbox()).map(({ event }) => event)).toEqual([
      {
        runId: id,
        site: SITE,
        encounter: 'Encounter/1',
        patient,
        session: 's-Encounter/1',
        status: 'parked',
        resources: [],
        because: 'needs-person',
        occurredAt: subject.now().toISOString(),
      },
    ]);
  });

  it('are sent when they are due, longest wait first, and no more than asked for', async () => {
    const subject = await makeSubject();
    const first = await ended(subject, PARKED);
    subject.pass(1);
    const second = await ended(subject, PARKED);
    subject.pass(HOUR_MS - 2);
    expect(await subject.reminders.record(anOrder('needs-person'))).toBe(0);
    subject.pass(2);
    expect(await subject.reminders.record(anOrder('needs-person', { site: 'elsewhere' }))).toBe(0);
    expect(await subject.reminders.record(anOrder('needs-person', { statuses: ['held'] }))).toBe(0);
    expect(await subject.reminders.record(anOrder('needs-person', { limit: 1 }))).toBe(1);
    expect(await subject.reminders.record(anOrder('needs-person', { limit: 1 }))).toBe(1);
    expect((await toldOf(subject)).map(([, id]) => id)).toEqual([first, second]);
  });

  it('are not sent for a run that was replayed, unless the replay was dry or cancelled', async () => {
    const subject = await makeSubject();
    const first = await ended(subject, PARKED);
    await replayed(subject, first, PARKED, true);
    const again = await replayed(subject, first, undefined);
    subject.pass(HOUR_MS);
    expect(await subject.reminders.record(anOrder('needs-person'))).toBe(0);
    await subject.runs.cancel(again);
    expect(await subject.reminders.record(anOrder('needs-person'))).toBe(1);
    expect(await toldOf(subject)).toEqual([['attention', first, 'needs-person']]);
  });
}

function draftContract(makeSubject: MakeRemindersSubject): void {
  it('are sent for drafts without a decision, in the chart or in the engine', async () => {
    const subject = await makeSubject();
    const ids: string[] = [];
    for (const end of [WRITTEN, FOR_REVIEW, NO_DRAFTS]) ids.push(await ended(subject, end));
    for (const end of [PARKED, UNSUPPORTED, SKIPPED]) await ended(subject, end);
    const decided = await ended(subject, WRITTEN);
    await subject.runs.review({ id: decided, review: APPROVED });
    await subject.queue.leave(await claimOne(subject), WRITTEN);
    subject.pass(HOUR_MS);
    expect(await subject.reminders.record(anOrder('review-due', { statuses: ['written'] }))).toBe(1);
    expect(await subject.reminders.record(anOrder('review-due'))).toBe(2);
    const told = await toldOf(subject);
    expect(told.toSorted()).toEqual(ids.map((id) => ['attention', id, 'review-due']).toSorted());
  });

  it('are sent once more for drafts that are still without a decision', async () => {
    const subject = await makeSubject();
    const id = await ended(subject, FOR_REVIEW);
    subject.pass(HOUR_MS);
    expect(await subject.reminders.record(anOrder('review-due'))).toBe(1);
    expect(await subject.reminders.record(anOrder('review-overdue', { afterMs: 2 * HOUR_MS }))).toBe(0);
    subject.pass(HOUR_MS);
    expect(await subject.reminders.record(anOrder('review-overdue', { afterMs: 2 * HOUR_MS }))).toBe(1);
    for (const because of ['review-overdue', 'review-due'] as const) {
      expect(await subject.reminders.record(anOrder(because))).toBe(0);
    }
    expect(await toldOf(subject)).toEqual([
      ['attention', id, 'review-due'],
      ['attention', id, 'review-overdue'],
    ]);
  });

  it('do not report as due what was reported as overdue', async () => {
    const subject = await makeSubject();
    await ended(subject, WRITTEN);
    subject.pass(HOUR_MS);
    expect(await subject.reminders.record(anOrder('review-overdue'))).toBe(1);
    expect(await subject.reminders.record(anOrder('review-due'))).toBe(0);
    expect(await subject.outbox()).toHaveLength(1);
  });

  it('are sent for the last draft of a session, not for those it replaced', async () => {
    const subject = await makeSubject();
    const first = await ended(subject, WRITTEN);
    const again = await replayed(subject, first, FOR_REVIEW);
    subject.pass(HOUR_MS);
    await subject.reminders.record(anOrder('review-due'));
    expect(await toldOf(subject)).toEqual([['attention', again, 'review-due']]);
  });

  it('are sent for a draft whose replay made none', async () => {
    const subject = await makeSubject();
    const first = await ended(subject, WRITTEN);
    await replayed(subject, first, PARKED);
    subject.pass(HOUR_MS);
    await subject.reminders.record(anOrder('review-due'));
    expect(await toldOf(subject)).toEqual([['attention', first, 'review-due']]);
  });
}

function onceContract(makeSubject: MakeRemindersSubject): void {
  it('are sent once, even if two engines look at the same moment', async () => {
    const subject = await makeSubject();
    for (let n = 0; n < 8; n += 1) await ended(subject, PARKED);
    subject.pass(HOUR_MS);
    const { reminders, otherReminders } = subject;
    const both = [reminders, otherReminders, reminders, otherReminders];
    const counts = await Promise.all(both.map(({ record: tell }) => tell(anOrder('needs-person'))));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(8);
    expect(new Set((await toldOf(subject)).map(([, id]) => id)).size).toBe(8);
    subject.pass(HOUR_MS);
    expect(await otherReminders.record(anOrder('needs-person'))).toBe(0);
    expect(await subject.outbox()).toHaveLength(8);
  });

  it('are sent again for a new draft, and for a run in another state', async () => {
    const subject = await makeSubject();
    const id = await ended(subject, FOR_REVIEW);
    subject.pass(HOUR_MS);
    await subject.reminders.record(anOrder('review-due'));
    await subject.runs.review({ id, review: APPROVED });
    await subject.queue.leave(await claimOne(subject), NO_DRAFTS);
    expect(await subject.reminders.record(anOrder('review-due'))).toBe(0);
    subject.pass(HOUR_MS);
    expect(await subject.reminders.record(anOrder('review-due'))).toBe(1);
    await subject.runs.review({ id, review: { ...APPROVED, revision: 2 } });
    await subject.queue.leave(await claimOne(subject), PARKED);
    subject.pass(HOUR_MS);
    expect(await subject.reminders.record(anOrder('needs-person'))).toBe(1);
    expect(await toldOf(subject)).toEqual([
      ['attention', id, 'review-due'],
      ['attention', id, 'review-due'],
      ['attention', id, 'needs-person'],
    ]);
  });

  it('change nothing of the run except the time of the reminder', async () => {
    const subject = await makeSubject();
    const id = await ended(subject, PARKED);
    const before = await found(subject, id);
    subject.pass(HOUR_MS);
    await subject.reminders.record(anOrder('needs-person'));
    expect(await found(subject, id)).toEqual({ ...before, remindedAt: subject.now() });
  });
}
