// Checks each current write: is it in the chart, once, on its patient? A resource that can still be read is never reported as missing.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import { isRetired, patientOf } from '../../domain/chart/existing-resource.ts';
import type { FindAnswer, StoredResource } from '../../ports/ehr.ts';
import type { CheckedWrite, Finding, FindingKind } from '../../ports/ledger.ts';
import type { Charts } from './reconcile-charts.ts';

export type JudgedWrite = {
  readonly checked: CheckedWrite;
  /** The resources in the chart now that are not entered-in-error. */
  readonly live: readonly StoredResource[];
  readonly findings: readonly Finding[];
};

/** Writes that could not be judged are left out. */
export async function checkWrites(charts: Charts, due: readonly CheckedWrite[]): Promise<readonly JudgedWrite[]> {
  const judged: JudgedWrite[] = [];
  for (const [type, ofType] of Map.groupBy(due, ({ write }) => write.type)) {
    const carriers = await findAll(charts, type, ofType);
    for (const checked of ofType) {
      if (carriers === undefined || charts.isDown()) break;
      const one = await judge(charts, checked, carriers.get(checked.write.id));
      if (one !== undefined) judged.push(one);
    }
  }
  return judged;
}

/** By the write's id: the resources with its identity. A write that cannot be searched for has no entry. */
type Carriers = ReadonlyMap<string, readonly StoredResource[]>;

/** Searches for all of a type at once; chart by chart if the EHR cannot do that. Undefined: the search failed. */
async function findAll(
  charts: Charts,
  type: ResourceType,
  due: readonly CheckedWrite[],
): Promise<Carriers | undefined> {
  const identities = due.map(({ write }) => write.identity);
  const answer = await charts.find({ type, identities });
  if (answer === undefined) return undefined;
  if (answer.canFind) return new Map(carriersOf(due, answer));
  const carriers = new Map<string, readonly StoredResource[]>();
  const byChart = Map.groupBy(due, ({ place, patient }) => JSON.stringify([place.encounter, patient]));
  for (const ofChart of byChart.values()) {
    const [{ place, patient } = { place: { encounter: '' }, patient: '' }] = ofChart;
    if (patient === '') continue;
    const inChart = await charts.find({
      type,
      identities: ofChart.map(({ write }) => write.identity),
      patient,
      ...(place.encounter !== '' && { encounter: `Encounter/${place.encounter}` }),
    });
    if (inChart === undefined) return undefined;
    if (inChart.canFind) for (const [id, stored] of carriersOf(ofChart, inChart)) carriers.set(id, stored);
  }
  return carriers;
}

type Carrier = readonly [string, readonly StoredResource[]];

function carriersOf(due: readonly CheckedWrite[], answer: Extract<FindAnswer, { canFind: true }>): readonly Carrier[] {
  return due.map(({ write }) => [write.id, answer.found.get(write.identity.value) ?? []] as const);
}

async function judge(
  charts: Charts,
  checked: CheckedWrite,
  carriers: readonly StoredResource[] = [],
): Promise<JudgedWrite | undefined> {
  const { write } = checked;
  const reference = write.reference ?? write.target ?? '';
  const isShown = carriers.some((one) => one.reference === reference);
  const read = isShown ? undefined : await charts.read(reference);
  if (!isShown && read === undefined) return undefined;
  // A search may miss a resource that can be read, because a person removed the identifier.
  const existing = [...carriers, ...(read?.stored ? [read.stored] : [])];
  const live = existing.filter(({ resource }) => !isRetired(resource));
  const foreign = await foreignOf(charts, checked.patient, live);
  if (foreign === undefined) return undefined;
  const findings: Finding[] = [];
  const add = (kind: FindingKind, references: readonly string[]) =>
    findings.push({ site: charts.site, kind, identity: write.identity.value, references });
  if (existing.length === 0) add('missing', [reference]);
  if (live.length > 1) add('duplicate', referencesOf(live));
  // The written resource is gone or retired, and another one has its identity.
  else if (live.some((one) => one.reference !== reference)) add('unknown', referencesOf(live));
  if (foreign.length > 0) add('foreign', referencesOf(foreign));
  return { checked, live, findings };
}

/** Undefined: a patient could not be read. */
async function foreignOf(
  charts: Charts,
  patient: string,
  live: readonly StoredResource[],
): Promise<readonly StoredResource[] | undefined> {
  const foreign: StoredResource[] = [];
  for (const one of live) {
    const isOf = await isOfPatient(charts, one.resource, patient);
    if (isOf === undefined) return undefined;
    if (!isOf) foreign.push(one);
  }
  return foreign;
}

/** Devices and Provenances have no patient. */
async function isOfPatient(charts: Charts, resource: Resource, patient: string): Promise<boolean | undefined> {
  const now = patientOf(resource);
  if (now === undefined || patient === '' || now === patient) return true;
  return charts.isMergedInto(patient, now);
}

function referencesOf(stored: readonly StoredResource[]): readonly string[] {
  return stored.map(({ reference }) => reference).toSorted();
}
