// The charts of one site, for one pass of the reconciler, which only reads. What cannot be read is noted as a problem and not judged; an
// EHR that does not answer gets no further requests.
import type { ResourceType } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ehr, FindAnswer, FindOrder, SearchAnswer, StoredResource } from '../../ports/ehr.ts';
import { isMergedInto } from '../chart-writing/follow-merges.ts';

/** Undefined: it could not be read. */
export type ReadAnswer = { readonly stored: StoredResource | undefined } | undefined;

export type Charts = {
  readonly site: string;
  readonly find: (order: FindOrder) => Promise<FindAnswer | undefined>;
  readonly read: (reference: string) => Promise<ReadAnswer>;
  /** Undefined also if the EHR offers no such search. */
  readonly searchBySystem: (type: ResourceType, system: string) => Promise<SearchAnswer | undefined>;
  /** Undefined: it could not be read. */
  readonly isMergedInto: (patient: string, survivor: string) => Promise<boolean | undefined>;
  readonly isDown: () => boolean;
  /** Without repetition. */
  readonly problems: () => readonly string[];
};

const MAX_RESOURCES = 1000;

export function makeCharts(site: string, ehr: Ehr, signal: AbortSignal): Charts {
  const problems = new Set<string>();
  const answers = new Map<string, Promise<ReadAnswer>>();
  let isDown = false;

  async function ask<T>(what: string, question: () => Promise<T>): Promise<T | undefined> {
    signal.throwIfAborted();
    if (isDown) return undefined;
    try {
      return await question();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'ehrUnavailable') isDown = true;
      problems.add(`${site}: ${what}: ${error.message}`);
      return undefined;
    }
  }

  const read = (reference: string): Promise<ReadAnswer> => {
    const type = reference.slice(0, reference.indexOf('/'));
    return ask(`${type} could not be read`, async () => ({ stored: await ehr.read(reference, signal) }));
  };
  /** Patients and encounters are needed many times in one pass. */
  const readOnce = (reference: string): Promise<ReadAnswer> => {
    const reading = answers.get(reference) ?? read(reference);
    answers.set(reference, reading);
    return reading;
  };
  return {
    site,
    isDown: () => isDown,
    problems: () => [...problems],
    read: (reference) => (/^(Patient|Encounter)\//.test(reference) ? readOnce(reference) : read(reference)),
    find: (order) => ask(`${order.type} could not be searched for`, () => ehr.find(order, signal)),
    searchBySystem: (type, system) =>
      ask(`${type} could not be searched by the system of its identifiers`, async () => {
        const parameter = RECORDS.has(type) ? '_tag' : 'identifier';
        if (!takesSearch(await ehr.capabilities(signal), type, parameter)) return undefined;
        const parameters = { [parameter]: `${system}|` };
        return ehr.search({ type, parameters, maxResources: MAX_RESOURCES }, signal);
      }),
    isMergedInto: (patient, survivor) => isMergedInto(readOnce, patient, survivor),
  };
}

/** These types have a tag instead of an identifier. */
const RECORDS = new Set<string>(['Provenance', 'Binary']);

function takesSearch({ isKnown, types }: EhrCapabilities, type: string, parameter: string): boolean {
  const offered = types.get(type);
  if (!isKnown || types.size === 0) return true;
  if (offered?.canSearch !== true) return false;
  // Every resource can be searched by its tags, and not all servers list that.
  return parameter === '_tag' || offered.searchParameters.size === 0 || offered.searchParameters.has(parameter);
}
