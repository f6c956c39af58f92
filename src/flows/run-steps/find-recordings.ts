// Finds the recordings of an encounter in its chart, in the resource types of the site's `recording.from`. A type that the EHR does not let
// the engine search is reported as an omission, as long as another type can be searched.
import type { DocumentReference, Encounter, Media, Patient } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { AppError } from '../../domain/errors.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import { type RecordingsOfChart, recordingsOfChart } from '../../domain/recording/recordings-of-chart.ts';
import { settleAll } from '../../domain/settle-all.ts';
import { instantOf } from '../../mapping/mapping.ts';
import type { EhrReads, Ehrs } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type FindRecordingsOrder = {
  readonly site: LoadedSite;
  readonly encounter: Encounter;
  readonly patient: Patient;
  /** Absent: the site's EHR. */
  readonly reads?: EhrReads;
};

export type FoundRecordings = {
  /** Each recording once, in the order of their times. */
  readonly sources: readonly RecordingSource[];
  /** What was left out and why, in plain words and without patient data. */
  readonly omissions: readonly string[];
  /** Those of the omissions that are about recordings which were found. */
  readonly leftOut: readonly string[];
};

/**
 * Throws what the EHR throws if no type could be searched, and whenever a retry may help: a busy server must not make half of the recordings
 * look like all of them.
 */
export type FindRecordings = (order: FindRecordingsOrder, signal: AbortSignal) => Promise<FoundRecordings>;

type Kind = 'DocumentReference' | 'Media';
type Search = Pick<FindRecordingsOrder, 'encounter' | 'patient'> & { readonly ehr: EhrReads; readonly kind: Kind };
type SearchResult = {
  readonly resources: readonly (DocumentReference | Media)[];
  readonly omissions: readonly string[];
};

const MAX_OF_ENCOUNTER = 500;
/** All documents of the patient are read to find those of the encounter. */
const MAX_OF_PATIENT = 2000;

export function makeFindRecordings({ ehrs }: { readonly ehrs: Pick<Ehrs, 'of'> }): FindRecordings {
  return async ({ site, encounter, patient, reads = ehrs.of(site) }, signal) => {
    const refusals: AppError[] = [];
    const searchOrOmit = async (kind: Kind): Promise<SearchResult> => {
      try {
        return await searchKind({ ehr: reads, kind, encounter, patient }, signal);
      } catch (thrown) {
        if (!(thrown instanceof AppError) || thrown.retryability !== 'permanent' || signal.aborted) throw thrown;
        refusals.push(thrown);
        return { resources: [], omissions: [`${kind}s cannot be searched for recordings: ${thrown.message}`] };
      }
    };
    const kinds = [...new Set(site.settings.recording.from)];
    const results = await settleAll(kinds.map(searchOrOmit));
    const [refusal] = refusals;
    if (refusal !== undefined && refusals.length === results.length) throw refusal;
    const ofChart = chooseFrom(results, { site, encounter, patient });
    const leftOut = ofChart.omissions;
    return { ...ofChart, leftOut, omissions: [...results.flatMap(({ omissions }) => omissions), ...leftOut] };
  };
}

function chooseFrom(
  results: readonly SearchResult[],
  { site, encounter, patient }: FindRecordingsOrder,
): RecordingsOfChart {
  const { ehr, timeZone } = site.settings;
  return recordingsOfChart({
    resources: results.flatMap(({ resources }) => resources),
    encounter,
    patient,
    baseUrl: ehr?.baseUrl ?? '',
    timeOf: (dateTime) => millisecondsOf(instantOf(dateTime, timeZone)),
  });
}

function millisecondsOf(instant: string | undefined): number | undefined {
  const milliseconds = Date.parse(instant ?? '');
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

async function searchKind(order: Search, signal: AbortSignal): Promise<SearchResult> {
  const { kind, ehr, encounter } = order;
  const capabilities = await ehr.capabilities(signal);
  const offered = capabilities.types.get(kind);
  if (capabilities.isKnown && offered?.canSearch !== true) {
    throw new AppError('ehrRefused', 'the EHR offers no search for them (CapabilityStatement)');
  }
  const names = searchNames(capabilities, kind);
  if (names.has('encounter')) {
    try {
      const parameters = { encounter: `Encounter/${encounter.id}` };
      return await search(order, { parameters, maxResources: MAX_OF_ENCOUNTER }, signal);
    } catch (thrown) {
      // Some EHRs declare the parameter and refuse it: then the search by patient is tried.
      if (!(thrown instanceof AppError) || thrown.code !== 'ehrRefused') throw thrown;
      const byPatient = await searchByPatient(order, names, signal);
      if (byPatient === undefined) throw thrown;
      return byPatient;
    }
  }
  const byPatient = await searchByPatient(order, names, signal);
  if (byPatient !== undefined) return byPatient;
  throw new AppError('ehrRefused', 'the EHR can search them neither by encounter nor by patient (CapabilityStatement)');
}

async function searchByPatient(
  order: Search,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<SearchResult | undefined> {
  const name = ['patient', 'subject'].find((known) => names.has(known));
  if (name === undefined) return undefined;
  const parameters = { [name]: `Patient/${order.patient.id}` };
  return search(order, { parameters, maxResources: MAX_OF_PATIENT }, signal);
}

/** An EHR that declares no search parameters is searched with those of FHIR. */
function searchNames({ types }: EhrCapabilities, kind: Kind): ReadonlySet<string> {
  const declared = types.get(kind)?.searchParameters;
  return declared === undefined || declared.size === 0 ? new Set(['encounter', 'patient', 'subject']) : declared;
}

type Bounds = { readonly parameters: Readonly<Record<string, string>>; readonly maxResources: number };

async function search({ ehr, kind }: Search, bounds: Bounds, signal: AbortSignal): Promise<SearchResult> {
  const { resources, isComplete } = await ehr.search({ type: kind, ...bounds }, signal);
  const omissions = isComplete
    ? []
    : [`Not all ${kind}s were searched: there are more than ${bounds.maxResources}, or the EHR does not show them all`];
  return { resources: resources.filter(isOfKind), omissions };
}

function isOfKind(resource: { readonly resourceType: string }): resource is DocumentReference | Media {
  return resource.resourceType === 'DocumentReference' || resource.resourceType === 'Media';
}
