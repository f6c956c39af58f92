// How a job is stored: what its rows hold, and the places at which its values are sealed.
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { CALLBACK_STATES } from '../../../domain/access/callback.ts';
import { JOB_STATUSES, type Job, type JobResult, LONG_OPERATIONS } from '../../../domain/access/job.ts';
import { present } from '../../../domain/present.ts';
import type { JobRequest } from '../../../ports/jobs.ts';
import type { Schema } from '../schema.ts';
import type { Sealing } from '../secrets/secrets.ts';
import { openWhole, sealWhole } from '../secrets/whole-values.ts';
import type { ChunkRows } from '../streams/stream-chunks.ts';

const requestSchema = z.object({
  headers: z.record(z.string(), z.string()),
  bodyDigest: z.string().optional(),
  callbackUrl: z.string().optional(),
});
const resultSchema = z.object({
  status: z.int(),
  headers: z.record(z.string(), z.string()).optional(),
  body: z.unknown(),
});
const closedNames = z.object({ operation: z.enum(LONG_OPERATIONS), status: z.enum(JOB_STATUSES) });

export type JobRow = {
  readonly id: string;
  readonly operation: string;
  readonly status: string;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
  readonly expires_at: Date;
  readonly result: Buffer | null;
  readonly callback_state: string | null;
};

export const JOB_COLUMNS = sql`id, operation, status, created_at, started_at, ended_at, expires_at, result, callback_state`;

export function toJob(sealing: Sealing, row: JobRow): Job {
  const { id, result } = row;
  return present({
    id,
    ...closedNames.parse(row),
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    expiresAt: row.ended_at === null ? undefined : row.expires_at,
    callback: row.callback_state === null ? undefined : z.enum(CALLBACK_STATES).parse(row.callback_state),
    result: result === null ? undefined : openResult(sealing, id, result),
  });
}

export function operationOf(row: { readonly operation: string }) {
  return closedNames.shape.operation.parse(row.operation);
}

export function sealRequest(sealing: Sealing, id: string, request: JobRequest): Buffer {
  return sealWhole(sealing, JSON.stringify(request), requestContext(id));
}

export function openRequest(sealing: Sealing, id: string, sealed: Uint8Array): JobRequest {
  return requestSchema.parse(JSON.parse(openWhole(sealing, sealed, requestContext(id))));
}

export function sealResult(sealing: Sealing, id: string, result: JobResult): Buffer {
  return sealWhole(sealing, JSON.stringify(result), resultContext(id));
}

function openResult(sealing: Sealing, id: string, sealed: Uint8Array): JobResult {
  return resultSchema.parse(JSON.parse(openWhole(sealing, sealed, resultContext(id))));
}

/** What the chunks of the body are read and written with. */
export function bodyParts({ db, sealing }: { readonly db: Kysely<Schema>; readonly sealing: Sealing }, id: string) {
  const rows: ChunkRows = {
    insert: (chunkIndex, bytes) =>
      db.insertInto('job_chunks').values({ job_id: id, chunk_index: chunkIndex, bytes }).execute(),
    select: async (chunkIndex) => {
      const row = await db
        .selectFrom('job_chunks')
        .select('bytes')
        .where('job_id', '=', id)
        .where('chunk_index', '=', chunkIndex)
        .executeTakeFirst();
      return row?.bytes;
    },
  };
  return { rows, sealing, context: bodyContext(id) };
}

export function bodyContext(id: string): string {
  return JSON.stringify(['job', id, 'body']);
}

export function requestContext(id: string): readonly string[] {
  return ['job', id, 'request'];
}

export function resultContext(id: string): readonly string[] {
  return ['job', id, 'result'];
}
