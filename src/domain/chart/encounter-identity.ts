// Is it still this patient and this encounter? Judged right before every write from what the EHR has now.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { listOf, memberOf, textOf } from '../raw-members.ts';
import { literalOf } from './existing-resource.ts';
import { ownReference } from './own-reference.ts';

export type IdentityVerdict =
  | { readonly kind: 'same' }
  /** The patient was merged into the one whose encounter it is now. */
  | { readonly kind: 'merged'; readonly into: string }
  /** There is nothing to document any more: the engine's documents are retracted. */
  | { readonly kind: 'cancelled' }
  /** The reason in plain words; nothing is written. */
  | { readonly kind: 'other'; readonly why: string };

export type IdentityParts = {
  /** The patient of the session's facts. */
  readonly patient: Patient;
  /** Encounter and patient as they are now; undefined if they are gone. */
  readonly encounterNow: Encounter | undefined;
  readonly patientNow: Patient | undefined;
  /** The encounter's patient now, if it is another one. */
  readonly subjectNow?: Patient | undefined;
  /** The site's EHR: another server's `Patient/1` is another person. */
  readonly baseUrl?: string | undefined;
  /** The system of the site's medical record numbers. */
  readonly mrnSystem?: string | undefined;
};

const CANCELLED = new Set<string>(['cancelled', 'entered-in-error']);

export function judgeIdentity(parts: IdentityParts): IdentityVerdict {
  const { patient, encounterNow, patientNow, subjectNow } = parts;
  if (encounterNow === undefined) return other('the encounter is not in the EHR any more');
  if (CANCELLED.has(encounterNow.status)) return { kind: 'cancelled' };
  const subject = ownReference(encounterNow.subject, parts.baseUrl);
  if (subject === `Patient/${patient.id}`) return judgePatient(parts);
  if (subject === undefined) return other('the encounter has no patient of this EHR any more');
  const isSurvivor = subjectNow?.id !== undefined && subject === `Patient/${subjectNow.id}`;
  if (isSurvivor && isMergedInto({ patient, patientNow, survivor: subjectNow }))
    return { kind: 'merged', into: subject };
  return other('the encounter is of another patient now');
}

function judgePatient({ patient, patientNow, mrnSystem }: IdentityParts): IdentityVerdict {
  if (patientNow === undefined) return other('the patient is not in the EHR any more');
  const isReplaced = listOf(patientNow, 'link').some((link) => memberOf(link, 'type') === 'replaced-by');
  if (isReplaced) return other('the patient was merged into another one, and the encounter was not moved along');
  if (differs(patient.birthDate, patientNow.birthDate)) return other('the patient has another date of birth now');
  if (mrnSystem !== undefined && haveNoCommonNumber(numbersOf(patient, mrnSystem), numbersOf(patientNow, mrnSystem))) {
    return other('the patient has another record number now');
  }
  return { kind: 'same' };
}

type Merge = { readonly patient: Patient; readonly patientNow: Patient | undefined; readonly survivor: Patient };

/** Either of the two may have the link. */
export function isMergedInto({ patient, patientNow, survivor }: Merge): boolean {
  const points = (from: Patient | undefined, type: string, to: string) =>
    listOf(from, 'link').some((link) => memberOf(link, 'type') === type && literalOf(memberOf(link, 'other')) === to);
  return (
    points(patientNow, 'replaced-by', `Patient/${survivor.id}`) || points(survivor, 'replaces', `Patient/${patient.id}`)
  );
}

/** A value that only one of them has is no difference. */
function differs(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** A record can have several numbers; one in common is enough. If one of them has none, that is no difference. */
function haveNoCommonNumber(numbers: readonly string[], others: readonly string[]): boolean {
  return numbers.length > 0 && others.length > 0 && !numbers.some((number) => others.includes(number));
}

function numbersOf(patient: Patient, system: string): readonly string[] {
  const ofSystem = listOf(patient, 'identifier').filter((each) => memberOf(each, 'system') === system);
  return ofSystem.flatMap((each) => textOf(each, 'value') ?? []);
}

function other(why: string): IdentityVerdict {
  return { kind: 'other', why };
}
