// The trace that a run continues, in PostgreSQL: it is stored with the run, and outlives the process that accepted the event.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { makePostgresInbox } from '../../../../src/outbound/postgres/runs/inbox.ts';
import { makePostgresOutbox } from '../../../../src/outbound/postgres/runs/outbox.ts';
import { makePostgresQueue } from '../../../../src/outbound/postgres/runs/queue.ts';
import { makePostgresRuns } from '../../../../src/outbound/postgres/runs/runs.ts';
import { type FinishedSpan, makeTracing } from '../../../../src/platform/tracing/tracing.ts';
import { accepted, anEvent, claimOne, PARKED, SITE, SKIPPED, WRITTEN } from '../../../contracts/queue-contract.ts';
import { makeTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { fixedSecrets } from '../../../support/secrets.ts';

let test: TestDatabase;

beforeAll(async () => {
  test = await makeTestDatabase();
});
beforeEach(async () => {
  for (const table of ['inbox', 'runs', 'outbox']) await sql`delete from ${sql.table(table)}`.execute(test.database.db);
});
afterAll(() => test.drop());

const traceparent = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
const A = traceparent('a');
const B = traceparent('b');

function makeSubject(tracing = makeTracing()) {
  const now = () => new Date('2026-03-02T10:00:00Z');
  const parts = { ...test, secrets: fixedSecrets(), now, tracing };
  const queue = makePostgresQueue(parts);
  return {
    inbox: makePostgresInbox(parts),
    queue,
    other: queue,
    runs: makePostgresRuns(parts),
    outbox: makePostgresOutbox(test),
    now,
    pass: () => undefined,
    inTrace: <T>(parent: string, work: () => Promise<T>) =>
      tracing.inSpan({ name: 'test', parent: { traceparent: parent } }, work),
  };
}
type Subject = ReturnType<typeof makeSubject>;

/** The runs of the contracts read no outbox. */
const asContract = (subject: Subject) => ({ ...subject, outbox: async () => [] });
const acceptIn = (subject: Subject, trace: string) =>
  subject.inTrace(trace, () => accepted(asContract(subject), 'Encounter/1'));
const traceOf = async ({ runs }: Subject, id: string) => (await runs.find(id, 'all'))?.traceparent;

describe('a run', () => {
  it('continues the trace of its event, also for another process', async () => {
    const subject = makeSubject();
    const id = await acceptIn(subject, A);
    expect(await traceOf(makeSubject(), id)).toBe(A);
    expect((await claimOne(makeSubject())).run.traceparent).toBe(A);
  });

  it('keeps its trace while further events of its encounter arrive, and takes that of the event that wakes it', async () => {
    const subject = makeSubject();
    const id = await acceptIn(subject, A);
    expect([await acceptIn(subject, B), await traceOf(subject, id)]).toEqual([id, A]);
    await subject.queue.leave(await claimOne(subject), SKIPPED);
    expect([await acceptIn(subject, B), await traceOf(subject, id)]).toEqual([id, B]);
  });

  it('of an upload continues the trace of the upload', async () => {
    const subject = makeSubject();
    const { encounters: _, settleMs: __, ...event } = anEvent(subject);
    const order = {
      ...event,
      encounter: 'Encounter/1',
      session: 'upload:1',
      recordings: ['upload:1'],
      isUrgent: false,
    };
    const answer = await subject.inTrace(A, () => subject.inbox.acceptUpload(order));
    const [id = ''] = answer.kind === 'accepted' ? answer.runs : [];
    expect(await traceOf(subject, id)).toBe(A);
  });

  it('shares its trace with the other sessions of its encounter; a replay continues the trace of its request', async () => {
    const subject = makeSubject();
    await acceptIn(subject, A);
    const claim = await claimOne(subject);
    await subject.queue.identify(claim, { encounter: 'Encounter/1', patient: 'Patient/1', isUrgent: false });
    const sessions = ['s-1', 's-2'].map((session) => ({ session, recordings: [`Media/${session}`] }));
    const mine = await subject.queue.assignSessions(claim, sessions);
    if (mine === 'none') throw new Error('there was no session');
    await subject.queue.leave(mine, PARKED, 'parked');
    const again = await subject.inTrace(B, () => subject.runs.replay({ id: mine.run.id, from: 'map', isDry: false }));
    const all = await subject.runs.ofEncounter(SITE, 'Encounter/1');
    expect(all.map((run) => [run.id === again.id, run.traceparent])).toEqual([
      [false, A],
      [false, A],
      [true, B],
    ]);
  });

  it('without a trace is one from before, and its outcome has none', async () => {
    const subject = makeSubject();
    const id = await accepted(asContract(subject), 'Encounter/1');
    await sql`update runs set traceparent = null`.execute(test.database.db);
    const claim = await claimOne(subject);
    expect([claim.run.id, claim.run.traceparent]).toEqual([id, undefined]);
    await subject.queue.leave(claim, WRITTEN, 'documented');
    const [row] = await subject.outbox.take({ limit: 1, leaseMs: 1_000 });
    expect(row).toEqual({ id: expect.any(String), kind: 'documented', event: expect.anything() });
  });

  it('gives its trace to its outcome', async () => {
    const subject = makeSubject();
    await acceptIn(subject, A);
    await subject.queue.leave(await claimOne(subject), WRITTEN, 'documented');
    expect(await subject.outbox.take({ limit: 1, leaseMs: 1_000 })).toMatchObject([
      { kind: 'documented', traceparent: A },
    ]);
  });
});

describe('an event', () => {
  it('is a span that names its site and source, and its run continues from there', async () => {
    const spans: FinishedSpan[] = [];
    const subject = makeSubject(makeTracing({ exporter: { add: (span) => void spans.push(span) } }));
    const id = await acceptIn(subject, A);
    const [event] = spans;
    expect(event).toMatchObject({
      name: 'accept event',
      traceId: 'a'.repeat(32),
      attributes: { 'chartwright.site': SITE, 'chartwright.source': 'amqp' },
    });
    expect(await traceOf(subject, id)).toBe(`00-${event?.traceId}-${event?.spanId}-01`);
  });
});
