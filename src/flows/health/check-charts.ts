// Whether the charts are as the ledger has them, for /readyz: how many findings are open, and where to look.
import type { HealthCheck } from '../../ports/health.ts';
import type { FindingKind, Ledger, OpenFinding } from '../../ports/ledger.ts';

const ANSWER_TIMEOUT_MS = 2_000;
const KINDS: readonly FindingKind[] = ['duplicate', 'missing', 'foreign', 'unknown', 'encounter'];

type Findings = { readonly ledger: Pick<Ledger, 'openFindings'>; readonly timeoutMs?: number };

/** Always answers, within two seconds. */
export function makeCheckCharts(parts: Findings): HealthCheck {
  return async () => {
    const open = await findingsInTime(parts).catch(() => undefined);
    if (open === undefined) {
      return { name: 'charts', status: 'degraded', detail: 'What was written to charts cannot be looked up now.' };
    }
    if (open.length === 0) return { name: 'charts', status: 'ok', detail: 'Nothing was found amiss in the charts.' };
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

async function findingsInTime({ ledger, timeoutMs = ANSWER_TIMEOUT_MS }: Findings): Promise<readonly OpenFinding[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('late')), timeoutMs);
  try {
    return await Promise.race([ledger.openFindings(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Open findings by kind, for the metrics. None is a number, too: where it is missing, nobody could look. */
export async function countFindings(parts: Findings): Promise<ReadonlyMap<string, number>> {
  const open = await findingsInTime(parts);
  const found = Map.groupBy(open, ({ kind }) => kind);
  return new Map(KINDS.map((kind) => [kind, found.get(kind)?.length ?? 0]));
}
