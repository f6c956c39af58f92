// Reads the Consents of a patient, and of those that were merged into this one. They are read anew for each decision, unless the caller
// has just read them together with something else.
import type { Patient } from '@medplum/fhirtypes';
import { ownReference } from '../../domain/chart/own-reference.ts';
import { AppError } from '../../domain/errors.ts';
import { listOf, memberOf } from '../../domain/raw-members.ts';
import { settleAll } from '../../domain/settle-all.ts';
import type { ConsentRecords } from '../../domain/site/consent.ts';
import type { EhrReads } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type ReadConsents = {
  /** `Patient/1`, and those that were merged into it. */
  readonly patients: readonly string[];
  readonly records: ConsentRecords;
};

/** Beyond this number not all Consents are read, and the result is uncertain. */
const MAX_CONSENTS = 500;
/** Patients that were merged into this one; with more of them the result is uncertain as well. */
const MAX_FORMER_PATIENTS = 5;

/** Throws what the EHR port throws if the EHR cannot be reached: a retry may help. */
export async function readConsents(
  reads: EhrReads,
  { site, patient }: { readonly site: LoadedSite; readonly patient: Patient },
  signal: AbortSignal,
): Promise<ReadConsents> {
  const patients = consentPatients(site, patient);
  if (patient.id === undefined) return { patients, records: { kind: 'unreadable' } };
  const asked = patients.slice(0, 1 + MAX_FORMER_PATIENTS);
  const each = await settleAll(asked.map((one) => readConsentsOf(reads, one, signal)));
  const failed = each.find(({ kind }) => kind !== 'read');
  if (failed !== undefined) return { patients, records: failed };
  const read = each.filter((one) => one.kind === 'read');
  const isComplete = asked.length === patients.length && read.every((one) => one.isComplete);
  return { patients, records: { kind: 'read', consents: read.flatMap(({ consents }) => consents), isComplete } };
}

async function readConsentsOf(reads: EhrReads, patient: string, signal: AbortSignal): Promise<ConsentRecords> {
  const capabilities = await reads.capabilities(signal);
  const offered = capabilities.types.get('Consent');
  if (capabilities.isKnown && offered === undefined) return { kind: 'not-offered' };
  if (capabilities.isKnown && offered?.canSearch === false) return { kind: 'unreadable' };
  try {
    // The search has no status parameter, which not every server supports; the status is checked here.
    const found = await reads.search({ type: 'Consent', parameters: { patient }, maxResources: MAX_CONSENTS }, signal);
    const consents = found.resources.slice(0, MAX_CONSENTS);
    return { kind: 'read', consents, isComplete: found.isComplete && consents.length === found.resources.length };
  } catch (error) {
    if (error instanceof AppError && (error.code === 'ehrRefused' || error.code === 'ehrAnswer')) {
      return { kind: 'unreadable' };
    }
    throw error;
  }
}

/** This patient first, then those that were merged into it: only patients of this EHR. */
export function consentPatients({ settings }: LoadedSite, patient: Patient): readonly string[] {
  const replaced = listOf(patient, 'link').filter((link) => memberOf(link, 'type') === 'replaces');
  const named = replaced.flatMap((link) => ownReference(memberOf(link, 'other'), settings.ehr?.baseUrl) ?? []);
  const former = named.filter((reference) => reference.startsWith('Patient/'));
  return [`Patient/${patient.id}`, ...new Set(former)];
}
