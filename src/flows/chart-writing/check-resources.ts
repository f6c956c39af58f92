// Whether the planned resources are valid FHIR, checked before anything is frozen.
import type { MappedDocument } from './map-documents.ts';
import type { Parked } from './track-delivery.ts';
import { invalidResources, parkedOutcome } from './write-outcome.ts';
import { type ChartWork, ended, type WriteState } from './write-states.ts';

export async function checkResources(
  work: ChartWork,
  { state: _, ...plan }: WriteState<'checkingResources'>,
  signal: AbortSignal,
): Promise<WriteState<'recheckingPeople' | 'ended'>> {
  // A retirement is the EHR's own resource with another status.
  const ours = plan.writes.filter(({ action }) => action !== 'retire');
  const resources = ours.map(({ document, fullUrl, body }) => ({ document, fullUrl, resource: JSON.parse(body) }));
  const invalid = await findInvalid(work, resources, signal);
  if (invalid !== undefined) return ended(parkedOutcome(work.site.name, invalid));
  return { state: 'recheckingPeople', nextState: { state: 'freezingRevision', ...plan } };
}

type CheckedDocument = Pick<MappedDocument, 'document' | 'fullUrl' | 'resource'>;

const MAX_PROBLEMS = 5;

/** Undefined if all are valid. */
export async function findInvalid(
  { parts }: ChartWork,
  documents: readonly CheckedDocument[],
  signal: AbortSignal,
): Promise<Parked | undefined> {
  if (documents.length === 0) return undefined;
  const resources = documents.map(({ resource }) => resource);
  const fullUrls = documents.map(({ fullUrl }) => fullUrl);
  const problems = await parts.check(resources, signal, { fullUrls, isPart: true });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  const lines = errors.slice(0, MAX_PROBLEMS).map(({ resource, element, message }) => {
    const document = documents[resource]?.document ?? 'document';
    return `${document}.yaml: ${element} ${message}`;
  });
  return invalidResources(lines);
}
