// Runs and the results of their steps as rows. A result is encrypted and bound to its run and step: a changed or moved one cannot be
// decrypted.
import type { Selectable } from 'kysely';
import { AppError } from '../../../domain/errors.ts';
import type { Run, RunVersions, StepName, StepResults } from '../../../domain/run/run.ts';
import { sealChunk } from '../../../platform/crypto.ts';
import type { RunStepsTable, RunsTable } from '../schema-runs.ts';
import { openSealed } from '../streams/stream-chunks.ts';
import { withoutNulls } from '../without-nulls.ts';

export type RunRow = Selectable<RunsTable>;
type StepRow = Pick<Selectable<RunStepsTable>, 'name' | 'result'>;

export function asRun(row: RunRow): Run {
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
      eventId: row.trigger_event_id,
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
  const { patient, reason, message, advice, step, review } = row;
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
    review,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    remindedAt: row.reminded_at,
  });
}

function versionsOf({ engine, mapping, prompt, model, answered_by: answeredBy, speech }: RunRow): RunVersions {
  return withoutNulls({ engine, mapping, prompt, model, answeredBy, speech });
}

/** The run of the result. */
export type ResultPlace = { readonly id: string; readonly site: string };

export function sealResult(key: Uint8Array, place: ResultPlace, name: StepName, result: unknown): Buffer {
  return Buffer.from(sealChunk(key, Buffer.from(JSON.stringify(result)), resultPlace(place, name)));
}

/** The stored results. Throws `internal` if one of them was not stored for this run. */
export function openResults(key: Uint8Array, place: ResultPlace, rows: readonly StepRow[]): Partial<StepResults> {
  const opened = rows.flatMap(({ name, result }) => {
    if (result === null) return [];
    const plain = openSealed(key, result, resultPlace(place, name));
    if (plain === undefined) throw new AppError('internal', 'A kept result is damaged: it is not what was stored');
    return [[name, JSON.parse(Buffer.from(plain).toString('utf8'))] as const];
  });
  return Object.fromEntries(opened);
}

function resultPlace({ id, site }: ResultPlace, name: StepName) {
  return { context: JSON.stringify(['run-step', site, id, name]), index: 0, isLast: true } as const;
}
