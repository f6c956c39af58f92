// What every document carries, whatever its mapping says: its identity, and the labels that say that a machine made it and how
// confidential it is.
import type { Coding, Identifier, Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from './chart.ts';
import type { Identity } from './identity.ts';

export const AI_LABEL = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  code: 'AIAST',
  display: 'Artificial Intelligence asserted',
} as const;

const CONFIDENTIALITY_SYSTEM = 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality';

// R4 types without an element `identifier`: they carry the same as a tag.
const WITHOUT_IDENTIFIER = new Set([
  'Provenance',
  'Binary',
  'AuditEvent',
  'OperationOutcome',
  'Parameters',
  'Subscription',
]);
// R4 types that have room for one.
const WITH_ONE_IDENTIFIER = new Set(['Composition', 'Bundle', 'QuestionnaireResponse']);

/** False: such a resource carries its identity as a tag. */
export function hasIdentifierElement(resourceType: string): boolean {
  return !WITHOUT_IDENTIFIER.has(resourceType);
}

/** Whether it is named like this: what a server says it found is believed only then. */
export function carriesIdentity(resource: Resource, { system, value }: Identity): boolean {
  const { meta } = resource;
  if (!hasIdentifierElement(resource.resourceType)) {
    return objectsIn<Coding>(meta?.tag).some((tag) => tag.system === system && tag.code === value);
  }
  const named: unknown = 'identifier' in resource ? resource.identifier : [];
  const identifiers = objectsIn<Identifier>(Array.isArray(named) ? named : [named]);
  return identifiers.some((identifier) => identifier.system === system && identifier.value === value);
}

type StampParts = { readonly resource: Resource; readonly identity: Identity; readonly facts: ChartFacts };

/** A copy. What the mapping wrote there stays beside it, where there is room. */
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

/** A Device is no statement about a patient, and no machine made it up. */
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

/** What a mapping wrote where a list of objects belongs: it may have written anything, also null. */
function objectsIn<T extends object>(written: unknown): readonly T[] {
  return Array.isArray(written) ? written.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** Nothing but this engine names documents in its own name. */
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
