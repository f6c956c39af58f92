// The public state of the engine: the health of its components and the newest runs. It holds no patient data, and only texts of the engine itself.
import { AppError } from '../../domain/errors.ts';
import type { EventSource, Run, RunStep } from '../../domain/run/run.ts';
import type { ComponentHealth, HealthCheck } from '../../ports/health.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';

export type HealthPart = Pick<ComponentHealth, 'name' | 'status'> & {
  /** Absent if it may contain text from other systems. */
  readonly detail?: string;
};

export type RecentRun = Pick<Run, 'id' | 'site' | 'status' | 'createdAt'> & {
  readonly source: EventSource;
  /** All nine. */
  readonly steps: readonly Pick<RunStep, 'name' | 'status'>[];
};

export type EngineHealth = {
  readonly parts: readonly HealthPart[];
  /** The number of further components that did not answer in time. */
  readonly silentParts: number;
  /** The newest first; absent if they cannot be read now. */
  readonly runs?: readonly RecentRun[];
};

/** Never fails, and answers within three seconds. Each source is read at most once a second, however many requests come. */
export type ShowEngineHealth = () => Promise<EngineHealth>;

type Parts = {
  readonly healthChecks: readonly HealthCheck[];
  readonly runs: Pick<Runs, 'list' | 'steps'>;
  readonly runtime: Pick<Runtime, 'monotonicMs' | 'pause'>;
};

const SHOWN_RUNS = 10;
const FRESH_MS = 1_000;
/** The checks themselves take up to two seconds. */
const LATE_MS = 2_500;
/** A check without an answer for this time is started again. */
const LOST_MS = 30_000;

/** Components whose detail may be shown. Texts of a broker or an EHR may contain addresses. */
const DETAILS: Readonly<Record<string, 'always' | 'when ok'>> = {
  database: 'always',
  keys: 'always',
  reasoner: 'always',
  speech: 'always',
  mappings: 'always',
  charts: 'always',
  runs: 'always',
  outcomes: 'always',
  events: 'when ok',
  broker: 'when ok',
};

export function makeShowEngineHealth({ healthChecks, runs, runtime }: Parts): ShowEngineHealth {
  const checks = healthChecks.map((check) => makeMemory(check, runtime));
  const newestRuns = makeMemory(() => readRuns(runs), runtime);
  return async () => {
    const [newest, ...answers] = await Promise.all([newestRuns(), ...checks.map((check) => check())]);
    const parts = answers.flatMap((answer) => (answer === undefined ? [] : [asPart(answer)]));
    return { parts, silentParts: checks.length - parts.length, ...(newest !== undefined && { runs: newest }) };
  };
}

function asPart({ name, status, detail, summary }: ComponentHealth): HealthPart {
  const rule = DETAILS[name];
  const shown = rule === 'always' || (rule === 'when ok' && status === 'ok') ? detail : summary;
  return { name, status, ...(shown !== undefined && { detail: shown }) };
}

/** Reads one run after another, to leave database connections to the workers. */
async function readRuns(runs: Parts['runs']): Promise<readonly RecentRun[]> {
  const page = await runs.list({ scope: 'all', limit: SHOWN_RUNS });
  const shown: RecentRun[] = [];
  for (const { id, site, status, createdAt, trigger } of page.runs) {
    const steps = await runs.steps(id).catch(unlessGone);
    if (steps === undefined) continue;
    const marks = steps.map((step) => ({ name: step.name, status: step.status }));
    shown.push({ id, site, status, createdAt, source: trigger.source, steps: marks });
  }
  return shown;
}

/** A run may be deleted meanwhile: one that found nothing new, or one of a site whose runs were deleted. */
function unlessGone(thrown: unknown): undefined {
  if (thrown instanceof AppError && thrown.code === 'notFound') return;
  throw thrown;
}

type Reading<T> = { readonly startedMs: number; readonly result: Promise<T>; isOver: boolean };

/** Caches a result for a moment. Undefined if it cannot be read, or not in time. */
function makeMemory<T>(read: () => Promise<T>, runtime: Parts['runtime']): () => Promise<T | undefined> {
  let reading: Reading<T> | undefined;
  const begin = (): Reading<T> => {
    const begun: Reading<T> = { startedMs: runtime.monotonicMs(), result: read(), isOver: false };
    const end = () => {
      begun.isOver = true;
    };
    begun.result.then(end, end);
    return begun;
  };
  return async () => {
    const ageMs = reading === undefined ? Number.POSITIVE_INFINITY : runtime.monotonicMs() - reading.startedMs;
    if (reading === undefined || ageMs >= (reading.isOver ? FRESH_MS : LOST_MS)) reading = begin();
    return inTime(reading.result, runtime).catch(() => undefined);
  };
}

async function inTime<T>(result: Promise<T>, runtime: Parts['runtime']): Promise<T | undefined> {
  const over = new AbortController();
  const late = runtime.pause(LATE_MS, over.signal).then(() => undefined);
  try {
    return await Promise.race([result, late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}
