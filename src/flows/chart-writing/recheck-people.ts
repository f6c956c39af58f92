// Is it still this patient and this encounter, and may the encounter still be documented? Read again right before every write, because
// it may have changed since the run began.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { judgeIdentity } from '../../domain/chart/encounter-identity.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import { retractPlace } from './retract-place.ts';
import { notPermitted, otherIdentity } from './write-outcome.ts';
import { type ChartWork, ended, type WriteState } from './write-states.ts';

export async function recheckPeople(
  work: ChartWork,
  { nextState }: WriteState<'recheckingPeople'>,
  signal: AbortSignal,
): Promise<WriteState<'freezingRevision' | 'resumingRevision' | 'ended' | 'startingOver'>> {
  const { parts, site, facts, lease, place } = work;
  const now = await readPeople(work, signal);
  const { ehr, identifiers } = site.settings;
  const verdict = judgeIdentity({
    patient: facts.patient,
    ...now,
    baseUrl: ehr?.baseUrl,
    mrnSystem: identifiers.mrn,
  });
  if (verdict.kind === 'cancelled') {
    const { id, time } = facts.run;
    const reason = 'The encounter was cancelled or entered in error.';
    return ended(await retractPlace(parts, { site, lease, place, reason, run: { id, time } }, signal));
  }
  if (verdict.kind === 'other') {
    return ended(otherIdentity(site.name, verdict.why, `Encounter/${facts.encounter.id}`));
  }
  const { encounterNow: encounter = facts.encounter, patientNow: patient = facts.patient, subjectNow } = now;
  if (verdict.kind === 'merged' && subjectNow !== undefined) {
    return { state: 'startingOver', facts: { ...facts, patient: subjectNow, encounter } };
  }
  const { confidentiality } = facts;
  const labels = confidentiality === undefined ? {} : { confidentiality };
  const permission = await parts.askPermission({ site, encounter, patient, ...labels }, signal);
  return permission.isGranted ? nextState : ended(notPermitted(site.name, permission));
}

type People = {
  readonly encounterNow: Encounter | undefined;
  readonly patientNow: Patient | undefined;
  readonly subjectNow?: Patient | undefined;
};

async function readPeople({ parts, site, facts }: ChartWork, signal: AbortSignal): Promise<People> {
  const read = async <T extends Resource>(reference: string, type: T['resourceType']): Promise<T | undefined> => {
    const stored = await parts.ehr.read(reference, signal);
    return stored?.resource.resourceType === type ? (stored.resource as T) : undefined;
  };
  const patientReference = `Patient/${facts.patient.id}`;
  const [encounterNow, patientNow] = await Promise.all([
    read<Encounter>(`Encounter/${facts.encounter.id}`, 'Encounter'),
    read<Patient>(patientReference, 'Patient'),
  ]);
  const subject = ownReference(encounterNow?.subject, site.settings.ehr?.baseUrl);
  if (subject === undefined || subject === patientReference) return { encounterNow, patientNow };
  return { encounterNow, patientNow, subjectNow: await read<Patient>(subject, 'Patient') };
}
