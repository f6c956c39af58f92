// Finds the encounter that an operator means: by its id, a visit number, or a patient's record number. Its runs are found even if the EHR does not
// answer.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { tokenOf } from '../../domain/chart/identity.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import { AppError } from '../../domain/errors.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { Runs } from '../../ports/runs.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type Subject = {
  /** `Encounter/1`; or `visit:V-77` if only runs are found. Absent if neither the EHR nor the engine knows it. */
  readonly reference?: string;
  /** The encounter in the EHR; absent if the EHR does not have it or does not answer. */
  readonly encounter?: Encounter;
  /** `Patient/1` */
  readonly patient?: string;
  /** The oldest first. */
  readonly runs: readonly Run[];
  readonly otherEncounters?: number;
  /** The failure of the EHR, if any. */
  readonly failure?: AppError;
};

type SubjectParts = { readonly runs: Pick<Runs, 'ofEncounter' | 'list'>; readonly ehrs: Pick<Ehrs, 'of'> };
type SubjectOrder = { readonly site: LoadedSite; readonly of: string };

type Search = SubjectParts & {
  readonly site: LoadedSite;
  readonly ehr: Ehr;
  readonly signal: AbortSignal;
  /** The first failure of the EHR. */
  failure: AppError | undefined;
};

const ENCOUNTER = /^(?:Encounter\/)?([A-Za-z0-9.-]{1,64})$/;
const PATIENT = /^Patient\/[A-Za-z0-9.-]{1,64}$/;
const MAX_ENCOUNTERS = 200;

/** Throws what the stores throw; a failure of the EHR is part of the result. */
export async function findSubject(
  parts: SubjectParts,
  { site, of: typed }: SubjectOrder,
  signal: AbortSignal,
): Promise<Subject> {
  const of = typed.trim();
  const search: Search = { ...parts, site, ehr: parts.ehrs.of(site), signal, failure: undefined };
  const found =
    (await byId(search, of)) ??
    (await byVisit(search, of)) ??
    (PATIENT.test(of) ? await byPatient(search, [of]) : await byRecordNumber(search, of));
  const { failure } = search;
  return { ...(found ?? { runs: [] }), ...(failure !== undefined && { failure }) };
}

async function byId(search: Search, of: string): Promise<Subject | undefined> {
  const id = ENCOUNTER.exec(of)?.[1];
  if (id === undefined) return undefined;
  const reference = `Encounter/${id}`;
  const runs = await search.runs.ofEncounter(search.site.name, reference);
  const stored = await ask(search, () => search.ehr.read(reference, search.signal));
  const encounter = stored?.resource.resourceType === 'Encounter' ? stored.resource : undefined;
  if (encounter !== undefined) return { ...subjectOf(search, encounter), runs: await runsOf(search, encounter, runs) };
  const last = runs.at(-1);
  if (last === undefined) return undefined;
  return { reference, runs, ...(last.patient !== undefined && { patient: last.patient }) };
}

async function byVisit(search: Search, of: string): Promise<Subject | undefined> {
  const number = of.replace(/^visit:/, '');
  const { visit } = search.site.settings.identifiers;
  const encounters = visit === undefined ? [] : await withIdentifier(search, 'Encounter', visit, number);
  const [newest] = newestFirst(encounters.filter(isEncounter));
  if (newest !== undefined) return { ...subjectOf(search, newest), runs: await runsOf(search, newest, []) };
  const runs = await search.runs.ofEncounter(search.site.name, `visit:${number}`);
  return runs.length === 0 ? undefined : { reference: `visit:${number}`, runs };
}

async function byRecordNumber(search: Search, of: string): Promise<Subject | undefined> {
  const { mrn } = search.site.settings.identifiers;
  if (mrn === undefined) return undefined;
  const patients = await withIdentifier(search, 'Patient', mrn, of);
  return byPatient(
    search,
    patients.map(({ id }) => `Patient/${id}`),
  );
}

/** The newest encounter of these patients. */
async function byPatient(search: Search, patients: readonly string[]): Promise<Subject | undefined> {
  const encounters: Encounter[] = [];
  for (const patient of patients) {
    const order = { type: 'Encounter', parameters: { patient }, maxResources: MAX_ENCOUNTERS } as const;
    const answer = await ask(search, () => search.ehr.search(order, search.signal));
    const theirs = (answer?.resources ?? []).filter(isEncounter);
    encounters.push(...theirs.filter((one) => subjectOf(search, one).patient === patient));
  }
  const [newest, ...others] = newestFirst(encounters);
  if (newest !== undefined) {
    const runs = await runsOf(search, newest, []);
    return { ...subjectOf(search, newest), runs, otherEncounters: others.length };
  }
  const [patient] = patients;
  if (patient === undefined) return undefined;
  return (await byRuns(search, patient)) ?? { patient, runs: [] };
}

/** Finds the newest run of a patient whose encounters the EHR does not show. */
async function byRuns({ runs, site }: Search, patient: string): Promise<Subject | undefined> {
  const [newest] = (await runs.list({ scope: { sites: [site.name] }, patient, limit: 1 })).runs;
  if (newest === undefined) return undefined;
  return { reference: newest.encounter, patient, runs: await runs.ofEncounter(site.name, newest.encounter) };
}

function subjectOf({ site }: Search, encounter: Encounter): Omit<Subject, 'runs'> {
  const patient = ownReference(encounter.subject, site.settings.ehr?.baseUrl);
  const reference = `Encounter/${encounter.id}`;
  return { reference, encounter, ...(patient?.startsWith('Patient/') && { patient }) };
}

/** Includes runs that have only the visit number so far. */
async function runsOf({ runs, site }: Search, encounter: Encounter, found: readonly Run[]): Promise<readonly Run[]> {
  const ofId = found.length > 0 ? found : await runs.ofEncounter(site.name, `Encounter/${encounter.id}`);
  const { visit } = site.settings.identifiers;
  const numbers = (encounter.identifier ?? []).flatMap(({ system, value }) =>
    visit !== undefined && system === visit && value !== undefined ? [value] : [],
  );
  const ofVisits = await Promise.all(numbers.map((number) => runs.ofEncounter(site.name, `visit:${number}`)));
  return [...ofId, ...ofVisits.flat()].toSorted((one, other) => one.serial - other.serial);
}

type Identified = Encounter | Patient;

/** Servers ignore unknown search parameters, so the result is filtered again. */
async function withIdentifier(
  search: Search,
  type: Identified['resourceType'],
  system: string,
  value: string,
): Promise<readonly Identified[]> {
  const order = { type, parameters: { identifier: tokenOf({ system, value }) }, maxResources: 50 };
  const answer = await ask(search, () => search.ehr.search(order, search.signal));
  return (answer?.resources ?? []).filter(
    (one): one is Identified =>
      one.resourceType === type &&
      one.id !== undefined &&
      ((one as Identified).identifier ?? []).some((each) => each.system === system && each.value === value),
  );
}

function isEncounter(resource: Resource): resource is Encounter {
  return resource.resourceType === 'Encounter' && resource.id !== undefined;
}

function newestFirst(encounters: readonly Encounter[]): readonly Encounter[] {
  const timeOf = ({ period, meta }: Encounter) => period?.start ?? period?.end ?? meta?.lastUpdated ?? '';
  return encounters.toSorted((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1));
}

/** Undefined if the EHR fails: then the result has only what the engine itself knows. */
async function ask<T>(search: Search, question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (thrown) {
    search.signal.throwIfAborted();
    if (!isEhrFailure(thrown)) throw thrown;
    search.failure ??= thrown;
    return undefined;
  }
}

/** Whether the error is a failure of the EHR. */
export function isEhrFailure(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && (thrown.code.startsWith('ehr') || thrown.code === 'notConfigured');
}
