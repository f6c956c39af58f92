// Reads the resource of a recording again, because its link does not open: the link that was stored with the run may have ended while the
// run waited. The recording must still be that of the encounter and the patient, and may not have become more confidential.
import type { DocumentReference, Encounter, Media, Patient, Resource } from '@medplum/fhirtypes';
import { higherOf, isRestricted } from '../../domain/chart/confidentiality.ts';
import { isMergedInto } from '../../domain/chart/encounter-identity.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import { AppError } from '../../domain/errors.ts';
import { ownerMismatch } from '../../domain/recording/recording-owner.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import { recordingsOfChart } from '../../domain/recording/recordings-of-chart.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type RereadOrder = {
  readonly site: LoadedSite;
  readonly encounter: Encounter;
  readonly patient: Patient;
  /** The recording as it was found first. */
  readonly source: RecordingSource;
};

/**
 * Throws what the EHR throws, `notFound` if the chart has the recording no longer, and `forbidden` if it is another patient's or must be asked
 * about anew.
 */
export type RereadRecording = (order: RereadOrder, signal: AbortSignal) => Promise<RecordingSource>;

export function makeRereadRecording({ ehrs }: { readonly ehrs: Pick<Ehrs, 'of'> }): RereadRecording {
  return async ({ site, encounter, patient, source }, signal) => {
    const ehr = ehrs.of(site);
    const resource = (await ehr.read(source.reference, signal))?.resource;
    if (resource?.resourceType !== 'DocumentReference' && resource?.resourceType !== 'Media') throw gone(site);
    const baseUrl = site.settings.ehr?.baseUrl ?? '';
    const owner = {
      encounter,
      patient: await findOwner(ehr, { resource, encounter, patient, baseUrl }, signal),
      baseUrl,
    };
    const mismatch = ownerMismatch(resource, owner);
    if (mismatch !== undefined) throw misplaced(site, mismatch);
    const { sources } = recordingsOfChart({ resources: [resource], ...owner, timeOf: () => undefined });
    const [fresh] = sources;
    if (fresh === undefined) throw gone(site);
    const label = higherOf(source.confidentiality, fresh.confidentiality);
    if (label !== source.confidentiality && isRestricted(label)) throw moreConfidential(site);
    return fresh;
  };
}

type Owned = Pick<RereadOrder, 'encounter' | 'patient'> & {
  readonly resource: DocumentReference | Media;
  readonly baseUrl: string;
};

/** The patient of the run, or the one into whom this patient was merged while the run waited. */
async function findOwner(
  ehr: Ehr,
  { resource, encounter, patient, baseUrl }: Owned,
  signal: AbortSignal,
): Promise<Patient> {
  if (ownerMismatch(resource, { encounter, patient, baseUrl }) !== 'otherPatient') return patient;
  const subject = ownReference(resource.subject, baseUrl);
  if (!subject?.startsWith('Patient/')) return patient;
  const survivor = asPatient((await ehr.read(subject, signal))?.resource);
  const patientNow = asPatient((await ehr.read(`Patient/${patient.id}`, signal))?.resource);
  return survivor !== undefined && isMergedInto({ patient, patientNow, survivor }) ? survivor : patient;
}

function asPatient(resource: Resource | undefined): Patient | undefined {
  return resource?.resourceType === 'Patient' ? resource : undefined;
}

function gone({ name }: LoadedSite): AppError {
  return new AppError('notFound', `${name}: the chart no longer has a recording that it had when the run began`);
}

function misplaced({ name }: LoadedSite, mismatch: NonNullable<ReturnType<typeof ownerMismatch>>): AppError {
  const whose = {
    otherPatient: 'another patient',
    otherEncounter: 'another encounter',
    otherAddress: 'a patient or an encounter of another server',
  }[mismatch];
  return new AppError(
    'forbidden',
    `${name}: a recording of this run now belongs to ${whose} in the chart: it was not opened`,
  );
}

function moreConfidential({ name }: LoadedSite): AppError {
  const why = 'it was not opened, because permission was given for the earlier label';
  return new AppError(
    'forbidden',
    `${name}: a recording has a stricter confidentiality label than when the run began: ${why}`,
  );
}
