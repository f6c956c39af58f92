// Makes the PostgreSQL adapters of all stores.
import { makePostgresAudit } from '../outbound/postgres/audit.ts';
import { keepKnowledge } from '../outbound/postgres/cached-knowledge.ts';
import { keepPauses } from '../outbound/postgres/cached-pauses.ts';
import { makePostgresEhrKnowledge } from '../outbound/postgres/ehr-knowledge.ts';
import { makePostgresEngineNames } from '../outbound/postgres/engine-names.ts';
import { makePostgresFeeds } from '../outbound/postgres/feeds.ts';
import { makePostgresInbox } from '../outbound/postgres/inbox.ts';
import { makePostgresLedger } from '../outbound/postgres/ledger.ts';
import { makePostgresOutbox } from '../outbound/postgres/outbox.ts';
import { makePostgresPauses } from '../outbound/postgres/pauses.ts';
import { makePostgresQueue } from '../outbound/postgres/queue.ts';
import { makePostgresRecordings } from '../outbound/postgres/recordings.ts';
import { makePostgresReminders } from '../outbound/postgres/reminders.ts';
import { makePostgresReviewers } from '../outbound/postgres/reviewers.ts';
import { makePostgresRuns } from '../outbound/postgres/runs.ts';
import { makePostgresUsage } from '../outbound/postgres/usage.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Storage } from './open-storage.ts';

export type Stores = ReturnType<typeof makeStores>;

export function makeStores(storage: Storage) {
  return {
    inbox: makePostgresInbox(storage),
    queue: makePostgresQueue(storage),
    engineNames: makePostgresEngineNames(storage),
    runs: makePostgresRuns(storage),
    reminders: makePostgresReminders(storage),
    recordings: makePostgresRecordings(storage),
    outbox: makePostgresOutbox(storage),
    audit: makePostgresAudit(storage),
    pauses: keepPauses({ pauses: makePostgresPauses(storage), runtime: systemRuntime }),
    feeds: makePostgresFeeds(storage),
    reviewers: makePostgresReviewers(storage),
    usage: makePostgresUsage(storage),
    ledger: makePostgresLedger(storage),
    knowledge: keepKnowledge({ knowledge: makePostgresEhrKnowledge(storage), runtime: systemRuntime }),
  };
}
