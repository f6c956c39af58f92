// Is it still this patient and this encounter, and may it still be documented? Read again right before every write: what was true when
// the run began may not be any more.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../domain/chart/chart.ts';
import type { WriteOutcome } from '../../domain/chart/chart-write.ts';
import { judgeIdentity } from '../../domain/chart/encounter-identity.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import type { Ehr } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AskPermission } from '../run-steps/ask-permission.ts';
import { notPermitted, otherIdentity } from './write-outcome.ts';

type RecheckParts = {
  readonly site: LoadedSite;
  readonly facts: ChartFacts;
  readonly ehr: Ehr;
  readonly askPermission: AskPermission;
};

export type Recheck =
  | { readonly kind: 'go' }
  /** The same facts, of the patient into whom theirs was merged. */
  | { readonly kind: 'merged'; readonly facts: ChartFacts }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'stop'; readonly outcome: WriteOutcome };

export async function recheckPeople(parts: RecheckParts, signal: AbortSignal): Promise<Recheck> {
  const { site, facts, askPermission } = parts;
  const now = await readPeople(parts, signal);
  const { ehr, identifiers } = site.settings;
  const verdict = judgeIdentity({
    patient: facts.patient,
    ...now,
    baseUrl: ehr?.baseUrl,
    mrnSystem: identifiers.mrn,
  });
  if (verdict.kind === 'cancelled') return { kind: 'cancelled' };
  if (verdict.kind === 'other') {
    return { kind: 'stop', outcome: otherIdentity(site.name, verdict.why, `Encounter/${facts.encounter.id}`) };
  }
  const { encounterNow: encounter = facts.encounter, patientNow = facts.patient, subjectNow } = now;
  if (verdict.kind === 'merged' && subjectNow !== undefined) {
    return { kind: 'merged', facts: { ...facts, patient: subjectNow, encounter } };
  }
  const { confidentiality } = facts;
  const labels = confidentiality === undefined ? {} : { confidentiality };
  const permission = await askPermission({ site, encounter, patient: patientNow, ...labels }, signal);
  return permission.isGranted ? { kind: 'go' } : { kind: 'stop', outcome: notPermitted(site.name, permission) };
}

type People = {
  readonly encounterNow: Encounter | undefined;
  readonly patientNow: Patient | undefined;
  readonly subjectNow?: Patient | undefined;
};

async function readPeople({ site, facts, ehr }: RecheckParts, signal: AbortSignal): Promise<People> {
  const read = async <T extends Resource>(reference: string, type: T['resourceType']): Promise<T | undefined> => {
    const stored = await ehr.read(reference, signal);
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
