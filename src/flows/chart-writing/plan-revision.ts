// Maps a session's documents for what this EHR accepts, and plans what the chart needs to hold them.
import { waitsForApproval } from '../../domain/chart/chart-rules.ts';
import type { Revision } from '../../domain/chart/chart-write.ts';
import { canUpdate, type EhrProfile } from '../../domain/chart/ehr-capabilities.ts';
import { type SessionSummary, summarizeSession, withoutFormerPatient } from '../../domain/chart/existing-documents.ts';
import { type PlanParts, planWrites, type WritePlan } from '../../domain/chart/write-plan.ts';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import type { Ehr } from '../../ports/ehr.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { makeComparison } from './compare-documents.ts';
import { type ChartSet, reuseOrMapChart } from './map-chart.ts';
import { readExisting } from './read-existing.ts';
import { LEASE_MS, recallProfile } from './track-delivery.ts';
import { changedByPerson, heldAsDraft, noStrategyLeft, nothingToWrite, writtenOutcome } from './write-outcome.ts';
import { type ChartWork, ended, type WriteState } from './write-states.ts';

export async function mapForEhr(
  { parts, site, facts, mapped }: ChartWork,
  { revisions }: WriteState<'mappingDocuments'>,
  signal: AbortSignal,
): Promise<WriteState<'ensuringDevices' | 'ended'>> {
  const profile = await recallProfile(parts, site.name, signal);
  const { takesType, takesDrafts } = acceptedContent(profile);
  if (facts.run.status === 'preliminary' && !takesDrafts) return ended(heldAsDraft(site.name));
  const set = reuseOrMapChart(mapped, { site, facts, takesType });
  if (set.documents.length === 0 && set.leftOut.length > 0) return ended(noStrategyLeft(site.name));
  return { state: 'ensuringDevices', revisions, profile, set };
}

export async function planRevision(
  work: ChartWork,
  { revisions: before, profile, set, devices }: WriteState<'planningRevision'>,
  signal: AbortSignal,
): Promise<WriteState<'checkingResources' | 'recheckingPeople' | 'ended'>> {
  const { parts, site, facts } = work;
  const revisions = devices.wereThere && isUntouched(work, before) ? before : await readAgain(work);
  const isNew = summarizeSession(revisions).documents.size === 0;
  if (set.documents.length === 0 && isNew) return ended(isDraftKept(work) ? heldAsDraft(site.name) : nothingToWrite());
  const { plan } = await planDocuments({ parts, site, facts, revisions, profile, set }, signal);
  const { writes, left, touched } = plan;
  if (touched.length === 0 && writes.length > 0) {
    const learned = devices.wereThere ? profile.facts : undefined;
    return { state: 'checkingResources', revisions, writes, left, devices: devices.revisions, learned };
  }
  // Patient and encounter are read even if nothing is written: what is in the chart may be another person's by now.
  const outcome = touched.length > 0 ? changedByPerson(site.name, touched) : writtenOutcome(revisions, undefined, left);
  return { state: 'recheckingPeople', nextState: ended(outcome) };
}

type PlanOrder = Pick<ChartWork, 'site' | 'facts'> & {
  readonly parts: { readonly ehr: Ehr; readonly ledger: Pick<Ledger, 'read'> };
  /** The session's, from the ledger. */
  readonly revisions: readonly Revision[];
  readonly profile: EhrProfile;
  readonly set: ChartSet;
};

export type DocumentPlan = {
  readonly plan: WritePlan;
  readonly existing: SessionSummary;
  readonly inChart: PlanParts['inChart'];
};

/** Reads what is in the chart, and changes nothing: a dry replay plans like a real one. */
export async function planDocuments(
  { parts, site, facts, revisions, profile, set }: PlanOrder,
  signal: AbortSignal,
): Promise<DocumentPlan> {
  const session = summarizeSession(revisions);
  const isNew = session.documents.size === 0;
  const devices = set.documents.flatMap(({ document, fullUrl }) => (document === 'device' ? [fullUrl] : []));
  const order = { parts, site, facts, devices };
  const comparison = isNew ? { isUnchanged: () => false } : await makeComparison(order, profile);
  const inChart = await readExisting(parts.ehr, [...session.documents.values(), ...session.older], signal);
  const existing = withoutFormerPatient(session, { patient: facts.patient, inChart });
  const plan = planWrites({
    documents: set.documents.filter(({ document }) => document !== 'device'),
    ...comparison,
    isApproved: facts.review !== undefined,
    run: facts.run.id,
    mayBeDropped: ({ type }) => !waitsForApproval(type, { write: site.settings.write, facts }),
    existing,
    inChart,
    canUpdate: (type) => canUpdate(profile.capabilities, type),
  });
  return { plan, existing, inChart };
}

/** An older lease is renewed before it is used further. */
const FRESH_MS = 5_000;

/** The session has nothing in the ledger, and only this process may have written to it since that was read. */
function isUntouched({ parts, leasedMs }: ChartWork, revisions: readonly Revision[]): boolean {
  return revisions.length === 0 && parts.runtime.monotonicMs() - leasedMs < FRESH_MS;
}

/** Another process may have been waited for, and uncertain writes resolved. */
async function readAgain({ parts, lease, place }: ChartWork): Promise<readonly Revision[]> {
  await parts.ledger.renew(lease, LEASE_MS);
  return parts.ledger.read(place);
}

/** There is a note, and the site's mappings make nothing of a note that is not approved. */
function isDraftKept({ site, facts }: ChartWork): boolean {
  const hasNote = facts.note !== undefined && site.settings.write.note.length > 0;
  return hasNote && facts.run.status === 'preliminary';
}
