// Checks whether each write of the ledger is still in its chart, once, on its patient. A discrepancy is reported and stored as a finding
// for a person; nothing is changed or deleted, neither in the EHR nor in the ledger.

import type { ResourceType } from '@medplum/fhirtypes';
import { LONGEST_WRITE_MS, placeIdentity, type WritePlace } from '../../domain/chart/chart-write.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { CheckedWrite, Finding, Ledger, OpenFinding } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type Charts, makeCharts } from './reconcile-charts.ts';
import { checkEncounters } from './reconcile-encounters.ts';
import { findMended } from './reconcile-open.ts';
import { findUnknown } from './reconcile-unknown.ts';
import { checkWrites } from './reconcile-writes.ts';

export type ReconcileReport = {
  /** How many writes were checked. */
  readonly checked: number;
  readonly findings: readonly Finding[];
  /** Places whose encounter was cancelled or entered in error: their documents should be retracted. */
  readonly cancelled: readonly WritePlace[];
  /** Places whose encounter belongs to another patient now: it should be read again. */
  readonly moved: readonly WritePlace[];
  /** Places of earlier `moved` findings that were corrected in the EHR: their encounter should be read again. */
  readonly corrected: readonly WritePlace[];
  /** What could not be checked, in plain words. */
  readonly problems: readonly string[];
};

/** Checks at most `limit` writes: up to half of them are those with a higher risk, then those whose last check is longest ago. */
export type ReconcileSite = (
  order: { readonly site: LoadedSite; readonly limit?: number },
  signal: AbortSignal,
) => Promise<ReconcileReport>;

type ReconcileParts = {
  readonly ehrs: Ehrs;
  readonly ledger: Ledger;
  /** How long a stored resource may stay invisible to a search. */
  readonly searchLagMs: number;
};

const DEFAULT_LIMIT = 500;
/** Writes come with their bodies, so they are read page by page. */
const PAGE = 100;
/** Most moves and merges happen in the hours after the visit. */
const RECENT_MS = 86_400_000;

/** Throws `notConfigured` for a site without an EHR, `overloaded`, and what the signal was aborted with. */
export function makeReconcileSite(parts: ReconcileParts): ReconcileSite {
  return async ({ site, limit = DEFAULT_LIMIT }, signal) => {
    const charts = makeCharts(site.name, parts.ehrs.of(site), signal);
    // The times of the writes are by the ledger's clock.
    const nowMs = (await parts.ledger.now()).getTime();
    // A search may not find yet what was just sent.
    const sentBefore = new Date(nowMs - LONGEST_WRITE_MS - parts.searchLagMs);
    const found = { sentBefore, checked: 0, findings: [], types: new Set<ResourceType>(), seen: new Set<string>() };
    const unjudged = new Set<string>();
    const places = { cancelled: new Map(), moved: new Map() };
    const pass: Pass = { ...parts, ...found, ...places, unjudged, site: site.name, charts };
    await checkRisky(pass, Math.ceil(limit / 2), nowMs);
    await checkPages(pass, limit, (count) => parts.ledger.dueForCheck(site.name, count, sentBefore));
    const open = await parts.ledger.openFindings([site.name]);
    const mended = await findMended(charts, open, pass.findings);
    const unknown = await findUnknown({ ledger: parts.ledger, charts, types: pass.types, open });
    await storeFindings(pass, { findings: unknown.findings, judged: [...unknown.judged, ...mended] }, open);
    return {
      checked: pass.checked,
      findings: pass.findings,
      cancelled: [...pass.cancelled.values()],
      moved: [...pass.moved.values()],
      corrected: mended.filter(({ kind }) => kind === 'moved').map(placeOf),
      problems: charts.problems(),
    };
  };
}

/** The identity of such a finding is that of its place. */
function placeOf({ site, identity }: OpenFinding): WritePlace {
  const end = identity.indexOf('/');
  return { site, encounter: identity.slice(0, end), session: identity.slice(end + 1) };
}

type Pass = ReconcileParts & {
  readonly site: string;
  readonly sentBefore: Date;
  /** The ids of the writes that were read in this pass. */
  readonly seen: Set<string>;
  /** Those of them that could not be judged. */
  readonly unjudged: Set<string>;
  readonly charts: Charts;
  readonly types: Set<ResourceType>;
  readonly cancelled: Map<string, WritePlace>;
  readonly moved: Map<string, WritePlace>;
  findings: readonly Finding[];
  checked: number;
};

async function checkRisky(pass: Pass, limit: number, nowMs: number): Promise<void> {
  const { ledger, site, sentBefore } = pass;
  const times = { sentBefore, sentAfter: new Date(nowMs - RECENT_MS), checkedBefore: new Date(nowMs) };
  await checkPages(pass, limit, (count) => ledger.riskyForCheck(site, count, times));
}

type ReadDue = (count: number) => Promise<readonly CheckedWrite[]>;

/** Page by page. Writes that could not be judged stay in front, so each page is larger by their number. */
async function checkPages(pass: Pass, limit: number, readDue: ReadDue): Promise<void> {
  const { charts, seen, unjudged } = pass;
  while (pass.checked < limit && !charts.isDown()) {
    const wanted = Math.min(PAGE, limit - pass.checked);
    const found = await readDue(unjudged.size + wanted);
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

/** Returns the ids of those that were judged. */
async function checkPage(pass: Pass, due: readonly CheckedWrite[]): Promise<readonly string[]> {
  const { ledger, site, charts } = pass;
  const judgedWrites = await checkWrites(charts, due);
  const encounters = await checkEncounters(charts, judgedWrites);
  for (const place of encounters.cancelled) pass.cancelled.set(placeIdentity(place), place);
  for (const place of encounters.moved) pass.moved.set(placeIdentity(place), place);
  const judged = [
    ...judgedWrites.flatMap(({ checked }) =>
      WRITE_KINDS.map((kind) => ({ kind, identity: checked.write.identity.value })),
    ),
    ...encounters.judged.flatMap((place) => ENCOUNTER_KINDS.map((kind) => ({ kind, identity: placeIdentity(place) }))),
  ];
  const findings = [...judgedWrites.flatMap((one) => one.findings), ...encounters.findings];
  await storeFindings(pass, { findings, judged }, await ledger.openFindings([site]));
  const ids = judgedWrites.map(({ checked }) => checked.write.id);
  await ledger.markChecked(site, ids);
  pass.checked += ids.length;
  return ids;
}

const WRITE_KINDS = ['duplicate', 'missing', 'foreign', 'unknown'] as const;
const ENCOUNTER_KINDS = ['encounter', 'moved'] as const;

/** What was checked: an open finding of it that was not found again is over. */
type JudgedFinding = Pick<Finding, 'kind' | 'identity'>;
type Outcome = { readonly findings: readonly Finding[]; readonly judged: readonly JudgedFinding[] };

/** Other open findings of the same identities, which were not checked now, stay open. */
async function storeFindings(pass: Pass, { findings, judged }: Outcome, open: readonly OpenFinding[]): Promise<void> {
  pass.findings = [...pass.findings, ...findings];
  const looked = new Set(judged.map(({ identity }) => identity));
  const names = new Set(judged.map(nameOf));
  const untouched = open.filter((one) => looked.has(one.identity) && !names.has(nameOf(one)));
  const stay = untouched.map(({ site, kind, identity, references }) => ({ site, kind, identity, references }));
  await pass.ledger.storeFindings(pass.site, [...looked], [...stay, ...findings]);
}

function nameOf({ kind, identity }: JudgedFinding): string {
  return JSON.stringify([kind, identity]);
}
