// The shared memory of events and runs behind the fake inbox, queue and runs. Each of their calls is one step that nothing interrupts, with a
// clock that the test sets.
import type { DecisionRecord } from '../../src/domain/run/draft-decision.ts';
import type { AttentionCause, OutcomeEvent, OutcomeKind } from '../../src/domain/run/outcome-event.ts';
import {
  BLOCKING_STATUSES,
  type EventSource,
  type Run,
  type RunEvent,
  type RunStep,
  type StepName,
} from '../../src/domain/run/run.ts';
import type { StepResults } from '../../src/domain/run/step-results.ts';
import type { OutboxRow } from '../../src/ports/outbox.ts';
import type { Reminder } from '../../src/ports/reminders.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export type KeptStep = {
  status: 'pending' | 'done' | 'skipped' | 'failed';
  attempts: number;
  startedAt: Date;
  finishedAt?: Date;
  error?: RunStep['error'] | undefined;
  /** The result is JSON, as in the real store. */
  result?: string | undefined;
  model?: string | undefined;
  answeredBy?: string | undefined;
  prompt?: string | undefined;
};

export type KeptRun = Omit<Mutable<Run>, 'session' | 'waitsUntil'> & {
  /** Empty: not known yet. */
  session: string;
  dueAt: Date | undefined;
  mustLookAgain: boolean;
  holder: string | undefined;
  leaseUntil: Date | undefined;
  fence: number;
  askedAt: Date | undefined;
  arePurged: boolean;
  /** Called with the run after each change. */
  remindedOf: Date | undefined;
  remindedAs: Reminder | undefined;
  readonly steps: Map<StepName, KeptStep>;
};

export type KeptEvent = {
  readonly id: string;
  readonly site: string;
  readonly source: EventSource;
  readonly eventId?: string;
  readonly outcome: 'accepted' | 'nothing' | 'not-understood' | 'id-reused';
  readonly key: string;
  readonly content?: string;
  readonly why?: string;
  readonly receivedAt: Date;
  lastAt: Date;
  repeats: number;
  readonly contentType?: string | undefined;
  body?: Uint8Array | undefined;
  readonly runs: Set<string>;
};

export type KeptDecision = DecisionRecord & {
  readonly position: number;
  readonly run: string;
  readonly site: string;
  readonly revision: number;
  readonly decidedAt: Date;
};

export type RunsMemory = {
  readonly now: () => Date;
  readonly runs: Map<string, KeptRun>;
  events: KeptEvent[];
  readonly outbox: OutboxRow[];
  decisions: readonly KeptDecision[];
  serial: number;
};

export function makeRunsMemory(now: () => Date): RunsMemory {
  return { now: () => new Date(now()), runs: new Map(), events: [], outbox: [], decisions: [], serial: 0 };
}

export type NewRun = Pick<KeptRun, 'site' | 'organization' | 'encounter' | 'isUrgent' | 'trigger'> &
  Partial<Mutable<Run>> & { readonly session: string; readonly dueAt: Date };

export function addRun(memory: RunsMemory, parts: NewRun): KeptRun {
  memory.serial += 1;
  const run: KeptRun = {
    id: makeId(memory.serial),
    serial: memory.serial,
    recordings: [],
    status: 'queued',
    tries: 0,
    crashes: 0,
    isCancelling: false,
    versions: {},
    isDry: false,
    revision: 0,
    resources: [],
    left: [],
    createdAt: memory.now(),
    changedAt: memory.now(),
    mustLookAgain: false,
    holder: undefined,
    leaseUntil: undefined,
    fence: 0,
    askedAt: undefined,
    arePurged: false,
    remindedOf: undefined,
    remindedAs: undefined,
    steps: new Map(),
    ...parts,
  };
  memory.runs.set(run.id, run);
  return run;
}

/** Returns an id that looks random and is the same in each run of a test. */
export function makeId(count: number): string {
  return `${count.toString(16).padStart(8, '0')}-0000-4000-8000-${String(count).padStart(12, '0')}`;
}

export function asRun(kept: KeptRun): Run {
  const {
    session,
    dueAt,
    mustLookAgain,
    holder,
    leaseUntil,
    fence,
    askedAt,
    arePurged,
    remindedOf,
    remindedAs,
    steps,
    ...rest
  } = kept;
  const shown = {
    ...rest,
    ...(session !== '' && { session }),
    ...(rest.status === 'waiting' && dueAt !== undefined && { waitsUntil: dueAt }),
  };
  return structuredClone(Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined))) as Run;
}

export function eventsOf(memory: RunsMemory, id: string): RunEvent[] {
  return memory.events
    .filter(({ runs }) => runs.has(id))
    .map(({ source, eventId, receivedAt, repeats }) => ({
      source,
      ...(eventId !== undefined && { eventId }),
      receivedAt,
      repeats,
    }));
}

/** Returns the run of this session, or the one that does not know its session yet. */
export function findSession(
  memory: RunsMemory,
  place: { readonly site: string; readonly encounter: string; readonly session: string },
): KeptRun | undefined {
  return [...memory.runs.values()].find(
    (run) =>
      run.site === place.site &&
      run.encounter === place.encounter &&
      run.session === place.session &&
      run.replayOf === undefined,
  );
}

const TURNS: readonly string[] = BLOCKING_STATUSES;

/** The wait may never end, and does not keep the process alive. */
function isPause({ status, reason }: Pick<KeptRun, 'status' | 'reason'>): boolean {
  return status === 'waiting' && (reason === 'recording' || reason === 'encounter');
}

/** True if another run of its patient is first, or is running. */
export function isKeptBack(memory: RunsMemory, run: Pick<KeptRun, 'id' | 'site' | 'patient' | 'serial'>): boolean {
  if (run.patient === undefined) return false;
  return [...memory.runs.values()].some(
    (other) =>
      other.id !== run.id &&
      other.site === run.site &&
      other.patient === run.patient &&
      (other.status === 'running' || (other.serial < run.serial && TURNS.includes(other.status) && !isPause(other))),
  );
}

/** An event requests another look at the encounter of a run that does not know its session yet. */
export function lookAgain(run: KeptRun, dueAt: Date, now: Date, isForced: boolean): void {
  const isOver = run.status === 'skipped' || (isForced && (run.status === 'parked' || run.status === 'cancelled'));
  if (run.status === 'running') run.mustLookAgain = true;
  if (!isOver && !isPause(run)) return;
  const isSooner = run.dueAt === undefined || isOver || dueAt < run.dueAt;
  if (isOver) Object.assign(run, { tries: 0, crashes: 0 });
  putBack(run, isSooner ? dueAt : (run.dueAt ?? dueAt), now);
}

/** Queues the run and removes the reason for which it was not queued before. */
export function putBack(run: KeptRun, dueAt: Date, now: Date): void {
  Object.assign(run, {
    status: 'queued',
    dueAt,
    reason: undefined,
    message: undefined,
    advice: undefined,
    waitsFor: undefined,
    endedAt: undefined,
    holder: undefined,
    leaseUntil: undefined,
    mustLookAgain: false,
    isCancelling: false,
    changedAt: now,
  });
}

/** A message of the recall is kept. */
export function cancelNow(run: KeptRun, now: Date): void {
  const { reason, message, advice } = run;
  putBack(run, now, now);
  if (reason === 'recalled') Object.assign(run, { reason, message, advice });
  Object.assign(run, { status: 'cancelled', dueAt: undefined, endedAt: now, step: undefined });
}

export function resultsOf(run: KeptRun): Partial<StepResults> {
  const kept = [...run.steps].flatMap(([name, { result }]) =>
    result === undefined ? [] : [[name, JSON.parse(result)] as const],
  );
  return Object.fromEntries(kept);
}

/** Removes the results of these steps; the number of their tries remains. */
export function forgetSteps(run: KeptRun, names: readonly StepName[]): void {
  for (const name of names) {
    const step = run.steps.get(name);
    if (step) Object.assign(step, { status: 'pending', result: undefined, error: undefined });
  }
}

/** A decision that is made again about the same draft replaces the first. */
export function storeDecision(memory: RunsMemory, run: KeptRun, record: DecisionRecord | undefined): void {
  if (record === undefined) return;
  const { id, site, revision } = run;
  const isSame = (one: KeptDecision) => one.run === id && one.revision === revision && one.decision === record.decision;
  const position = memory.decisions.find(isSame)?.position ?? memory.decisions.length + 1;
  const made = { ...record, position, run: id, site, revision, decidedAt: memory.now() };
  memory.decisions = [...memory.decisions.filter((one) => !isSame(one)), made];
}

export function tell(
  memory: RunsMemory,
  run: KeptRun,
  kind: OutcomeKind,
  because: AttentionCause | undefined = kind === 'attention' ? 'red' : undefined,
): void {
  const event: OutcomeEvent = {
    runId: run.id,
    site: run.site,
    encounter: run.encounter,
    ...(run.patient !== undefined && { patient: run.patient }),
    ...(run.session !== '' && { session: run.session }),
    status: run.status,
    resources: run.resources,
    ...(because !== undefined && { because }),
    ...(because === 'moved' && run.movedTo !== undefined && { movedTo: run.movedTo }),
    occurredAt: memory.now().toISOString(),
  };
  memory.outbox.push({ id: makeId(memory.outbox.length + 1), kind, event: structuredClone(event) });
}
