// What the first page shows, in words: the same for the page as it is served and for `/home.json`, which its script asks.
import type { EventSource, RunStatus, RunStep, StepName } from '../../../domain/run/run.ts';
import type { EngineHealth, HealthPart, RecentRun } from '../../../flows/operations/show-engine-health.ts';

export type HomeAnswer = {
  readonly at: string;
  readonly summary: string;
  readonly parts: readonly {
    readonly title: string;
    readonly status: HealthPart['status'];
    readonly detail: string;
  }[];
  /** The newest first; null where they cannot be read now. */
  readonly runs: readonly HomeRun[] | null;
};

export type HomeRun = {
  /** The beginning of its id: enough to look it up, no key to anything. */
  readonly id: string;
  readonly site: string;
  readonly status: RunStatus;
  /** How it began. */
  readonly source: string;
  readonly startedAt: string;
  readonly ago: string;
  /** The step that is at work or failed; empty where none is. */
  readonly step: StepName | '';
  readonly steps: readonly { readonly status: RunStep['status']; readonly title: string }[];
};

const TITLES: Readonly<Record<string, string>> = {
  database: 'Database',
  reasoner: 'Diagnoses and notes',
  speech: 'Speech recognition',
  mappings: 'Sites',
  charts: 'Charts',
  runs: 'Runs',
  events: 'Events',
  broker: 'Broker',
};

const SOURCES = {
  amqp: 'message from the broker',
  subscription: 'FHIR Subscription',
  push: 'pushed event',
  poll: 'search at the EHR',
  'catch-up': 'catching up',
  upload: 'uploaded recording',
  operator: 'by hand',
} as const satisfies Record<EventSource, string>;

const MARKS = {
  pending: 'to come',
  running: 'at work',
  done: 'done',
  failed: 'failed',
  skipped: 'left out',
} as const satisfies Record<RunStep['status'], string>;

/** Nothing more is to come of these. */
const OVER: ReadonlySet<RunStatus> = new Set(['skipped', 'written', 'retracted', 'cancelled']);
const ID_LENGTH = 8;

export function homeAnswer({ parts, silentParts, runs }: EngineHealth, now: Date): HomeAnswer {
  return {
    at: now.toISOString(),
    summary: summaryOf(parts, silentParts),
    parts: parts.map(({ name, status, detail }) => ({
      title: TITLES[name] ?? name,
      status,
      detail: detail ?? (status === 'ok' ? '' : 'Not as it should be; readyz says why.'),
    })),
    runs: runs === undefined ? null : runs.map((run) => runAnswer(run, now)),
  };
}

function summaryOf(parts: EngineHealth['parts'], silentParts: number): string {
  const unwell = parts.filter(({ status }) => status !== 'ok').length + silentParts;
  if (unwell === 0) return 'All is well';
  return `${unwell} of ${parts.length + silentParts} parts ${unwell === 1 ? 'needs' : 'need'} a look`;
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

/** The database's clock may be ahead of ours. */
export function agoWords(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const unit = UNITS.find((one) => seconds >= one.seconds);
  return unit === undefined ? 'just now' : `${Math.floor(seconds / unit.seconds)} ${unit.name} ago`;
}
