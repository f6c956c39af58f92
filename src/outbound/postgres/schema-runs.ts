// The tables of events, runs and outcomes as the code sees them. The migration that makes a column documents it.
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { LeftDocument, WrittenDocument } from '../../domain/chart/chart-write.ts';
import type { DeliveryOutcome } from '../../domain/event/delivery.ts';
import type { DraftFacts } from '../../domain/run/draft-facts.ts';
import type { EventSource, RunReason, RunReview, RunStatus, ServiceName, StepName } from '../../domain/run/run.ts';
import type { Reminder } from '../../ports/reminders.ts';

type Time = ColumnType<Date, Date, Date>;
type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
/** Read as a value, written as JSON. */
type Json<T> = ColumnType<T, string | undefined, string>;

export type OutboxTable = {
  id: string;
  position: GeneratedAlways<number>;
};

export type InboxTable = {
  id: string;
  position: GeneratedAlways<number>;
  site: string;
  source: EventSource;
  event: Buffer | null;
  outcome: DeliveryOutcome;
  key_hash: Buffer;
  content_hash: Buffer | null;
  why: string | null;
  received_at: Time;
  last_at: Time;
  repeats: Generated<number>;
  content_type: string | null;
  body: Buffer | null;
};

export type RunsTable = {
  id: Generated<string>;
  serial: GeneratedAlways<number>;
  site: string;
  organization: string;
  encounter: string;
  patient: string | null;
  session: Generated<string>;
  recordings: Generated<string[]>;
  is_urgent: boolean;
  status: Generated<RunStatus>;
  reason: RunReason | null;
  message: string | null;
  advice: string | null;
  due_at: OptionalTime;
  waits_for: ServiceName | null;
  step: StepName | null;
  tries: Generated<number>;
  crashes: Generated<number>;
  is_cancelling: Generated<boolean>;
  must_look_again: Generated<boolean>;
  trigger_source: EventSource;
  trigger_event: Buffer | null;
  trigger_received_at: Time;
  engine: string | null;
  mapping: string | null;
  prompt: string | null;
  model: string | null;
  answered_by: string | null;
  speech: string | null;
  replay_of: string | null;
  replayed_by: string | null;
  moved_to: string | null;
  moved_by: string | null;
  is_dry: Generated<boolean>;
  revision: Generated<number>;
  review: ColumnType<RunReview | null, string | null | undefined, string | null>;
  resources: Json<readonly WrittenDocument[]>;
  left_documents: Json<readonly LeftDocument[]>;
  holder: string | null;
  lease_until: OptionalTime;
  fence: Generated<number>;
  created_at: Time;
  started_at: OptionalTime;
  ended_at: OptionalTime;
  changed_at: Time;
  asked_at: OptionalTime;
  is_ready: Generated<boolean>;
  ready_at: OptionalTime;
  are_results_purged: Generated<boolean>;
  is_look: GeneratedAlways<boolean>;
  is_pause: GeneratedAlways<boolean>;
  reminded_at: OptionalTime;
  reminded_of: OptionalTime;
  reminded_as: Reminder | null;
  rests_since: GeneratedAlways<Date | null>;
  next_reminder: GeneratedAlways<Reminder | null>;
  traceparent: string | null;
  draft: ColumnType<DraftFacts | null, string | null | undefined, string | null>;
  draft_order: Generated<number>;
};

export type InboxRunsTable = { inbox_id: string; run_id: string };

export type RunStepsTable = {
  run_id: string;
  name: StepName;
  status: 'pending' | 'done' | 'skipped' | 'failed';
  attempts: number;
  started_at: Time;
  finished_at: OptionalTime;
  error_code: string | null;
  error_message: string | null;
  result: Buffer | null;
  model: string | null;
  answered_by: string | null;
  prompt: string | null;
};

export type RecordingsTable = {
  id: string;
  site: string;
  encounter: string;
  manifest: Buffer;
  size_bytes: number | null;
  created_at: Time;
  stored_at: OptionalTime;
};

export type RecordingChunksTable = { recording_id: string; chunk_index: number; bytes: Buffer; created_at: Time };

export type RunTables = {
  outbox: OutboxTable;
  inbox: InboxTable;
  runs: RunsTable;
  inbox_runs: InboxRunsTable;
  run_steps: RunStepsTable;
  recordings: RecordingsTable;
  recording_chunks: RecordingChunksTable;
};
