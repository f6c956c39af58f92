// What a new result means for a chart in which an earlier one stands. What a resource says clinically never changes in place:
// documents get versions, statements are retired and made anew, and whatever a person touched or signed stays as it is.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import type { LeftDocument, PlannedWrite } from './chart-write.ts';
import { freezeResource } from './frozen-body.ts';
import type { Identity } from './identity.ts';
import { isRetired, isSigned, membersOf, retired, saysNothingElse } from './standing.ts';
import type { SessionStanding, StandingDocument } from './standing-documents.ts';

export type DocumentToWrite = {
  readonly document: string;
  readonly identity: Identity;
  readonly fullUrl: string;
  readonly resource: Resource;
};

/** As the EHR has it now; undefined where it is gone. */
export type StandingResource = { readonly version?: string; readonly resource: Resource } | undefined;

export type PlanParts = {
  readonly documents: readonly DocumentToWrite[];
  /** Whether a document of now is the one that stands there, but for the time when it was made. */
  readonly isUnchanged: (document: DocumentToWrite, standing: StandingDocument) => boolean;
  readonly standing: SessionStanding;
  /** By reference: each of `standing.documents` and `standing.older`. */
  readonly inChart: ReadonlyMap<string, StandingResource>;
  readonly canUpdate: (type: ResourceType) => boolean;
};

export type WritePlan = {
  /** New resources first, each after those that it refers to; then what changes those that stand there. */
  readonly writes: readonly PlannedWrite[];
  readonly unchanged: readonly StandingDocument[];
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
  readonly unchanged?: StandingDocument;
  readonly left?: LeftDocument;
  readonly touched?: LeftDocument;
};

export function planWrites(parts: PlanParts): WritePlan {
  const { documents, standing } = parts;
  const steps = documents
    .filter(({ resource }) => !RECORD_TYPES.has(resource.resourceType))
    .map((document) => stepFor(document, parts));
  const wanted = new Set(documents.map(({ identity }) => identity.value));
  const dropped = [...standing.documents.values()].filter(
    ({ base, type, document }) => !wanted.has(base.value) && !RECORD_TYPES.has(type) && document !== 'device',
  );
  // Documents and records stay beside their further versions; of statements only one is meant.
  const overdue = standing.older.filter(({ type }) => !DOCUMENT_TYPES.has(type) && !RECORD_TYPES.has(type));
  const all = [...steps, ...[...dropped, ...overdue].map((gone) => retireStep(gone, parts))];
  const isChanged = all.some(({ writes }) => writes.length > 0);
  const records = isChanged ? documents.filter(({ resource }) => RECORD_TYPES.has(resource.resourceType)) : [];
  const writes = [...all.flatMap((step) => step.writes), ...records.map((record) => planCreate(record, parts))];
  const given = <T>(values: readonly (T | undefined)[]) =>
    values.filter((value): value is T & {} => value !== undefined);
  return {
    writes: [
      ...writes.filter(({ action }) => action === 'create'),
      ...writes.filter(({ action }) => action !== 'create'),
    ],
    unchanged: given(all.map((step) => step.unchanged)),
    left: given(all.map((step) => step.left)),
    touched: given(all.map((step) => step.touched)),
  };
}

function stepFor(document: DocumentToWrite, parts: PlanParts): Step {
  const standing = parts.standing.documents.get(document.identity.value);
  if (standing === undefined) return { writes: [planCreate(document, parts)] };
  const now = parts.inChart.get(standing.reference);
  const left = (why: LeftDocument['why']) => ({ document: standing.document, reference: standing.reference, why });
  // A person took it away. It is not brought back behind their back.
  if (now === undefined || isRetired(now.resource)) return { writes: [], left: left('touched') };
  if (parts.isUnchanged(document, standing)) return { writes: [], unchanged: standing };
  const { resourceType } = document.resource;
  if (DOCUMENT_TYPES.has(resourceType)) return documentStep(document, standing, parts);
  if (isTouched(standing, now)) return { writes: [], left: left('touched') };
  if (isSigned(now.resource)) return { writes: [], left: left('signed') };
  if (WORK_TYPES.has(resourceType)) {
    return parts.canUpdate(resourceType)
      ? { writes: [update(document, standing, now)] }
      : { writes: [], left: left('unchangeable') };
  }
  const { writes: retirement, left: leftBehind } = retireStep(standing, parts);
  // Two statements of which one is meant are worse than an old one.
  if (leftBehind !== undefined) return { writes: [], left: leftBehind };
  return { writes: [planCreate(document, parts), ...retirement] };
}

function documentStep(document: DocumentToWrite, standing: StandingDocument, parts: PlanParts): Step {
  const now = parts.inChart.get(standing.reference);
  if (now === undefined) return { writes: [] };
  const { document: name, reference } = standing;
  if (isSigned(now.resource)) return { writes: [planCreate(relatedTo(document, standing, 'appends'), parts)] };
  if (isTouched(standing, now)) return { writes: [], touched: { document: name, reference, why: 'touched' } };
  if (parts.canUpdate(standing.type)) return { writes: [update(document, standing, now)] };
  return { writes: [planCreate(relatedTo(document, standing, 'replaces'), parts)] };
}

/** For one that is no longer meant: nobody made it, or a new one takes its place. */
export function retireStep(standing: StandingDocument, parts: Pick<PlanParts, 'inChart' | 'canUpdate'>): Step {
  const now = parts.inChart.get(standing.reference);
  if (now === undefined || isRetired(now.resource)) return { writes: [] };
  const left = (why: LeftDocument['why']): Step => ({
    writes: [],
    left: { document: standing.document, reference: standing.reference, why },
  });
  if (isSigned(now.resource)) return left('signed');
  if (isTouched(standing, now)) return left('touched');
  const body = retired(now.resource);
  if (body === undefined || !parts.canUpdate(standing.type)) return left('unchangeable');
  const { document, type, base, identity, fullUrl, reference } = standing;
  const write = { document, action: 'retire' as const, type, base, identity, fullUrl, body: freezeResource(body) };
  return { writes: [{ ...write, target: reference, ...(now.version !== undefined && { ifMatch: now.version }) }] };
}

/** Of what stands there: what a person changed or took away since it was written. */
export function leftByPersons(
  documents: readonly StandingDocument[],
  inChart: PlanParts['inChart'],
): readonly LeftDocument[] {
  return documents.flatMap((standing) => {
    const now = inChart.get(standing.reference);
    if (RECORD_TYPES.has(standing.type)) return [];
    if (now !== undefined && !isRetired(now.resource) && !isTouched(standing, now)) return [];
    return [{ document: standing.document, reference: standing.reference, why: 'touched' as const }];
  });
}

/** By its version; on a server without versions, by what it says. */
function isTouched(standing: StandingDocument, now: NonNullable<StandingResource>): boolean {
  if (standing.version !== undefined && now.version !== undefined) return standing.version !== now.version;
  return !saysNothingElse(standing.body, now.resource);
}

/** Under the next identity that its name has. */
export function planCreate(document: DocumentToWrite, { standing }: Pick<PlanParts, 'standing'>): PlannedWrite {
  const { resource, identity: base, fullUrl } = document;
  const earlier = standing.used.get(base.value) ?? 0;
  const identity = earlier === 0 ? base : { system: base.system, value: `${base.value}/${earlier + 1}` };
  const body = freezeResource(earlier === 0 ? resource : named(resource, base, identity));
  return { document: document.document, action: 'create', type: resource.resourceType, base, identity, fullUrl, body };
}

/** The stamp says the base; a second resource of that name says which one it is. */
function named(resource: Resource, base: Identity, identity: Identity): Resource {
  const rename = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rename);
    if (typeof value !== 'object' || value === null || !('system' in value) || value.system !== base.system)
      return value;
    const isOurs = 'value' in value && value.value === base.value;
    if (isOurs) return { ...value, value: identity.value };
    return 'code' in value && value.code === base.value ? { ...value, code: identity.value } : value;
  };
  const { identifier, meta } = membersOf(resource);
  const tag = typeof meta === 'object' && meta !== null && 'tag' in meta ? { tag: rename(meta.tag) } : {};
  return {
    ...resource,
    ...(identifier !== undefined && { identifier: rename(identifier) }),
    ...(typeof meta === 'object' && meta !== null && { meta: { ...meta, ...tag } }),
  } as Resource;
}

/** Under the identity that stands there: it is another version of the same resource. */
function update(
  { document, resource, identity: base, fullUrl }: DocumentToWrite,
  standing: StandingDocument,
  now: NonNullable<StandingResource>,
): PlannedWrite {
  const id = standing.reference.slice(standing.reference.indexOf('/') + 1);
  const { resourceType, ...rest } = named(resource, base, standing.identity);
  const body = freezeResource({ resourceType, id, ...rest } as Resource);
  const { type, identity, reference: target } = standing;
  return {
    ...{ document, action: 'update', type, base, identity, fullUrl, body, target },
    ...(now.version !== undefined && { ifMatch: now.version }),
  };
}

function relatedTo(
  document: DocumentToWrite,
  standing: StandingDocument,
  code: 'replaces' | 'appends',
): DocumentToWrite {
  const target = { reference: standing.reference };
  const { resource } = document;
  if (resource.resourceType === 'DocumentReference') {
    return { ...document, resource: { ...resource, relatesTo: [...(resource.relatesTo ?? []), { code, target }] } };
  }
  if (resource.resourceType === 'Composition') {
    const relatesTo = [...(resource.relatesTo ?? []), { code, targetReference: target }];
    return { ...document, resource: { ...resource, relatesTo } };
  }
  return document;
}
