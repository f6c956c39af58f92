// Selects the recordings of one encounter from a chart, in the order in which they were made. Recordings of other patients, documents of the
// engine and duplicates are left out; omissions that a person may not expect are reported.
import type {
  Attachment,
  DocumentReference,
  DocumentReferenceRelatesTo,
  Encounter,
  Media,
  Patient,
  Resource,
} from '@medplum/fhirtypes';
import { confidentialityOf, higherOf } from '../chart/confidentiality.ts';
import { AI_LABEL } from '../chart/stamp.ts';
import { bestOf, bytesOf, contentKeys, faultsOf, hasTwoOfOneType, isAudio, sizeOf } from './recording-attachment.ts';
import { addressOf, listOf, literalOf, ownerMismatch, textOf } from './recording-owner.ts';
import type { RecordingSource } from './recording-source.ts';

export const MAX_RECORDINGS = 50;

export type ChartParts = {
  /** As the EHR returned them, possibly with unrelated resources and duplicates. */
  readonly resources: readonly (DocumentReference | Media)[];
  readonly encounter: Encounter;
  readonly patient: Patient;
  /** The address of the EHR: a reference with another address is another patient with the same id. */
  readonly baseUrl: string;
  /** A dateTime in milliseconds, or undefined. Times without an offset are in the time zone of the site. */
  readonly timeOf: (dateTime: string) => number | undefined;
};

export type RecordingsOfChart = {
  readonly sources: readonly RecordingSource[];
  /** In plain words, without patient data. */
  readonly omissions: readonly string[];
};

type Candidate = {
  readonly source: RecordingSource;
  readonly time: number | undefined;
  /** Candidates that share a key are the same recording. */
  readonly keys: readonly string[];
  readonly faults: number;
};

const LEFT_OUT = {
  otherPatient: 'they belong to another patient',
  otherAddress: 'their patient or encounter is on another server',
  unnamed: 'they have no valid id',
  unfinished: 'they are not finished',
  noBytes: 'they have neither data nor a link',
  sameFormat: 'a document has several of one format, and only one recording of a document is used',
  double: 'they are duplicates',
  tooMany: `there are more than ${MAX_RECORDINGS}`,
} as const;
type Reason = keyof typeof LEFT_OUT;
type LeaveOut = (reason: Reason, count?: number) => void;

export function recordingsOfChart(parts: ChartParts): RecordingsOfChart {
  const counts = new Map<Reason, number>();
  const leaveOut: LeaveOut = (reason, count = 1) => {
    if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count);
  };
  const current = withoutReplaced(uniqueOf(parts.resources).filter(isCurrent), parts.baseUrl);
  const candidates = current.flatMap((resource) => candidatesOf(resource, parts, leaveOut));
  const distinct = mergeDoubles(candidates, leaveOut).toSorted(byTime);
  leaveOut('tooMany', distinct.length - MAX_RECORDINGS);
  return {
    sources: distinct.slice(0, MAX_RECORDINGS).map(({ source }) => source),
    omissions: [...counts].map(([reason, count]) => `Recordings left out because ${LEFT_OUT[reason]}: ${count}`),
  };
}

/** A search over several pages may return a resource twice. */
function uniqueOf(resources: ChartParts['resources']): ChartParts['resources'] {
  const seen = new Set<string>();
  return resources.filter(({ resourceType, id }) => {
    const name = `${resourceType}/${id}`;
    return id === undefined || (!seen.has(name) && seen.add(name));
  });
}

/** False for resources that were retracted or superseded, or that the engine wrote. */
function isCurrent(resource: DocumentReference | Media): boolean {
  if (isOurs(resource)) return false;
  if (resource.resourceType === 'Media') return !['entered-in-error', 'not-done'].includes(resource.status);
  if (resource.resourceType !== 'DocumentReference' || resource.docStatus === 'entered-in-error') return false;
  return !['entered-in-error', 'superseded'].includes(resource.status);
}

function isOurs({ identifier, meta }: DocumentReference | Media): boolean {
  const names = [...listOf(identifier), ...listOf(meta?.tag)];
  return (
    names.some(({ system }) => textOf(system)?.startsWith('urn:chartwright:')) ||
    listOf(meta?.security).some(({ system, code }) => system === AI_LABEL.system && code === AI_LABEL.code)
  );
}

/** Some servers leave a replaced document as current. */
function withoutReplaced(resources: ChartParts['resources'], baseUrl: string): ChartParts['resources'] {
  const addressOfResource = (resource: Resource) => addressOf(`${resource.resourceType}/${resource.id}`, baseUrl);
  const gone = new Set<string>();
  for (const resource of resources) {
    for (const { code, target } of relationsOf(resource)) {
      const address = addressOf(literalOf(target) ?? '', baseUrl);
      if (code === 'replaces' && address !== addressOfResource(resource)) gone.add(address);
    }
  }
  return resources.filter((resource) => !gone.has(addressOfResource(resource)));
}

function relationsOf(resource: DocumentReference | Media): readonly DocumentReferenceRelatesTo[] {
  return resource.resourceType === 'DocumentReference' ? listOf(resource.relatesTo) : [];
}

/** Keys of the resource itself, and of the resources of which it is a transcoded copy. */
function resourceKeys(resource: DocumentReference | Media, baseUrl: string): readonly string[] {
  const originals = relationsOf(resource).filter(({ code }) => code === 'transforms');
  const names = [
    `${resource.resourceType}/${resource.id}`,
    ...originals.flatMap(({ target }) => literalOf(target) ?? []),
  ];
  return names.map((name) => `resource ${addressOf(name, baseUrl)}`);
}

function candidatesOf(
  resource: DocumentReference | Media,
  parts: ChartParts,
  leaveOut: LeaveOut,
): readonly Candidate[] {
  const audio = attachmentsOf(resource).filter((attachment) => isAudio(attachment, isSound(resource)));
  if (audio.length === 0) return [];
  const reason = ownerMismatch(resource, parts) ?? shapeProblem(resource);
  if (reason === 'otherEncounter') return [];
  const attachment = bestOf(audio.filter((one) => bytesOf(one) !== undefined));
  const bytes = attachment && bytesOf(attachment);
  if (reason !== undefined || attachment === undefined || bytes === undefined) {
    leaveOut(reason ?? 'noBytes');
    return [];
  }
  if (hasTwoOfOneType(audio, parts.baseUrl)) leaveOut('sameFormat');
  const sizeBytes = sizeOf(attachment);
  const source: RecordingSource = {
    reference: `${resource.resourceType}/${resource.id}`,
    contentType: textOf(attachment.contentType) ?? '',
    bytes,
    ...(sizeBytes !== undefined && { sizeBytes }),
    ...spanOf(resource, attachment),
    ...labelled(confidentialityOf(resource)),
  };
  const time = timesOf(resource, source).map(parts.timeOf).find(isKnown);
  const keys = [...resourceKeys(resource, parts.baseUrl), ...contentKeys(attachment, parts.baseUrl)];
  return [{ source, time, keys, faults: faultsOf(attachment) }];
}

function labelled(confidentiality: RecordingSource['confidentiality']): Pick<RecordingSource, 'confidentiality'> {
  return confidentiality === undefined ? {} : { confidentiality };
}

function attachmentsOf(resource: DocumentReference | Media): readonly Attachment[] {
  if (resource.resourceType === 'Media') return listOf([resource.content]);
  return listOf(listOf(resource.content).map(({ attachment }) => attachment));
}

function isSound(resource: DocumentReference | Media): boolean {
  return resource.resourceType === 'Media' && listOf(resource.type?.coding).some(({ code }) => code === 'audio');
}

function shapeProblem(resource: DocumentReference | Media): Reason | undefined {
  if (!/^[A-Za-z0-9.-]{1,64}$/.test(resource.id ?? '')) return 'unnamed';
  const isUnfinished =
    resource.resourceType === 'Media' && ['preparation', 'in-progress', 'on-hold'].includes(resource.status);
  return isUnfinished ? 'unfinished' : undefined;
}

type Span = Pick<RecordingSource, 'start' | 'end' | 'durationSeconds'>;

function spanOf(resource: DocumentReference | Media, { creation }: Attachment): Span {
  const isMedia = resource.resourceType === 'Media';
  const period = isMedia ? resource.createdPeriod : resource.context?.period;
  const start = (isMedia && textOf(resource.createdDateTime)) || textOf(period?.start) || textOf(creation);
  const end = textOf(period?.end);
  const duration = isMedia ? resource.duration : undefined;
  const isDuration = typeof duration === 'number' && Number.isFinite(duration) && duration > 0;
  return {
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(isDuration && { durationSeconds: duration }),
  };
}

/** The best time first. The last ones say only when the resource was stored, which is enough to put two recordings in order. */
function timesOf(resource: DocumentReference | Media, { start }: RecordingSource): readonly string[] {
  const entered = resource.resourceType === 'Media' ? resource.issued : resource.date;
  return [start, entered, resource.meta?.lastUpdated].flatMap((time) => textOf(time) ?? []);
}

/**
 * The choice between two duplicates must not depend on times that may change, because the key of the session contains the reference. Details
 * that only the other duplicate has are kept.
 */
function mergeDoubles(candidates: readonly Candidate[], leaveOut: LeaveOut): readonly Candidate[] {
  const distinct: Candidate[] = [];
  const byKey = new Map<string, number>();
  const bestFirst = candidates.toSorted((one, other) => one.faults - other.faults || byReference(one, other));
  for (const candidate of bestFirst) {
    const index = Math.min(distinct.length, ...candidate.keys.flatMap((key) => byKey.get(key) ?? []));
    for (const key of candidate.keys) byKey.set(key, Math.min(index, byKey.get(key) ?? index));
    const kept = distinct[index];
    if (kept === undefined) distinct.push(candidate);
    else {
      leaveOut('double');
      const label = higherOf(kept.source.confidentiality, candidate.source.confidentiality);
      const source = { ...candidate.source, ...kept.source, ...labelled(label) };
      const isTimedByOther = source.start !== kept.source.start;
      const time = isTimedByOther ? candidate.time : (kept.time ?? candidate.time);
      distinct[index] = { ...kept, source, time };
    }
  }
  return distinct;
}

function byReference({ source: one }: Candidate, { source: other }: Candidate): number {
  return one.reference < other.reference ? -1 : one.reference > other.reference ? 1 : 0;
}

/** Recordings without a time come last. */
function byTime(one: Candidate, other: Candidate): number {
  if (one.time === other.time) return byReference(one, other);
  return (one.time ?? Number.POSITIVE_INFINITY) - (other.time ?? Number.POSITIVE_INFINITY);
}

function isKnown(time: number | undefined): time is number {
  return time !== undefined;
}
