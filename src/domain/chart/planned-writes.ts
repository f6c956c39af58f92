// One write of a plan: the frozen body of a new resource under the next free name, or of a further version of an existing one, and how a
// document refers to the one that it replaces or appends.
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

/** The resource as the EHR has it now; undefined if it is gone. */
export type ExistingResource = { readonly version?: string; readonly resource: Resource } | undefined;

/** A new resource under the next free identity of its name. */
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

/** The stamp has the base; a further resource of that name gets its own identity. */
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

/** A further version of the existing resource, under its identity. */
export function planUpdate(
  { document, resource, identity: base, fullUrl }: DocumentToWrite,
  existing: ExistingDocument,
  now: NonNullable<ExistingResource>,
): PlannedWrite {
  const id = existing.reference.slice(existing.reference.indexOf('/') + 1);
  const { resourceType, ...rest } = named(keepRelations(resource, existing), base, existing.identity);
  const body = freezeResource({ resourceType, id, ...rest } as Resource);
  const { type, identity, reference: target } = existing;
  return {
    ...{ document, action: 'update', type, base, identity, fullUrl, body, target },
    ...(now.version !== undefined && { ifMatch: now.version }),
  };
}

/** Each version of a document keeps the relations to those that it appends or replaces. */
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
  existing: ExistingDocument,
  code: 'replaces' | 'appends',
): DocumentToWrite {
  const target = { reference: existing.reference };
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
