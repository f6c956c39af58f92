// A session's documents into its chart: mapped for this EHR, compared with what stands there, checked, frozen, and brought there once.
// Whoever calls it again with the same run goes on where the last call ended; with another run, it writes the next revision.
import type { ChartFacts } from '../../domain/chart/chart.ts';
import { waitsForApproval } from '../../domain/chart/chart-rules.ts';
import type { Revision, WriteOutcome, WritePlace, WriteVersions } from '../../domain/chart/chart-write.ts';
import type { EhrCapabilities, EhrFact } from '../../domain/chart/ehr-capabilities.ts';
import { devicePlace, summarizeSession } from '../../domain/chart/existing-documents.ts';
import { leftByPersons, planWrites, type WritePlan } from '../../domain/chart/write-plan.ts';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Lease, Ledger } from '../../ports/ledger.ts';
import type { CheckResources } from '../../ports/resource-check.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AskPermission } from '../run-steps/ask-permission.ts';
import { bindEhr } from './bind-ehr.ts';
import { makeComparison } from './compare-documents.ts';
import { deliverRevision } from './deliver-revision.ts';
import { ensureDevice } from './ensure-devices.ts';
import { holdLease } from './hold-lease.ts';
import { type ChartSet, type MappedChart, reuseOrMapChart } from './map-chart.ts';
import type { MappedDocument } from './map-documents.ts';
import { readExisting } from './read-existing.ts';
import { recheckPeople } from './recheck-people.ts';
import { resolveUncertainWrites } from './resolve-uncertain-writes.ts';
import { retractPlace } from './retract-place.ts';
import { type DeliveryParts, LEASE_MS, type Parked } from './track-delivery.ts';
import {
  changedByPerson,
  heldAsDraft,
  invalidResources,
  noStrategyLeft,
  nothingToWrite,
  parkedOutcome,
  writtenOutcome,
} from './write-outcome.ts';

export type WriteChartParts = {
  readonly ehrs: Ehrs;
  readonly ledger: Ledger;
  readonly knowledge: EhrKnowledge;
  readonly check: CheckResources;
  readonly askPermission: AskPermission;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'chance' | 'makeUuid'>;
  /** How long after it was stored something may be there without being found. */
  readonly searchLagMs: number;
};

export type WriteOrder = {
  readonly site: LoadedSite;
  readonly facts: ChartFacts;
  /** What was made of these facts before, perhaps. */
  readonly mapped?: MappedChart;
};

/**
 * Throws what a later call may mend: `ehrUnavailable`, `ehrUncertain`, `inUse`, `overloaded`; and a MappingError where the site's files
 * cannot work with these facts.
 */
export type WriteChart = (order: WriteOrder, signal: AbortSignal) => Promise<WriteOutcome>;

type Work = WriteOrder & {
  readonly parts: WriteChartParts;
  readonly settleParts: DeliveryParts;
  readonly ehr: Ehr;
  readonly lease: Lease;
  /** By the machine's own clock, before it was asked for. */
  readonly leasedMs: number;
  readonly place: WritePlace;
  readonly patient: string;
  readonly devices: Devices;
};

/** By site: what the ledger had of its Devices when it was asked last. */
type Devices = Map<string, readonly Revision[]>;

type Known = { readonly capabilities: EhrCapabilities; readonly facts: readonly EhrFact[] };

/** `again`: what was learned of the EHR just now makes other documents. */
type Attempt = WriteOutcome | { readonly status: 'again'; readonly facts?: ChartFacts };

/** Types that are refused are learned one by one. */
const MAX_ATTEMPTS = 6;

export function makeWriteChart(parts: WriteChartParts): WriteChart {
  const devices: Devices = new Map();
  return async (order, signal) => {
    const { site } = order;
    if (site.settings.mode !== 'live') {
      throw new AppError('conflict', `${site.name} is not live: nothing is written to its charts`);
    }
    const other = await bindEhr(parts.ledger, site);
    if (other !== undefined) return other;
    return writeForPatient(parts, devices, order, signal);
  };
}

/** Is it still them, and may it still be? Undefined: yes. */
async function askAgain(work: Work, signal: AbortSignal): Promise<Attempt | undefined> {
  const { parts, site, facts, ehr, lease, place, settleParts } = work;
  const verdict = await recheckPeople({ site, facts, ehr, askPermission: parts.askPermission }, signal);
  if (verdict.kind === 'go') return undefined;
  if (verdict.kind === 'merged') return { status: 'again', facts: verdict.facts };
  if (verdict.kind === 'stop') return verdict.outcome;
  const run = { id: facts.run.id, time: facts.run.time };
  const reason = 'The encounter was cancelled or entered in error.';
  return retractPlace(settleParts, { site, lease, place, reason, run }, signal);
}

/** A patient who was merged meanwhile has another chart, and so another lease. */
async function writeForPatient(
  parts: WriteChartParts,
  devices: Devices,
  order: WriteOrder,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { site } = order;
  let { facts } = order;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const patient = `Patient/${facts.patient.id}`;
    const place = { site: site.name, encounter: facts.encounter.id ?? '', session: facts.session.key };
    const ehr = parts.ehrs.of(site);
    const settleParts = { ...parts, ehr };
    const leasedMs = parts.runtime.monotonicMs();
    const outcome = await holdLease(
      { ...parts, name: `${site.name}/${patient}` },
      (lease) =>
        writeOnce({ ...order, facts, parts, settleParts, ehr, lease, leasedMs, place, patient, devices }, signal),
      signal,
    );
    if (outcome.status !== 'again')
      return facts.patient.id === order.facts.patient.id ? outcome : { ...outcome, patient };
    facts = outcome.facts ?? facts;
  }
  return noStrategyLeft(site.name);
}

async function writeOnce(work: Work, signal: AbortSignal): Promise<Attempt> {
  const { parts, facts, place, patient } = work;
  const revisions = await parts.ledger.read(place);
  const { open } = summarizeSession(revisions);
  const isSameRun = open?.run.id === facts.run.id && open.kind === 'documents' && open.patient === patient;
  if (open !== undefined && isSameRun && canGoOn(open)) {
    const brought = (await askAgain(work, signal)) ?? (await goOn(work, { revisions, revision: open }, signal));
    // What was begun may be the draft, and its approval still to come.
    return brought.status === 'written' && facts.review !== undefined ? { status: 'again' } : brought;
  }
  const doubt = await resolveUncertainWrites(work, revisions, signal);
  if (doubt !== undefined) return parkedOutcome(work.site.name, doubt);
  return writeNext(work, revisions, signal);
}

/** One that was stopped right after it had failed is planned anew. */
function canGoOn({ writes }: Revision): boolean {
  return !writes.some(({ state }) => state === 'refused' || state === 'ambiguous');
}

async function writeNext(work: Work, before: readonly Revision[], signal: AbortSignal): Promise<Attempt> {
  const { parts, site, facts, mapped, place, lease, ehr } = work;
  const known = await whatIsKnown(work, signal);
  if (facts.run.status === 'preliminary' && !acceptedContent(known).takesDrafts) return heldAsDraft(site.name);
  const set = reuseOrMapChart(mapped, { site, facts, takesType: acceptedContent(known).takesType });
  if (set.documents.length === 0 && set.leftOut.length > 0) return noStrategyLeft(site.name);
  const devices = await ensureDevices(work, set, signal);
  if ('status' in devices) return devices;
  const revisions = devices.wereThere && isUntouched(work, before) ? before : await readAgain(work);
  const standing = summarizeSession(revisions);
  if (set.documents.length === 0 && standing.documents.size === 0)
    return isDraftKept(work) ? heldAsDraft(site.name) : nothingToWrite();
  const plan = planWrites({
    documents: set.documents.filter(({ document }) => document !== 'device'),
    ...(standing.documents.size === 0 ? { isUnchanged: () => false } : await makeComparison(work, known)),
    isApproved: facts.review !== undefined,
    run: facts.run.id,
    mayBeDropped: ({ type }) => !waitsForApproval(type, { write: site.settings.write, facts }),
    existing: standing,
    inChart: await readExisting(ehr, [...standing.documents.values(), ...standing.older], signal),
    canUpdate: (type) => known.capabilities.types.get(type)?.canUpdate ?? !known.capabilities.isKnown,
  });
  const invalid = plan.touched.length > 0 ? undefined : await checkPlan(work, plan, signal);
  if (invalid !== undefined) return invalid;
  // As late as can be: what was true a minute ago may not be any more. Also where nothing is to be written: what stands there may be
  // somebody else's by now.
  const stopped = await askAgain(work, signal);
  if (stopped !== undefined) return stopped;
  if (plan.touched.length > 0) return changedByPerson(site.name, plan);
  if (plan.writes.length === 0) return writtenOutcome(revisions, undefined, plan.left);
  const revision = await parts.ledger.freeze(lease, place, {
    kind: 'documents',
    patient: work.patient,
    run: { id: facts.run.id, time: facts.run.time },
    versions: versionsOf(facts),
    writes: plan.writes,
  });
  const learned = devices.wereThere ? known.facts : undefined;
  return bring(work, { revisions, revision, left: plan.left, devices: devices.revisions, learned }, signal);
}

/** Longer ago, a lease is renewed before it is used further. */
const FRESH_MS = 5_000;

/** A session that has nothing in the ledger, read just now, by whom alone may write to it. */
function isUntouched({ parts, leasedMs }: Work, revisions: readonly Revision[]): boolean {
  return revisions.length === 0 && parts.runtime.monotonicMs() - leasedMs < FRESH_MS;
}

/** Others may have been waited for, and doubts settled. */
async function readAgain({ parts, lease, place }: Work): Promise<readonly Revision[]> {
  await parts.ledger.renew(lease, LEASE_MS);
  return parts.ledger.read(place);
}

/** There is a note, and the site's mappings make nothing of one that nobody has approved. */
function isDraftKept({ site, facts }: Work): boolean {
  const hasNote = facts.note !== undefined && site.settings.write.note.length > 0;
  return hasNote && facts.run.status === 'preliminary';
}

/** Whoever began it knew what was to be left because a person had been there, and is gone. */
async function goOn(work: Work, { revisions, revision }: Bringing, signal: AbortSignal): Promise<Attempt> {
  const { documents } = summarizeSession(revisions);
  const changing = new Set(revision.writes.map(({ base }) => base.value));
  const others = [...documents.values()].filter(({ base }) => !changing.has(base.value));
  const left = leftByPersons(others, await readExisting(work.ehr, others, signal));
  return bring(work, { revisions, revision, left }, signal);
}

type Bringing = {
  readonly revisions: readonly Revision[];
  readonly revision: Revision;
  readonly left?: WritePlan['left'];
  /** Of the site, where they were read already. */
  readonly devices?: readonly Revision[] | undefined;
  /** Of the EHR, where nothing was written to it since. */
  readonly learned?: readonly EhrFact[] | undefined;
};

async function bring(
  work: Work,
  { revisions, revision, left = [], devices, learned: facts }: Bringing,
  signal: AbortSignal,
): Promise<Attempt> {
  const { parts, settleParts, site, lease } = work;
  const references = referencesOf(revisions, devices ?? (await parts.ledger.read(devicePlace(site.name))));
  const order = { site: site.name, lease, revision, references, facts };
  const settled = await deliverRevision(settleParts, order, signal);
  if (settled.kind === 'map-again') return { status: 'again' };
  if (settled.kind === 'parked') return parkedOutcome(site.name, settled);
  return writtenOutcome(revisions, settled.revision, left);
}

/** What the documents of a session may call: each other, and the site's Devices. */
function referencesOf(...places: readonly (readonly Revision[])[]): Map<string, string> {
  const documents = places.flatMap((revisions) => [...summarizeSession(revisions).documents.values()]);
  return new Map(documents.map(({ fullUrl, reference }) => [fullUrl, reference]));
}

type DevicesThere = { readonly wereThere: boolean; readonly revisions?: readonly Revision[] };

async function ensureDevices(
  work: Work,
  { documents }: ChartSet,
  signal: AbortSignal,
): Promise<Attempt | DevicesThere> {
  const { settleParts, site, facts } = work;
  const run = { id: facts.run.id, time: facts.run.time };
  let devices: DevicesThere = { wereThere: true };
  for (const device of documents.filter(({ document }) => document === 'device')) {
    const known = work.devices.get(site.name);
    const check = () => findUnfit(work, [device], signal);
    const order = { site: site.name, device, run, versions: versionsOf(facts), known, check };
    const ensured = await ensureDevice(settleParts, order, signal);
    if (ensured.kind === 'map-again') return { status: 'again' };
    if (ensured.kind === 'parked') return parkedOutcome(site.name, ensured);
    work.devices.set(site.name, ensured.revisions);
    devices = { wereThere: devices.wereThere && ensured.wasThere, revisions: ensured.revisions };
  }
  return devices;
}

/** Undefined: fit to leave. */
async function checkPlan(work: Work, plan: WritePlan, signal: AbortSignal): Promise<Attempt | undefined> {
  // What is retired is the EHR's own resource, and stays what it was.
  const ours = plan.writes.filter(({ action }) => action !== 'retire');
  const found = await findUnfit(
    work,
    ours.map(({ body, ...named }) => ({ ...named, resource: JSON.parse(body) })),
    signal,
  );
  return found && parkedOutcome(work.site.name, found);
}

type Leaving = Pick<MappedDocument, 'document' | 'fullUrl' | 'resource'>;

async function findUnfit(
  { parts }: Work,
  documents: readonly Leaving[],
  signal: AbortSignal,
): Promise<Parked | undefined> {
  if (documents.length === 0) return undefined;
  const resources = documents.map(({ resource }) => resource);
  const fullUrls = documents.map(({ fullUrl }) => fullUrl);
  const problems = await parts.check(resources, signal, { fullUrls, isPart: true });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  const said = errors.slice(0, 5).map(({ resource, element, message }) => {
    const document = documents[resource]?.document ?? 'document';
    return `${document}.yaml: ${element} ${message}`;
  });
  return invalidResources(said);
}

async function whatIsKnown({ parts, site, ehr }: Work, signal: AbortSignal): Promise<Known> {
  const capabilities = await ehr.capabilities(signal);
  return { capabilities, facts: await parts.knowledge.recall(site.name, capabilities.software) };
}

function versionsOf({ run }: ChartFacts): WriteVersions {
  const { engine, model, speech, prompt, mapping } = run;
  const named = ({ name, version }: { readonly name: string; readonly version?: string }) =>
    version === undefined ? name : `${name}@${version}`;
  return {
    engine: `${engine.name} ${engine.version}`,
    model: named(model),
    ...(speech && { speech: named(speech) }),
    ...(prompt !== undefined && { prompt }),
    ...(mapping !== undefined && { mapping }),
  };
}
