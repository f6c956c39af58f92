// What stands in a chart now, compared with what was written there: is it ours as we left it, did a person change or sign it, is it
// retired already.
import type { Resource } from '@medplum/fhirtypes';

const SIGNED_STATUSES = new Set(['final', 'amended', 'corrected', 'appended']);
const CONFIRMED = new Set(['confirmed', 'refuted']);

/** A resource with its members by name: whatever the type, and whatever a server made of it. */
type Members = Readonly<Record<string, unknown>>;

/** Somebody answers for it: nothing of it is changed by a machine any more. */
export function isSigned(resource: Resource): boolean {
  const members = membersOf(resource);
  if (resource.resourceType === 'Condition') return CONFIRMED.has(codeIn(members['verificationStatus']) ?? '');
  if (members['authenticator'] !== undefined || isFilledList(members['attester'])) return true;
  return (
    SIGNED_STATUSES.has(String(members['docStatus'] ?? '')) || SIGNED_STATUSES.has(String(members['status'] ?? ''))
  );
}

/** Set entered-in-error, by whomever: it is not meant any more. */
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

/** The same resource, said not to be meant; undefined for a type that cannot say so. */
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
 * Whether what was sent stands there: every member that was sent, with its values. What a server adds, or writes otherwise (its own
 * meta, generated narrative, the address of an attachment), does not count.
 */
export function isSameContent(sent: Resource, standing: Resource): boolean {
  if (sent.resourceType !== standing.resourceType) return false;
  const { id: _, meta: __, ...members } = membersOf(sent);
  return holds(members, standing);
}

/**
 * And nothing besides it but what servers add by themselves. In doubt no: then a person has to look, where else their words would be
 * overwritten.
 */
function isExactContent(sent: Resource, standing: Resource): boolean {
  return isSameContent(sent, standing) && addsNothing(membersOf(sent), membersOf(standing));
}

const ADDED_BY_SERVERS = new Set(['id', 'meta', 'text', 'display', 'url', 'size', 'hash']);

function addsNothing(sent: unknown, standing: unknown): boolean {
  if (Array.isArray(sent) && Array.isArray(standing))
    return sent.every((item, index) => addsNothing(item, standing[index]));
  if (typeof sent !== 'object' || sent === null || typeof standing !== 'object' || standing === null) return true;
  return Object.entries(standing).every(([name, inner]) => {
    if (ADDED_BY_SERVERS.has(name)) return true;
    return name in sent && addsNothing((sent as Members)[name], inner);
  });
}

function holds(sent: unknown, standing: unknown): boolean {
  if (Array.isArray(sent)) {
    if (!Array.isArray(standing) || standing.length !== sent.length) return sent.length === 0 && standing === undefined;
    return sent.every((item, index) => holds(item, standing[index]));
  }
  if (typeof sent !== 'object' || sent === null) return sent === standing || isSameReference(sent, standing);
  if (typeof standing !== 'object' || standing === null) return false;
  return Object.entries(sent).every(([name, inner]) => {
    // A server may keep an attachment elsewhere and give its address instead.
    if (name === 'data' && !(name in standing) && 'url' in standing) return true;
    return holds(inner, (standing as Members)[name]);
  });
}

/** Servers write references with their own address in front. */
function isSameReference(sent: unknown, standing: unknown): boolean {
  if (typeof sent !== 'string' || typeof standing !== 'string') return false;
  return /^[A-Z][A-Za-z]+\/[A-Za-z0-9.-]+$/.test(sent) && standing.endsWith(`/${sent}`);
}

/**
 * `isSameContent` of frozen bytes. What they point at is left out: a frozen body has urns where the EHR has what it made of them. Whose
 * resource it is, is looked at elsewhere.
 */
export function matchesBody(body: string, standing: Resource): boolean {
  return isSameContent(withoutReferences(JSON.parse(body)), withoutReferences(standing));
}

/** Whoever signs it changes no more than this. */
export function matchesBodyUnsigned(body: string, standing: Resource): boolean {
  const unsigned = (resource: Resource): Resource => {
    const { status: _, docStatus: __, attester: ___, authenticator: ____, ...rest } = { ...membersOf(resource) };
    return rest as unknown as Resource;
  };
  return matchesBody(JSON.stringify(unsigned(JSON.parse(body))), unsigned(standing));
}

/** `isExactContent` of frozen bytes, likewise. */
export function matchesBodyExactly(body: string, standing: Resource): boolean {
  return isExactContent(withoutReferences(JSON.parse(body)), withoutReferences(standing));
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

/** `Patient/1` of its subject, patient or for; undefined where it names nobody. */
export function patientOf(resource: Resource): string | undefined {
  const members = membersOf(resource);
  for (const name of ['subject', 'patient', 'for']) {
    const literal = literalOf(members[name]);
    if (literal !== undefined) return literal;
  }
  return undefined;
}

/** Without an address in front and a version behind. */
export function literalOf(reference: unknown): string | undefined {
  if (typeof reference !== 'object' || reference === null || !('reference' in reference)) return undefined;
  if (typeof reference.reference !== 'string') return undefined;
  const [literal = ''] = reference.reference.split('/_history/');
  return /(?:^|\/)([A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64})$/.exec(literal)?.[1];
}
