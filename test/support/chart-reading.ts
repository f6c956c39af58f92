// An EHR for reading charts: it offers and answers what the test sets, and records its requests.
import type { Resource } from '@medplum/fhirtypes';
import type { SiteSettings } from '../../src/domain/site/site.ts';
import type { Ehr, SearchAnswer, SearchOrder } from '../../src/ports/ehr.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import { makeFakeEhr } from '../fakes/ehr.ts';
import { someCapabilities } from '../fakes/ehr-capabilities.ts';
import { aSite } from './chart-facts.ts';

export const CHART_TYPES = [
  'Consent',
  'AllergyIntolerance',
  'Condition',
  'MedicationRequest',
  'MedicationStatement',
  'Observation',
  'DiagnosticReport',
  'Practitioner',
] as const;

const PARAMETERS = ['patient', 'encounter', 'status', 'clinical-status', 'category'];

type ReadingOptions = {
  readonly resources?: readonly Resource[];
  /** Types that it offers; absent: all types of a chart. */
  readonly offers?: readonly string[];
  /** False: it has no readable CapabilityStatement. */
  readonly isKnown?: boolean;
  /** Returns an answer instead of the stored one; undefined: the stored one. An error is thrown as the EHR's. */
  readonly answer?: (order: SearchOrder) => Partial<SearchAnswer> | undefined;
  readonly onRead?: (reference: string) => void;
};

export type ReadingEhr = {
  readonly ehr: Ehr;
  readonly ehrs: { readonly of: () => Ehr; readonly jwks: () => Promise<undefined> };
  readonly searches: readonly SearchOrder[];
  readonly reads: readonly string[];
  /** A person stores or changes a resource. */
  readonly put: (resource: Resource) => void;
};

export function aReadingEhr(options: ReadingOptions = {}): ReadingEhr {
  const { resources = [], offers = CHART_TYPES, isKnown = true, answer = () => undefined } = options;
  const types = Object.fromEntries(offers.map((type) => [type, { searchParameters: new Set(PARAMETERS) }]));
  const fake = makeFakeEhr({
    resources,
    capabilities: someCapabilities({ isKnown, types: isKnown ? withoutOthers(types) : {} }),
  });
  const searches: SearchOrder[] = [];
  const reads: string[] = [];
  const ehr: Ehr = {
    ...fake,
    async read(reference, signal) {
      reads.push(reference);
      options.onRead?.(reference);
      return await fake.read(reference, signal);
    },
    async search(order, signal) {
      searches.push(order);
      const given = answer(order);
      return given ? { resources: [], isComplete: true, ...given } : await fake.search(order, signal);
    },
  };
  return {
    ehr,
    ehrs: { of: () => ehr, jwks: async () => undefined },
    searches,
    reads,
    put: (one) => void fake.put(one),
  };
}

/** The fake EHR offers Conditions, which this one may not. */
function withoutOthers(types: Readonly<Record<string, object>>) {
  return { ...Object.fromEntries(CHART_TYPES.map((type) => [type, undefined])), ...types };
}

export function aReadingSite(changes: Partial<SiteSettings> = {}): LoadedSite {
  const site = aSite();
  const ehr = {
    baseUrl: 'https://ehr.example.org/fhir',
    auth: { type: 'none' },
    maxConcurrentWrites: 2,
    headers: {},
    organization: 'Organization/1',
  } as const;
  return { ...site, settings: { ...site.settings, timeZone: 'UTC', ehr, ...changes } };
}
