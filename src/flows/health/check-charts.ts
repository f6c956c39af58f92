// Reports the open findings of the reconciliation for /readyz and the metrics.
import { AppError } from '../../domain/errors.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { FindingKind, Ledger, OpenFinding } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';

const ANSWER_TIMEOUT_MS = 2_000;
const KINDS: readonly FindingKind[] = ['duplicate', 'missing', 'foreign', 'unknown', 'encounter', 'moved'];

type FindingsParts = {
  readonly ledger: Pick<Ledger, 'openFindings'>;
  readonly runtime: Pick<Runtime, 'pause'>;
  readonly timeoutMs?: number;
};

/** Never throws; answers within two seconds. */
export function makeCheckCharts(parts: FindingsParts): HealthCheck {
  return async () => {
    const open = await findingsInTime(parts).catch(() => undefined);
    if (open === undefined) {
      return { name: 'charts', status: 'degraded', detail: 'The findings in the charts cannot be read now.' };
    }
    if (open.length === 0)
      return { name: 'charts', status: 'ok', detail: 'No discrepancies were found in the charts.' };
    return { name: 'charts', status: 'degraded', detail: `${describe(open)}.` };
  };
}

function describe(open: readonly OpenFinding[]): string {
  const bySite = [...Map.groupBy(open, ({ site }) => site)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const counts = bySite.map(([site, { length }]) => `${length} finding${length === 1 ? '' : 's'} at ${site}`);
  const [[first = ''] = []] = bySite;
  const hint = bySite.length === 1 ? `npm run cli -- sites reconcile ${first}` : 'npm run cli -- sites list';
  return `${counts.join(', ')}: ${hint}`;
}

async function findingsInTime({ ledger, runtime, timeoutMs = ANSWER_TIMEOUT_MS }: FindingsParts) {
  const answered = new AbortController();
  const late = runtime.pause(timeoutMs, answered.signal).then((): never => {
    throw new AppError('overloaded', 'The findings could not be read in time');
  });
  try {
    return await Promise.race([ledger.openFindings(), late]);
  } finally {
    answered.abort();
    late.catch(() => undefined);
  }
}

/** Open findings by kind. A kind without findings is 0; a missing metric means that the database could not be read. */
export async function countFindings(parts: FindingsParts): Promise<ReadonlyMap<string, number>> {
  const open = await findingsInTime(parts);
  const found = Map.groupBy(open, ({ kind }) => kind);
  return new Map(KINDS.map((kind) => [kind, found.get(kind)?.length ?? 0]));
}
