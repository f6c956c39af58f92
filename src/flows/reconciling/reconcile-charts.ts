// The charts of one site, for one pass of the reconciler: only ever read. What cannot be read is noted as a problem and judged by
// nobody; an EHR that does not answer is not asked any further.
import type { Patient, Resource, ResourceType } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { literalOf } from '../../domain/chart/existing-resource.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ehr, FindAnswer, FindOrder, SearchAnswer, StoredResource } from '../../ports/ehr.ts';

/** Undefined: it could not be told. */
export type Read = { readonly stored: StoredResource | undefined } | undefined;

export type Charts = {
  readonly site: string;
  readonly find: (order: FindOrder) => Promise<FindAnswer | undefined>;
  readonly read: (reference: string) => Promise<Read>;
  /** Undefined also where the EHR offers no such search. */
  readonly searchBySystem: (type: ResourceType, system: string) => Promise<SearchAnswer | undefined>;
  /** Undefined: it could not be told. */
  readonly isMergedInto: (patient: string, survivor: string) => Promise<boolean | undefined>;
  readonly isDown: () => boolean;
  /** Each once. */
  readonly problems: () => readonly string[];
};

const MAX_RESOURCES = 1000;
/** Merges of merges. */
const MAX_MERGES = 5;

export function makeCharts(site: string, ehr: Ehr, signal: AbortSignal): Charts {
  const problems = new Set<string>();
  const known = new Map<string, Promise<Read>>();
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

  const read = (reference: string): Promise<Read> => {
    const type = reference.slice(0, reference.indexOf('/'));
    return ask(`${type} could not be read`, async () => ({ stored: await ehr.read(reference, signal) }));
  };
  /** Patients and encounters are asked about again and again. */
  const readOnce = (reference: string): Promise<Read> => {
    const reading = known.get(reference) ?? read(reference);
    known.set(reference, reading);
    return reading;
  };
  return {
    site,
    isDown: () => isDown,
    problems: () => [...problems],
    read: (reference) => (/^(Patient|Encounter)\//.test(reference) ? readOnce(reference) : read(reference)),
    find: (order) => ask(`${order.type} could not be looked for`, () => ehr.find(order, signal)),
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

/** These have no identifier. */
const RECORDS = new Set<string>(['Provenance', 'Binary']);

function takesSearch({ isKnown, types }: EhrCapabilities, type: string, parameter: string): boolean {
  const offered = types.get(type);
  if (!isKnown || types.size === 0) return true;
  if (offered?.canSearch !== true) return false;
  // Every resource can be searched by its tags, and not all servers list what goes without saying.
  return parameter === '_tag' || offered.searchParameters.size === 0 || offered.searchParameters.has(parameter);
}

/** Either of them may say so. */
async function isMergedInto(
  read: (reference: string) => Promise<Read>,
  patient: string,
  survivor: string,
): Promise<boolean | undefined> {
  const kept = await read(survivor);
  if (kept === undefined) return undefined;
  if (linksOf(kept.stored?.resource, 'replaces').includes(patient)) return true;
  let current = patient;
  for (let merges = 0; merges < MAX_MERGES; merges += 1) {
    const gone = await read(current);
    if (gone === undefined) return undefined;
    const into = linksOf(gone.stored?.resource, 'replaced-by');
    if (into.includes(survivor)) return true;
    const [next] = into;
    if (next === undefined) return false;
    current = next;
  }
  return false;
}

function linksOf(resource: Resource | undefined, type: 'replaces' | 'replaced-by'): readonly string[] {
  if (resource?.resourceType !== 'Patient') return [];
  const { link = [] }: Patient = resource;
  return link.filter((one) => one.type === type).flatMap((one) => literalOf(one.other) ?? []);
}
