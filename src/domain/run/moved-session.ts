// Decides what happens to a session that was processed for one patient while its encounter belongs to another one now. A patient who was
// merged into the other one is judged before (`flows/run-steps/move-sessions.ts`).
import { BLOCKING_STATUSES, type Run, type RunReason, type RunStatus } from './run.ts';

export type SessionRun = Pick<Run, 'id' | 'status' | 'reason' | 'patient' | 'movedTo' | 'isDry'>;

export type MoveVerdict =
  /** The newest run is of the encounter's patient, or nothing of the session may be in a chart. */
  | 'stay'
  /** A run for the other patient is in process: what it writes is known when it ends. */
  | 'wait'
  /** The encounter has come back to the patient, and nothing was done yet. */
  | 'settle'
  /** The documents are retracted, and a new run writes them for the encounter's patient. */
  | 'move'
  /** The documents are retracted. A person decided, or must decide, whether the session is documented at all. */
  | 'retract';

/** These decisions to skip a session were about the other patient. */
const SKIPPED_FOR_PATIENT = new Set<RunReason | undefined>(['consent', 'sensitive', 'label']);
/** Runs that a person has ended, or that are over: an event does not document them again. */
const ENDED_FOR_GOOD = new Set<RunReason | undefined>(['rejected', 'expired']);
const IN_PROCESS: ReadonlySet<RunStatus> = new Set<RunStatus>(BLOCKING_STATUSES);

/** `last`: the newest run of the session that is not dry. */
export function judgeMove(last: SessionRun, patient: string): MoveVerdict {
  if (last.patient === undefined) return 'stay';
  if (last.patient === patient) return judgeReturn(last);
  if (IN_PROCESS.has(last.status)) return 'wait';
  switch (last.status) {
    case 'written':
    case 'held':
      return 'move';
    case 'parked':
      return isEndedForGood(last) ? 'retract' : 'move';
    case 'skipped':
      return SKIPPED_FOR_PATIENT.has(last.reason) ? 'move' : 'stay';
    case 'retracted':
      // Otherwise it was cancelled, recalled or rejected.
      return last.movedTo === undefined ? 'stay' : 'move';
    default:
      return 'retract';
  }
}

/** The encounter belonged to another patient in between. */
function judgeReturn(last: SessionRun): MoveVerdict {
  const { status, movedTo } = last;
  if (movedTo === undefined || IN_PROCESS.has(status)) return 'stay';
  return status === 'written' || status === 'held' || isEndedForGood(last) ? 'settle' : 'move';
}

function isEndedForGood({ status, reason }: SessionRun): boolean {
  return status === 'rejected' || (status === 'parked' && ENDED_FOR_GOOD.has(reason));
}

/** The newest run of each session that is not dry. The runs of an encounter come in the order in which they were made. */
export function newestOfSessions<R extends SessionRun & Pick<Run, 'session'>>(runs: readonly R[]): readonly R[] {
  const real = runs.filter(({ session, isDry }) => session !== undefined && !isDry);
  return [...new Map(real.map((run) => [run.session, run])).values()];
}
