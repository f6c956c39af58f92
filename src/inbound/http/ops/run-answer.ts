// Converts runs to JSON. Only the view of one run contains patient data.
import type { Run, RunEvent, RunStep, StepResults } from '../../../domain/run/run.ts';
import type { RunView } from '../../../flows/operations/operate-runs.ts';
import type { RunChange } from '../../../ports/runs.ts';
import type { RunAnswer, RunEventAnswer } from '../../../wire/run.ts';
import type { RunViewAnswer } from '../../../wire/run-view.ts';

export function runAnswer(run: Run): RunAnswer {
  const { id, site, organization, encounter, status, isUrgent, tries, crashes, isCancelling, isDry, revision } = run;
  const { eventId, ...trigger } = run.trigger;
  return {
    id,
    site,
    organization,
    encounter,
    ...present({ patient: run.patient, session: run.session }),
    recordings: run.recordings,
    status,
    ...present({ reason: run.reason, message: run.message, advice: run.advice }),
    ...present({ waitsUntil: run.waitsUntil?.toISOString(), waitsFor: run.waitsFor, step: run.step }),
    isUrgent,
    tries,
    crashes,
    isCancelling,
    isDry,
    revision,
    ...(run.review !== undefined && { review: reviewOf(run.review) }),
    trigger: { ...trigger, ...present({ eventId }), receivedAt: trigger.receivedAt.toISOString() },
    versions: run.versions,
    ...present({ replayOf: run.replayOf }),
    resources: run.resources,
    left: run.left,
    createdAt: run.createdAt.toISOString(),
    ...present({ startedAt: run.startedAt?.toISOString(), endedAt: run.endedAt?.toISOString() }),
    changedAt: run.changedAt.toISOString(),
    ...present({ remindedAt: run.remindedAt?.toISOString() }),
    ...(status === 'parked' && { error: errorOf(run) }),
  };
}

function reviewOf({ decision, reviewer, name, time, revision }: NonNullable<Run['review']>) {
  return { decision, reviewer, ...present({ name }), time, revision };
}

function errorOf({ reason, message, advice }: Run) {
  return { code: reason ?? 'parked', message: message ?? 'An operator must act', ...present({ advice }) };
}

export function runViewAnswer({ run, events, steps, results }: RunView): RunViewAnswer {
  return {
    ...runAnswer(run),
    events: events.map(eventAnswer),
    steps: steps.map(stepAnswer),
    ...(results !== undefined && dataOf(results)),
  };
}

function eventAnswer({ source, eventId, receivedAt, repeats }: RunEvent): RunViewAnswer['events'][number] {
  return { source, ...present({ eventId }), receivedAt: receivedAt.toISOString(), repeats };
}

function stepAnswer({ name, status, attempts, startedAt, finishedAt, error }: RunStep): RunViewAnswer['steps'][number] {
  return {
    name,
    status,
    attempts,
    ...present({ startedAt: startedAt?.toISOString(), finishedAt: finishedAt?.toISOString() }),
    ...(error !== undefined && { error: { code: error.code, message: error.message } }),
  };
}

/** The note is the one that a reviewer would approve: as the check left it, if the run got that far. */
function dataOf(results: Partial<StepResults>): Partial<RunViewAnswer> {
  const { transcribe, diagnose, check, map } = results;
  const written = check?.note ?? results['write-note']?.note;
  return {
    ...(transcribe !== undefined && { transcript: transcribe.transcript }),
    ...(written !== undefined && {
      note: { ...written.note, ...present({ dynamicFields: written.dynamicFields }) },
    }),
    ...(diagnose !== undefined && { diagnosis: diagnose.diagnosis }),
    ...(check !== undefined && { check: check.report }),
    ...(map !== undefined && { bundle: bundleOf(map.documents) }),
    ...(map?.differences !== undefined && { differences: map.differences }),
  };
}

function bundleOf(documents: StepResults['map']['documents']): NonNullable<RunViewAnswer['bundle']> {
  const entry = documents.map(({ fullUrl, resource }) => ({ fullUrl, resource }));
  return { resourceType: 'Bundle', type: 'collection', entry };
}

export function changeAnswer({ id, site, encounter, status, reason, step, changedAt }: RunChange): RunEventAnswer {
  return { id, site, encounter, status, ...present({ reason, step }), changedAt: changedAt.toISOString() };
}

type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

function present<T extends Readonly<Record<string, unknown>>>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}
