// The stamp of every document, whatever its mapping writes: its identity, and the labels for made by a machine and for how confidential it
// is.
import type { Coding, Identifier, Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from './chart.ts';
import type { Identity } from './identity.ts';

export const AI_LABEL = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  code: 'AIAST',
  display: 'Artificial Intelligence asserted',
} as const;

const CONFIDENTIALITY_SYSTEM = 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality';

// R4 types without an element `identifier`: they carry their identity as a tag.
const WITHOUT_IDENTIFIER = new Set([
  'Provenance',
  'Binary',
  'AuditEvent',
  'OperationOutcome',
  'Parameters',
  'Subscription',
]);
// R4 types with one `identifier` instead of a list.
const WITH_ONE_IDENTIFIER = new Set(['Composition', 'Bundle', 'QuestionnaireResponse']);

/** False: such a resource carries its identity as a tag. */
export function hasIdentifierElement(resourceType: string): boolean {
  return !WITHOUT_IDENTIFIER.has(resourceType);
}

/** Whether it carries this identity. A search result counts only then. */
export function carriesIdentity(resource: Resource, { system, value }: Identity): boolean {
  const { meta } = resource;
  if (!hasIdentifierElement(resource.resourceType)) {
    return objectsIn<Coding>(meta?.tag).some((tag) => tag.system === system && tag.code === value);
  }
  const own: unknown = 'identifier' in resource ? resource.identifier : [];
  const identifiers = objectsIn<Identifier>(Array.isArray(own) ? own : [own]);
  return identifiers.some((identifier) => identifier.system === system && identifier.value === value);
}

type StampParts = { readonly resource: Resource; readonly identity: Identity; readonly facts: ChartFacts };

/** Returns a stamped copy. Identifiers and labels of the mapping stay beside the stamp if the type has room for both. */
export function stampResource({ resource, identity, facts }: StampParts): Resource {
  const { resourceType, meta: written, ...rest } = resource;
  const meta = written ?? {};
  const security = mergeCodings(meta.security, labelsOf(resource, facts));
  const isTagged = !hasIdentifierElement(resourceType);
  const tag = mergeCodings(
    withoutOurs(meta.tag, identity),
    isTagged ? [{ system: identity.system, code: identity.value }] : [],
  );
  const stampedMeta = { ...meta, ...(security.length > 0 && { security }), ...(tag.length > 0 && { tag }) };
  const head = { resourceType, ...(Object.keys(stampedMeta).length > 0 && { meta: stampedMeta }) };
  if (isTagged) return { ...head, ...rest } as Resource;
  return { ...head, identifier: identifierOf(resource, identity), ...withoutIdentifier(rest) } as Resource;
}

/** A Device makes no statement about a patient, so it gets no label. */
function labelsOf({ resourceType }: Resource, { confidentiality }: ChartFacts): readonly Coding[] {
  if (resourceType === 'Device') return [];
  return [
    AI_LABEL,
    ...(confidentiality === undefined ? [] : [{ system: CONFIDENTIALITY_SYSTEM, code: confidentiality }]),
  ];
}

function mergeCodings(written: unknown, added: readonly Coding[]): Coding[] {
  const own = objectsIn<Coding>(written);
  const isNew = (coding: Coding) => !own.some(({ system, code }) => system === coding.system && code === coding.code);
  return [...own, ...added.filter(isNew)];
}

/** A mapping may have written anything instead of a list of objects, also null. */
function objectsIn<T extends object>(written: unknown): readonly T[] {
  return Array.isArray(written) ? written.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** Only the engine assigns identities in its own system. */
function withoutOurs<T extends { readonly system?: string }>(written: unknown, { system }: Identity): readonly T[] {
  return objectsIn<T>(written).filter((one) => one.system !== system);
}

function identifierOf(resource: Resource, identity: Identity): Identifier | readonly Identifier[] {
  const stamped = { system: identity.system, value: identity.value };
  if (WITH_ONE_IDENTIFIER.has(resource.resourceType)) return stamped;
  return [stamped, ...withoutOurs<Identifier>('identifier' in resource ? resource.identifier : [], identity)];
}

function withoutIdentifier(rest: object): object {
  if (!('identifier' in rest)) return rest;
  const { identifier: _, ...others } = rest;
  return others;
}
