// Checks in the EHR that the patient whom the sender named is the patient of the encounter, so that no recording gets into the wrong chart.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import { hasNumber, type NamedPatient, subjectOf } from '../../domain/event/upload.ts';
import { memberOf } from '../../domain/raw-members.ts';
import type { Ehr } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

type PatientCheck = {
  readonly ehr: Pick<Ehr, 'read'>;
  readonly site: LoadedSite;
  /** `Encounter/123` */
  readonly encounter: string;
  readonly patient: NamedPatient | undefined;
};

/** Throws `invalidRequest` for another patient, with the same message whether that patient exists or not; `notFound` without an encounter. */
export async function checkPatient(
  { ehr, site, encounter, patient }: PatientCheck,
  signal: AbortSignal,
): Promise<{ readonly isUrgent: boolean }> {
  if (patient === undefined) {
    throw new AppError('invalidRequest', 'patient is required: an id, or a record number as system|value');
  }
  const found = await ehr.read(encounter, signal);
  if (found?.resource.resourceType !== 'Encounter') {
    throw new AppError('notFound', 'The EHR has no such encounter');
  }
  if (!(await isSubject(ehr, { site, encounter: found.resource, patient }, signal))) {
    throw new AppError('invalidRequest', 'patient is not the patient of this encounter: nothing was stored');
  }
  return { isUrgent: memberOf(found.resource.class, 'code') === 'EMER' };
}

type Subject = { readonly site: LoadedSite; readonly encounter: Encounter; readonly patient: NamedPatient };

async function isSubject(
  ehr: Pick<Ehr, 'read'>,
  { site, encounter, patient }: Subject,
  signal: AbortSignal,
): Promise<boolean> {
  const subject = subjectOf(encounter, site.settings.ehr?.baseUrl);
  if (subject === undefined) return false;
  if (patient.kind === 'reference') return patient.reference === subject;
  const found = await ehr.read(subject, signal);
  return found?.resource.resourceType === 'Patient' && hasNumber(found.resource as Patient, patient);
}
