// What is known of a visit besides words: its date, and the age and sex of the patient on that day.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { dayAt, spanOf } from '../fhir-time.ts';
import { present } from '../present.ts';
import { agePhrase } from './patient-age.ts';

export type Visit = {
  /** `2026-11-24` */
  readonly date?: string;
  /** `54 years old` */
  readonly age?: string;
  readonly sex?: 'male' | 'female';
};

type VisitParts = {
  readonly encounter: Encounter;
  readonly patient: Patient;
  readonly timeZone: string;
  /** Used if the encounter has no start. */
  readonly now: Date;
};

/** All of it is made of codes and numbers, never of free text. */
export function visitOf({ encounter, patient, timeZone, now }: VisitParts): Visit {
  const start = spanOf(encounter.period?.start, timeZone)?.fromMs ?? now.getTime();
  const day = dayAt(start, timeZone);
  const date = [String(day.year).padStart(4, '0'), twoDigits(day.month), twoDigits(day.day)].join('-');
  const sex = patient.gender === 'male' || patient.gender === 'female' ? patient.gender : undefined;
  return present({ date, age: agePhrase(patient.birthDate, day), sex });
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
