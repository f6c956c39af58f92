// The content of the first page: the same for the HTML page and for `/home.json`, which its script requests.
import type { EventSource, RunStatus, RunStep, StepName } from '../../../domain/run/run.ts';
import type { EngineHealth, HealthPart, RecentRun } from '../../../flows/operations/show-engine-health.ts';

export type HomeAnswer = {
  readonly at: string;
  readonly summary: string;
  readonly parts: readonly {
    readonly title: string;
    readonly status: HealthPart['status'];
    readonly detail: string;
    /** A link to what a person can do; empty if the part is ok. */
    readonly help: string;
  }[];
  /** Newest first; null if they cannot be read now. */
  readonly runs: readonly HomeRun[] | null;
};

export type HomeRun = {
  /** The beginning of the id: enough to find the run, and not enough to read it. */
  readonly id: string;
  readonly site: string;
  readonly status: RunStatus;
  /** What started the run. */
  readonly source: string;
  readonly startedAt: string;
  readonly ago: string;
  /** The step that is running or has failed; empty if there is none. */
  readonly step: StepName | '';
  readonly steps: readonly { readonly status: RunStep['status']; readonly title: string }[];
};

/** Each has its section in `static/what-to-do.html`. */
export const TITLES: Readonly<Record<string, string>> = {
  database: 'Database',
  keys: 'Encryption keys',
  disk: 'Disk',
  reasoner: 'Diagnoses and notes',
  speech: 'Speech recognition',
  mappings: 'Sites',
  charts: 'Charts',
  runs: 'Runs',
  events: 'Events',
  outcomes: 'Alarms',
  broker: 'Broker',
};

const SOURCES = {
  amqp: 'message from the broker',
  subscription: 'FHIR Subscription',
  push: 'pushed event',
  poll: 'search at the EHR',
  'catch-up': 'catching up',
  upload: 'uploaded recording',
  operator: 'operator',
} as const satisfies Record<EventSource, string>;

const MARKS = {
  pending: 'pending',
  running: 'running',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
} as const satisfies Record<RunStep['status'], string>;

/** Runs in these states do not continue. */
const OVER: ReadonlySet<RunStatus> = new Set(['skipped', 'written', 'rejected', 'retracted', 'cancelled']);
const ID_LENGTH = 8;

export function homeAnswer({ parts, silentParts, runs }: EngineHealth, now: Date): HomeAnswer {
  return {
    at: now.toISOString(),
    summary: summaryOf(parts, silentParts),
    parts: parts.map(({ name, status, detail }) => ({
      title: TITLES[name] ?? name,
      status,
      detail: detail ?? (status === 'ok' ? '' : 'Something is wrong; /readyz shows details.'),
      help: status === 'ok' || TITLES[name] === undefined ? '' : `docs/what-to-do.html#${name}`,
    })),
    runs: runs === undefined ? null : runs.map((run) => runAnswer(run, now)),
  };
}

function summaryOf(parts: EngineHealth['parts'], silentParts: number): string {
  const unwell = parts.filter(({ status }) => status !== 'ok').length + silentParts;
  if (unwell === 0) return 'Everything works';
  return `${unwell} of ${parts.length + silentParts} parts ${unwell === 1 ? 'needs' : 'need'} attention`;
}

function runAnswer({ id, site, status, source, createdAt, steps }: RecentRun, now: Date): HomeRun {
  return {
    id: id.slice(0, ID_LENGTH),
    site,
    status,
    source: SOURCES[source],
    startedAt: createdAt.toISOString(),
    ago: agoWords(now.getTime() - createdAt.getTime()),
    step: steps.find((step) => step.status === 'running' || step.status === 'failed')?.name ?? '',
    steps: steps.map(({ name, status: itsOwn }) => {
      const mark = itsOwn === 'pending' && OVER.has(status) ? 'skipped' : itsOwn;
      return { status: mark, title: `${name}: ${MARKS[mark]}` };
    }),
  };
}

const UNITS = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
  { name: 's', seconds: 1 },
] as const;

/** The clock of the database can be ahead, which makes `ms` negative. */
export function agoWords(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const unit = UNITS.find((one) => seconds >= one.seconds);
  return unit === undefined ? 'just now' : `${Math.floor(seconds / unit.seconds)} ${unit.name} ago`;
}
