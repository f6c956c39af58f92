// Retracts a session's documents from its chart: those that no person has signed or changed are set entered-in-error, and a Provenance
// records it. The others stay, and the outcome names them. The caller must hold the chart's lease.
import type { LeftDocument, Revision, WriteOutcome, WritePlace } from '../../domain/chart/chart-write.ts';
import { canUpdate } from '../../domain/chart/ehr-capabilities.ts';
import { devicePlace, summarizeSession } from '../../domain/chart/existing-documents.ts';
import { planCreate } from '../../domain/chart/planned-writes.ts';
import { RETRACTION_DOCUMENT, retractionRecord } from '../../domain/chart/retraction.ts';
import { retireStep } from '../../domain/chart/write-plan.ts';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import type { Lease } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { deliverRevision } from './deliver-revision.ts';
import { readExisting } from './read-existing.ts';
import { resolveUncertainWrites } from './resolve-uncertain-writes.ts';
import { type DeliveryParts, type Parked, recallProfile } from './track-delivery.ts';
import { parkedOutcome, retractByHand, retractedOutcome } from './write-outcome.ts';

export type RetractOrder = {
  readonly site: LoadedSite;
  readonly lease: Lease;
  readonly place: WritePlace;
  /** The reason in the Provenance: plain words without any patient data. */
  readonly reason: string;
  readonly run: Revision['run'];
  /** The newest revision of documents that the caller knows: if there is a newer one by now, nothing is retracted. */
  readonly upTo?: number;
};

export async function retractPlace(
  parts: DeliveryParts,
  order: RetractOrder,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { site, lease, place, upTo } = order;
  const revisions = await parts.ledger.read(place);
  const newest = revisions.findLast(({ kind }) => kind === 'documents')?.number ?? 0;
  if (upTo !== undefined && newest > upTo) return retractedOutcome(undefined, []);
  const { open } = summarizeSession(revisions);
  if (open?.kind === 'retraction') return resumeRetraction(parts, { ...order, revision: open }, signal);
  const unresolved = await resolveUncertainWrites({ parts, site, lease }, revisions, signal);
  if (unresolved !== undefined) return parkedOutcome(site.name, unresolved);
  const { revision, left } = await planRetraction(parts, order, signal);
  if (revision === undefined) return left.length > 0 ? retractByHand(site.name, left) : retractedOutcome(undefined, []);
  const outcome = await deliverRetraction(parts, { ...order, revision, left }, signal);
  if (outcome === undefined) return retractPlace(parts, order, signal);
  return outcome.status === 'retracted' && outcome.left.length > 0 ? retractByHand(site.name, outcome.left) : outcome;
}

/** The process that began it knew which documents were to be left, and is gone: what remains is planned again. */
async function resumeRetraction(
  parts: DeliveryParts,
  order: RetractOrder & { readonly revision: Revision },
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const outcome = await deliverRetraction(parts, { ...order, left: [] }, signal);
  if (outcome?.status === 'parked') return outcome;
  const rest = await retractPlace(parts, order, signal);
  if (outcome === undefined || rest.status !== 'retracted') return rest;
  return { ...rest, resources: [...outcome.resources, ...rest.resources] };
}

type RetractionOutcome = Extract<WriteOutcome, { readonly status: 'parked' | 'retracted' }>;
type PlannedRetraction = { readonly revision?: Revision; readonly left: readonly LeftDocument[] };

/** Undefined: the EHR refused the Provenance, and the documents are to be retired without it. */
async function deliverRetraction(
  parts: DeliveryParts,
  { site, lease, revision, left }: RetractOrder & Required<PlannedRetraction>,
  signal: AbortSignal,
): Promise<RetractionOutcome | undefined> {
  const result = await deliverRevision(parts, { site: site.name, lease, revision, references: new Map() }, signal);
  if (result.kind === 'parked') return parkedRetraction(site.name, { result, revision, left });
  return result.kind === 'map-again' ? undefined : retractedOutcome(result.revision, left);
}

type RefusedRetraction = Required<PlannedRetraction> & { readonly result: Parked };

/** The person who retracts by hand what the EHR refused to change retracts the documents that were left, too. */
function parkedRetraction(site: string, { result, revision, left }: RefusedRetraction): RetractionOutcome {
  if (result.reason !== 'retract-by-hand') return parkedOutcome(site, result);
  const refused = revision.writes.flatMap(({ document, target }): readonly LeftDocument[] =>
    target !== undefined && result.references.includes(target)
      ? [{ document, reference: target, why: 'unchangeable' }]
      : [],
  );
  const all = [...refused, ...left];
  const references = [...new Set([...result.references, ...all.map(({ reference }) => reference)])];
  return { ...parkedOutcome(site, { ...result, references }), left: all };
}

async function planRetraction(
  parts: DeliveryParts,
  { site, lease, place, reason, run }: RetractOrder,
  signal: AbortSignal,
): Promise<PlannedRetraction> {
  const { ehr, ledger } = parts;
  const revisions = await ledger.read(place);
  const last = revisions.at(-1);
  const existing = summarizeSession(revisions);
  const documents = [...existing.documents.values(), ...existing.older].filter(({ type }) => type !== 'Provenance');
  if (last === undefined || documents.length === 0) return { left: [] };
  const profile = await recallProfile(parts, site.name, signal);
  const inChart = await readExisting(ehr, documents, signal);
  const steps = documents.map((document) =>
    retireStep(document, { inChart, canUpdate: (type) => canUpdate(profile.capabilities, type) }),
  );
  const left = steps.flatMap((step) => (step.left ? [step.left] : []));
  const retirements = steps.flatMap(({ writes }) => writes);
  if (retirements.length === 0) return { left };
  const targets = retirements.map(({ target = '' }) => target);
  const device = await newestDevice(parts, site.name);
  const record = retractionRecord({ place, targets, time: run.time, reason, device });
  const acceptsRecord = acceptedContent(profile).takesType('Provenance');
  const records = acceptsRecord ? [planCreate({ document: RETRACTION_DOCUMENT, ...record }, { existing })] : [];
  const { patient, versions } = last;
  const writes = [...records, ...retirements];
  return { revision: await ledger.freeze(lease, place, { kind: 'retraction', patient, run, versions, writes }), left };
}

/** The Provenance names one Device of the site as its author. */
async function newestDevice({ ledger }: DeliveryParts, site: string): Promise<string | undefined> {
  const { documents } = summarizeSession(await ledger.read(devicePlace(site)));
  return [...documents.values()].at(-1)?.reference;
}
