// A resource that is in a chart now, compared with the one that was written: is it unchanged, did a person change or sign it, is it
// retired already.
import type { Resource } from '@medplum/fhirtypes';

const SIGNED_STATUSES = new Set(['final', 'amended', 'corrected', 'appended']);
const CONFIRMED = new Set(['confirmed', 'refuted']);

/** A resource with its members by name: whatever the type, and whatever a server made of it. */
type Members = Readonly<Record<string, unknown>>;

/** A person answers for it: the engine changes nothing of it any more. */
export function isSigned(resource: Resource): boolean {
  const members = membersOf(resource);
  if (resource.resourceType === 'Condition') return CONFIRMED.has(codeIn(members['verificationStatus']) ?? '');
  if (members['authenticator'] !== undefined || isFilledList(members['attester'])) return true;
  return (
    SIGNED_STATUSES.has(String(members['docStatus'] ?? '')) || SIGNED_STATUSES.has(String(members['status'] ?? ''))
  );
}

/** It was set entered-in-error by the engine or by a person. */
export function isRetired(resource: Resource): boolean {
  const members = membersOf(resource);
  if (codeIn(members['verificationStatus']) === 'entered-in-error') return true;
  return members['status'] === 'entered-in-error';
}

const WITH_VERIFICATION = new Set(['Condition', 'AllergyIntolerance']);
/** R4 types that have a status with `entered-in-error`, of those that a mapping may reasonably make. */
const WITH_STATUS = new Set([
  'Composition',
  'DocumentReference',
  'RiskAssessment',
  'Flag',
  'Task',
  'DiagnosticReport',
  'Observation',
  'Communication',
  'ClinicalImpression',
  'CarePlan',
  'ServiceRequest',
  'MedicationRequest',
  'QuestionnaireResponse',
  'Media',
  'Procedure',
]);

/** The same resource, set entered-in-error; undefined for a type that has no such status. */
export function asRetired(resource: Resource): Resource | undefined {
  const { resourceType } = resource;
  if (WITH_VERIFICATION.has(resourceType)) {
    // con-5: what was entered in error is not active, nor anything else.
    const { clinicalStatus: _, ...rest } = membersOf(resource);
    return { ...rest, verificationStatus: retiredVerification(resourceType) } as unknown as Resource;
  }
  if (!WITH_STATUS.has(resourceType)) return undefined;
  return { ...resource, status: 'entered-in-error' } as Resource;
}

function retiredVerification(resourceType: string): object {
  const list = resourceType === 'Condition' ? 'condition-ver-status' : 'allergyintolerance-verification';
  return { coding: [{ system: `http://terminology.hl7.org/CodeSystem/${list}`, code: 'entered-in-error' }] };
}

/**
 * Whether the chart holds what was sent: every member that was sent, with its values. What a server adds or writes in another way (its
 * own meta, generated narrative, the address of an attachment) does not count.
 */
export function isSameContent(sent: Resource, existing: Resource): boolean {
  if (sent.resourceType !== existing.resourceType) return false;
  const { id: _, meta: __, ...members } = membersOf(sent);
  return holds(members, existing);
}

/**
 * Whether the chart holds what was sent, and besides it only what servers add by themselves. False if that is uncertain: then a person
 * has to look, because their words could be overwritten.
 */
function isExactContent(sent: Resource, existing: Resource): boolean {
  return isSameContent(sent, existing) && addsNothing(membersOf(sent), membersOf(existing));
}

const ADDED_BY_SERVERS = new Set(['id', 'meta', 'text', 'display', 'url', 'size', 'hash']);

function addsNothing(sent: unknown, existing: unknown): boolean {
  if (Array.isArray(sent) && Array.isArray(existing))
    return sent.every((item, index) => addsNothing(item, existing[index]));
  if (typeof sent !== 'object' || sent === null || typeof existing !== 'object' || existing === null) return true;
  return Object.entries(existing).every(([name, inner]) => {
    if (ADDED_BY_SERVERS.has(name)) return true;
    return name in sent && addsNothing((sent as Members)[name], inner);
  });
}

function holds(sent: unknown, existing: unknown): boolean {
  if (Array.isArray(sent)) {
    if (!Array.isArray(existing) || existing.length !== sent.length) return sent.length === 0 && existing === undefined;
    return sent.every((item, index) => holds(item, existing[index]));
  }
  if (typeof sent !== 'object' || sent === null) return sent === existing || isSameReference(sent, existing);
  if (typeof existing !== 'object' || existing === null) return false;
  return Object.entries(sent).every(([name, inner]) => {
    // A server may keep an attachment elsewhere and give its address instead.
    if (name === 'data' && !(name in existing) && 'url' in existing) return true;
    return holds(inner, (existing as Members)[name]);
  });
}

/** Servers write references with their own address in front. */
function isSameReference(sent: unknown, existing: unknown): boolean {
  if (typeof sent !== 'string' || typeof existing !== 'string') return false;
  return /^[A-Z][A-Za-z]+\/[A-Za-z0-9.-]+$/.test(sent) && existing.endsWith(`/${sent}`);
}

/**
 * `isSameContent` of frozen bytes, without references: a frozen body has urns where the EHR has its own references. The patient is
 * compared elsewhere.
 */
export function matchesBody(body: string, existing: Resource): boolean {
  return isSameContent(withoutReferences(JSON.parse(body)), withoutReferences(existing));
}

/** Like `matchesBody`, without the members that a signature changes. */
export function matchesBodyUnsigned(body: string, existing: Resource): boolean {
  const unsigned = (resource: Resource): Resource => {
    const { status: _, docStatus: __, attester: ___, authenticator: ____, ...rest } = { ...membersOf(resource) };
    return rest as unknown as Resource;
  };
  return matchesBody(JSON.stringify(unsigned(JSON.parse(body))), unsigned(existing));
}

/** `isExactContent` of frozen bytes, without references. */
export function matchesBodyExactly(body: string, existing: Resource): boolean {
  return isExactContent(withoutReferences(JSON.parse(body)), withoutReferences(existing));
}

function withoutReferences(resource: Resource): Resource {
  return JSON.parse(JSON.stringify(resource, (name, value: unknown) => (name === 'reference' ? undefined : value)));
}

export function membersOf(resource: Resource): Members {
  return resource as unknown as Members;
}

function codeIn(concept: unknown): string | undefined {
  if (typeof concept !== 'object' || concept === null || !('coding' in concept)) return undefined;
  const [coding] = Array.isArray(concept.coding) ? concept.coding : [];
  return typeof coding?.code === 'string' ? coding.code : undefined;
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

/** `Patient/1` of its subject, patient or for; undefined if it has no patient. */
export function patientOf(resource: Resource): string | undefined {
  const members = membersOf(resource);
  for (const name of ['subject', 'patient', 'for']) {
    const literal = literalOf(members[name]);
    if (literal !== undefined) return literal;
  }
  return undefined;
}

/** `Patient/1`, without an address in front and without a version. */
export function literalOf(reference: unknown): string | undefined {
  if (typeof reference !== 'object' || reference === null || !('reference' in reference)) return undefined;
  if (typeof reference.reference !== 'string') return undefined;
  const [literal = ''] = reference.reference.split('/_history/');
  return /(?:^|\/)([A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64})$/.exec(literal)?.[1];
}
