// Is it still this patient and this encounter, and may the encounter still be documented? Read again right before every write, because
// it may have changed since the run began. What is about to be written for the first time is looked for in the same request.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { judgeIdentity } from '../../domain/chart/encounter-identity.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import type { EhrReads } from '../../ports/ehr.ts';
import { type ReadConsents, readConsents } from '../run-steps/read-consents.ts';
import { findPlanned } from './find-planned.ts';
import type { FoundBefore } from './find-writes.ts';
import { retractPlace } from './retract-place.ts';
import { notPermitted, otherIdentity } from './write-outcome.ts';
import { type ChartWork, ended, type WriteState } from './write-states.ts';

export async function recheckPeople(
  work: ChartWork,
  { nextState }: WriteState<'recheckingPeople'>,
  signal: AbortSignal,
): Promise<WriteState<'freezingRevision' | 'resumingRevision' | 'ended' | 'startingOver'>> {
  const { parts, site, facts, lease, place } = work;
  const { consents, found, ...now } = await readBeforeWrite(work, nextState, signal);
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
  const permission = await parts.askPermission(
    { site, encounter, patient, session: place.session, consents, ...labels },
    signal,
  );
  if (!permission.isGranted) return ended(notPermitted(site.name, permission));
  return nextState.state === 'freezingRevision' ? { ...nextState, found } : nextState;
}

type People = {
  readonly encounterNow: Encounter | undefined;
  readonly patientNow: Patient | undefined;
  readonly subjectNow?: Patient | undefined;
};

type ReadBeforeWrite = People & { readonly consents: ReadConsents; readonly found?: FoundBefore | undefined };

async function readBeforeWrite(
  work: ChartWork,
  nextState: WriteState<'recheckingPeople'>['nextState'],
  signal: AbortSignal,
): Promise<ReadBeforeWrite> {
  const { parts, site, facts } = work;
  const patientReference = `Patient/${facts.patient.id}`;
  const [encounterNow, patientNow, consents, found] = await parts.ehr.together(
    [
      (reads) => readOne<Encounter>(reads, `Encounter/${facts.encounter.id}`, 'Encounter', signal),
      (reads) => readOne<Patient>(reads, patientReference, 'Patient', signal),
      // If the patient turns out to be merged meanwhile, they are read again with those of the other one.
      (reads) => readConsents(reads, { site, patient: facts.patient }, signal),
      async (reads) =>
        nextState.state === 'freezingRevision' ? findPlanned(work, nextState, reads, signal) : undefined,
    ],
    signal,
  );
  const now = { encounterNow, patientNow, consents, found };
  const subject = ownReference(encounterNow?.subject, site.settings.ehr?.baseUrl);
  if (subject === undefined || subject === patientReference) return now;
  return { ...now, subjectNow: await readOne<Patient>(parts.ehr, subject, 'Patient', signal) };
}

async function readOne<T extends Resource>(
  reads: EhrReads,
  reference: string,
  type: T['resourceType'],
  signal: AbortSignal,
): Promise<T | undefined> {
  const stored = await reads.read(reference, signal);
  return stored?.resource.resourceType === type ? (stored.resource as T) : undefined;
}
