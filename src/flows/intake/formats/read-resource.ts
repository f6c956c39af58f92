// Reads a FHIR resource, or only a reference to one, as an event: which encounter to resolve.

import { identifierSystem } from '../../../domain/chart/identity.ts';
import { isTestEncounter } from '../../../domain/chart/test-visit.ts';
import { spanOf } from '../../../domain/fhir-time.ts';
import { codesOf, listOf, memberOf, textOf } from '../../../domain/raw-members.ts';
import { fhirR4 } from '../../../mapping/mapping.ts';
import { readReference } from './encounter-reference.ts';
import {
  FHIR_ID,
  mergeReadings,
  nothing,
  notUnderstood,
  PATIENTS_MERGED,
  type Reading,
  type ReadingPlace,
} from './reading.ts';

/** A resource that is only referenced. */
export type NamedResource = {
  readonly type: string;
  readonly id: unknown;
  readonly version?: unknown;
  readonly isDeleted?: boolean;
};

export const FOREIGN_REFERENCE = 'It references an encounter of another server, or with an invalid FHIR id';
const BAD_ID = 'It has a resource without a valid FHIR id';

export function readResource(resource: unknown, place: ReadingPlace): Reading {
  const type = textOf(resource, 'resourceType') ?? '';
  if (type === 'Encounter') return readEncounter(resource, place);
  if (type === 'DocumentReference' || type === 'Media') return readDocument(resource, type, place);
  if (type === 'Patient' && isMerged(resource)) return nothing(PATIENTS_MERGED, { mustSearch: true });
  return nothingOf(type);
}

/** Either of the two records may be reported. */
function isMerged(patient: unknown): boolean {
  return listOf(patient, 'link').some((link) => ['replaces', 'replaced-by'].includes(textOf(link, 'type') ?? ''));
}

function readEncounter(encounter: unknown, place: ReadingPlace): Reading {
  const id = memberOf(encounter, 'id');
  if (typeof id !== 'string' || !FHIR_ID.test(id)) return notUnderstood(BAD_ID);
  if (isTestEncounter(encounter, place.site)) return nothing('It is an Encounter of a write test of this engine');
  return {
    kind: 'encounters',
    encounters: [{ encounter: `Encounter/${id}`, isUrgent: isEmergency(encounter) }],
    ...versionKey('Encounter', id, memberOf(memberOf(encounter, 'meta'), 'versionId')),
    ...changeTime(encounter, place),
  };
}

/** A Coding in R4, CodeableConcepts in R5. */
function isEmergency(encounter: unknown): boolean {
  return listOf(encounter, 'class').some((each) => memberOf(each, 'code') === 'EMER' || codesOf(each).includes('EMER'));
}

function readDocument(document: unknown, type: 'DocumentReference' | 'Media', place: ReadingPlace): Reading {
  const isOurs = listOf(document, 'identifier').some((each) => textOf(each, 'system') === identifierSystem(place.site));
  if (isOurs) return nothing(`It is a ${type} that this engine wrote`);
  const readings = referencesOf(document, type).map((literal) => readDocumented(literal, place));
  const merged = mergeReadings(readings, `It is a ${type} without an encounter`);
  if (merged.kind !== 'encounters') return merged;
  const id = memberOf(document, 'id');
  return {
    ...merged,
    ...versionKey(type, id, memberOf(memberOf(document, 'meta'), 'versionId')),
    ...changeTime(document, place),
  };
}

/** R4's `context.encounter`, R5's `context`, and Media's `encounter`. */
function referencesOf(document: unknown, type: 'DocumentReference' | 'Media'): readonly string[] {
  const inContext = [...listOf(memberOf(document, 'context'), 'encounter'), ...listOf(document, 'context')];
  const references = type === 'Media' ? listOf(document, 'encounter') : inContext;
  return references.flatMap((reference) => textOf(reference, 'reference') ?? []);
}

function readDocumented(literal: string, place: ReadingPlace): Reading {
  const reference = readReference(literal, place.baseUrl);
  if (reference.kind === 'foreign') return notUnderstood(FOREIGN_REFERENCE);
  if (reference.kind === 'local' || reference.type !== 'Encounter')
    return nothing('It references no encounter of the EHR');
  // The version in the reference is not used: the document has changed, not the encounter.
  const encounter = `Encounter/${reference.id}`;
  return { kind: 'encounters', encounters: [{ encounter, isUrgent: false }] };
}

/** A reference is enough only for an encounter: the reference of a document does not name its encounter. */
export function readNamedResource({ type, id, version, isDeleted = false }: NamedResource): Reading {
  if (typeof id !== 'string' || !FHIR_ID.test(id)) return notUnderstood(BAD_ID);
  if (type === 'Encounter') {
    // A deletion has no version of its own; with that of the last change it would look like a repeat.
    const key = isDeleted ? {} : versionKey('Encounter', id, version);
    return { kind: 'encounters', encounters: [{ encounter: `Encounter/${id}`, isUrgent: false }], ...key };
  }
  if (type !== 'DocumentReference' && type !== 'Media') return nothingOf(type);
  if (isDeleted) return nothing(`It reports a deleted ${type} without its encounter`);
  return nothing(`It references a ${type} without its encounter`, { mustSearch: true });
}

export function readNamedReference(literal: string, place: ReadingPlace, isDeleted = false): Reading {
  const reference = readReference(literal, place.baseUrl);
  if (reference.kind === 'own') return readNamedResource({ ...reference, isDeleted });
  if (reference.kind === 'local') return nothing('It references no resource of the EHR');
  return notUnderstood(FOREIGN_REFERENCE);
}

/** The message names the type only if FHIR defines it: any other text may be patient data. */
function nothingOf(type: string): Reading {
  if (!fhirR4().resourceTypes.includes(type)) return notUnderstood('Its resourceType is not defined in FHIR R4');
  return nothing(`The feed also carries ${type} resources, which are not needed`);
}

function versionKey(type: string, id: unknown, version: unknown): { readonly key?: string } {
  const text = typeof version === 'number' ? String(version) : version;
  const isKnown = typeof id === 'string' && FHIR_ID.test(id) && typeof text === 'string' && FHIR_ID.test(text);
  return isKnown ? { key: `${type}/${id}/_history/${text}` } : {};
}

function changeTime(resource: unknown, { timeZone }: ReadingPlace): { readonly occurredAt?: Date } {
  return occurredAt(memberOf(memberOf(resource, 'meta'), 'lastUpdated'), timeZone);
}

/** An object to spread, which is empty if the text is not a time. */
export function occurredAt(text: unknown, timeZone: string): { readonly occurredAt?: Date } {
  const span = spanOf(text, timeZone);
  return span === undefined ? {} : { occurredAt: new Date(span.fromMs) };
}
