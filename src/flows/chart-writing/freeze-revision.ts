// Freezes the planned writes as the next revision, and brings a frozen revision into the chart.
import { writeVersions } from '../../domain/chart/chart-write.ts';
import { devicePlace, summarizeSession } from '../../domain/chart/existing-documents.ts';
import { deliverRevision } from './deliver-revision.ts';
import { parkedOutcome, writtenOutcome } from './write-outcome.ts';
import { type ChartWork, ended, type WriteState } from './write-states.ts';

export async function freezeRevision(
  { parts, facts, lease, place, patient }: ChartWork,
  { revisions, writes, left, devices, learned, found }: WriteState<'freezingRevision'>,
): Promise<WriteState<'deliveringRevision'>> {
  const { id, time } = facts.run;
  const revision = await parts.ledger.freeze(lease, place, {
    kind: 'documents',
    patient,
    run: { id, time },
    versions: writeVersions(facts.run),
    writes,
  });
  return { state: 'deliveringRevision', revisions, revision, left, isResumed: false, devices, learned, found };
}

export async function deliver(
  { parts, site, facts, lease }: ChartWork,
  { revisions, revision, left, isResumed, devices, learned, found }: WriteState<'deliveringRevision'>,
  signal: AbortSignal,
): Promise<WriteState<'ended' | 'startingOver'>> {
  const ofSite = devices ?? (await parts.ledger.read(devicePlace(site.name)));
  // The documents of a session refer to each other and to the site's Devices.
  const known = [revisions, ofSite].flatMap((each) => [...summarizeSession(each).documents.values()]);
  const references = new Map(known.map(({ fullUrl, reference }) => [fullUrl, reference]));
  const order = { site: site.name, lease, revision, references, facts: learned, before: found, isLast: true };
  const result = await deliverRevision(parts, order, signal);
  if (result.kind === 'map-again') return { state: 'startingOver' };
  if (result.kind === 'parked') return ended(parkedOutcome(site.name, result));
  // An earlier try may have frozen the draft, and the approval is still to be written.
  if (isResumed && facts.review !== undefined) return { state: 'startingOver' };
  return ended(writtenOutcome(revisions, result.revision, left));
}
