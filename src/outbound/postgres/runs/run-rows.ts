// Runs and the results of their steps as rows. A result is encrypted and bound to its run and step: a changed or moved one cannot be
// decrypted.
import type { Selectable } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Run, RunVersions, StepName } from '../../../domain/run/run.ts';
import type { StepResults } from '../../../domain/run/step-results.ts';
import type { RunStepsTable, RunsTable } from '../schema-runs.ts';
import type { Sealing } from '../secrets/secrets.ts';
import { openWhole, sealWhole, wholePlace } from '../secrets/whole-values.ts';
import { withoutNulls } from '../without-nulls.ts';

export type RunRow = Selectable<RunsTable>;
type StepRow = Pick<Selectable<RunStepsTable>, 'name' | 'result'>;

export function asRun(events: Sealing, row: RunRow): Run {
  return {
    id: row.id,
    serial: row.serial,
    site: row.site,
    organization: row.organization,
    encounter: row.encounter,
    recordings: row.recordings,
    isUrgent: row.is_urgent,
    status: row.status,
    tries: row.tries,
    crashes: row.crashes,
    isCancelling: row.is_cancelling,
    trigger: withoutNulls({
      source: row.trigger_source,
      receivedAt: row.trigger_received_at,
      eventId: openEventId(events, row.trigger_event, { site: row.site, receivedAt: row.trigger_received_at }),
    }),
    versions: versionsOf(row),
    isDry: row.is_dry,
    revision: row.revision,
    resources: row.resources,
    left: row.left_documents,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    ...(row.session !== '' && { session: row.session }),
    ...optionalParts(row),
  };
}

function optionalParts(row: RunRow): Partial<Run> {
  const { patient, reason, message, advice, step, review, draft } = row;
  return withoutNulls({
    patient,
    reason,
    message,
    advice,
    waitsUntil: row.status === 'waiting' ? row.due_at : null,
    waitsFor: row.waits_for,
    step,
    replayOf: row.replay_of,
    replayedBy: row.replayed_by,
    movedTo: row.moved_to,
    movedBy: row.moved_by,
    review,
    draft,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    remindedAt: row.reminded_at,
    traceparent: row.traceparent,
  });
}

function versionsOf({ engine, mapping, prompt, model, answered_by: answeredBy, speech }: RunRow): RunVersions {
  return withoutNulls({ engine, mapping, prompt, model, answeredBy, speech });
}

/** The run of the result. */
export type ResultPlace = { readonly id: string; readonly site: string };

export function sealResult(results: Sealing, place: ResultPlace, name: StepName, result: unknown): Buffer {
  return sealWhole(results, JSON.stringify(result), resultContext(place, name));
}

/** The stored results. Throws `internal` if one of them was not stored for this run. */
export function openResults(results: Sealing, place: ResultPlace, rows: readonly StepRow[]): Partial<StepResults> {
  const opened = rows.flatMap(({ name, result }) => {
    if (result === null) return [];
    const plain = results.open(result, wholePlace(resultContext(place, name)));
    if (plain === undefined) throw new AppError('internal', 'A kept result is damaged: it is not what was stored');
    return [[name, JSON.parse(plain.toString('utf8'))] as const];
  });
  return Object.fromEntries(opened);
}

export function resultContext({ id, site }: ResultPlace, name: string): readonly string[] {
  return ['run-step', site, id, name];
}

/** The delivery of the event. Its runs have the same. */
export type EventPlace = { readonly site: string; readonly receivedAt: Date };

export function sealEventId(events: Sealing, eventId: string | undefined, place: EventPlace): Buffer | null {
  return eventId === undefined ? null : sealWhole(events, eventId, eventContext(place));
}

export function openEventId(events: Sealing, sealed: Buffer | null, place: EventPlace): string | null {
  return sealed === null ? null : openWhole(events, sealed, eventContext(place));
}

export function eventContext({ site, receivedAt }: EventPlace): readonly string[] {
  return ['event-id', site, receivedAt.toISOString()];
}
