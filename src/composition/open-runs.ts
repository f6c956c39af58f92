// The runs: the worker that brings events to charts, and what looks after them: reviews, cancelled encounters, what is too old to keep.
import path from 'node:path';
import type { RunReport } from '../flows/document-session.ts';
import { makeCheckRuns, watchRuns } from '../flows/health/check-runs.ts';
import { makeNoteSettings } from '../flows/operations/audit-settings.ts';
import { makeReviewRun, type ReviewRun } from '../flows/reviews/review-run.ts';
import { makeRemindPeople } from '../flows/reviews/send-reminders.ts';
import { makeWatchReviews } from '../flows/reviews/watch-reviews.ts';
import { startReminderScheduler } from '../inbound/clock/reminder-scheduler.ts';
import { startRepeating } from '../inbound/clock/repeat.ts';
import { startWorker } from '../inbound/worker/worker.ts';
import { checkAudioHead } from '../platform/file-check/audio-head.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { HealthCheck } from '../ports/health.ts';
import type { Sites } from '../ports/sites.ts';
import type { EngineContext } from './engine-context.ts';
import { claimEngineIdentity } from './engine-identity.ts';
import type { Engines } from './make-engines.ts';
import { makeRunFlows, type RunFlows } from './make-run-flows.ts';
import type { Stores } from './make-stores.ts';
import type { Charts } from './open-charts.ts';

export type RunWork = {
  readonly flows: RunFlows;
  readonly reviewRun: ReviewRun;
  /** Something was put into the queue by this process. */
  readonly wake: () => void;
  readonly health: readonly HealthCheck[];
  /** What is under way is given back, and goes on elsewhere or later. */
  readonly stop: () => Promise<void>;
};

type RunsParts = {
  readonly stores: Stores;
  readonly sites: Sites;
  readonly engines: Engines;
  readonly charts: Charts;
};

const FROM = { component: 'runs' } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REVIEWS_EVERY_MS = 60_000;
const PURGE_EVERY_MS = 600_000;
const SETTINGS_EVERY_MS = 2_000;

export async function openRuns(house: EngineContext, parts: RunsParts): Promise<RunWork> {
  const { config, metrics, version } = house;
  const { stores, sites, engines, charts } = parts;
  const runtime = systemRuntime;
  const story = makeRunFlows({
    ...stores,
    ...engines,
    ...charts,
    sites,
    checkAudioHead,
    runtime,
    engine: { name: 'chartwright', version },
    maxCalls: { reasoner: config.MAX_REASONER_CALLS, speech: config.MAX_SPEECH_CALLS },
    onStep: ({ name, outcome, durationMs }) => metrics.stepEnded({ step: name, outcome, durationMs }),
  });
  const worker = await openWorker(house, parts, story);
  const wake = () => worker.wake();
  const reviewRun = makeReviewRun({ ...stores, ...story, sites, onDecided: wake, runtime });
  charts.startReconciling(async (site, places, signal) => {
    const reason = 'The encounter was cancelled or entered in error.';
    for (const place of places) await story.takeBack({ site, place, reason, actor: 'engine' }, signal);
  });
  const reviews = startReviews(house, parts, reviewRun);
  const reminders = startReminders(house, parts);
  const purge = startPurge(house, stores);
  const settings = startSettings(house, parts);
  watchRuns(metrics, stores);
  return {
    flows: story,
    reviewRun,
    wake,
    health: [makeCheckRuns({ runs: stores.runs, pauses: stores.pauses, services: story.services })],
    stop: async () => {
      await Promise.all([worker.stop(), reviews.stop(), reminders.stop(), purge.stop(), settings.stop()]);
    },
  };
}

type OpenWorker = { readonly wake: () => void; readonly stop: () => Promise<void> };

/** What an earlier process of this folder left behind goes on at once, where nobody else can be at it. */
async function openWorker(house: EngineContext, { stores, sites }: RunsParts, story: RunFlows): Promise<OpenWorker> {
  const { config, logger, shutdown } = house;
  const idFile = path.join(config.DATA_DIR, 'engine.id');
  const { isOurs, holder, leftBehind, release: leave } = await claimEngineIdentity({ ...stores, idFile });
  if (!isOurs)
    logger.warn(`another engine at this database has the same id: if DATA_DIR was copied, delete ${idFile}`, FROM);
  if (leftBehind > 0) logger.warn('runs of the last start were interrupted, and go on', { ...FROM, count: leftBehind });
  // After the worker, whatever else ends in between: until then the runs that it holds are ours.
  shutdown.add({ name: 'engine id', close: leave });
  if (config.WORKERS === 0) return { wake: () => undefined, stop: async () => undefined };
  return startWorker({
    queue: stores.queue,
    documentSession: story.documentSession,
    sites,
    pauses: stores.pauses,
    runtime: systemRuntime,
    holder,
    size: config.WORKERS,
    onReport: (report) => tellReport(house, report),
    onTrouble: (thrown) => logger.warn('the queue of runs cannot be used at this moment', { ...FROM, thrown }),
  });
}

/** References, states and codes: nothing that anybody said. */
function tellReport({ logger, metrics }: EngineContext, { claim, end, thrown }: RunReport): void {
  const { id, site, trigger } = claim.run;
  const reason = 'reason' in end ? end.reason : '';
  const facts = { ...FROM, run: id, site, state: end.status, ...(reason !== '' && { reason }) };
  if (end.status === 'parked') logger.warn('a run is parked: it needs a person', { ...facts, thrown });
  else if (end.status === 'waiting') logger.debug('a run waits', facts);
  else logger.info('a run ended', facts);
  if (end.status === 'waiting' || end.status === 'queued') return;
  const ageMs = Math.max(0, systemRuntime.now().getTime() - trigger.receivedAt.getTime());
  metrics.runEnded({ status: end.status, reason, ageMs });
}

function startReviews({ logger }: EngineContext, { stores, sites, charts }: RunsParts, reviewRun: ReviewRun) {
  const watchReviews = makeWatchReviews({ runs: stores.runs, ehrs: charts.ehrs, reviewRun });
  return startRepeating({
    runtime: systemRuntime,
    everyMs: REVIEWS_EVERY_MS,
    work: async (signal) => {
      const live = [...sites.current().sites.values()].filter(({ settings }) => settings.mode === 'live');
      for (const site of live) {
        await watchReviews({ site }, signal).catch((thrown) => {
          if (!signal.aborted) logger.warn(`the reviews of ${site.name} could not be read`, { ...FROM, thrown });
        });
      }
      return false;
    },
    onFailed: (thrown) => logger.warn('reviews could not be read', { ...FROM, thrown }),
  });
}

function startReminders({ logger }: EngineContext, { stores, sites }: RunsParts) {
  return startReminderScheduler({
    sites,
    remindPeople: makeRemindPeople({ reminders: stores.reminders, runtime: systemRuntime }),
    runtime: systemRuntime,
    onReminded: (site, count) => logger.info('people were told of runs that wait for them', { ...FROM, site, count }),
    onFailed: (site, thrown) => logger.warn('nobody could be told of runs that wait', { ...FROM, site, thrown }),
  });
}

function startPurge({ config, logger }: EngineContext, { runs, recordings }: Stores) {
  const retention = {
    audioMs: config.RETENTION_AUDIO_HOURS * HOUR_MS,
    resultsMs: config.RETENTION_RESULTS_DAYS * DAY_MS,
    heldMs: config.RETENTION_HELD_DAYS * DAY_MS,
    asideMs: config.RETENTION_ASIDE_DAYS * DAY_MS,
    keysMs: config.RETENTION_EVENTS_DAYS * DAY_MS,
  };
  return startRepeating({
    runtime: systemRuntime,
    everyMs: PURGE_EVERY_MS,
    work: async () => {
      await recordings.sweep();
      const { expired, ...purged } = await runs.purge(retention);
      if (expired > 0) logger.warn('nobody decided about held runs: they are parked', { ...FROM, count: expired });
      const count = Object.values(purged).reduce((sum, one) => sum + one, 0);
      if (count > 0) logger.info('what was kept long enough is deleted', { ...FROM, count });
      return false;
    },
    onFailed: (thrown) => logger.warn('what was kept long enough could not be deleted', { ...FROM, thrown }),
  });
}

/** A trail that is away keeps no site from coming into force: what was changed is noted when it is back. */
function startSettings({ logger }: EngineContext, { stores, sites }: RunsParts) {
  const noteSettings = makeNoteSettings({ sites, audit: stores.audit });
  let isTold = false;
  return startRepeating({
    runtime: systemRuntime,
    everyMs: SETTINGS_EVERY_MS,
    work: async () => {
      await noteSettings();
      isTold = false;
      return false;
    },
    onFailed: (thrown) => {
      if (!isTold) logger.warn('what is in force at the sites is not in the audit trail yet', { ...FROM, thrown });
      isTold = true;
    },
  });
}
