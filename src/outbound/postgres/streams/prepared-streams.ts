// Prepared streams, in PostgreSQL, so that any engine can open what another prepared. History and files are encrypted; single
// statements decide by the database's clock which connection may open one, and only once.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../../../domain/access/api-key.ts';
import { ATTACHMENT_TYPES, type Attachment } from '../../../domain/diagnosis/attachment.ts';
import { AppError } from '../../../domain/errors.ts';
import { LANGUAGES } from '../../../domain/language.ts';
import type {
  ClaimedStream,
  PreparedStreams,
  StreamClaim,
  StreamPreparation,
  StreamTicket,
} from '../../../ports/prepared-streams.ts';
import type { Database } from '../database.ts';
import { guarded } from '../errors.ts';
import type { Sealing, Secrets } from '../secrets/secrets.ts';
import { openWhole, sealWhole } from '../secrets/whole-values.ts';
import { type ChunkRows, readFile, storeFile } from './stream-chunks.ts';

type Room = { readonly database: Database; readonly sealing: Sealing };

/** An unused claim of this age belongs to an engine that died. */
const CLAIM_SECONDS = 60;
/** A stream that is being answered may read its files after its ten minutes. */
const USE_SECONDS = 600;
/** An incomplete upload is deleted after this time. */
const PREPARATION_SECONDS = 600;

const manifestSchema = z.object({
  clinicalHistory: z.string().optional(),
  language: z.enum(LANGUAGES),
  attachments: z.array(z.object({ type: z.enum(ATTACHMENT_TYPES), sizeBytes: z.int().min(0) })),
});
type Manifest = z.infer<typeof manifestSchema>;

export function makePostgresPreparedStreams(parts: {
  readonly database: Database;
  readonly secrets: Secrets;
}): PreparedStreams {
  const room: Room = { database: parts.database, sealing: parts.secrets.sealing('prepared-streams') };
  return {
    prepare: (preparation) => prepare(room, preparation),
    claim: (id, caller) => guarded(() => claim(room, id, caller)),
    findTicket: (id) => guarded(() => findTicket(room.database, id)),
    sweep: () => guarded(() => sweep(room.database)),
  };
}

/** Stored row by row: one transaction would hold a connection for as long as the files take. */
async function prepare({ database, sealing }: Room, preparation: StreamPreparation): Promise<void> {
  const { id, caller, attachments, ttlMs, ticketDigest } = preparation;
  const context = streamContext(id, caller);
  const manifest = sealWhole(sealing, encodeManifest(preparation), manifestContext(context));
  const { db } = database;
  await guarded(() =>
    db
      .insertInto('prepared_streams')
      .values({
        id,
        key_id: caller.keyId,
        organization: caller.organization,
        manifest,
        ticket_digest: Buffer.from(ticketDigest),
        expires_at: secondsFromNow(PREPARATION_SECONDS),
      })
      .execute(),
  );
  try {
    for (const [fileIndex, { sizeBytes, open }] of attachments.entries()) {
      const file = fileParts({ database, sealing }, { id, context, fileIndex });
      await storeFile({ ...file, source: open(), sizeBytes });
    }
    await guarded(() => markReady(database, id, ttlMs));
  } catch (error) {
    // Rows that cannot be deleted now are deleted by the next sweep.
    await db
      .deleteFrom('prepared_streams')
      .where('id', '=', id)
      .execute()
      .catch(() => undefined);
    throw error;
  }
}

async function markReady({ db }: Database, id: string, ttlMs: number): Promise<void> {
  const ready = await db
    .updateTable('prepared_streams')
    .set({ ready_at: sql<Date>`now()`, expires_at: secondsFromNow(ttlMs / 1000) })
    .where('id', '=', id)
    .executeTakeFirst();
  if (ready.numUpdatedRows === 0n) throw new AppError('internal', 'A prepared stream vanished while it was stored');
}

async function claim(room: Room, id: string, caller: Caller): Promise<StreamClaim> {
  const token = randomUUID();
  const { rows } = await claimQuery(id, caller, token).execute(room.database.db);
  const claimed = rows[0];
  if (!claimed) return (await isForeign(room.database, id, caller)) ? { kind: 'foreign' } : { kind: 'absent' };
  const context = streamContext(id, caller);
  const manifest = decodeManifest(room.sealing, claimed.manifest, context);
  return { kind: 'claimed', stream: makeClaimedStream({ room, id, token, context, manifest }) };
}

/** One statement, so that only one of two concurrent engines gets it. */
export function claimQuery(id: string, { keyId, organization }: Caller, token: string) {
  return sql<{ manifest: Buffer }>`
    update prepared_streams set claim = ${token}, claimed_at = now()
    where id = ${id} and key_id = ${keyId} and organization = ${organization}
      and ready_at is not null and used_at is null and expires_at > now()
      and (claimed_at is null or claimed_at < now() - make_interval(secs => ${CLAIM_SECONDS}))
    returning manifest`;
}

async function isForeign({ db }: Database, id: string, caller: Caller): Promise<boolean> {
  const row = await unusedQuery(db, id).select(['key_id', 'organization']).executeTakeFirst();
  return row !== undefined && (row.key_id !== caller.keyId || row.organization !== caller.organization);
}

async function findTicket({ db }: Database, id: string): Promise<StreamTicket | undefined> {
  const row = await unusedQuery(db, id).select(['key_id', 'ticket_digest']).executeTakeFirst();
  // A session that an older engine prepared has no ticket.
  return row?.ticket_digest == null ? undefined : { keyId: row.key_id, ticketDigest: row.ticket_digest };
}

function unusedQuery(db: Database['db'], id: string) {
  return db
    .selectFrom('prepared_streams')
    .where('id', '=', id)
    .where('ready_at', 'is not', null)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`);
}

type ClaimParts = {
  readonly room: Room;
  readonly id: string;
  readonly token: string;
  readonly context: string;
  readonly manifest: Manifest;
};

function makeClaimedStream({ room, id, token, context, manifest }: ClaimParts): ClaimedStream {
  const { database } = room;
  const attachments = manifest.attachments.map(
    ({ type, sizeBytes }, fileIndex): Attachment => ({
      type,
      sizeBytes,
      open: () => readFile({ ...fileParts(room, { id, context, fileIndex }), sizeBytes }),
    }),
  );
  return {
    ...(manifest.clinicalHistory !== undefined && { clinicalHistory: manifest.clinicalHistory }),
    language: manifest.language,
    attachments,
    markUsed: () => guarded(() => markUsed(database, id, token)),
    release: () => guarded(() => release(database, id, token)),
  };
}

async function markUsed({ db }: Database, id: string, token: string): Promise<void> {
  const used = await db
    .updateTable('prepared_streams')
    .set({ used_at: sql<Date>`coalesce(used_at, now())` })
    .where('id', '=', id)
    .where('claim', '=', token)
    .executeTakeFirst();
  // This call was too slow: its claim expired and another connection has it, or the session is gone.
  if (used.numUpdatedRows === 0n) throw new AppError('notFound', 'The stream session is invalid or expired');
}

async function release({ db }: Database, id: string, token: string): Promise<void> {
  const mine = db.deleteFrom('prepared_streams').where('id', '=', id).where('claim', '=', token);
  const deleted = await mine.where('used_at', 'is not', null).executeTakeFirst();
  if (deleted.numDeletedRows > 0n) return;
  await db
    .updateTable('prepared_streams')
    .set({ claim: null, claimed_at: null })
    .where('id', '=', id)
    .where('claim', '=', token)
    .where('used_at', 'is', null)
    .execute();
}

/** Spares streams that are being opened or answered; the claim of an engine that died expires soon. */
async function sweep({ db }: Database): Promise<number> {
  const { rows } = await sql`
    delete from prepared_streams
    where expires_at <= now() and (
      claimed_at is null
      or claimed_at < now() - make_interval(secs => ${CLAIM_SECONDS}) and used_at is null
      or claimed_at < now() - make_interval(secs => ${USE_SECONDS})
    )
    returning 1`.execute(db);
  return rows.length;
}

function secondsFromNow(seconds: number) {
  return sql<Date>`now() + make_interval(secs => ${seconds})`;
}

export function streamContext(id: string, { keyId, organization }: Pick<Caller, 'keyId' | 'organization'>): string {
  return JSON.stringify(['prepared-stream', id, organization, keyId]);
}

type FilePlace = { readonly id: string; readonly context: string; readonly fileIndex: number };

function fileParts({ database, sealing }: Room, { id, context, fileIndex }: FilePlace) {
  const { db } = database;
  const rows: ChunkRows = {
    insert: (chunkIndex, bytes) =>
      db
        .insertInto('prepared_stream_chunks')
        .values({ stream_id: id, file_index: fileIndex, chunk_index: chunkIndex, bytes })
        .execute(),
    select: async (chunkIndex) => {
      const row = await db
        .selectFrom('prepared_stream_chunks')
        .select('bytes')
        .where((is) => is.and({ stream_id: id, file_index: fileIndex, chunk_index: chunkIndex }))
        .executeTakeFirst();
      return row?.bytes;
    },
  };
  return { rows, sealing, context: fileContext(context, fileIndex) };
}

export function fileContext(context: string, fileIndex: number): string {
  return JSON.stringify([context, 'file', fileIndex]);
}

export function manifestContext(context: string): readonly string[] {
  return [context, 'manifest'];
}

function encodeManifest({ clinicalHistory, language, attachments }: StreamPreparation): string {
  const files = attachments.map(({ type, sizeBytes }) => ({ type, sizeBytes }));
  return JSON.stringify({ clinicalHistory, language, attachments: files });
}

function decodeManifest(sealing: Sealing, sealed: Uint8Array, context: string): Manifest {
  return manifestSchema.parse(JSON.parse(openWhole(sealing, sealed, manifestContext(context))));
}
