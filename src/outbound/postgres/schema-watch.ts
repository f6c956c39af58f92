// The tables of feeds, pauses, reviewers and the audit trail as the code sees them. The migration that makes a column
// documents it.
import type { ColumnType, GeneratedAlways } from 'kysely';
import type { FeedAlarm, FeedKind, PauseKind } from '../../ports/feeds.ts';

type Time = ColumnType<Date, Date, Date>;
type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

export type PausesTable = { site: string; what: PauseKind; reason: string; since: Time };

export type FeedsTable = {
  site: string;
  kind: FeedKind;
  first_seen_at: Time;
  last_event_at: OptionalTime;
  searched_until: OptionalTime;
  subscription: string | null;
  subscription_status: string | null;
  subscription_digest: string | null;
  last_event_number: number | null;
  last_heartbeat_at: OptionalTime;
  alarm: FeedAlarm | null;
  alarm_since: OptionalTime;
  alarm_message: string | null;
};

export type ReviewersTable = {
  id: string;
  position: GeneratedAlways<number>;
  site: string;
  practitioner: string;
  name: string;
  secret_digest: Buffer;
  created_at: Time;
  revoked_at: OptionalTime;
};

export type ReleasesTable = {
  site: string;
  encounter: string;
  patient: string;
  session: string;
  released_at: Time;
};

export type AuditEntriesTable = {
  seq: number;
  at: Time;
  action: string;
  actor: string;
  site: string | null;
  run: string | null;
  /** JSON. */
  details: string | null;
  prev_hash: Buffer;
  hash: Buffer;
};

export type AuditHeadTable = { is_only: boolean; seq: number; hash: Buffer };

export type WatchTables = {
  pauses: PausesTable;
  feeds: FeedsTable;
  reviewers: ReviewersTable;
  releases: ReleasesTable;
  audit_entries: AuditEntriesTable;
  audit_head: AuditHeadTable;
};
