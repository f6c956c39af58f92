// Uploaded recordings, in PostgreSQL, so that any engine can transcribe what another received. Bytes and metadata are encrypted and
// bound to their recording; other engines see a recording when it is complete.
import { sql } from 'kysely';
import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import { RECORDING_TYPES, type Recording } from '../../../domain/recording/recording.ts';
import type { Recordings, StoredRecording } from '../../../ports/recordings.ts';
import { guarded } from '../errors.ts';
import { makeRunStorage, type RunParts, type RunStorage } from '../runs/run-storage.ts';
import type { Sealing } from '../secrets/secrets.ts';
import { openWhole, sealWhole } from '../secrets/whole-values.ts';
import { type ChunkRows, readFile, storeFile } from './stream-chunks.ts';

/** An upload without new bytes for this long has broken off. */
const SILENT_MINUTES = 10;

const manifestSchema = z.object({
  type: z.enum(RECORDING_TYPES),
  patient: z.string().optional(),
  recordedAt: z.string().optional(),
  language: z.string().optional(),
  noteType: z.string().optional(),
  template: z.string().optional(),
  practitioner: z.string().optional(),
});
type Manifest = z.infer<typeof manifestSchema>;

type RecordingStorage = Pick<RunStorage, 'db' | 'at'> & { readonly sealing: Sealing };

export function makePostgresRecordings(parts: RunParts): Recordings {
  const storage: RecordingStorage = { ...makeRunStorage(parts), sealing: parts.secrets.sealing('recordings') };
  return {
    store: (recording, bytes) => store(storage, recording, bytes),
    find: (id) =>
      guarded(async () => {
        const row = await storedRow(storage, id);
        return row && { id, site: row.site, encounter: row.encounter, ...openManifest(storage, row) };
      }),
    open: (id) => guarded(() => open(storage, id)),
    remove: (id) => guarded(() => remove(storage, id)),
    sweep: () => guarded(() => sweep(storage)),
  };
}

/** Stored row by row: one transaction would hold a connection for as long as the sender takes. */
async function store(storage: RecordingStorage, recording: StoredRecording, source: AsyncIterable<Uint8Array>) {
  const { db, at } = storage;
  const { id, site, encounter, ...manifest } = recording;
  const place = { id, site };
  await guarded(() =>
    db
      .insertInto('recordings')
      .values({ id, site, encounter, manifest: sealManifest(storage, place, manifest), created_at: at() })
      .execute(),
  );
  try {
    const stored = await storeFile({ ...fileParts(storage, place), source });
    await guarded(async () => {
      const { rows } = await sql`
        update recordings set stored_at = ${at()}, size_bytes = ${stored.sizeBytes} where id = ${id} returning 1`.execute(
        db,
      );
      if (rows.length === 0) throw new AppError('internal', 'A recording vanished while it was stored');
    });
    return stored;
  } catch (error) {
    // Rows that cannot be deleted now are deleted by the next sweep.
    await remove(storage, id).catch(() => undefined);
    throw error;
  }
}

async function storedRow({ db }: RecordingStorage, id: string) {
  return db
    .selectFrom('recordings')
    .select(['id', 'site', 'encounter', 'manifest', 'size_bytes'])
    .where('id', '=', id)
    .where('stored_at', 'is not', null)
    .executeTakeFirst();
}

async function open(storage: RecordingStorage, id: string): Promise<Recording> {
  const row = await storedRow(storage, id);
  if (row?.size_bytes == null) throw new AppError('notFound', 'This recording is no longer kept');
  const { size_bytes: sizeBytes } = row;
  const { type } = openManifest(storage, row);
  return { type, sizeBytes, isReopenable: true, open: () => readFile({ ...fileParts(storage, row), sizeBytes }) };
}

async function remove({ db }: RecordingStorage, id: string): Promise<void> {
  await db.deleteFrom('recordings').where('id', '=', id).execute();
}

/** An upload that still receives bytes is spared, however slow it is. */
async function sweep({ db, at }: RecordingStorage): Promise<number> {
  const { rows } = await sql`
    with silence as (select ${at()} - make_interval(mins => ${SILENT_MINUTES}) as since)
    delete from recordings using silence
    where stored_at is null and created_at < since and not exists (
      select from recording_chunks chunk where chunk.recording_id = recordings.id and chunk.created_at >= since
    )
    returning 1`.execute(db);
  return rows.length;
}

type Place = { readonly id: string; readonly site: string };

function fileParts({ db, sealing, at }: RecordingStorage, { id, site }: Place) {
  const rows: ChunkRows = {
    insert: (chunkIndex, bytes) =>
      db
        .insertInto('recording_chunks')
        .values({ recording_id: id, chunk_index: chunkIndex, bytes, created_at: at() })
        .execute(),
    select: async (chunkIndex) => {
      const row = await db
        .selectFrom('recording_chunks')
        .select('bytes')
        .where('recording_id', '=', id)
        .where('chunk_index', '=', chunkIndex)
        .executeTakeFirst();
      return row?.bytes;
    },
  };
  return { rows, sealing, context: recordingContext({ id, site }) };
}

export function recordingContext({ id, site }: Place): string {
  return JSON.stringify(['recording', site, id]);
}

export function manifestContext({ id, site }: Place): readonly string[] {
  return ['recording', site, id, 'manifest'];
}

function sealManifest(
  { sealing }: RecordingStorage,
  place: Place,
  manifest: Omit<StoredRecording, 'id' | 'site' | 'encounter'>,
) {
  return sealWhole(sealing, JSON.stringify(manifest), manifestContext(place));
}

function openManifest({ sealing }: RecordingStorage, row: Place & { readonly manifest: Buffer }): DefinedManifest {
  return manifestSchema.parse(JSON.parse(openWhole(sealing, row.manifest, manifestContext(row)))) as DefinedManifest;
}

/** JSON has no members that are undefined. */
type DefinedManifest = Omit<StoredRecording, 'id' | 'site' | 'encounter'> & Pick<Manifest, 'type'>;
