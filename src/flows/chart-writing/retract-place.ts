// Takes back what of a session stands in its chart: what nobody signed or changed is set entered-in-error, and a Provenance says so.
// What a person made their own stays, and is named. Whoever calls it holds the chart's lease.
import type { Revision, WriteOutcome, WritePlace } from '../../domain/chart/chart-write.ts';
import { devicePlace, type SessionSummary, summarizeSession } from '../../domain/chart/existing-documents.ts';
import { planCreate } from '../../domain/chart/planned-writes.ts';
import { RETRACTION_DOCUMENT, retractionRecord } from '../../domain/chart/retraction.ts';
import { retireStep } from '../../domain/chart/write-plan.ts';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import type { Lease } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { deliverRevision } from './deliver-revision.ts';
import { readExisting } from './read-existing.ts';
import { resolveUncertainWrites } from './resolve-uncertain-writes.ts';
import type { DeliveryParts, Parked } from './track-delivery.ts';
import { parkedOutcome, retractByHand, retractedOutcome } from './write-outcome.ts';

export type RetractOrder = {
  readonly site: LoadedSite;
  readonly lease: Lease;
  readonly place: WritePlace;
  /** For the Provenance: why, in plain words without anything of the patient's. */
  readonly reason: string;
  readonly run: Revision['run'];
};

export async function retractPlace(
  parts: DeliveryParts,
  order: RetractOrder,
  signal: AbortSignal,
): Promise<WriteOutcome> {
  const { site, lease, place } = order;
  const before = await parts.ledger.read(place);
  const { open } = summarizeSession(before);
  const begun = open?.kind === 'retraction' ? open : undefined;
  if (begun === undefined) {
    const doubt = await resolveUncertainWrites({ settleParts: parts, site, lease }, before, signal);
    if (doubt !== undefined) return parkedOutcome(site.name, doubt);
  }
  const { revision, left } = begun ? { revision: begun, left: [] } : await plan(parts, order, signal);
  if (revision === undefined) return left.length > 0 ? retractByHand(site.name, left) : retractedOutcome(undefined, []);
  const settled = await deliverRevision(parts, { site: site.name, lease, revision, references: new Map() }, signal);
  if (settled.kind === 'parked') return parkedOutcome(site.name, withLeft(settled, left));
  // The EHR took no Provenance after all: what it was about is retired all the same.
  if (settled.kind === 'map-again') return retractPlace(parts, order, signal);
  const outcome = retractedOutcome(settled.revision, left);
  if (begun !== undefined) {
    // Whoever began it knew what was to be left, and is gone.
    const rest = await retractPlace(parts, order, signal);
    return rest.status === 'retracted' ? { ...rest, resources: [...outcome.resources, ...rest.resources] } : rest;
  }
  return outcome.left.length > 0 ? retractByHand(site.name, outcome.left) : outcome;
}

/** Whoever goes and takes back by hand what the EHR keeps, takes back the rest, too. */
function withLeft(settled: Parked, left: Planned['left']): Parked {
  if (settled.reason !== 'retract-by-hand') return settled;
  return { ...settled, references: [...settled.references, ...left.map(({ reference }) => reference)] };
}

type Planned = { readonly revision?: Revision; readonly left: ReturnType<typeof retractedOutcome>['left'] };

async function plan(parts: DeliveryParts, order: RetractOrder, signal: AbortSignal): Promise<Planned> {
  const { ehr, ledger, knowledge } = parts;
  const { site, lease, place, reason, run } = order;
  const revisions = await ledger.read(place);
  const last = revisions.at(-1);
  const existing = summarizeSession(revisions);
  const documents = [...existing.documents.values(), ...existing.older].filter(({ type }) => type !== 'Provenance');
  if (last === undefined || documents.length === 0) return { left: [] };
  const capabilities = await ehr.capabilities(signal);
  const facts = await knowledge.recall(site.name, capabilities.software);
  const inChart = await readExisting(ehr, documents, signal);
  const canUpdate = (type: string) => capabilities.types.get(type)?.canUpdate ?? !capabilities.isKnown;
  const steps = documents.map((document) => retireStep(document, { inChart, canUpdate }));
  const left = steps.flatMap((step) => (step.left ? [step.left] : []));
  const retirements = steps.flatMap(({ writes }) => writes);
  if (retirements.length === 0) return { left };
  const targets = retirements.map(({ target = '' }) => target);
  const device = await deviceReference(parts, site.name);
  const record = retractionRecord({ place, targets, time: run.time, reason, device });
  const wantsRecord = acceptedContent({ capabilities, facts }).takesType('Provenance');
  const writes = [...(wantsRecord ? [recordWrite(record, existing)] : []), ...retirements];
  const { patient, versions } = last;
  const revision = await ledger.freeze(lease, place, { kind: 'retraction', patient, run, versions, writes });
  return { revision, left };
}

function recordWrite(record: ReturnType<typeof retractionRecord>, existing: SessionSummary) {
  return planCreate({ document: RETRACTION_DOCUMENT, ...record }, { existing });
}

/** Any of the site's: the newest. */
async function deviceReference({ ledger }: DeliveryParts, site: string): Promise<string | undefined> {
  const { documents } = summarizeSession(await ledger.read(devicePlace(site)));
  return [...documents.values()].at(-1)?.reference;
}
