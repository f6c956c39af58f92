// Whether a resource belongs to the encounter and the patient whose recordings are searched. Servers ignore unknown search parameters, and an
// id is valid only on its own server.
import type { DocumentReference, Encounter, Media, Patient, Reference } from '@medplum/fhirtypes';

export type Owner = { readonly encounter: Encounter; readonly patient: Patient; readonly baseUrl: string };

/** Undefined if the resource belongs to both. */
export function ownerMismatch(
  resource: DocumentReference | Media,
  { encounter, patient, baseUrl }: Owner,
): 'otherEncounter' | 'otherPatient' | 'otherAddress' | undefined {
  const encounters = resource.resourceType === 'Media' ? [resource.encounter] : listOf(resource.context?.encounter);
  const place = placeOf(encounters, [`Encounter/${encounter.id}`], baseUrl);
  if (place !== 'here') return place === 'elsewhere' ? 'otherEncounter' : 'otherAddress';
  const { subject } = resource;
  if (literalOf(subject) === undefined) return isIdentifiedAs(subject, patient) ? undefined : 'otherPatient';
  // After a merge the EHR names the patients that this one replaces.
  const replaced = listOf(patient.link).filter(({ type }) => type === 'replaces');
  const names = [`Patient/${patient.id}`, ...replaced.flatMap(({ other }) => literalOf(other) ?? [])];
  const owner = placeOf([subject], names, baseUrl);
  if (owner !== 'here') return owner === 'elsewhere' ? 'otherPatient' : 'otherAddress';
  return undefined;
}

/** Whether one of the references names one of the resources; `other address`: only with the address of another server. */
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
 * A resource without a subject belongs to the patient of the encounter. A subject with only an identifier must have one of the patient's. A
 * subject that cannot be read may be any patient.
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

/** The absolute address, relative to the EHR. A text that is not an address is returned unchanged. */
export function addressOf(url: string, baseUrl: string): string {
  return URL.parse(url, `${baseUrl.replace(/\/+$/, '')}/`)?.href ?? url;
}

/** The literal reference without its version. */
export function literalOf(reference: Reference | undefined): string | undefined {
  return textOf(reference?.reference)?.trim().split('/_history/')[0];
}

/** Charts come from servers that validate little: a list or a text may be anything. */
export function listOf<T>(value: readonly (T | null | undefined)[] | undefined): readonly T[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
