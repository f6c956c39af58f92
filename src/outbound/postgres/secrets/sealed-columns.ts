// Every column with encrypted values: how its rows are read in order, and to which place each value is bound. A test compares this list with
// the tables.
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ChunkPlace } from '../../../platform/crypto.ts';
import type { FindingKind } from '../../../ports/ledger.ts';
import { secretContext as callbackSecret } from '../access/callbacks.ts';
import {
  bodyContext as jobBodyContext,
  resultContext as jobResultContext,
  requestContext,
} from '../access/job-rows.ts';
import { answerContext } from '../access/keyed-answers.ts';
import { findingContext } from '../ledger/ledger-findings.ts';
import { namesContext, bodyContext as writeContext } from '../ledger/ledger-rows.ts';
import { factorContext } from '../people/local-accounts.ts';
import { reasonContext } from '../people/opened-charts.ts';
import { detailsContext } from '../people/sign-in-attempts.ts';
import { bodyContext as deliveryContext } from '../runs/inbox-quarantine.ts';
import { eventContext, resultContext } from '../runs/run-rows.ts';
import type { Schema } from '../schema.ts';
import { fileContext, streamContext, manifestContext as streamManifest } from '../streams/prepared-streams.ts';
import { recordingContext, manifestContext as recordingManifest } from '../streams/recordings.ts';
import { wholePlace } from './whole-values.ts';

// biome-ignore lint/suspicious/noExplicitAny: the columns of a row differ from table to table.
type Row = Readonly<Record<string, any>>;

export type SealedColumn = {
  readonly table: keyof Schema;
  readonly column: string;
  /** Columns of the primary key, or of another unique key. */
  readonly key: readonly string[];
  /** Further columns that `places` needs; `t` is the table. */
  readonly also?: RawBuilder<unknown>;
  readonly join?: RawBuilder<unknown>;
  readonly purpose: string;
  /** The places at which the value may have been sealed: the last chunk of a file does not say that it is one. */
  readonly places: (row: Row) => readonly ChunkPlace[];
  /** Rows of one transaction. */
  readonly batch: number;
};

const SMALL = 200;
/** Each has half a megabyte. */
const CHUNKS = 8;
const OF_WRITE = sql`t.site, t.encounter, t.session, t.revision, t.position`;
const OF_STREAM = sql`stream.id, stream.key_id, stream.organization`;

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'chart_writes',
    column: 'body',
    key: ['serial'],
    also: OF_WRITE,
    purpose: 'chart-writes',
    places: (row) => [wholePlace(writeContext(row as Parameters<typeof writeContext>[0]))],
    batch: SMALL,
  },
  {
    table: 'chart_writes',
    column: 'names',
    key: ['serial'],
    also: OF_WRITE,
    purpose: 'chart-writes',
    places: (row) => [wholePlace(namesContext(row as Parameters<typeof namesContext>[0]))],
    batch: SMALL,
  },
  {
    table: 'chart_findings',
    column: 'sealed_identity',
    key: ['position'],
    also: sql`t.site, t.kind`,
    purpose: 'chart-writes',
    places: ({ site, kind }) => [wholePlace(findingContext({ site, kind: kind as FindingKind }))],
    batch: SMALL,
  },
  {
    table: 'run_steps',
    column: 'result',
    key: ['run_id', 'name'],
    also: sql`run.site`,
    join: sql`join runs run on run.id = t.run_id`,
    purpose: 'run-results',
    places: ({ run_id: id, site, name }) => [wholePlace(resultContext({ id, site }, name))],
    batch: SMALL,
  },
  {
    table: 'runs',
    column: 'trigger_event',
    key: ['serial'],
    also: sql`t.site, t.trigger_received_at as received_at`,
    purpose: 'event-ids',
    places: ({ site, received_at: receivedAt }) => [wholePlace(eventContext({ site, receivedAt }))],
    batch: SMALL,
  },
  {
    table: 'inbox',
    column: 'event',
    key: ['position'],
    also: sql`t.site, t.received_at`,
    purpose: 'event-ids',
    places: ({ site, received_at: receivedAt }) => [wholePlace(eventContext({ site, receivedAt }))],
    batch: SMALL,
  },
  {
    table: 'inbox',
    column: 'body',
    key: ['position'],
    also: sql`t.site, t.id`,
    purpose: 'inbox-bodies',
    places: ({ site, id }) => [wholePlace(deliveryContext({ site, id }))],
    batch: CHUNKS,
  },
  {
    table: 'recordings',
    column: 'manifest',
    key: ['id'],
    also: sql`t.site`,
    purpose: 'recordings',
    places: ({ site, id }) => [wholePlace(recordingManifest({ site, id }))],
    batch: SMALL,
  },
  {
    table: 'recording_chunks',
    column: 'bytes',
    key: ['recording_id', 'chunk_index'],
    also: sql`recording.site`,
    join: sql`join recordings recording on recording.id = t.recording_id`,
    purpose: 'recordings',
    places: ({ recording_id: id, site, chunk_index: index }) => chunkPlaces(recordingContext({ id, site }), index),
    batch: CHUNKS,
  },
  {
    table: 'prepared_streams',
    column: 'manifest',
    key: ['id'],
    also: sql`t.key_id, t.organization`,
    purpose: 'prepared-streams',
    places: (row) => [wholePlace(streamManifest(contextOfStream(row)))],
    batch: SMALL,
  },
  {
    table: 'prepared_stream_chunks',
    column: 'bytes',
    key: ['stream_id', 'file_index', 'chunk_index'],
    also: OF_STREAM,
    join: sql`join prepared_streams stream on stream.id = t.stream_id`,
    purpose: 'prepared-streams',
    places: (row) => chunkPlaces(fileContext(contextOfStream(row), row['file_index']), row['chunk_index']),
    batch: CHUNKS,
  },
  {
    table: 'keyed_answers',
    column: 'answer',
    key: ['key_id', 'client_key_hash'],
    purpose: 'keyed-answers',
    places: ({ client_key_hash: hash }) => [wholePlace(answerContext(hash))],
    batch: CHUNKS,
  },
  {
    table: 'jobs',
    column: 'request',
    key: ['id'],
    purpose: 'jobs',
    places: ({ id }) => [wholePlace(requestContext(id))],
    batch: SMALL,
  },
  {
    table: 'jobs',
    column: 'result',
    key: ['id'],
    purpose: 'jobs',
    places: ({ id }) => [wholePlace(jobResultContext(id))],
    batch: CHUNKS,
  },
  {
    table: 'job_chunks',
    column: 'bytes',
    key: ['job_id', 'chunk_index'],
    purpose: 'jobs',
    places: ({ job_id: id, chunk_index: index }) => chunkPlaces(jobBodyContext(id), index),
    batch: CHUNKS,
  },
  {
    table: 'key_callbacks',
    column: 'secret',
    key: ['key_id'],
    purpose: 'callbacks',
    places: ({ key_id: keyId }) => [wholePlace(callbackSecret(keyId))],
    batch: SMALL,
  },
  {
    table: 'sign_in_attempts',
    column: 'details',
    key: ['state_digest'],
    purpose: 'sign-ins',
    places: ({ state_digest: stateDigest }) => [wholePlace(detailsContext(stateDigest))],
    batch: SMALL,
  },
  {
    table: 'person_second_factors',
    column: 'secret',
    key: ['person_id'],
    purpose: 'second-factors',
    places: ({ person_id: person }) => [wholePlace(factorContext(person))],
    batch: SMALL,
  },
  {
    table: 'opened_charts',
    column: 'reason',
    key: ['id'],
    also: sql`t.site`,
    purpose: 'opened-charts',
    places: ({ id, site }) => [wholePlace(reasonContext({ id, site }))],
    batch: SMALL,
  },
];

function contextOfStream({ id, key_id: keyId, organization }: Row): string {
  return streamContext(id, { keyId, organization });
}

function chunkPlaces(context: string, index: number): readonly ChunkPlace[] {
  return [false, true].map((isLast) => ({ context, index, isLast }));
}

/** The number of all encrypted values that fulfil the condition. */
export async function countValues(
  db: Kysely<Schema>,
  condition: (column: string) => RawBuilder<boolean> = (column) => sql<boolean>`${sql.ref(column)} is not null`,
): Promise<number> {
  return patiently(db, async (transaction) => {
    let total = 0;
    for (const { table, column } of SEALED_COLUMNS) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(table)} where ${condition(column)}`.execute(transaction);
      total += rows[0]?.count ?? 0;
    }
    return total;
  });
}

/** A transaction whose statements may read a large table to its end. */
export async function patiently<T>(db: Kysely<Schema>, work: (transaction: Kysely<Schema>) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await sql`set local statement_timeout = 0`.execute(transaction);
    return work(transaction);
  });
}
