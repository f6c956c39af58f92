// What a new result means for a chart in which an earlier one stands. What a resource says clinically never changes in place:
// documents get versions, statements are retired and made anew, and whatever a person touched or signed stays as it is. Where somebody
// only approved what stands there, all of it gets a further version.
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
  /** Whether a document of now is the one that stands there, but for the time when it was made. */
  readonly isUnchanged: (document: DocumentToWrite, standing: ExistingDocument) => boolean;
  /** Whether nothing about it is new but that somebody approved what stands there. */
  readonly isApproval?: (document: DocumentToWrite, standing: ExistingDocument) => boolean;
  /** Whether a clinician stands behind the new result: then it may take the place of what one approved before. */
  readonly isApproved?: boolean;
  /** Whose results they are. */
  readonly run?: string;
  /** Of one that the new result does not have: false where it waits for an approval that an earlier one had. */
  readonly mayBeDropped?: (standing: ExistingDocument) => boolean;
  readonly existing: SessionSummary;
  /** By reference: each of `standing.documents` and `standing.older`. */
  readonly inChart: ReadonlyMap<string, ExistingResource>;
  readonly canUpdate: (type: ResourceType) => boolean;
};

export type WritePlan = {
  /** New resources first, each after those that it refers to; then what changes those that stand there. */
  readonly writes: readonly PlannedWrite[];
  readonly unchanged: readonly ExistingDocument[];
  readonly left: readonly LeftDocument[];
  /** Documents that a person changed, so that a new version would overwrite them: nothing may be written. */
  readonly touched: readonly LeftDocument[];
};

const DOCUMENT_TYPES = new Set<string>(['Composition', 'DocumentReference', 'DiagnosticReport']);
/** These say what is to be done, or what happened; a further version of them is no other statement. */
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
  const isUnchanged: PlanParts['isUnchanged'] = (document, standing) =>
    parts.isUnchanged(document, standing) && !referencesIn(document.resource).some((urn) => renewed.has(urn));
  // What points at a statement that is made anew would point at the retired one: it changes, too, and so on.
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
  const { documents, existing: standing } = parts;
  const steps = documents
    .filter(({ resource }) => !RECORD_TYPES.has(resource.resourceType))
    .map((document) => stepFor(document, parts));
  const wanted = new Set(documents.map(({ identity }) => identity.value));
  const dropped = [...standing.documents.values()].filter(
    ({ base, type, document }) => !wanted.has(base.value) && !RECORD_TYPES.has(type) && document !== 'device',
  );
  // Documents and records stay beside their further versions; of statements only one is meant.
  const overdue = standing.older.filter(({ type }) => !DOCUMENT_TYPES.has(type) && !RECORD_TYPES.has(type));
  const all = [
    ...steps,
    ...dropped.map((gone) => dropStep(gone, parts)),
    ...overdue.map((gone) => retireStep(gone, parts)),
  ];
  const isChanged = all.some(({ writes }) => writes.length > 0);
  // Where the last type of a set was refused, everything but its record is there already.
  const isDue = ({ identity }: DocumentToWrite) => isChanged || !standing.documents.has(identity.value);
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

/** Each after those that it refers to, as far as that goes; otherwise as they were. */
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
  const standing = parts.existing.documents.get(document.identity.value);
  if (standing === undefined) return { writes: [planCreate(document, parts)] };
  const now = parts.inChart.get(standing.reference);
  const left = (why: LeftDocument['why']) => ({ document: standing.document, reference: standing.reference, why });
  // A person took it away. It is not brought back behind their back.
  if (now === undefined || isRetired(now.resource)) return { writes: [], left: left('touched') };
  const { resourceType } = document.resource;
  if (isForeign(standing, now)) {
    return { writes: [], [DOCUMENT_TYPES.has(resourceType) ? 'touched' : 'left']: left('touched') };
  }
  const isEarlier = parts.run !== undefined && standing.run.id !== parts.run;
  const isOver = isEarlier && WORK_TYPES.has(resourceType) && isTouched(standing, now);
  // What somebody said of the work of an earlier run is not said of this one.
  if (isOver) return { writes: [], left: left('touched') };
  if (parts.isUnchanged(document, standing)) return { writes: [], unchanged: standing };
  if (DOCUMENT_TYPES.has(resourceType)) return documentStep(document, standing, parts);
  if (isTouched(standing, now)) return { writes: [], left: left('touched') };
  // It says what it said; only, somebody answers for it now.
  if (parts.isApproval?.(document, standing) === true && parts.canUpdate(resourceType)) {
    return { writes: [planUpdate(document, standing, now)] };
  }
  if (isKept(standing, now, parts)) return { writes: [], left: left('signed') };
  if (WORK_TYPES.has(resourceType)) {
    return parts.canUpdate(resourceType)
      ? { writes: [planUpdate(document, standing, now)] }
      : { writes: [], left: left('unchangeable') };
  }
  const { writes: retirement, left: leftBehind } = retireStep(standing, parts);
  // Two statements of which one is meant are worse than an old one.
  if (leftBehind !== undefined) return { writes: [], left: leftBehind };
  return { writes: [planCreate(document, parts), ...retirement] };
}

function documentStep(document: DocumentToWrite, standing: ExistingDocument, parts: PlanParts): Step {
  const now = parts.inChart.get(standing.reference);
  if (now === undefined) return { writes: [] };
  const { document: name, reference } = standing;
  const touched: Step = { writes: [], touched: { document: name, reference, why: 'touched' } };
  if (isSigned(now.resource)) {
    // Nobody signs the engine's words beside those that a person has signed, and perhaps put right, in the EHR.
    if (isSigned(document.resource) && isTouched(standing, now)) {
      const isApproval = parts.isApproval?.(document, standing) === true;
      return isApproval ? { writes: [], left: { document: name, reference, why: 'signed' } } : touched;
    }
    return { writes: [planCreate(relatedTo(document, standing, 'appends'), parts)] };
  }
  if (isTouched(standing, now)) return touched;
  if (parts.canUpdate(standing.type)) return { writes: [planUpdate(document, standing, now)] };
  return { writes: [planCreate(relatedTo(document, standing, 'replaces'), parts)] };
}

/** The new result does not have it. */
function dropStep(standing: ExistingDocument, parts: PlanParts): Step {
  const { document, reference } = standing;
  if (parts.mayBeDropped?.(standing) === false) return { writes: [], left: { document, reference, why: 'signed' } };
  return retireStep(standing, parts);
}

/** For one that is no longer meant: nobody made it, or a new one takes its place. */
export function retireStep(
  standing: ExistingDocument,
  parts: Pick<PlanParts, 'inChart' | 'canUpdate' | 'isApproved'>,
): Step {
  const now = parts.inChart.get(standing.reference);
  if (now === undefined || isRetired(now.resource)) return { writes: [] };
  const left = (why: LeftDocument['why']): Step => ({
    writes: [],
    left: { document: standing.document, reference: standing.reference, why },
  });
  if (isForeign(standing, now)) return left('touched');
  if (isKept(standing, now, parts)) return left('signed');
  if (isTouched(standing, now)) return left('touched');
  const body = asRetired(now.resource);
  if (body === undefined || !parts.canUpdate(standing.type)) return left('unchangeable');
  const { document, type, base, identity, fullUrl, reference } = standing;
  const write = { document, action: 'retire' as const, type, base, identity, fullUrl, body: freezeResource(body) };
  return { writes: [{ ...write, target: reference, ...(now.version !== undefined && { ifMatch: now.version }) }] };
}

/** Signed: by a person in the EHR; or by an approval that the engine wrote, of which a later one may think otherwise. */
function isKept(
  { type }: ExistingDocument,
  { resource }: NonNullable<ExistingResource>,
  { isApproved = false }: Pick<PlanParts, 'isApproved'>,
): boolean {
  return isSigned(resource) && (DOCUMENT_TYPES.has(type) || !isApproved);
}

/** Of what stands there: what a person changed or took away since it was written. */
export function changedByPersons(
  documents: readonly ExistingDocument[],
  inChart: PlanParts['inChart'],
): readonly LeftDocument[] {
  return documents.flatMap((standing) => {
    const now = inChart.get(standing.reference);
    if (RECORD_TYPES.has(standing.type)) return [];
    if (now !== undefined && !isRetired(now.resource) && !isTouched(standing, now)) return [];
    return [{ document: standing.document, reference: standing.reference, why: 'touched' as const }];
  });
}

/**
 * It is not what was written there. An EHR that was set back to an older copy gives the same ids out again, with the same versions.
 * Some EHRs drop our names: there, one of the same patient with another version is one that a person changed.
 */
function isForeign({ identity, body, version }: ExistingDocument, now: NonNullable<ExistingResource>): boolean {
  if (carriesIdentity(now.resource, identity) || matchesBodyUnsigned(body, now.resource)) return false;
  return version === now.version || patientOf(now.resource) !== patientOf(JSON.parse(body));
}

/** By its version; on a server without versions, by what it says. */
function isTouched(standing: ExistingDocument, now: NonNullable<ExistingResource>): boolean {
  if (standing.version !== undefined && now.version !== undefined) return standing.version !== now.version;
  return !matchesBodyExactly(standing.body, now.resource);
}
