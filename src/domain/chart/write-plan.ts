// Plans the writes of a new result for a chart that may hold an earlier one. Clinical content never changes in place: documents get
// versions, statements are retired and made again, and what a person has changed or signed stays as it is. If a clinician only approved the
// earlier result, all of it gets a further version.
import type { ResourceType } from '@medplum/fhirtypes';
import type { LeftDocument, PlannedWrite } from './chart-write.ts';
import type { ExistingDocument, SessionSummary } from './existing-documents.ts';
import {
  asRetired,
  isRetired,
  isSigned,
  matchesBodyExactly,
  matchesBodyUnsigned,
  patientOf,
} from './existing-resource.ts';
import { freezeResource, referencesIn } from './frozen-body.ts';
import { type DocumentToWrite, type ExistingResource, planCreate, planUpdate, relatedTo } from './planned-writes.ts';
import { carriesIdentity } from './stamp.ts';

export type PlanParts = {
  readonly documents: readonly DocumentToWrite[];
  /** Whether the new document equals the existing one except for the time when it was made. */
  readonly isUnchanged: (document: DocumentToWrite, existing: ExistingDocument) => boolean;
  /** Whether the only difference is that a clinician approved the existing document. */
  readonly isApproval?: (document: DocumentToWrite, existing: ExistingDocument) => boolean;
  /** A clinician approved the new result, so it may replace one that was approved before. */
  readonly isApproved?: boolean;
  /** The id of the run whose results they are. */
  readonly run?: string;
  /** For a document that the new result lacks: false if it waits for an approval that the earlier one had. */
  readonly mayBeDropped?: (existing: ExistingDocument) => boolean;
  readonly existing: SessionSummary;
  /** By reference: each of `existing.documents` and `existing.older`. */
  readonly inChart: ReadonlyMap<string, ExistingResource>;
  readonly canUpdate: (type: ResourceType) => boolean;
};

export type WritePlan = {
  /** New resources first, each after those that it refers to; then changes of existing ones. */
  readonly writes: readonly PlannedWrite[];
  readonly unchanged: readonly ExistingDocument[];
  readonly left: readonly LeftDocument[];
  /** Documents that a person changed, so that a new version would overwrite them: nothing may be written. */
  readonly touched: readonly LeftDocument[];
};

const DOCUMENT_TYPES = new Set<string>(['Composition', 'DocumentReference', 'DiagnosticReport']);
/** Work items and messages: a further version of them makes no other clinical statement. */
const WORK_TYPES = new Set<string>(['Task', 'Communication']);
const RECORD_TYPES = new Set<string>(['Provenance', 'AuditEvent']);

type Step = {
  readonly writes: readonly PlannedWrite[];
  readonly unchanged?: ExistingDocument;
  readonly left?: LeftDocument;
  readonly touched?: LeftDocument;
};

export function planWrites(parts: PlanParts): WritePlan {
  const renewed = new Set<string>();
  const isUnchanged: PlanParts['isUnchanged'] = (document, existing) =>
    parts.isUnchanged(document, existing) && !referencesIn(document.resource).some((urn) => renewed.has(urn));
  // A document that refers to a statement made again would refer to the retired one: it changes, too, and so on.
  for (;;) {
    const plan = planOnce({ ...parts, isUnchanged });
    const others = renewedStatements(plan).filter((urn) => !renewed.has(urn));
    if (others.length === 0) return plan;
    for (const urn of others) renewed.add(urn);
  }
}

function renewedStatements({ writes }: WritePlan): readonly string[] {
  const gone = new Set(writes.filter(({ action }) => action === 'retire').map(({ fullUrl }) => fullUrl));
  return writes.flatMap(({ action, fullUrl }) => (action === 'create' && gone.has(fullUrl) ? [fullUrl] : []));
}

function planOnce(parts: PlanParts): WritePlan {
  const { documents, existing } = parts;
  const steps = documents
    .filter(({ resource }) => !RECORD_TYPES.has(resource.resourceType))
    .map((document) => stepFor(document, parts));
  const wanted = new Set(documents.map(({ identity }) => identity.value));
  const dropped = [...existing.documents.values()].filter(
    ({ base, type, document }) => !wanted.has(base.value) && !RECORD_TYPES.has(type) && document !== 'device',
  );
  // Documents and records stay beside their further versions; of statements only one may be valid.
  const overdue = existing.older.filter(({ type }) => !DOCUMENT_TYPES.has(type) && !RECORD_TYPES.has(type));
  const all = [
    ...steps,
    ...dropped.map((gone) => dropStep(gone, parts)),
    ...overdue.map((gone) => retireStep(gone, parts)),
  ];
  const isChanged = all.some(({ writes }) => writes.length > 0);
  // If the last type of a set was refused, everything except its record is in the chart already.
  const isDue = ({ identity }: DocumentToWrite) => isChanged || !existing.documents.has(identity.value);
  const records = documents.filter((each) => RECORD_TYPES.has(each.resource.resourceType) && isDue(each));
  const writes = [...all.flatMap((step) => step.writes), ...records.map((record) => planCreate(record, parts))];
  const given = <T>(values: readonly (T | undefined)[]) =>
    values.filter((value): value is T & {} => value !== undefined);
  return {
    writes: [
      ...inOrder(writes.filter(({ action }) => action === 'create')),
      ...writes.filter(({ action }) => action !== 'create'),
    ],
    unchanged: given(all.map((step) => step.unchanged)),
    left: given(all.map((step) => step.left)),
    touched: given(all.map((step) => step.touched)),
  };
}

/** Sorts each after those that it refers to, as far as possible; the order stays otherwise. */
function inOrder(creates: readonly PlannedWrite[]): readonly PlannedWrite[] {
  const ordered: PlannedWrite[] = [];
  for (let left = creates; left.length > 0; ) {
    const waiting = new Set(left.map(({ fullUrl }) => fullUrl));
    const isFree = ({ body, fullUrl }: PlannedWrite) =>
      referencesIn(JSON.parse(body)).every((urn) => urn === fullUrl || !waiting.has(urn));
    const next = left.find(isFree) ?? left[0];
    if (next === undefined) break;
    ordered.push(next);
    left = left.filter((each) => each !== next);
  }
  return ordered;
}

function stepFor(document: DocumentToWrite, parts: PlanParts): Step {
  const existing = parts.existing.documents.get(document.identity.value);
  if (existing === undefined) return { writes: [planCreate(document, parts)] };
  const now = parts.inChart.get(existing.reference);
  const left = (why: LeftDocument['why']) => ({ document: existing.document, reference: existing.reference, why });
  // A person removed it, so it is not written again.
  if (now === undefined || isRetired(now.resource)) return { writes: [], left: left('touched') };
  const { resourceType } = document.resource;
  if (isForeign(existing, now)) {
    return { writes: [], [DOCUMENT_TYPES.has(resourceType) ? 'touched' : 'left']: left('touched') };
  }
  const isEarlier = parts.run !== undefined && existing.run.id !== parts.run;
  const isOver = isEarlier && WORK_TYPES.has(resourceType) && isTouched(existing, now);
  // A person's answer to a work item of an earlier run does not apply to this run.
  if (isOver) return { writes: [], left: left('touched') };
  if (parts.isUnchanged(document, existing)) return { writes: [], unchanged: existing };
  if (DOCUMENT_TYPES.has(resourceType)) return documentStep(document, existing, parts);
  if (isTouched(existing, now)) return { writes: [], left: left('touched') };
  // The content is the same; a clinician answers for it now.
  if (parts.isApproval?.(document, existing) === true && parts.canUpdate(resourceType)) {
    return { writes: [planUpdate(document, existing, now)] };
  }
  if (isSignedForGood(existing, now, parts)) return { writes: [], left: left('signed') };
  if (WORK_TYPES.has(resourceType)) {
    return parts.canUpdate(resourceType)
      ? { writes: [planUpdate(document, existing, now)] }
      : { writes: [], left: left('unchangeable') };
  }
  const { writes: retirement, left: leftBehind } = retireStep(existing, parts);
  // Two statements side by side are worse than the old one alone.
  if (leftBehind !== undefined) return { writes: [], left: leftBehind };
  return { writes: [planCreate(document, parts), ...retirement] };
}

function documentStep(document: DocumentToWrite, existing: ExistingDocument, parts: PlanParts): Step {
  const now = parts.inChart.get(existing.reference);
  if (now === undefined) return { writes: [] };
  const { document: name, reference } = existing;
  const touched: Step = { writes: [], touched: { document: name, reference, why: 'touched' } };
  if (isSigned(now.resource)) {
    // The engine's words are not signed beside those that a person has signed, and perhaps corrected, in the EHR.
    if (isSigned(document.resource) && isTouched(existing, now)) {
      const isApproval = parts.isApproval?.(document, existing) === true;
      return isApproval ? { writes: [], left: { document: name, reference, why: 'signed' } } : touched;
    }
    return { writes: [planCreate(relatedTo(document, existing, 'appends'), parts)] };
  }
  if (isTouched(existing, now)) return touched;
  if (parts.canUpdate(existing.type)) return { writes: [planUpdate(document, existing, now)] };
  return { writes: [planCreate(relatedTo(document, existing, 'replaces'), parts)] };
}

/** For an existing document that the new result lacks. */
function dropStep(existing: ExistingDocument, parts: PlanParts): Step {
  const { document, reference } = existing;
  if (parts.mayBeDropped?.(existing) === false) return { writes: [], left: { document, reference, why: 'signed' } };
  return retireStep(existing, parts);
}

/** For a document that is no longer valid: the new result lacks it, or a new one replaces it. */
export function retireStep(
  existing: ExistingDocument,
  parts: Pick<PlanParts, 'inChart' | 'canUpdate' | 'isApproved'>,
): Step {
  const now = parts.inChart.get(existing.reference);
  if (now === undefined || isRetired(now.resource)) return { writes: [] };
  const left = (why: LeftDocument['why']): Step => ({
    writes: [],
    left: { document: existing.document, reference: existing.reference, why },
  });
  if (isForeign(existing, now)) return left('touched');
  if (isSignedForGood(existing, now, parts)) return left('signed');
  if (isTouched(existing, now) && !isMovedAlong(existing, now)) return left('touched');
  const body = asRetired(now.resource);
  if (body === undefined || !parts.canUpdate(existing.type)) return left('unchangeable');
  const { document, type, base, identity, fullUrl, reference } = existing;
  const write = { document, action: 'retire' as const, type, base, identity, fullUrl, body: freezeResource(body) };
  return { writes: [{ ...write, target: reference, ...(now.version !== undefined && { ifMatch: now.version }) }] };
}

/** Signed by a person in the EHR, or by an approval that the engine wrote; a later approval may replace the latter. */
function isSignedForGood(
  { type }: ExistingDocument,
  { resource }: NonNullable<ExistingResource>,
  { isApproved = false }: Pick<PlanParts, 'isApproved'>,
): boolean {
  return isSigned(resource) && (DOCUMENT_TYPES.has(type) || !isApproved);
}

/** Existing documents that a person has changed or removed since they were written. */
export function changedByPersons(
  documents: readonly ExistingDocument[],
  inChart: PlanParts['inChart'],
): readonly LeftDocument[] {
  return documents.flatMap((existing) => {
    const now = inChart.get(existing.reference);
    if (RECORD_TYPES.has(existing.type)) return [];
    if (now !== undefined && !isRetired(now.resource) && !isTouched(existing, now)) return [];
    return [{ document: existing.document, reference: existing.reference, why: 'touched' as const }];
  });
}

/**
 * Whether it is another resource than the written one. An EHR that was restored from an older copy assigns the same ids and versions
 * again. Some EHRs drop identities: there, one of the same patient with another version is one that a person changed.
 */
function isForeign({ identity, body, version }: ExistingDocument, now: NonNullable<ExistingResource>): boolean {
  if (carriesIdentity(now.resource, identity) || matchesBodyUnsigned(body, now.resource)) return false;
  return version === now.version || patientOf(now.resource) !== patientOf(JSON.parse(body));
}

/** An EHR that moves an encounter to another patient may move its documents, and changes nothing else of them. */
function isMovedAlong({ body }: ExistingDocument, { resource }: NonNullable<ExistingResource>): boolean {
  return patientOf(resource) !== patientOf(JSON.parse(body)) && matchesBodyExactly(body, resource);
}

/** Compares the version; on a server without versions, the content. */
function isTouched(existing: ExistingDocument, now: NonNullable<ExistingResource>): boolean {
  if (existing.version !== undefined && now.version !== undefined) return existing.version !== now.version;
  return !matchesBodyExactly(existing.body, now.resource);
}
