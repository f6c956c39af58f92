// Makes the PostgreSQL adapters of all stores.

import { makePostgresReviewers } from '../outbound/postgres/access/reviewers.ts';
import { makePostgresUsage } from '../outbound/postgres/access/usage.ts';
import { makePostgresAudit } from '../outbound/postgres/audit/audit.ts';
import { makePostgresAuditEvents } from '../outbound/postgres/audit/audit-events.ts';
import { makeCachedNames } from '../outbound/postgres/codes/cached-names.ts';
import { makePostgresCodeLists } from '../outbound/postgres/codes/code-lists.ts';
import { makePostgresEngineNames } from '../outbound/postgres/engine-names.ts';
import { makePostgresLedger } from '../outbound/postgres/ledger/ledger.ts';
import { makePostgresDeviceSignIns } from '../outbound/postgres/people/device-sign-ins.ts';
import { makePostgresLocalAccounts } from '../outbound/postgres/people/local-accounts.ts';
import { makePostgresNotices } from '../outbound/postgres/people/notices.ts';
import { makePostgresOpenedCharts } from '../outbound/postgres/people/opened-charts.ts';
import { makePostgresPeople } from '../outbound/postgres/people/people.ts';
import { makePostgresPersonSessions } from '../outbound/postgres/people/person-sessions.ts';
import { makePostgresServiceTokens } from '../outbound/postgres/people/service-tokens.ts';
import { makePostgresSignInAttempts } from '../outbound/postgres/people/sign-in-attempts.ts';
import { makePostgresAttentionEvents } from '../outbound/postgres/runs/attention-events.ts';
import { makePostgresDraftDecisions } from '../outbound/postgres/runs/draft-decisions.ts';
import { makePostgresDrafts } from '../outbound/postgres/runs/drafts.ts';
import { makePostgresInbox } from '../outbound/postgres/runs/inbox.ts';
import { makePostgresOutbox } from '../outbound/postgres/runs/outbox.ts';
import { makePostgresPatientDrafts } from '../outbound/postgres/runs/patient-drafts.ts';
import { makePostgresQueue } from '../outbound/postgres/runs/queue.ts';
import { makePostgresReminders } from '../outbound/postgres/runs/reminders.ts';
import { makePostgresRuns } from '../outbound/postgres/runs/runs.ts';
import { makeCachedKnowledge } from '../outbound/postgres/sites/cached-knowledge.ts';
import { makeCachedPauses } from '../outbound/postgres/sites/cached-pauses.ts';
import { makePostgresCdsFeedback } from '../outbound/postgres/sites/cds-feedback.ts';
import { makePostgresEhrKnowledge } from '../outbound/postgres/sites/ehr-knowledge.ts';
import { makePostgresFeeds } from '../outbound/postgres/sites/feeds.ts';
import { makePostgresPauses } from '../outbound/postgres/sites/pauses.ts';
import { makePostgresReleases } from '../outbound/postgres/sites/releases.ts';
import { makePostgresRecordings } from '../outbound/postgres/streams/recordings.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { Storage } from './open-storage.ts';

export type Stores = ReturnType<typeof makeStores>;

export function makeStores(opened: Storage, tracing: Tracing) {
  const storage = { ...opened, tracing };
  return {
    inbox: makePostgresInbox(storage),
    queue: makePostgresQueue(storage),
    engineNames: makePostgresEngineNames(storage),
    runs: makePostgresRuns(storage),
    reminders: makePostgresReminders(storage),
    attentionEvents: makePostgresAttentionEvents(storage),
    drafts: makePostgresDrafts(storage),
    draftDecisions: makePostgresDraftDecisions(storage),
    recordings: makePostgresRecordings(storage),
    outbox: makePostgresOutbox(storage),
    audit: makePostgresAudit(storage),
    auditEvents: makePostgresAuditEvents(storage),
    pauses: makeCachedPauses({ pauses: makePostgresPauses(storage), runtime: systemRuntime }),
    feeds: makePostgresFeeds(storage),
    patientDrafts: makePostgresPatientDrafts(storage),
    cdsFeedback: makePostgresCdsFeedback(storage),
    releases: makePostgresReleases(storage),
    reviewers: makePostgresReviewers(storage),
    people: makePostgresPeople(storage),
    personSessions: makePostgresPersonSessions(storage),
    serviceTokens: makePostgresServiceTokens(storage),
    signInAttempts: makePostgresSignInAttempts(storage),
    localAccounts: makePostgresLocalAccounts(storage),
    deviceSignIns: makePostgresDeviceSignIns(storage),
    openedCharts: makePostgresOpenedCharts(storage),
    notices: makePostgresNotices(storage),
    usage: makePostgresUsage(storage),
    ledger: makePostgresLedger(storage),
    codes: makeCachedNames({ codes: makePostgresCodeLists(storage), runtime: systemRuntime }),
    knowledge: makeCachedKnowledge({ knowledge: makePostgresEhrKnowledge(storage), runtime: systemRuntime }),
  };
}
