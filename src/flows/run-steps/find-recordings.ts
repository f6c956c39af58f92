// Finds the recordings of an encounter in its chart. Looks only where the site's `recording.from` says; what the EHR does not let
// us look through is left out and said, as long as there is somewhere else to look.
import type { DocumentReference, Encounter, Media, Patient } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { AppError } from '../../domain/errors.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import { type RecordingsOfChart, recordingsOfChart } from '../../domain/recording/recordings-of-chart.ts';
import { instantOf } from '../../mapping/mapping.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type FindRecordingsOrder = {
  readonly site: LoadedSite;
  readonly encounter: Encounter;
  readonly patient: Patient;
};

export type FoundRecordings = {
  /** Each recording once, in the order in which they were made. */
  readonly sources: readonly RecordingSource[];
  /** In plain words, without anything of the patient's: what was left out, and why. */
  readonly omissions: readonly string[];
};

/**
 * Throws what the EHR throws where nothing could be looked through, and always where it may well work a moment later: half of an
 * encounter's recordings must not be taken for all of them because a server was busy.
 */
export type FindRecordings = (order: FindRecordingsOrder, signal: AbortSignal) => Promise<FoundRecordings>;

type Kind = 'DocumentReference' | 'Media';
type Look = Pick<FindRecordingsOrder, 'encounter' | 'patient'> & { readonly ehr: Ehr; readonly kind: Kind };
type Seen = { readonly resources: readonly (DocumentReference | Media)[]; readonly omissions: readonly string[] };

const MAX_OF_ENCOUNTER = 500;
/** A patient has more documents than an encounter, and all of them are read to find the encounter's. */
const MAX_OF_PATIENT = 2000;

export function makeFindRecordings({ ehrs }: { readonly ehrs: Pick<Ehrs, 'of'> }): FindRecordings {
  return async ({ site, encounter, patient }, signal) => {
    const ehr = ehrs.of(site);
    const seen: Seen[] = [];
    const refusals: AppError[] = [];
    for (const kind of new Set(site.settings.recording.from)) {
      try {
        seen.push(await lookThrough({ ehr, kind, encounter, patient }, signal));
      } catch (thrown) {
        if (!(thrown instanceof AppError) || thrown.retryability !== 'permanent' || signal.aborted) throw thrown;
        refusals.push(thrown);
        const omissions = [`${kind}s cannot be looked through for recordings: ${thrown.message}`];
        seen.push({ resources: [], omissions });
      }
    }
    const [refusal] = refusals;
    if (refusal !== undefined && refusals.length === seen.length) throw refusal;
    const ofChart = chooseFrom(seen, { site, encounter, patient });
    return { ...ofChart, omissions: [...seen.flatMap(({ omissions }) => omissions), ...ofChart.omissions] };
  };
}

function chooseFrom(seen: readonly Seen[], { site, encounter, patient }: FindRecordingsOrder): RecordingsOfChart {
  const { ehr, timeZone } = site.settings;
  return recordingsOfChart({
    resources: seen.flatMap(({ resources }) => resources),
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

async function lookThrough(look: Look, signal: AbortSignal): Promise<Seen> {
  const { kind, ehr, encounter } = look;
  const capabilities = await ehr.capabilities(signal);
  const offered = capabilities.types.get(kind);
  if (capabilities.isKnown && offered?.canSearch !== true) {
    throw new AppError('ehrRefused', 'the EHR offers no search for them (CapabilityStatement)');
  }
  const names = searchNames(capabilities, kind);
  if (names.has('encounter')) {
    try {
      const parameters = { encounter: `Encounter/${encounter.id}` };
      return await search(look, { parameters, maxResources: MAX_OF_ENCOUNTER }, signal);
    } catch (thrown) {
      // Some claim the parameter and refuse it. The other way is worth a try where the refusal is a definite one.
      if (!(thrown instanceof AppError) || thrown.code !== 'ehrRefused') throw thrown;
      const byPatient = await lookByPatient(look, names, signal);
      if (byPatient === undefined) throw thrown;
      return byPatient;
    }
  }
  const byPatient = await lookByPatient(look, names, signal);
  if (byPatient !== undefined) return byPatient;
  throw new AppError('ehrRefused', 'the EHR can search them neither by encounter nor by patient (CapabilityStatement)');
}

async function lookByPatient(look: Look, names: ReadonlySet<string>, signal: AbortSignal): Promise<Seen | undefined> {
  const name = ['patient', 'subject'].find((known) => names.has(known));
  if (name === undefined) return undefined;
  const parameters = { [name]: `Patient/${look.patient.id}` };
  return search(look, { parameters, maxResources: MAX_OF_PATIENT }, signal);
}

/** Where the EHR does not say by what it searches, it is asked as FHIR defines it. */
function searchNames({ types }: EhrCapabilities, kind: Kind): ReadonlySet<string> {
  const declared = types.get(kind)?.searchParameters;
  return declared === undefined || declared.size === 0 ? new Set(['encounter', 'patient', 'subject']) : declared;
}

type Bounds = { readonly parameters: Readonly<Record<string, string>>; readonly maxResources: number };

async function search({ ehr, kind }: Look, bounds: Bounds, signal: AbortSignal): Promise<Seen> {
  const { resources, isComplete } = await ehr.search({ type: kind, ...bounds }, signal);
  const omissions = isComplete
    ? []
    : [
        `Not all ${kind}s are looked through: there are more than ${bounds.maxResources}, or the EHR does not show them all`,
      ];
  return { resources: resources.filter(isOfKind), omissions };
}

function isOfKind(resource: { readonly resourceType: string }): resource is DocumentReference | Media {
  return resource.resourceType === 'DocumentReference' || resource.resourceType === 'Media';
}
