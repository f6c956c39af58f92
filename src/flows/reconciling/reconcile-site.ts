// Is what the ledger says was written still in the charts, once, on its patient? What is not so is reported and kept as a finding,
// for a person; nothing is changed or deleted here, neither in the EHR nor of what the ledger says.

import type { ResourceType } from '@medplum/fhirtypes';
import type { WritePlace } from '../../domain/chart/chart-write.ts';
import { LONGEST_WRITE_MS } from '../../domain/chart/chart-write.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { CheckedWrite, Finding, Ledger, OpenFinding } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type Charts, makeCharts } from './reconcile-charts.ts';
import { checkEncounters, placeIdentity } from './reconcile-encounters.ts';
import { findMended } from './reconcile-open.ts';
import { findUnknown } from './reconcile-unknown.ts';
import { checkWrites } from './reconcile-writes.ts';

export type ReconcileReport = {
  /** How many writes were looked at. */
  readonly checked: number;
  readonly findings: readonly Finding[];
  /** Places whose encounter was cancelled or entered in error, or is somebody else's: what of them is ours should be taken back. */
  readonly cancelled: readonly WritePlace[];
  /** What could not be looked at, in plain words. */
  readonly problems: readonly string[];
};

/** At most `limit` writes, those first that were looked at longest ago. */
export type ReconcileSite = (
  order: { readonly site: LoadedSite; readonly limit?: number },
  signal: AbortSignal,
) => Promise<ReconcileReport>;

type ReconcileParts = {
  readonly ehrs: Ehrs;
  readonly ledger: Ledger;
  /** How long after it was stored something may be there without being found. */
  readonly searchLagMs: number;
};

const DEFAULT_LIMIT = 500;
/** Writes come with their bodies: not all at once. */
const PAGE = 100;

/** Throws `notConfigured` for a site without an EHR, `overloaded`, and what the signal was aborted with. */
export function makeReconcileSite(parts: ReconcileParts): ReconcileSite {
  return async ({ site, limit = DEFAULT_LIMIT }, signal) => {
    const charts = makeCharts(site.name, parts.ehrs.of(site), signal);
    // The clock that the writes were sent by.
    const nowMs = (await parts.ledger.now()).getTime();
    // What was sent just now may be there without being found.
    const sentBefore = new Date(nowMs - LONGEST_WRITE_MS - parts.searchLagMs);
    const found = { sentBefore, checked: 0, findings: [], cancelled: new Map(), types: new Set<ResourceType>() };
    const pass: Pass = { ...parts, ...found, site: site.name, charts };
    await checkDue(pass, limit);
    const open = await parts.ledger.openFindings(site.name);
    const mended = await findMended(charts, open, pass.findings);
    const unknown = await findUnknown({ ledger: parts.ledger, charts, types: pass.types, open });
    await keep(pass, { findings: unknown.findings, judged: [...unknown.judged, ...mended] }, open);
    return {
      checked: pass.checked,
      findings: pass.findings,
      cancelled: [...pass.cancelled.values()],
      problems: charts.problems(),
    };
  };
}

type Pass = ReconcileParts & {
  readonly site: string;
  readonly sentBefore: Date;
  readonly charts: Charts;
  readonly types: Set<ResourceType>;
  readonly cancelled: Map<string, WritePlace>;
  findings: readonly Finding[];
  checked: number;
};

/** Page by page. What is not judged stays in front, so each page is asked for with room for it. */
async function checkDue(pass: Pass, limit: number): Promise<void> {
  const { ledger, site, charts, sentBefore } = pass;
  const seen = new Set<string>();
  const unjudged = new Set<string>();
  while (pass.checked < limit && !charts.isDown()) {
    const wanted = Math.min(PAGE, limit - pass.checked);
    const found = await ledger.dueForCheck(site, unjudged.size + wanted, sentBefore);
    const due = found.filter(({ write }) => !seen.has(write.id));
    if (due.length === 0) return;
    for (const { write } of due) {
      seen.add(write.id);
      unjudged.add(write.id);
      pass.types.add(write.type);
    }
    for (const id of await checkPage(pass, due)) unjudged.delete(id);
  }
}

/** Which of them were judged. */
async function checkPage(pass: Pass, due: readonly CheckedWrite[]): Promise<readonly string[]> {
  const { ledger, site, charts } = pass;
  const judgedWrites = await checkWrites(charts, due);
  const encounters = await checkEncounters(charts, judgedWrites);
  for (const place of encounters.cancelled) pass.cancelled.set(placeIdentity(place), place);
  const judged = [
    ...judgedWrites.flatMap(({ checked }) =>
      WRITE_KINDS.map((kind) => ({ kind, identity: checked.write.identity.value })),
    ),
    ...encounters.judged.map((place) => ({ kind: 'encounter' as const, identity: placeIdentity(place) })),
  ];
  const findings = [...judgedWrites.flatMap((one) => one.findings), ...encounters.findings];
  await keep(pass, { findings, judged }, await ledger.openFindings(site));
  const ids = judgedWrites.map(({ checked }) => checked.write.id);
  await ledger.markChecked(site, ids);
  pass.checked += ids.length;
  return ids;
}

const WRITE_KINDS = ['duplicate', 'missing', 'foreign', 'unknown'] as const;

/** What was looked at, so that what is not among the findings is over. */
type Judged = Pick<Finding, 'kind' | 'identity'>;
type Outcome = { readonly findings: readonly Finding[]; readonly judged: readonly Judged[] };

/** What else is open of the same identities, and was not looked at now, stays open. */
async function keep(pass: Pass, { findings, judged }: Outcome, open: readonly OpenFinding[]): Promise<void> {
  pass.findings = [...pass.findings, ...findings];
  const looked = new Set(judged.map(({ identity }) => identity));
  const names = new Set(judged.map(nameOf));
  const untouched = open.filter((one) => looked.has(one.identity) && !names.has(nameOf(one)));
  const stay = untouched.map(({ site, kind, identity, references }) => ({ site, kind, identity, references }));
  await pass.ledger.storeFindings(pass.site, [...looked], [...stay, ...findings]);
}

function nameOf({ kind, identity }: Judged): string {
  return JSON.stringify([kind, identity]);
}
