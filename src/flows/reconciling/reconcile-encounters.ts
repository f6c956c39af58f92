// Reads the encounters of unsigned drafts again: one may have been cancelled, entered in error or moved to another patient after its
// documents were written, and not every EHR sends an event.
import type { Resource } from '@medplum/fhirtypes';
import { placeIdentity, type WritePlace } from '../../domain/chart/chart-write.ts';
import { isSigned, literalOf } from '../../domain/chart/existing-resource.ts';
import type { Finding } from '../../ports/ledger.ts';
import type { Charts } from './reconcile-charts.ts';
import type { JudgedWrite } from './reconcile-writes.ts';

export type CheckedEncounters = {
  readonly findings: readonly Finding[];
  /** Places whose documents should be retracted. */
  readonly cancelled: readonly WritePlace[];
  /** Places whose encounter could be read. */
  readonly judged: readonly WritePlace[];
};

export async function checkEncounters(charts: Charts, writes: readonly JudgedWrite[]): Promise<CheckedEncounters> {
  const findings: Finding[] = [];
  const cancelled: WritePlace[] = [];
  const judged: WritePlace[] = [];
  for (const { place, patient, drafts } of draftsByPlace(writes)) {
    const reference = `Encounter/${place.encounter}`;
    const read = await charts.read(reference);
    const status = read && (await statusOf(charts, read.stored?.resource, patient));
    if (status === undefined) continue;
    judged.push(place);
    if (status === 'same') continue;
    const references = [reference, ...drafts.toSorted()];
    findings.push({ site: charts.site, kind: 'encounter', identity: placeIdentity(place), references });
    if (status === 'cancelled') cancelled.push(place);
  }
  return { findings, cancelled, judged };
}

type Drafts = { readonly place: WritePlace; readonly patient: string; readonly drafts: readonly string[] };

/** Devices belong to no encounter. */
function draftsByPlace(writes: readonly JudgedWrite[]): readonly Drafts[] {
  const ofEncounters = writes.filter(({ checked }) => checked.place.encounter !== '');
  const byPlace = Map.groupBy(ofEncounters, ({ checked }) => placeIdentity(checked.place));
  return [...byPlace.values()].flatMap((ofPlace) => {
    const [first] = ofPlace;
    const live = ofPlace.flatMap((one) => one.live).filter(({ resource }) => isDraft(resource));
    if (first === undefined || live.length === 0) return [];
    const { place, patient } = first.checked;
    return [{ place, patient, drafts: live.map(({ reference }) => reference) }];
  });
}

const RECORDS = new Set<string>(['Provenance', 'AuditEvent', 'Binary']);

/** Unsigned, and not a record of something that happened: records stay in the chart. */
export function isDraft(resource: Resource): boolean {
  return !RECORDS.has(resource.resourceType) && !isSigned(resource);
}

const CANCELLED = new Set<string>(['cancelled', 'entered-in-error']);

/** `unclear`: it is gone, or has no patient. Undefined: it could not be read. */
async function statusOf(
  charts: Charts,
  encounter: Resource | undefined,
  patient: string,
): Promise<'same' | 'cancelled' | 'unclear' | undefined> {
  if (encounter?.resourceType !== 'Encounter') return 'unclear';
  if (CANCELLED.has(encounter.status)) return 'cancelled';
  const subject = literalOf(encounter.subject);
  if (subject === undefined) return 'unclear';
  if (subject === patient) return 'same';
  const isMerged = await charts.isMergedInto(patient, subject);
  if (isMerged === undefined) return undefined;
  return isMerged ? 'same' : 'cancelled';
}
