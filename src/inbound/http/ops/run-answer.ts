// Converts runs to JSON. Only the view of one run contains patient data.

import { present } from '../../../domain/present.ts';
import type { Run, RunEvent, RunStep } from '../../../domain/run/run.ts';
import type { StepResults } from '../../../domain/run/step-results.ts';
import type { RunView } from '../../../flows/operations/operate-runs.ts';
import type { RunChange } from '../../../ports/runs.ts';
import type { RunAnswer, RunEventAnswer } from '../../../wire/run.ts';
import type { RunViewAnswer } from '../../../wire/run-view.ts';

export function runAnswer(run: Run): RunAnswer {
  const { id, site, organization, encounter, status, isUrgent, tries, crashes, isCancelling, isDry, revision } = run;
  const { eventId, ...trigger } = run.trigger;
  return present({
    id,
    site,
    organization,
    encounter,
    patient: run.patient,
    session: run.session,
    recordings: run.recordings,
    status,
    reason: run.reason,
    message: run.message,
    advice: run.advice,
    waitsUntil: run.waitsUntil?.toISOString(),
    waitsFor: run.waitsFor,
    step: run.step,
    isUrgent,
    tries,
    crashes,
    isCancelling,
    isDry,
    revision,
    review: run.review && reviewOf(run.review),
    trigger: present({ ...trigger, eventId, receivedAt: trigger.receivedAt.toISOString() }),
    traceId: run.traceparent?.split('-')[1],
    versions: run.versions,
    replayOf: run.replayOf,
    replayedBy: run.replayedBy,
    movedTo: run.movedTo,
    movedBy: run.movedBy,
    resources: run.resources,
    left: run.left,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString(),
    endedAt: run.endedAt?.toISOString(),
    changedAt: run.changedAt.toISOString(),
    remindedAt: run.remindedAt?.toISOString(),
    error: status === 'parked' ? errorOf(run) : undefined,
  });
}

function reviewOf({ decision, reviewer, name, time, revision }: NonNullable<Run['review']>) {
  return present({ decision, reviewer, name, time, revision });
}

function errorOf({ reason, message, advice }: Run) {
  return present({ code: reason ?? 'parked', message: message ?? 'An operator must act', advice });
}

export function runViewAnswer({ run, events, steps, codes, removed, results }: RunView): RunViewAnswer {
  return {
    ...runAnswer(run),
    events: events.map(eventAnswer),
    steps: steps.map(stepAnswer),
    ...(codes && { codes }),
    ...(removed && { removed }),
    ...(results !== undefined && dataOf(results)),
  };
}

function eventAnswer({ source, eventId, receivedAt, repeats }: RunEvent): RunViewAnswer['events'][number] {
  return present({ source, eventId, receivedAt: receivedAt.toISOString(), repeats });
}

function stepAnswer({ name, status, attempts, startedAt, finishedAt, error }: RunStep): RunViewAnswer['steps'][number] {
  return present({
    name,
    status,
    attempts,
    startedAt: startedAt?.toISOString(),
    finishedAt: finishedAt?.toISOString(),
    error: error && { code: error.code, message: error.message },
  });
}

/** The note is the one that a reviewer would approve: as the check left it, if the run got that far. */
function dataOf(results: Partial<StepResults>): Partial<RunViewAnswer> {
  const { transcribe, diagnose, check, map } = results;
  const written = check?.note ?? results['write-note']?.note;
  return present({
    transcript: transcribe?.transcript,
    note: written && present({ ...written.note, dynamicFields: written.dynamicFields }),
    diagnosis: diagnose?.diagnosis,
    check: check?.report,
    bundle: map && bundleOf(map.documents),
    differences: map?.differences,
  });
}

function bundleOf(documents: StepResults['map']['documents']): NonNullable<RunViewAnswer['bundle']> {
  const entry = documents.map(({ fullUrl, resource }) => ({ fullUrl, resource }));
  return { resourceType: 'Bundle', type: 'collection', entry };
}

export function changeAnswer({ id, site, encounter, status, reason, step, changedAt }: RunChange): RunEventAnswer {
  return present({ id, site, encounter, status, reason, step, changedAt: changedAt.toISOString() });
}
