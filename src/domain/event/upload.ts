// What a program says of a recording that it hands over for an encounter, and whether the patient it names is the encounter's.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { ownReference } from '../chart/own-reference.ts';
import type { Language } from '../language.ts';
import type { NoteType, TemplateName } from '../note/template.ts';
import { listOf, textOf } from '../raw-members.ts';

/** By the EHR's own id, or by a record number that the patient carries. */
export type NamedPatient =
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'number'; readonly system: string; readonly value: string };

export type UploadDetails = {
  readonly patient?: NamedPatient;
  readonly noteType?: NoteType;
  readonly template?: TemplateName;
  readonly language?: Language | 'detect';
  /** Absent: it is made of the recording itself. */
  readonly session?: string;
  /** A dateTime. */
  readonly recordedAt?: string;
  /** `Practitioner/7` */
  readonly practitioner?: string;
};

const ID = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;

/** A FHIR id, and no way to somewhere else in an address. */
export function isResourceId(text: string): boolean {
  return ID.test(text);
}

/** `Practitioner/7` of `7` or `Practitioner/7`; undefined for anything else. */
export function referenceTo(type: string, text: string): string | undefined {
  const id = text.startsWith(`${type}/`) ? text.slice(type.length + 1) : text;
  return isResourceId(id) ? `${type}/${id}` : undefined;
}

/** `1`, `Patient/1` or `urn:oid:1.2.3|4711`; undefined for anything else. */
export function readNamedPatient(text: string): NamedPatient | undefined {
  const bar = text.indexOf('|');
  if (bar < 0) {
    const reference = referenceTo('Patient', text);
    return reference === undefined ? undefined : { kind: 'reference', reference };
  }
  const [system, value] = [text.slice(0, bar), text.slice(bar + 1)];
  // A number without a system is somebody else's in the next department.
  return system === '' || value === '' ? undefined : { kind: 'number', system, value };
}

/** As `readNamedPatient` takes it. */
export function writeNamedPatient(patient: NamedPatient): string {
  return patient.kind === 'reference' ? patient.reference : `${patient.system}|${patient.value}`;
}

/** `Patient/1`; undefined where it has none of this EHR. */
export function subjectOf(encounter: Encounter, baseUrl: string | undefined): string | undefined {
  const subject = ownReference(encounter.subject, baseUrl);
  return subject?.startsWith('Patient/') === true ? subject : undefined;
}

/** A number that is marked as old is none: after a merge it may be another person's. */
export function hasNumber(patient: Patient, { system, value }: { readonly system: string; readonly value: string }) {
  return listOf(patient, 'identifier').some(
    (identifier) =>
      textOf(identifier, 'system') === system &&
      textOf(identifier, 'value') === value &&
      textOf(identifier, 'use') !== 'old',
  );
}

/** The same bytes are the same session, however often they are sent. */
export function sessionOfUpload(sha256: string): string {
  return `u-${sha256.slice(0, 24)}`;
}
