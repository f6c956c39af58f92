// The form fields of an uploaded recording, and the check that the named patient is the patient of the encounter.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { ownReference } from '../chart/own-reference.ts';
import type { Language } from '../language.ts';
import type { NoteType, TemplateName } from '../note/template.ts';
import { listOf, textOf } from '../raw-members.ts';

/** A patient, named by the id in the EHR or by a record number. */
export type NamedPatient =
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'number'; readonly system: string; readonly value: string };

export type UploadDetails = {
  readonly patient?: NamedPatient;
  readonly noteType?: NoteType;
  readonly template?: TemplateName;
  readonly language?: Language | 'detect';
  /** Absent: the session is derived from the recording. */
  readonly session?: string;
  /** A dateTime. */
  readonly recordedAt?: string;
  /** `Practitioner/7` */
  readonly practitioner?: string;
};

const ID = /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/;

/** A FHIR id, without characters that would change a path. */
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
  // A number without a system may be another patient's in another department.
  return system === '' || value === '' ? undefined : { kind: 'number', system, value };
}

/** The inverse of `readNamedPatient`. */
export function writeNamedPatient(patient: NamedPatient): string {
  return patient.kind === 'reference' ? patient.reference : `${patient.system}|${patient.value}`;
}

/** `Patient/1`; undefined if the subject is not a Patient of this EHR. */
export function subjectOf(encounter: Encounter, baseUrl: string | undefined): string | undefined {
  const subject = ownReference(encounter.subject, baseUrl);
  return subject?.startsWith('Patient/') === true ? subject : undefined;
}

/** Ignores numbers with the use `old`: after a merge they may belong to another person. */
export function hasNumber(patient: Patient, { system, value }: { readonly system: string; readonly value: string }) {
  return listOf(patient, 'identifier').some(
    (identifier) =>
      textOf(identifier, 'system') === system &&
      textOf(identifier, 'value') === value &&
      textOf(identifier, 'use') !== 'old',
  );
}

/** The same bytes always give the same session. */
export function sessionOfUpload(sha256: string): string {
  return `u-${sha256.slice(0, 24)}`;
}
