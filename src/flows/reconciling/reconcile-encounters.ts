// Reads the encounters of documents again: one may have been cancelled, entered in error or moved to another patient after its documents
// were written, and not every EHR sends an event.
import type { Resource } from '@medplum/fhirtypes';
import { placeIdentity, type WritePlace } from '../../domain/chart/chart-write.ts';
import { isSigned, literalOf } from '../../domain/chart/existing-resource.ts';
import type { StoredResource } from '../../ports/ehr.ts';
import type { Finding } from '../../ports/ledger.ts';
import type { Charts } from './reconcile-charts.ts';
import type { JudgedWrite } from './reconcile-writes.ts';

export type CheckedEncounters = {
  readonly findings: readonly Finding[];
  /** Places whose documents should be retracted. */
  readonly cancelled: readonly WritePlace[];
  /** Places whose encounter belongs to another patient now. */
  readonly moved: readonly WritePlace[];
  /** Places whose encounter could be read. */
  readonly judged: readonly WritePlace[];
};

export async function checkEncounters(charts: Charts, writes: readonly JudgedWrite[]): Promise<CheckedEncounters> {
  const findings: Finding[] = [];
  const cancelled: WritePlace[] = [];
  const moved: WritePlace[] = [];
  const judged: WritePlace[] = [];
  for (const { place, patient, live, drafts } of documentsByPlace(writes)) {
    const reference = `Encounter/${place.encounter}`;
    const read = await charts.read(reference);
    const status = read && (await statusOf(charts, read.stored?.resource, patient));
    if (status === undefined) continue;
    judged.push(place);
    if (status === 'same') continue;
    const identity = placeIdentity(place);
    if (status === 'moved') {
      findings.push({
        ...{ site: charts.site, kind: 'moved', identity },
        references: [reference, patient, ...live.toSorted()],
      });
      moved.push(place);
      continue;
    }
    // What a person signed of a cancelled encounter stays.
    if (drafts.length === 0) continue;
    findings.push({ site: charts.site, kind: 'encounter', identity, references: [reference, ...drafts.toSorted()] });
    if (status === 'cancelled') cancelled.push(place);
  }
  return { findings, cancelled, moved, judged };
}

type Documents = {
  readonly place: WritePlace;
  /** The patient for whom they were written. */
  readonly patient: string;
  readonly live: readonly string[];
  /** Those of them that no person has signed. */
  readonly drafts: readonly string[];
};

/** Devices belong to no encounter. */
function documentsByPlace(writes: readonly JudgedWrite[]): readonly Documents[] {
  const ofEncounters = writes.filter(({ checked }) => checked.place.encounter !== '');
  const byPlace = Map.groupBy(ofEncounters, ({ checked }) => placeIdentity(checked.place));
  return [...byPlace.values()].flatMap((ofPlace) => {
    const [first] = ofPlace;
    const live = ofPlace.flatMap((one) => one.live).filter(({ resource }) => !isRecord(resource));
    if (first === undefined || live.length === 0) return [];
    const { place, patient } = first.checked;
    const drafts = live.filter(({ resource }) => isDraft(resource));
    return [{ place, patient, live: referencesOf(live), drafts: referencesOf(drafts) }];
  });
}

const RECORDS = new Set<string>(['Provenance', 'AuditEvent', 'Binary']);

/** A record of something that happened stays in the chart. */
function isRecord({ resourceType }: Resource): boolean {
  return RECORDS.has(resourceType);
}

export function isDraft(resource: Resource): boolean {
  return !isRecord(resource) && !isSigned(resource);
}

function referencesOf(stored: readonly StoredResource[]): readonly string[] {
  return stored.map(({ reference }) => reference);
}

const CANCELLED = new Set<string>(['cancelled', 'entered-in-error']);

/** `unclear`: it is gone, or has no patient. Undefined: it could not be read. */
async function statusOf(
  charts: Charts,
  encounter: Resource | undefined,
  patient: string,
): Promise<'same' | 'cancelled' | 'moved' | 'unclear' | undefined> {
  if (encounter?.resourceType !== 'Encounter') return 'unclear';
  if (CANCELLED.has(encounter.status)) return 'cancelled';
  const subject = literalOf(encounter.subject);
  if (subject === undefined) return 'unclear';
  if (subject === patient) return 'same';
  const isMerged = await charts.isMergedInto(patient, subject);
  if (isMerged === undefined) return undefined;
  return isMerged ? 'same' : 'moved';
}
