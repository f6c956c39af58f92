// One FHIR resource, or only the name of one, as an event: which encounter to look at.

import { identifierSystem } from '../../../domain/chart/identity.ts';
import { spanOf } from '../../../domain/fhir-time.ts';
import { codesOf, listOf, memberOf, textOf } from '../../../domain/raw-members.ts';
import { fhirR4 } from '../../../mapping/check/fhir-r4.ts';
import { readReference } from './encounter-reference.ts';
import { FHIR_ID, mergeReadings, nothing, notUnderstood, type Reading, type ReadingPlace } from './reading.ts';

/** A resource that is named, and not there. */
export type NamedResource = {
  readonly type: string;
  readonly id: unknown;
  readonly version?: unknown;
  readonly isDeleted?: boolean;
};

export const FOREIGN_REFERENCE =
  'It names an encounter that is not one of this EHR: another address, or an id that FHIR does not allow';
const BAD_ID = 'It has a resource without an id, or with one that FHIR does not allow';

export function readResource(resource: unknown, place: ReadingPlace): Reading {
  const type = textOf(resource, 'resourceType') ?? '';
  if (type === 'Encounter') return readEncounter(resource, place);
  if (type === 'DocumentReference' || type === 'Media') return readDocument(resource, type, place);
  return nothingOf(type);
}

function readEncounter(encounter: unknown, place: ReadingPlace): Reading {
  const id = memberOf(encounter, 'id');
  if (typeof id !== 'string' || !FHIR_ID.test(id)) return notUnderstood(BAD_ID);
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
  if (isOurs) return nothing(`It is a ${type} that this engine wrote itself`);
  const readings = referencesOf(document, type).map((literal) => readDocumented(literal, place));
  const merged = mergeReadings(readings, `It is a ${type} of no encounter`);
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
  if (reference.kind === 'local' || reference.type !== 'Encounter') return nothing('It names no encounter of the EHR');
  // The version is the encounter's, and it is the document that has changed.
  const encounter = `Encounter/${reference.id}`;
  return { kind: 'encounters', encounters: [{ encounter, isUrgent: false }] };
}

/** Only an encounter says enough by its name: whose a document is, it does not tell. */
export function readNamedResource({ type, id, version, isDeleted = false }: NamedResource): Reading {
  if (typeof id !== 'string' || !FHIR_ID.test(id)) return notUnderstood(BAD_ID);
  if (type === 'Encounter') {
    // What was deleted has no version any more; with that of its last change, it would seem to have been told before.
    const key = isDeleted ? {} : versionKey('Encounter', id, version);
    return { kind: 'encounters', encounters: [{ encounter: `Encounter/${id}`, isUrgent: false }], ...key };
  }
  if (type !== 'DocumentReference' && type !== 'Media') return nothingOf(type);
  if (isDeleted) return nothing(`It says that a ${type} was deleted, and not of which encounter`);
  return nothing(`It names a ${type}, and not of which encounter it is`, { mustSearch: true });
}

export function readNamedReference(literal: string, place: ReadingPlace, isDeleted = false): Reading {
  const reference = readReference(literal, place.baseUrl);
  if (reference.kind === 'own') return readNamedResource({ ...reference, isDeleted });
  if (reference.kind === 'local') return nothing('It names nothing that the EHR has');
  return notUnderstood(FOREIGN_REFERENCE);
}

/** A type is named only where FHIR knows it: anything else may be anything. */
function nothingOf(type: string): Reading {
  if (!fhirR4().resourceTypes.includes(type)) return notUnderstood('Its resourceType is none of FHIR R4');
  return nothing(`The feed also carries ${type} resources, which say nothing about an encounter`);
}

function versionKey(type: string, id: unknown, version: unknown): { readonly key?: string } {
  const text = typeof version === 'number' ? String(version) : version;
  const isKnown = typeof id === 'string' && FHIR_ID.test(id) && typeof text === 'string' && FHIR_ID.test(text);
  return isKnown ? { key: `${type}/${id}/_history/${text}` } : {};
}

function changeTime(resource: unknown, { timeZone }: ReadingPlace): { readonly occurredAt?: Date } {
  return occurredAt(memberOf(memberOf(resource, 'meta'), 'lastUpdated'), timeZone);
}

/** To be spread: nothing where it is no time. */
export function occurredAt(text: unknown, timeZone: string): { readonly occurredAt?: Date } {
  const span = spanOf(text, timeZone);
  return span === undefined ? {} : { occurredAt: new Date(span.fromMs) };
}
