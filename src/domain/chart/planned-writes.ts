// One write of a plan: the frozen body of a new resource under the next name that is free, or of a further version of one that stands
// there, and how a document says what it replaces or appends.
import type { Resource } from '@medplum/fhirtypes';
import type { PlannedWrite } from './chart-write.ts';
import type { ExistingDocument, SessionSummary } from './existing-documents.ts';
import { membersOf } from './existing-resource.ts';
import { freezeResource } from './frozen-body.ts';
import type { Identity } from './identity.ts';

export type DocumentToWrite = {
  readonly document: string;
  readonly identity: Identity;
  readonly fullUrl: string;
  readonly resource: Resource;
};

/** As the EHR has it now; undefined where it is gone. */
export type ExistingResource = { readonly version?: string; readonly resource: Resource } | undefined;

/** Under the next identity that its name has. */
export function planCreate(
  document: DocumentToWrite,
  { existing }: { readonly existing: Pick<SessionSummary, 'used'> },
): PlannedWrite {
  const { resource, identity: base, fullUrl } = document;
  const earlier = existing.used.get(base.value) ?? 0;
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
export function planUpdate(
  { document, resource, identity: base, fullUrl }: DocumentToWrite,
  standing: ExistingDocument,
  now: NonNullable<ExistingResource>,
): PlannedWrite {
  const id = standing.reference.slice(standing.reference.indexOf('/') + 1);
  const { resourceType, ...rest } = named(keepRelations(resource, standing), base, standing.identity);
  const body = freezeResource({ resourceType, id, ...rest } as Resource);
  const { type, identity, reference: target } = standing;
  return {
    ...{ document, action: 'update', type, base, identity, fullUrl, body, target },
    ...(now.version !== undefined && { ifMatch: now.version }),
  };
}

/** What it appends or replaces, it does in each of its versions. */
function keepRelations(resource: Resource, { body }: ExistingDocument): Resource {
  const { relatesTo } = JSON.parse(body);
  if (resource.resourceType !== 'DocumentReference' && resource.resourceType !== 'Composition') return resource;
  if (!Array.isArray(relatesTo)) return resource;
  const own = new Set((resource.relatesTo ?? []).map((each) => JSON.stringify(each)));
  const added = relatesTo.filter((each) => !own.has(JSON.stringify(each)));
  return { ...resource, relatesTo: [...(resource.relatesTo ?? []), ...added] };
}

export function relatedTo(
  document: DocumentToWrite,
  standing: ExistingDocument,
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
