// Revisions and writes as rows. Bodies are encrypted and bound to their place: a changed or moved row cannot be decrypted, and a
// decrypted body is exactly the frozen one.
import { createHash } from 'node:crypto';
import type { Insertable, Selectable } from 'kysely';
import type { ChartWrite, NewRevision, PlannedWrite, Revision, WritePlace } from '../../../domain/chart/chart-write.ts';
import { AppError } from '../../../domain/errors.ts';
import { sealChunk } from '../../../platform/crypto.ts';
import type { ChartRevisionsTable, ChartWritesTable } from '../schema.ts';
import { openSealed } from '../streams/stream-chunks.ts';
import { withoutNulls } from '../without-nulls.ts';

export type RevisionRow = Selectable<ChartRevisionsTable>;
export type WriteRow = Selectable<ChartWritesTable>;

/** Identifies a revision of a place. */
export type RevisionPlace = { readonly place: WritePlace; readonly number: number };

export function revisionRow({ place, number }: RevisionPlace, revision: NewRevision) {
  const { kind, patient, run, versions } = revision;
  const runAt = new Date(run.time);
  if (Number.isNaN(runAt.getTime())) throw new AppError('internal', 'The time of a run is no time');
  return {
    site: place.site,
    encounter: place.encounter,
    session: place.session,
    number,
    kind,
    patient,
    run_id: run.id,
    run_time: run.time,
    run_at: runAt,
    engine: versions.engine,
    mapping: versions.mapping ?? null,
    prompt: versions.prompt ?? null,
    model: versions.model ?? null,
    answered_by: versions.answeredBy === undefined ? null : [...versions.answeredBy],
    speech: versions.speech ?? null,
  } satisfies Insertable<ChartRevisionsTable>;
}

export function asRevision(row: Omit<RevisionRow, 'frozen_at'>, writes: readonly ChartWrite[]): Revision {
  const { number, kind, patient, state, reason, engine, mapping, prompt, model, speech } = row;
  const { answered_by: answeredBy } = row;
  return withoutNulls({
    place: placeOf(row),
    number,
    kind,
    patient,
    run: { id: row.run_id, time: row.run_time },
    versions: withoutNulls({ engine, mapping, prompt, model, answeredBy, speech }),
    state,
    reason,
    writes,
  });
}

export function placeOf({ site, encounter, session }: WritePlace): WritePlace {
  return { site, encounter, session };
}

type NewWrite = RevisionPlace & {
  readonly id: string;
  readonly position: number;
  readonly write: PlannedWrite;
};

export function frozenWrite({ id, position, write }: NewWrite): ChartWrite {
  return { ...write, id, position, sha256: digest(Buffer.from(write.body)), state: 'frozen' };
}

export function writeRow(key: Uint8Array, parts: NewWrite) {
  const { place, number, id, position, write } = parts;
  const plain = Buffer.from(write.body);
  return {
    id,
    site: place.site,
    encounter: place.encounter,
    session: place.session,
    revision: number,
    position,
    document: write.document,
    action: write.action,
    type: write.type,
    base_system: write.base.system,
    base_value: write.base.value,
    identity_system: write.identity.system,
    identity_value: write.identity.value,
    full_url: write.fullUrl,
    body: Buffer.from(sealChunk(key, plain, sealPlace({ ...place, revision: number, position }))),
    sha256: digest(plain),
    target: write.target ?? null,
    if_match: write.ifMatch ?? null,
  } satisfies Insertable<ChartWritesTable>;
}

export type NewRevisionRow = ReturnType<typeof revisionRow>;
export type NewWriteRow = ReturnType<typeof writeRow>;

/** Throws `internal` if the body is not the one that was frozen here. */
export function asWrite(key: Uint8Array, row: WriteRow): ChartWrite {
  const { id, position, document, action, type, sha256, target, state, reference, version } = row;
  const same = { id, position, document, action, type, sha256, target, state, reference, version };
  return withoutNulls({
    ...same,
    base: { system: row.base_system, value: row.base_value },
    identity: { system: row.identity_system, value: row.identity_value },
    fullUrl: row.full_url,
    body: openBody(key, row),
    ifMatch: row.if_match,
    sentAt: row.sent_at,
    sentSha256: row.sent_sha256,
  });
}

function openBody(key: Uint8Array, row: WriteRow): string {
  const plain = openSealed(key, row.body, sealPlace(row));
  if (plain !== undefined && digest(plain) === row.sha256) return Buffer.from(plain).toString('utf8');
  throw new AppError('internal', 'A kept write is damaged: its body is not what was frozen');
}

type BodyPlace = WritePlace & { readonly revision: number; readonly position: number };

function sealPlace({ site, encounter, session, revision, position }: BodyPlace) {
  const context = JSON.stringify(['chart-write', site, encounter, session, revision, position]);
  return { context, index: 0, isLast: true } as const;
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
