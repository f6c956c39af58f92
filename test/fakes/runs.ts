// The views and decisions of runs, in memory; and the one memory that inbox, queue and runs share.
import { AppError } from '../../src/domain/errors.ts';
import { modelNames } from '../../src/domain/model-name.ts';
import { isInScope, isRunInScope } from '../../src/domain/people/role.ts';
import { BLOCKING_STATUSES, RUN_STEPS, type Run, type RunStep } from '../../src/domain/run/run.ts';
import { expiryMessage } from '../../src/domain/run/run-expiry.ts';
import type { DraftDecisions } from '../../src/ports/draft-decisions.ts';
import type { Drafts } from '../../src/ports/drafts.ts';
import type { Inbox } from '../../src/ports/inbox.ts';
import type { WrittenQuery } from '../../src/ports/ledger.ts';
import type { OutboxRow } from '../../src/ports/outbox.ts';
import type { PatientDrafts } from '../../src/ports/patient-drafts.ts';
import type { Queue } from '../../src/ports/queue.ts';
import type { Reminders } from '../../src/ports/reminders.ts';
import type { Retention, RunQuery, Runs } from '../../src/ports/runs.ts';
import { makeFakeDraftDecisions } from './draft-decisions.ts';
import { makeFakeDrafts } from './drafts.ts';
import { makeFakeInbox } from './inbox.ts';
import { makeFakePatientDrafts } from './patient-drafts.ts';
import { makeFakeQueue } from './queue.ts';
import { makeFakeReminders } from './reminders.ts';
import {
  addRun,
  asRun,
  cancelNow,
  eventsOf,
  forgetSteps,
  type KeptRun,
  makeRunsMemory,
  putBack,
  type RunsMemory,
  resultsOf,
  storeDecision,
  tell,
} from './runs-store.ts';

export type FakeRuns = {
  readonly inbox: Inbox;
  readonly queue: Queue;
  readonly runs: Runs;
  readonly reminders: Reminders;
  readonly drafts: Drafts;
  readonly draftDecisions: DraftDecisions;
  readonly patientDrafts: PatientDrafts;
  /** The stored outcome events, in their order. */
  readonly outbox: readonly OutboxRow[];
};

export function makeFakeRuns({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeRuns {
  const memory = makeRunsMemory(now);
  return {
    inbox: makeFakeInbox(memory),
    queue: makeFakeQueue(memory),
    runs: { ...viewsOf(memory), ...decisionsOf(memory), ...movesOf(memory), ...recallOf(memory), ...roundsOf(memory) },
    reminders: makeFakeReminders(memory),
    drafts: makeFakeDrafts(memory),
    draftDecisions: makeFakeDraftDecisions(memory),
    patientDrafts: makeFakePatientDrafts(memory),
    outbox: memory.outbox,
  };
}

type Views = 'list' | 'find' | 'steps' | 'results' | 'events' | 'ofEncounter' | 'changesSince' | 'counts';

function viewsOf(memory: RunsMemory): Pick<Runs, Views> {
  const all = () => [...memory.runs.values()];
  return {
    list: async (query) => {
      const fitting = all()
        .toReversed()
        .filter(
          (run) =>
            (query.withLooks || !isLookOnly(memory, run)) &&
            isRunInScope(query.scope, run) &&
            fits(run, query) &&
            (!query.cursor || run.serial < Number(query.cursor)),
        );
      const page = fitting.slice(0, query.limit);
      const last = page.at(-1);
      return { runs: page.map(asRun), ...(last && fitting.length > query.limit && { next: String(last.serial) }) };
    },
    find: async (id, scope) => {
      const run = memory.runs.get(id);
      return run && isRunInScope(scope, run) ? asRun(run) : undefined;
    },
    steps: async (id) => {
      const run = known(memory, id);
      return RUN_STEPS.map((name) => asStep(run, name));
    },
    results: async (id) => resultsOf(known(memory, id)),
    events: async (id) => eventsOf(memory, known(memory, id).id),
    ofEncounter: async (site, encounter) =>
      all()
        .filter((run) => run.site === site && run.encounter === encounter)
        .map(asRun),
    changesSince: async (scope, since, limit) => {
      const changed = all()
        .filter((run) => run.changedAt > since && isRunInScope(scope, run) && !isLookOnly(memory, run))
        .toSorted((a, b) => a.changedAt.getTime() - b.changedAt.getTime() || a.serial - b.serial);
      const last = changed[limit - 1]?.changedAt;
      return changed
        .filter(({ changedAt }) => last === undefined || changedAt <= last)
        .map((run) => {
          const { id, site, encounter, status, reason, step, changedAt } = asRun(run);
          return { id, site, encounter, status, changedAt, ...(reason && { reason }), ...(step && { step }) };
        });
    },
    counts: async () => {
      const now = memory.now();
      const queued = all().flatMap(({ status, dueAt }) =>
        status === 'queued' && dueAt && dueAt <= now ? [dueAt] : [],
      );
      const oldestQueuedAt = queued.toSorted((a, b) => a.getTime() - b.getTime())[0];
      const counted = all().filter((run) => !isClosed(run) && !isLookOnly(memory, run));
      const reasons = (status: Run['status']) =>
        tally(counted.flatMap((run) => (run.status === status && run.reason ? [run.reason] : [])));
      return {
        byStatus: tally(counted.map(({ status }) => status)),
        waiting: reasons('waiting'),
        parked: reasons('parked'),
        ...(oldestQueuedAt && { oldestQueuedAt }),
      };
    },
  };
}

function tally<Name>(names: readonly Name[]): ReadonlyMap<Name, number> {
  const counts = new Map<Name, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** A parked run whose replay was written. */
function isClosed({ status, replayedBy }: KeptRun): boolean {
  return status === 'parked' && replayedBy !== undefined;
}

/** An unfinished run without a session whose encounter has another run. */
function isLookOnly(memory: RunsMemory, run: KeptRun): boolean {
  if (run.session !== '' || !BLOCKING_STATUSES.some((status) => status === run.status)) return false;
  if (run.trigger.source === 'operator') return false;
  return [...memory.runs.values()].some(
    ({ site, encounter, session, replayOf }) =>
      site === run.site && encounter === run.encounter && session !== '' && replayOf === undefined,
  );
}

function fits(run: KeptRun, query: RunQuery): boolean {
  const { status, withReplayed = false, site, patient, encounter, q, since, model, mapping } = query;
  const { id, session, versions } = run;
  const names = [id, run.encounter, run.patient, session].flatMap((name) =>
    name ? [name, name.replace(/^\w+[/:]/, '')] : [],
  );
  return (
    (!status || (status.includes(run.status) && (withReplayed || !isClosed(run)))) &&
    (!site || run.site === site) &&
    (!patient || run.patient === patient) &&
    (!encounter || run.encounter === encounter) &&
    (!q || names.some((name) => name.startsWith(q))) &&
    (!since || run.changedAt >= since) &&
    (!model || [versions, ...run.steps.values()].some((made) => isMadeBy(model, made))) &&
    (!mapping || versions.mapping === mapping)
  );
}

function asStep(run: KeptRun, name: RunStep['name']): RunStep {
  const kept = run.steps.get(name);
  const isCurrent = run.status === 'running' && run.step === name;
  if (!kept) return { name, status: isCurrent ? 'running' : 'pending', attempts: 0 };
  const { status, attempts, startedAt, finishedAt, error } = kept;
  return {
    name,
    status: isCurrent ? 'running' : status,
    attempts,
    startedAt,
    ...(finishedAt && { finishedAt }),
    ...(error && { error }),
  };
}

function known(memory: RunsMemory, id: string): KeptRun {
  const run = memory.runs.get(id);
  if (run) return run;
  throw new AppError('notFound', 'There is no such run');
}

const AT_WORK: readonly string[] = ['queued', 'running', 'waiting'];

function decisionsOf(
  memory: RunsMemory,
): Pick<Runs, 'replay' | 'cancel' | 'review' | 'reject' | 'endRejected' | 'markRetracted' | 'putBack'> {
  return {
    replay: async ({ id, from, isDry, correction }) => {
      const run = known(memory, id);
      if (AT_WORK.includes(run.status)) throw new AppError('conflict', 'This run is still at work');
      if (run.session === '') throw new AppError('conflict', 'This run has no session yet');
      if (run.reason === 'recalled' && RUN_STEPS.indexOf(from) > RUN_STEPS.indexOf('write-note')) {
        throw new AppError('conflict', 'This run was recalled: begin at write-note or earlier');
      }
      if (correction !== undefined && correction.revision !== run.revision) {
        throw new AppError('conflict', `This draft has revision ${run.revision} by now`);
      }
      storeDecision(memory, run, correction?.record);
      return replay(memory, run, { from, isDry, instruction: correction?.instruction });
    },
    cancel: async (id) => {
      const run = known(memory, id);
      const now = memory.now();
      if (run.status === 'running') {
        Object.assign(run, { isCancelling: true, changedAt: now });
        return 'cancelling';
      }
      if (!['queued', 'waiting', 'held', 'parked'].includes(run.status)) return 'ended';
      cancelNow(run, now);
      return 'cancelled';
    },
    review: async ({ id, review, note, record }) => {
      const run = shown(memory, id, review.revision);
      if (run.arePurged) throw new AppError('conflict', 'The results of this run were deleted');
      const check = run.steps.get('check');
      if (note && !check?.result) throw new AppError('conflict', 'This run has no note');
      if (note && check?.result) {
        const kept = JSON.parse(check.result);
        check.result = JSON.stringify({ ...kept, note, shown: kept.note });
      }
      storeDecision(memory, run, record);
      forgetSteps(run, RUN_STEPS.slice(RUN_STEPS.indexOf('write-chart')));
      putBack(run, memory.now(), memory.now());
      Object.assign(run, { step: 'map', review: { ...review }, tries: 0, crashes: 0 });
      return asRun(run);
    },
    putBack: async ({ id, from }) => {
      const run = memory.runs.get(id);
      if (run === undefined) throw new AppError('notFound', 'There is no run with this id');
      if (run.status !== from) throw new AppError('conflict', `The run is ${run.status} by now, not ${from}`);
      putBack(run, memory.now(), memory.now());
      Object.assign(run, { tries: 0, crashes: 0 });
      return asRun(run);
    },
    endRejected: async ({ id, message }) => {
      const run = memory.runs.get(id);
      if (run?.status !== 'parked' || run.reason !== 'rejected') return;
      const now = memory.now();
      putBack(run, now, now);
      Object.assign(run, { status: 'rejected', message, dueAt: undefined, endedAt: now, step: undefined });
    },
    reject: async ({ id, revision, message, advice, record }) => {
      const run = shown(memory, id, revision);
      storeDecision(memory, run, record);
      const now = memory.now();
      putBack(run, now, now);
      Object.assign(run, {
        status: 'parked',
        reason: 'rejected',
        message,
        advice,
        dueAt: undefined,
        endedAt: now,
        step: undefined,
      });
      return asRun(run);
    },
    markRetracted: async ({ site, encounter, session, upTo, resources, left, park }) => {
      const last = upTo === undefined ? Number.POSITIVE_INFINITY : known(memory, upTo).serial;
      const standing = [...memory.runs.values()].filter(
        (run) =>
          run.site === site &&
          run.encounter === encounter &&
          run.session === session &&
          !run.isDry &&
          run.serial <= last,
      );
      const affected = standing.filter(
        ({ status, reason, resources: wrote }) =>
          status === 'written' ||
          status === 'held' ||
          status === 'rejected' ||
          (status === 'parked' && !(park && reason === 'retract-by-hand')) ||
          (status === 'cancelled' && reason === 'recalled' && wrote.length > 0),
      );
      for (const run of affected) {
        const now = memory.now();
        putBack(run, now, now);
        const end = park ? { status: 'parked', reason: 'retract-by-hand', ...park } : { status: 'retracted' };
        Object.assign(run, end, { left, dueAt: undefined, endedAt: now, step: undefined });
        if (resources.length > 0) run.resources = resources;
      }
      const newest = affected.at(-1);
      if (newest) tell(memory, newest, park ? 'parked' : 'retracted');
    },
  };
}

function movesOf(memory: RunsMemory): Pick<Runs, 'noteMove' | 'moveSession'> {
  return {
    noteMove: async ({ id, to, resources }) => {
      const run = memory.runs.get(id);
      if (!run || run.movedTo === to) return;
      if (to === undefined) delete run.movedTo;
      else run.movedTo = to;
      run.changedAt = memory.now();
      if (to !== undefined && resources.length > 0) tell(memory, { ...run, resources }, 'attention', 'moved');
    },
    moveSession: async ({ id, patient, seenBy }) => {
      const run = known(memory, id);
      const isNewer = (one: KeptRun) => isSameSession(one, run) && one.serial > run.serial && !one.isDry;
      if ([...memory.runs.values()].some(isNewer)) return undefined;
      const { site, organization, encounter, session, recordings, isUrgent } = run;
      const { trigger } = known(memory, seenBy);
      const parts = { site, organization, encounter, session, recordings, isUrgent, trigger, patient };
      const made = addRun(memory, { ...parts, dueAt: memory.now(), replayOf: id, step: 'read-chart' });
      Object.assign(run, { movedTo: patient, movedBy: made.id });
      for (const { runs } of memory.events) if (runs.has(seenBy)) runs.add(made.id);
      return asRun(made);
    },
  };
}

function recallOf(memory: RunsMemory): Pick<Runs, 'findUnwritten' | 'withdraw'> {
  return {
    findUnwritten: async (query) =>
      [...memory.runs.values()]
        .filter(({ status, session, isDry }) => OPEN.includes(status) && session !== '' && !isDry)
        .filter((run) => isInScope(query.scope, run.site) && holds(run, query))
        .map(asRun),
    withdraw: async (id, words) => {
      const run = known(memory, id);
      if (!OPEN.includes(run.status)) return 'ended';
      const now = memory.now();
      Object.assign(run, { ...words, reason: 'recalled', changedAt: now });
      if (run.status === 'running') run.isCancelling = true;
      else cancelNow(run, now);
      return run.status === 'running' ? 'cancelling' : 'cancelled';
    },
  };
}

const OPEN: readonly string[] = [...AT_WORK, 'held'];

type Made = { readonly model?: string | undefined; readonly answeredBy?: string | undefined };

function isMadeBy(name: string, { model = '', answeredBy }: Made): boolean {
  return modelNames(name).includes(model) || [answeredBy, answeredBy?.split(' ')[0]].includes(name);
}

function holds(run: KeptRun, { site, model, mapping, prompt, from, to }: WrittenQuery): boolean {
  if (site !== undefined && run.site !== site) return false;
  const made = (names: readonly RunStep['name'][]) =>
    names.flatMap((name) => {
      const step = run.steps.get(name);
      const at = step?.finishedAt;
      const isMeant = step?.status === 'done' && at && (!from || at >= from) && (!to || at < to);
      return isMeant ? [step] : [];
    });
  const reasoned = made(['write-note', 'diagnose']);
  const mapped = made(['map']);
  if (model === undefined && prompt === undefined && mapping === undefined) return reasoned.length + mapped.length > 0;
  const isOfModel = reasoned.some(
    (step) =>
      (model === undefined ||
        isMadeBy(model, { model: step.model ?? run.versions.model, answeredBy: step.answeredBy })) &&
      (prompt === undefined || prompt === (step.prompt ?? run.versions.prompt)),
  );
  return (
    ((model === undefined && prompt === undefined) || isOfModel) &&
    (mapping === undefined || (mapped.length > 0 && run.versions.mapping === mapping))
  );
}

function shown(memory: RunsMemory, id: string, revision: number): KeptRun {
  const run = known(memory, id);
  if (run.status !== 'written' && run.status !== 'held')
    throw new AppError('conflict', 'This run is not to be reviewed');
  if (run.revision !== revision) throw new AppError('conflict', `This run has revision ${run.revision} by now`);
  return run;
}

function replay(
  memory: RunsMemory,
  run: KeptRun,
  order: { readonly from: RunStep['name']; readonly isDry: boolean; readonly instruction: string | undefined },
): Run {
  const before = RUN_STEPS.slice(0, RUN_STEPS.indexOf(order.from));
  if (before.some((name) => run.steps.get(name)?.status === 'done' && !run.steps.get(name)?.result)) {
    throw new AppError('conflict', 'What an earlier step gave was deleted');
  }
  const missing = before.findIndex((name) => !['done', 'skipped'].includes(run.steps.get(name)?.status ?? ''));
  const { site, organization, encounter, patient, session, recordings, isUrgent, versions } = run;
  const made = addRun(memory, {
    site,
    organization,
    encounter,
    session,
    recordings,
    isUrgent,
    versions,
    ...(patient !== undefined && { patient }),
    trigger: { source: 'operator', receivedAt: memory.now() },
    dueAt: memory.now(),
    replayOf: run.id,
    isDry: order.isDry,
    step: before[missing] ?? order.from,
  });
  for (const name of missing === -1 ? before : before.slice(0, missing)) {
    const step = run.steps.get(name);
    if (step) made.steps.set(name, { ...step });
  }
  const read = made.steps.get('read-chart');
  if (read?.result !== undefined && order.instruction !== undefined) {
    const { wanted, ...rest } = JSON.parse(read.result);
    read.result = JSON.stringify({ ...rest, wanted: { ...wanted, instruction: order.instruction } });
  }
  return asRun(made);
}

function roundsOf(memory: RunsMemory): Pick<Runs, 'awaitingReview' | 'noteReviewChecked' | 'purge'> {
  return {
    awaitingReview: async (scope, limit) => {
      const written = [...memory.runs.values()].filter(
        (run) => isRunInScope(scope, run) && run.status === 'written' && !run.isDry,
      );
      return written
        .filter((run) => !run.review)
        .filter((run) => !written.some((other) => other.serial > run.serial && isSameSession(run, other)))
        .toSorted((a, b) => (a.askedAt?.getTime() ?? 0) - (b.askedAt?.getTime() ?? 0) || a.serial - b.serial)
        .slice(0, limit)
        .map(asRun);
    },
    noteReviewChecked: async (ids) => {
      for (const id of ids) Object.assign(memory.runs.get(id) ?? {}, { askedAt: memory.now() });
    },
    purge: async (keep) => purge(memory, keep),
  };
}

function isSameSession(one: KeptRun, other: KeptRun): boolean {
  return one.encounter === other.encounter && one.session === other.session;
}

function expire(memory: RunsMemory, heldMs: number): number {
  const now = memory.now();
  const forgotten = [...memory.runs.values()].filter(
    ({ status, changedAt }) => status === 'held' && changedAt.getTime() < now.getTime() - heldMs,
  );
  for (const run of forgotten) {
    putBack(run, now, now);
    const end = { status: 'parked', reason: 'expired', ...expiryMessage(heldMs), arePurged: true, draft: undefined };
    Object.assign(run, { ...end, dueAt: undefined, endedAt: now, step: undefined });
    for (const step of run.steps.values()) step.result = undefined;
    tell(memory, run, 'parked');
  }
  return forgotten.length;
}

function purge(memory: RunsMemory, { resultsMs, heldMs, quarantineMs, keysMs }: Retention) {
  const before = (ms: number) => new Date(memory.now().getTime() - ms);
  const expired = expire(memory, heldMs);
  const old = [...memory.runs.values()].filter(
    ({ endedAt, arePurged }) => !arePurged && endedAt && endedAt < before(resultsMs),
  );
  for (const run of old) {
    run.arePurged = true;
    delete run.draft;
    for (const step of run.steps.values()) step.result = undefined;
  }
  const bodies = memory.events.filter(
    ({ body, receivedAt }) => body !== undefined && receivedAt < before(quarantineMs),
  );
  for (const event of bodies) event.body = undefined;
  const kept = memory.events.filter(({ lastAt }) => lastAt >= before(keysMs));
  const keys = memory.events.length - kept.length;
  memory.events = kept;
  return { expired, recordings: 0, results: old.length, bodies: bodies.length, keys, outcomes: 0 };
}
