// Revisions and writes as rows. Bodies are encrypted and bound to their place: a changed or moved row cannot be decrypted, and a
// decrypted body is exactly the frozen one.
import { createHash } from 'node:crypto';
import type { Insertable, Selectable } from 'kysely';
import type { ChartWrite, NewRevision, PlannedWrite, Revision, WritePlace } from '../../../domain/chart/chart-write.ts';
import { AppError } from '../../../domain/errors.ts';
import type { ChartRevisionsTable, ChartWritesTable } from '../schema.ts';
import type { Sealing } from '../secrets/secrets.ts';
import { openWhole, sealWhole, wholePlace } from '../secrets/whole-values.ts';
import { withoutNulls } from '../without-nulls.ts';
import type { LedgerRoom } from './ledger-room.ts';

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

export function writeRow({ sealing, digest: digestOf }: Pick<LedgerRoom, 'sealing' | 'digest'>, parts: NewWrite) {
  const { place, number, id, position, write } = parts;
  const { base, identity, fullUrl } = write;
  const at = { ...place, revision: number, position };
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
    identity_digest: digestOf(place.site, identity.value),
    names: sealWhole(sealing, JSON.stringify({ base, identity, fullUrl }), namesContext(at)),
    body: sealing.seal(plain, wholePlace(bodyContext(at))),
    sha256: digest(plain),
    target: write.target ?? null,
    if_match: write.ifMatch ?? null,
  } satisfies Insertable<ChartWritesTable>;
}

export type NewRevisionRow = ReturnType<typeof revisionRow>;
export type NewWriteRow = ReturnType<typeof writeRow>;

/** Throws `internal` if the names or the body are not what was frozen here. */
export function asWrite(sealing: Sealing, row: WriteRow): ChartWrite {
  const { id, position, document, action, type, sha256, target, state, reference, version } = row;
  const same = { id, position, document, action, type, sha256, target, state, reference, version };
  return withoutNulls({
    ...same,
    ...openNames(sealing, row),
    body: openBody(sealing, row),
    ifMatch: row.if_match,
    sentAt: row.sent_at,
    sentSha256: row.sent_sha256,
  });
}

/** The very names that were frozen: the EHR has them, so that no character of them may ever differ. */
function openNames(sealing: Sealing, row: WriteRow): Pick<ChartWrite, 'base' | 'identity' | 'fullUrl'> {
  return JSON.parse(openWhole(sealing, row.names, namesContext(row)));
}

function openBody(sealing: Sealing, row: WriteRow): string {
  const plain = sealing.open(row.body, wholePlace(bodyContext(row)));
  if (plain !== undefined && digest(plain) === row.sha256) return plain.toString('utf8');
  throw new AppError('internal', 'A kept write is damaged: its body is not what was frozen');
}

type WriteAt = WritePlace & { readonly revision: number; readonly position: number };

export function bodyContext({ site, encounter, session, revision, position }: WriteAt): readonly unknown[] {
  return ['chart-write', site, encounter, session, revision, position];
}

export function namesContext({ site, encounter, session, revision, position }: WriteAt): readonly unknown[] {
  return ['chart-write-names', site, encounter, session, revision, position];
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
