// Reports the open findings of the reconciliation for /readyz and the metrics.
import { displayTime } from '../../domain/display-time.ts';
import { AppError } from '../../domain/errors.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { CheckProgress, FindingKind, Ledger, OpenFinding } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';

const ANSWER_TIMEOUT_MS = 2_000;
const KINDS: readonly FindingKind[] = ['duplicate', 'missing', 'foreign', 'unknown', 'encounter', 'moved'];

/** /readyz is asked often, and the progress is counted over all writes. */
const PROGRESS_FOR_MS = 60_000;

type FindingsParts = {
  readonly ledger: Pick<Ledger, 'openFindings'>;
  readonly runtime: Pick<Runtime, 'pause'>;
  readonly timeoutMs?: number;
};

type CheckParts = FindingsParts & {
  readonly ledger: Pick<Ledger, 'openFindings' | 'checkProgress'>;
  readonly runtime: Pick<Runtime, 'pause' | 'monotonicMs'>;
};

/** Never throws; answers within two seconds. */
export function makeCheckCharts(parts: CheckParts): HealthCheck {
  const readProgress = makeReadProgress(parts);
  return async () => {
    const open = await inTime(parts, () => parts.ledger.openFindings('all')).catch(() => undefined);
    if (open === undefined) {
      return { name: 'charts', status: 'degraded', detail: 'The findings in the charts cannot be read now.' };
    }
    const progress = await readProgress();
    if (open.length === 0)
      return { name: 'charts', status: 'ok', detail: `No discrepancies were found in the charts.${progress}` };
    return { name: 'charts', status: 'degraded', detail: `${describe(open)}.${progress}` };
  };
}

/** Empty if it cannot be counted now: that is no reason to be degraded. */
function makeReadProgress(parts: CheckParts): () => Promise<string> {
  let told: { readonly text: string; readonly untilMs: number } | undefined;
  return async () => {
    const nowMs = parts.runtime.monotonicMs();
    if (told !== undefined && nowMs < told.untilMs) return told.text;
    const progress = await inTime(parts, () => parts.ledger.checkProgress('all')).catch(() => undefined);
    const text = progress === undefined ? '' : describeProgress(progress);
    told = { text, untilMs: nowMs + PROGRESS_FOR_MS };
    return text;
  };
}

/** `mercy: 4670 of 4682 resources checked, each since 2026-03-02 04:26 UTC.` */
function describeProgress(progress: ReadonlyMap<string, CheckProgress>): string {
  const sites = [...progress].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sites
    .map(([site, { written, checked, oldestAt }]) => {
      const since = oldestAt === undefined ? '' : `, each since ${displayTime(oldestAt)}`;
      return ` ${site}: ${checked} of ${written} resources checked${since}.`;
    })
    .join('');
}

function describe(open: readonly OpenFinding[]): string {
  const bySite = [...Map.groupBy(open, ({ site }) => site)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const counts = bySite.map(([site, { length }]) => `${length} finding${length === 1 ? '' : 's'} at ${site}`);
  const [[first = ''] = []] = bySite;
  const hint = bySite.length === 1 ? `npm run cli -- sites reconcile ${first}` : 'npm run cli -- sites list';
  return `${counts.join(', ')}: ${hint}`;
}

async function inTime<T>(
  { runtime, timeoutMs = ANSWER_TIMEOUT_MS }: Omit<FindingsParts, 'ledger'>,
  read: () => Promise<T>,
): Promise<T> {
  const answered = new AbortController();
  const late = runtime.pause(timeoutMs, answered.signal).then((): never => {
    throw new AppError('overloaded', 'The findings could not be read in time');
  });
  try {
    return await Promise.race([read(), late]);
  } finally {
    answered.abort();
    late.catch(() => undefined);
  }
}

/** Open findings by kind. A kind without findings is 0; a missing metric means that the database could not be read. */
export async function countFindings(parts: FindingsParts): Promise<ReadonlyMap<string, number>> {
  const open = await inTime(parts, () => parts.ledger.openFindings('all'));
  const found = Map.groupBy(open, ({ kind }) => kind);
  return new Map(KINDS.map((kind) => [kind, found.get(kind)?.length ?? 0]));
}
