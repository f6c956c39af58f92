// The tables as the code sees them. The migration that makes a column documents it.
import type { ResourceType } from '@medplum/fhirtypes';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { NewRevision, RevisionState, WriteAction, WriteState } from '../../domain/chart/chart-write.ts';
import type { FindingKind } from '../../ports/ledger.ts';
import type { CodeTables } from './schema-codes.ts';
import type { PeopleTables } from './schema-people.ts';
import type { RunTables } from './schema-runs.ts';
import type { WatchTables } from './schema-watch.ts';

/** Read and written as a Date. */
type Time = ColumnType<Date, Date, Date>;
/** Set by the database, or by us to a time or to null. */
type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

export type PlansTable = {
  name: string;
  requests_per_minute: number | null;
  requests_per_month: number | null;
  audio_seconds_per_month: number | null;
};

export type ApiKeysTable = {
  id: string;
  position: GeneratedAlways<number>;
  secret_digest: Buffer;
  organization: string;
  plan: string;
  label: string | null;
  created_at: Generated<Date>;
  expires_at: OptionalTime;
  revoked_at: OptionalTime;
  last_used_at: OptionalTime;
};

export type UsageRecordsTable = {
  position: GeneratedAlways<number>;
  request_id: string;
  key_id: string;
  organization: string;
  operation: string;
  started_at: Time;
  duration_ms: number;
  ai_ms: number;
  audio_seconds: number;
  outcome: string;
  status: number;
  language: string | null;
  template: string | null;
};

export type MonthTotalsTable = {
  organization: string;
  /** First day of the month, UTC. */
  month: string;
  requests: number;
  audio_seconds: number;
};

export type KeyedAnswersTable = {
  key_id: string;
  client_key_hash: Buffer;
  operation: string;
  holder: string;
  lease_until: Time;
  expires_at: Time;
  answer: Buffer | null;
  answered_at: OptionalTime;
};

export type JobsTable = {
  id: string;
  key_id: string;
  organization: string;
  operation: string;
  request_id: string;
  client_key_hash: Buffer | null;
  status: string;
  size_bytes: Generated<number>;
  request: Buffer | null;
  result: Buffer | null;
  attempts: Generated<number>;
  holder: string | null;
  lease_until: OptionalTime;
  created_at: Generated<Date>;
  started_at: OptionalTime;
  ended_at: OptionalTime;
  expires_at: Time;
  callback_state: string | null;
  callback_tries: Generated<number>;
  callback_at: OptionalTime;
};

export type KeyCallbacksTable = { key_id: string; origins: string[]; secret: Buffer };

export type JobChunksTable = { job_id: string; chunk_index: number; bytes: Buffer };

export type MinuteCountsTable = { key: string; points: number; expire: number | null };

export type PreparedStreamsTable = {
  id: string;
  key_id: string;
  organization: string;
  manifest: Buffer;
  expires_at: Time;
  ready_at: OptionalTime;
  claim: string | null;
  claimed_at: OptionalTime;
  used_at: OptionalTime;
  ticket_digest: Buffer | null;
};

export type PreparedStreamChunksTable = {
  stream_id: string;
  file_index: number;
  chunk_index: number;
  bytes: Buffer;
};

export type WriteLeasesTable = { name: string; holder: string; fence: number; expires_at: Time };

export type ChartRevisionsTable = {
  site: string;
  encounter: string;
  session: string;
  number: number;
  kind: NewRevision['kind'];
  patient: string;
  run_id: string;
  run_time: string;
  run_at: Time;
  engine: string;
  mapping: string | null;
  prompt: string | null;
  model: string | null;
  answered_by: string[] | null;
  speech: string | null;
  state: Generated<RevisionState>;
  reason: string | null;
  frozen_at: Generated<Date>;
};

export type ChartWritesTable = {
  id: string;
  serial: GeneratedAlways<number>;
  site: string;
  encounter: string;
  session: string;
  revision: number;
  position: number;
  document: string;
  action: WriteAction;
  type: ResourceType;
  identity_digest: Buffer;
  names: Buffer;
  body: Buffer;
  sha256: string;
  target: string | null;
  if_match: string | null;
  state: Generated<WriteState>;
  sent_at: OptionalTime;
  sent_sha256: string | null;
  reference: string | null;
  version: string | null;
  checked_at: OptionalTime;
  resource: GeneratedAlways<string | null>;
};

export type EhrBindingsTable = { site: string; base_url: string; first_written_at: Generated<Date> };

export type EhrFactsTable = {
  site: string;
  software: string;
  name: string;
  /** As JSON. */
  value: ColumnType<unknown, string, string>;
  learned_at: Generated<Date>;
};

export type ChartFindingsTable = {
  position: GeneratedAlways<number>;
  site: string;
  kind: FindingKind;
  identity_digest: Buffer;
  sealed_identity: Buffer;
  resources: string[];
  found_at: Generated<Date>;
  ended_at: OptionalTime;
};

export type EngineSettingsTable = { name: string; value: string };

export type StoredKeysTable = {
  purpose: 'data' | 'digests' | 'audit';
  number: number;
  sealed: Buffer;
  is_announced: Generated<boolean>;
  made_at: Generated<Date>;
};

export type KeyRotationsTable = {
  number: number;
  total: number;
  done: Generated<number>;
  started_at: Generated<Date>;
  ended_at: OptionalTime;
};

export type EngineKeysTable = { engine: string; name: string; knows: number; sealing_with: number; seen_at: Time };

export type ReplacedMasterKeysTable = { id: string; replaced_at: Generated<Date> };

export type Schema = RunTables &
  WatchTables &
  CodeTables &
  PeopleTables & {
    plans: PlansTable;
    api_keys: ApiKeysTable;
    usage_records: UsageRecordsTable;
    month_totals: MonthTotalsTable;
    minute_counts: MinuteCountsTable;
    jobs: JobsTable;
    job_chunks: JobChunksTable;
    key_callbacks: KeyCallbacksTable;
    keyed_answers: KeyedAnswersTable;
    prepared_streams: PreparedStreamsTable;
    prepared_stream_chunks: PreparedStreamChunksTable;
    engine_settings: EngineSettingsTable;
    stored_keys: StoredKeysTable;
    replaced_master_keys: ReplacedMasterKeysTable;
    key_rotations: KeyRotationsTable;
    engine_keys: EngineKeysTable;
    write_leases: WriteLeasesTable;
    chart_revisions: ChartRevisionsTable;
    chart_writes: ChartWritesTable;
    ehr_bindings: EhrBindingsTable;
    ehr_facts: EhrFactsTable;
    chart_findings: ChartFindingsTable;
  };
