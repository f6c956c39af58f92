// Starts the work on runs: the worker, and the schedulers of reviews, reminders, retention and the audit of settings.
import path from 'node:path';
import type { RunReport } from '../flows/document-session.ts';
import { makeCheckRuns } from '../flows/health/check-runs.ts';
import { makeAuditSettings } from '../flows/operations/audit-settings.ts';
import { makeRequireOpenChart } from '../flows/people/require-open-chart.ts';
import { makeActOnReport } from '../flows/reconciling/act-on-report.ts';
import { makeReviewRun, type ReviewRun } from '../flows/reviews/review-run.ts';
import { makeSendReminders } from '../flows/reviews/send-reminders.ts';
import { makeWatchReviews } from '../flows/reviews/watch-reviews.ts';
import { startReminderScheduler } from '../inbound/clock/reminder-scheduler.ts';
import { startRepeating } from '../inbound/clock/repeat.ts';
import { startRetentionScheduler } from '../inbound/clock/retention-scheduler.ts';
import { startReviewScheduler } from '../inbound/clock/review-scheduler.ts';
import { claimEngineIdentity } from '../inbound/worker/engine-identity.ts';
import { startWorker } from '../inbound/worker/worker.ts';
import { checkAudioHead } from '../platform/file-check/audio-head.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { NoteChecker } from '../ports/note-checker.ts';
import type { Sites } from '../ports/sites.ts';
import type { Verifier } from '../ports/verifier.ts';
import { makeCountRemoved } from './count-removed.ts';
import type { EngineContext } from './engine-context.ts';
import type { RunEngines } from './make-engines.ts';
import { makeRunFlows, type RunFlows } from './make-run-flows.ts';
import type { Stores } from './make-stores.ts';
import type { Charts } from './open-charts.ts';
import { watchRuns } from './watch-runs.ts';
import { makeWatchVerifier } from './watch-vendors.ts';

export type RunWork = {
  readonly flows: RunFlows;
  readonly reviewRun: ReviewRun;
  /** Call it after this process has put a run into the queue. */
  readonly wake: () => void;
  readonly health: readonly HealthCheck[];
  /** Unfinished runs are released; they continue in another process or after the next start. */
  readonly stop: () => Promise<void>;
};

type RunsParts = {
  readonly stores: Stores;
  readonly sites: Sites;
  readonly engines: RunEngines;
  readonly noteChecker: NoteChecker;
  readonly verifier: Verifier | undefined;
  readonly charts: Charts;
};

const FROM = { component: 'runs' } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SETTINGS_EVERY_MS = 2_000;

export async function openRuns(context: EngineContext, parts: RunsParts): Promise<RunWork> {
  const { config, metrics, version } = context;
  const { stores, sites, engines, noteChecker, verifier, charts } = parts;
  const runtime = systemRuntime;
  const flows = makeRunFlows({
    ...stores,
    ...engines,
    ...charts,
    noteChecker,
    verifier,
    onVerified: makeWatchVerifier(context),
    sites,
    checkAudioHead,
    runtime,
    engine: { name: 'chartwright', version },
    maxCalls: { reasoner: config.MAX_REASONER_CALLS, speech: config.MAX_SPEECH_CALLS },
    inSpan: context.tracing.inSpan,
    onCodes: metrics.codesChecked,
    ...makeCountRemoved(metrics),
    onStep: ({ name, outcome, durationMs }) => metrics.stepEnded({ step: name, outcome, durationMs }),
  });
  const worker = await openWorker(context, parts, flows);
  const wake = () => worker.wake();
  const reviewRun = makeReviewRun({
    ...stores,
    ...flows,
    ...engines,
    requireOpenChart: makeRequireOpenChart(stores),
    sites,
    onDecided: wake,
    runtime,
  });
  charts.startReconciling(makeActOnReport({ ...stores, ...flows, onAccepted: wake, runtime }));
  const reviews = startReviews(context, parts, reviewRun);
  const reminders = startReminders(context, parts);
  const retention = startRetention(context, stores);
  const settings = startSettingsAudit(context, parts);
  watchRuns(metrics, stores);
  return {
    flows,
    reviewRun,
    wake,
    health: [makeCheckRuns({ runs: stores.runs, pauses: stores.pauses, services: flows.services })],
    stop: async () => {
      await Promise.all([worker.stop(), reviews.stop(), reminders.stop(), retention.stop(), settings.stop()]);
    },
  };
}

type OpenWorker = { readonly wake: () => void; readonly stop: () => Promise<void> };

/** Runs that the previous process of this data folder left unfinished continue now, if no other process can be working on them. */
async function openWorker(context: EngineContext, { stores, sites }: RunsParts, flows: RunFlows): Promise<OpenWorker> {
  const { config, logger, shutdown } = context;
  const idFile = path.join(config.DATA_DIR, 'engine.id');
  const { isOurs, holder, leftBehind, release } = await claimEngineIdentity({ ...stores, idFile });
  if (!isOurs)
    logger.warn(`another engine at this database has the same id: if DATA_DIR was copied, delete ${idFile}`, FROM);
  if (leftBehind > 0) logger.warn('continuing runs interrupted by the last shutdown', { ...FROM, count: leftBehind });
  // Released after the worker has stopped: until then, its runs belong to this id.
  shutdown.add({ name: 'engine id', close: release });
  if (config.WORKERS === 0) return { wake: () => undefined, stop: async () => undefined };
  return startWorker({
    queue: stores.queue,
    documentSession: flows.documentSession,
    sites,
    pauses: stores.pauses,
    runtime: systemRuntime,
    tracing: context.tracing,
    holder,
    size: config.WORKERS,
    onReport: (report) => logReport(context, report),
    onTrouble: (thrown) => logger.warn('queue of runs unavailable', { ...FROM, thrown }),
  });
}

/** Logs references, states and codes only, never clinical text. */
function logReport({ logger, metrics }: EngineContext, { claim, end, thrown }: RunReport): void {
  const { id, site, trigger } = claim.run;
  const reason = 'reason' in end ? end.reason : '';
  const fields = { ...FROM, run: id, site, state: end.status, ...(reason !== '' && { reason }) };
  if (end.status === 'parked') logger.warn('run parked, operator action required', { ...fields, thrown });
  else if (end.status === 'waiting') logger.debug('a run waits', fields);
  else logger.info('a run ended', fields);
  if (end.status === 'waiting' || end.status === 'queued') return;
  const ageMs = Math.max(0, systemRuntime.now().getTime() - trigger.receivedAt.getTime());
  metrics.runEnded({ status: end.status, reason, ageMs });
}

function startReviews({ logger }: EngineContext, { stores, sites, charts }: RunsParts, reviewRun: ReviewRun) {
  return startReviewScheduler({
    sites,
    watchReviews: makeWatchReviews({ runs: stores.runs, ehrs: charts.ehrs, reviewRun }),
    runtime: systemRuntime,
    onFailed: (site, thrown) => logger.warn(`the reviews of ${site} could not be read`, { ...FROM, thrown }),
  });
}

function startReminders({ logger }: EngineContext, { stores, sites }: RunsParts) {
  return startReminderScheduler({
    sites,
    sendReminders: makeSendReminders({ reminders: stores.reminders, runtime: systemRuntime }),
    runtime: systemRuntime,
    onReminded: (site, count) => logger.info('reminders sent', { ...FROM, site, count }),
    onFailed: (site, thrown) => logger.warn('reminders could not be sent', { ...FROM, site, thrown }),
  });
}

function startRetention({ config, logger }: EngineContext, { runs, recordings }: Stores) {
  return startRetentionScheduler({
    runs,
    recordings,
    retention: {
      audioMs: config.RETENTION_AUDIO_HOURS * HOUR_MS,
      resultsMs: config.RETENTION_RESULTS_DAYS * DAY_MS,
      heldMs: config.RETENTION_HELD_DAYS * DAY_MS,
      quarantineMs: config.RETENTION_ASIDE_DAYS * DAY_MS,
      keysMs: config.RETENTION_EVENTS_DAYS * DAY_MS,
    },
    runtime: systemRuntime,
    onExpired: (count) => logger.warn('held runs parked: not decided within RETENTION_HELD_DAYS', { ...FROM, count }),
    onDeleted: (count) => logger.info('expired data deleted', { ...FROM, count }),
    onFailed: (thrown) => logger.warn('expired data could not be deleted', { ...FROM, thrown }),
  });
}

/** A site comes into force also if the audit trail is unavailable; the change is recorded when the trail is back. */
function startSettingsAudit({ logger }: EngineContext, { stores, sites }: RunsParts) {
  return startRepeating({
    runtime: systemRuntime,
    everyMs: SETTINGS_EVERY_MS,
    work: makeAuditSettings({ sites, audit: stores.audit }),
    onFailed: (thrown) => logger.warn('changed site settings are not in the audit trail yet', { ...FROM, thrown }),
    reportsOnce: true,
  });
}
