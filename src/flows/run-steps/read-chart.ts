// Reads what a session needs: the encounter, its patient, the permission to document it, and facts of the chart for the diagnosis. Before the
// permission is granted, only the encounter, the patient and the Consents are read.
import type { Encounter, Patient, Practitioner, PractitionerRole, Resource } from '@medplum/fhirtypes';
import { confidentialityOf, highestConfidentiality, isRestricted } from '../../domain/chart/confidentiality.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import { AppError } from '../../domain/errors.ts';
import type { ChartContext, Permission } from '../../domain/history/chart-context.ts';
import { CHART_GROUPS, type ChartGroup, type History, writeHistory } from '../../domain/history/chart-history.ts';
import { codesOf, listOf, memberOf } from '../../domain/raw-members.ts';
import type { Ehr, EhrReads, Ehrs } from '../../ports/ehr.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AskPermission } from './ask-permission.ts';
import { readChartFacts, reasonOf } from './read-chart-facts.ts';
import type { ReadConsents } from './read-consents.ts';

export type ReadChartOrder = {
  readonly site: LoadedSite;
  /** `Encounter/2`, or only its id. */
  readonly encounter: string;
  /** The session that is to be documented. */
  readonly session?: string | undefined;
  /** Read a moment ago: they are not read again. */
  readonly seen?: {
    readonly encounter: Encounter;
    readonly patient: Patient;
    readonly consents?: ReadConsents | undefined;
  };
};

export type ChartReading = { readonly permission: Permission; readonly context?: ChartContext };

/**
 * Without a permission there is no context. Throws `invalidRequest` if the encounter does not reference a Patient of this EHR, `notFound` if
 * the EHR lacks one of the two, and what the EHR port throws for them; anything else that cannot be read is an omission.
 */
export type ReadChart = (order: ReadChartOrder, signal: AbortSignal) => Promise<ChartReading>;

type ReadChartParts = {
  readonly ehrs: Ehrs;
  readonly askPermission: AskPermission;
  readonly runtime: Pick<Runtime, 'now'>;
};

const MAX_HISTORY_CHARACTERS = 16_000;

export function makeReadChart({ ehrs, askPermission, runtime }: ReadChartParts): ReadChart {
  return async ({ site, encounter: asked, session, seen }, signal) => {
    const ehr = ehrs.of(site);
    const encounter = seen?.encounter ?? (await readEncounter(ehr, asked, signal));
    const patient = seen?.patient ?? (await readPatient({ ehr, site, encounter }, signal));
    const order = { site, encounter, patient, session };
    const permission = await askPermission({ ...order, consents: seen?.consents }, signal);
    if (!permission.isGranted) return { permission };

    const read = await readRest({ ...order, ehr }, signal);
    const restricted = read.all.filter((resource) => isRestricted(confidentialityOf(resource)));
    if (restricted.length === 0) return { permission, context: contextOf({ ...order, read, now: runtime.now() }) };

    // Decided again with the labels of the facts: only the site's own list can allow restricted ones.
    const confidentiality = highestConfidentiality(restricted) ?? 'V';
    const widened = await askPermission({ ...order, confidentiality }, signal);
    if (!widened.isGranted && widened.reason !== 'label') return { permission: widened };
    const allowed = widened.isGranted ? read : withoutRestricted(read, restricted);
    return { permission, context: contextOf({ ...order, read: allowed, now: runtime.now() }) };
  };
}

const ENCOUNTER = /^(?:Encounter\/)?([A-Za-z0-9.-]{1,64})$/;

async function readEncounter(ehr: Ehr, asked: string, signal: AbortSignal): Promise<Encounter> {
  const id = ENCOUNTER.exec(asked)?.[1];
  if (id === undefined) throw new AppError('invalidRequest', 'an encounter must be an id, or Encounter/id');
  const stored = await ehr.read(`Encounter/${id}`, signal);
  if (stored === undefined) throw new AppError('notFound', 'the EHR has no such Encounter');
  const { resource } = stored;
  if (resource.resourceType === 'Encounter' && resource.id === id) return resource;
  throw new AppError('ehrAnswer', 'the EHR was asked for an Encounter and answered with something else');
}

type PatientParts = { readonly ehr: Ehr; readonly site: LoadedSite; readonly encounter: Encounter };

async function readPatient({ ehr, site, encounter }: PatientParts, signal: AbortSignal): Promise<Patient> {
  const reference = ownReference(encounter.subject, site.settings.ehr?.baseUrl);
  if (reference === undefined || !reference.startsWith('Patient/')) {
    const reason = 'Encounter.subject does not reference a Patient in this EHR';
    throw new AppError('invalidRequest', reason);
  }
  const stored = await ehr.read(reference, signal);
  if (stored === undefined) throw new AppError('notFound', 'the EHR does not have the Patient of Encounter.subject');
  const { resource } = stored;
  // For a merged patient a server may return the survivor: the engine does not guess whose encounter it is.
  if (resource.resourceType === 'Patient' && `Patient/${resource.id}` === reference) return resource;
  throw new AppError('ehrAnswer', 'the EHR was asked for the Patient of an Encounter and answered with something else');
}

type RestRead = {
  readonly practitioner: Practitioner | PractitionerRole | undefined;
  readonly groups: Readonly<Partial<Record<ChartGroup, readonly Resource[]>>>;
  readonly omissions: readonly string[];
  /** All resources together. */
  readonly all: readonly Resource[];
};

type RestParts = PatientParts & { readonly patient: Patient };

async function readRest({ ehr, site, encounter, patient }: RestParts, signal: AbortSignal): Promise<RestRead> {
  const names = { patient: `Patient/${patient.id}`, encounter: `Encounter/${encounter.id}` };
  const [{ practitioner, omissions }, facts] = await ehr.together(
    [
      (reads) => readPractitioner({ reads, site, encounter }, signal),
      (reads) => readChartFacts({ site, reads, ...names }, signal),
    ],
    signal,
  );
  return {
    practitioner,
    groups: facts.groups,
    omissions: [...omissions, ...facts.omissions],
    all: [...(practitioner ? [practitioner] : []), ...CHART_GROUPS.flatMap((group) => facts.groups[group] ?? [])],
  };
}

type PractitionerRead = {
  readonly practitioner: Practitioner | PractitionerRole | undefined;
  readonly omissions: readonly string[];
};

async function readPractitioner(
  { reads, site, encounter }: Omit<PatientParts, 'ehr'> & { readonly reads: EhrReads },
  signal: AbortSignal,
): Promise<PractitionerRead> {
  const reference = practitionerOf(encounter, site.settings.ehr?.baseUrl);
  if (reference === undefined) return { practitioner: undefined, omissions: [] };
  const missing = (why: string) => ({
    practitioner: undefined,
    omissions: [`The practitioner cannot be read: ${why}.`],
  });
  try {
    const resource = (await reads.read(reference, signal))?.resource;
    const isOne = resource?.resourceType === 'Practitioner' || resource?.resourceType === 'PractitionerRole';
    return isOne ? { practitioner: resource, omissions: [] } : missing('the EHR does not have it');
  } catch (error) {
    return missing(reasonOf(error, signal));
  }
}

const PARTICIPATION_SYSTEMS = new Set([
  'http://terminology.hl7.org/CodeSystem/v3-ParticipationType',
  'http://hl7.org/fhir/v3/ParticipationType',
]);

/** The attender of the encounter, otherwise the primary performer. */
function practitionerOf(encounter: Encounter, baseUrl: string | undefined): string | undefined {
  for (const wanted of ['ATND', 'PPRF']) {
    for (const participant of listOf(encounter, 'participant')) {
      const isWanted = listOf(participant, 'type').some((type) =>
        codesOf(type, PARTICIPATION_SYSTEMS).includes(wanted),
      );
      const reference = ownReference(memberOf(participant, 'individual'), baseUrl);
      if (isWanted && reference !== undefined && /^Practitioner(Role)?\//.test(reference)) return reference;
    }
  }
  return undefined;
}

function withoutRestricted(read: RestRead, restricted: readonly Resource[]): RestRead {
  const left = new Set<Resource | undefined>(restricted);
  const keep = (resources: readonly Resource[]) => resources.filter((resource) => !left.has(resource));
  const groups: Partial<Record<ChartGroup, readonly Resource[]>> = {};
  for (const group of CHART_GROUPS) {
    const resources = read.groups[group];
    if (resources) groups[group] = keep(resources);
  }
  const count = restricted.length;
  const what = count === 1 ? '1 resource of the chart is' : `${count} resources of the chart are`;
  return {
    practitioner: left.has(read.practitioner) ? undefined : read.practitioner,
    groups,
    omissions: [...read.omissions, `${what} labelled restricted (R or V), and left out.`],
    all: keep(read.all),
  };
}

type ContextParts = Omit<RestParts, 'ehr'> & { readonly read: RestRead; readonly now: Date };

function contextOf({ site, encounter, patient, read, now }: ContextParts): ChartContext {
  const { practitioner, groups } = read;
  const { timeZone } = site.settings;
  const history = writeHistory({ encounter, patient, groups, timeZone, now, maxCharacters: MAX_HISTORY_CHARACTERS });
  const chart = includedGroups(groups, history);
  const inputs = [encounter, patient, practitioner, ...history.included];
  const confidentiality = highestConfidentiality(inputs);
  return {
    encounter,
    patient,
    ...(practitioner && { practitioner }),
    chart,
    history: history.text,
    omissions: [...read.omissions, ...omittedFrom(history)],
    ...(confidentiality !== undefined && { confidentiality }),
  };
}

function omittedFrom({ leftOut, unusable }: History): readonly string[] {
  const facts = (count: number) => (count === 1 ? '1 fact of the chart is' : `${count} facts of the chart are`);
  return [
    ...(unusable === 0 ? [] : [`${facts(unusable)} without a name or a value, and left out.`]),
    ...(leftOut === 0 ? [] : [`${facts(leftOut)} left out of the history: it would be too long.`]),
  ];
}

/** Documents may only use facts that the reasoner gets. */
function includedGroups(groups: RestRead['groups'], { included }: History): ChartContext['chart'] {
  const chart: Partial<Record<ChartGroup, readonly Resource[]>> = {};
  for (const group of CHART_GROUPS) {
    const resources = groups[group];
    if (resources) chart[group] = resources.filter((resource) => included.has(resource));
  }
  return chart;
}
