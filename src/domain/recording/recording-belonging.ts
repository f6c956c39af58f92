// Whether a resource is of the encounter and the patient whose recordings are looked for. Servers ignore what they do not know of a
// search, and an id means something only on its own server.
import type { DocumentReference, Encounter, Media, Patient, Reference } from '@medplum/fhirtypes';

export type Owner = { readonly encounter: Encounter; readonly patient: Patient; readonly baseUrl: string };

/** Undefined: it belongs to both. */
export function belonging(
  resource: DocumentReference | Media,
  { encounter, patient, baseUrl }: Owner,
): 'otherEncounter' | 'otherPatient' | 'otherAddress' | undefined {
  const encounters = resource.resourceType === 'Media' ? [resource.encounter] : listOf(resource.context?.encounter);
  const place = placeOf(encounters, [`Encounter/${encounter.id}`], baseUrl);
  if (place !== 'here') return place === 'elsewhere' ? 'otherEncounter' : 'otherAddress';
  const { subject } = resource;
  if (literalOf(subject) === undefined) return isIdentifiedAs(subject, patient) ? undefined : 'otherPatient';
  // Of a merged patient the EHR itself says which earlier ones it replaces.
  const replaced = listOf(patient.link).filter(({ type }) => type === 'replaces');
  const names = [`Patient/${patient.id}`, ...replaced.flatMap(({ other }) => literalOf(other) ?? [])];
  const owner = placeOf([subject], names, baseUrl);
  if (owner !== 'here') return owner === 'elsewhere' ? 'otherPatient' : 'otherAddress';
  return undefined;
}

/** Whether one of the references is to one of the names; `other address`: it would be, were it of this server. */
function placeOf(
  references: readonly (Reference | undefined)[],
  names: readonly string[],
  baseUrl: string,
): 'here' | 'other address' | 'elsewhere' {
  const literals = references.flatMap((reference) => literalOf(reference) ?? []);
  const addresses = names.map((name) => addressOf(name, baseUrl));
  if (literals.some((literal) => addresses.includes(addressOf(literal, baseUrl)))) return 'here';
  const isAlike = literals.some((literal) => names.some((name) => literal.endsWith(`/${name}`)));
  return isAlike ? 'other address' : 'elsewhere';
}

/**
 * A subject that is nobody in particular is the encounter's; one that is only named by an identifier must have the patient's. What is
 * there and cannot be read may be anybody.
 */
function isIdentifiedAs(subject: Reference | undefined, patient: Patient): boolean {
  const { reference, identifier } = subject ?? {};
  const isReadable =
    subject === undefined || subject === null || (typeof subject === 'object' && !Array.isArray(subject));
  if (!isReadable || (reference !== undefined && reference !== null)) return false;
  if (identifier === undefined || identifier === null) return true;
  return listOf(patient.identifier).some(
    ({ system, value }) => value !== undefined && system === identifier.system && value === identifier.value,
  );
}

/** Absolute, as the EHR with this address means it. What is no address at all stays what it is. */
export function addressOf(url: string, baseUrl: string): string {
  return URL.parse(url, `${baseUrl.replace(/\/+$/, '')}/`)?.href ?? url;
}

/** Without the version behind. */
export function literalOf(reference: Reference | undefined): string | undefined {
  return textOf(reference?.reference)?.trim().split('/_history/')[0];
}

/** Charts come from servers that check little: what should be a list or a text may be anything. */
export function listOf<T>(value: readonly (T | null | undefined)[] | undefined): readonly T[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
