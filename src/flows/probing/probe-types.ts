// Compares what a site reads and writes with what its EHR offers, type by type.
import type { EhrCapabilities, EhrProfile } from '../../domain/chart/ehr-capabilities.ts';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import { present } from '../../domain/present.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { CHART_TYPES } from '../run-steps/read-chart-facts.ts';
import type { NeededRight, ProbedType } from './probe-report.ts';
import type { SiteTypes } from './site-types.ts';

type ProbedSite = EhrProfile & { readonly site: LoadedSite; readonly siteTypes: SiteTypes };

/** In the order in which they are written, followed by types that are only read. */
export function probedTypes({ site, siteTypes, capabilities, facts }: ProbedSite): readonly ProbedType[] {
  const { takesType } = acceptedContent({ capabilities, facts });
  const rights = readingRights(site);
  const written = [...siteTypes.documentsByType].map(([type, documents]) => {
    const findBy = findByOf(type, { capabilities, facts });
    const needs = inOrder([...WRITING, ...(rights.get(type) ?? [])]);
    return present({ ...offerOf(type, capabilities), documents, needs, findBy, isTaken: takesType(type) });
  });
  const isWritten = (type: string) => written.some((one) => one.type === type);
  const read = [...rights].filter(([type]) => !isWritten(type));
  return [...written, ...read.map(([type, needs]) => ({ ...offerOf(type, capabilities), documents: [], needs }))];
}

/** A document is looked for before and after it is written, and gets further versions or is retracted. */
const WRITING: readonly NeededRight[] = ['read', 'search', 'create', 'update'];
const ORDER: readonly NeededRight[] = [...WRITING, 'delete'];

/** What a run reads, and what the engine does to hear of encounters; without what it writes. */
function readingRights({ settings }: LoadedSite): ReadonlyMap<string, readonly NeededRight[]> {
  return new Map<string, readonly NeededRight[]>([
    ['Encounter', ['read', 'search']],
    ['Patient', ['read']],
    ['Practitioner', ['read']],
    ['PractitionerRole', ['read']],
    ...settings.recording.from.map((type) => [type, ['read', 'search']] as const),
    ['Binary', ['read']],
    ['Consent', ['search']],
    ...CHART_TYPES.map((type) => [type, ['search']] as const),
    ...((settings.events.subscription?.kind ?? 'none') === 'none' ? [] : [['Subscription', ORDER] as const]),
  ]);
}

function inOrder(rights: readonly NeededRight[]): readonly NeededRight[] {
  return ORDER.filter((right) => rights.includes(right));
}

function offerOf(type: string, { isKnown, types }: EhrCapabilities): Omit<ProbedType, 'documents' | 'needs'> {
  if (!isKnown) return { type };
  const offered = types.get(type);
  return {
    type,
    offers: {
      read: offered?.canRead === true,
      search: offered?.canSearch === true,
      create: offered?.canCreate === true,
      update: offered?.canUpdate === true,
    },
  };
}

/** The first search that works, the surest first. One that was seen to find nothing does not count. */
export function findByOf(type: string, { capabilities, facts }: EhrProfile): string | undefined {
  const offered = capabilities.types.get(type);
  const learned = (name: string) => facts.findLast((fact) => fact.name === name)?.value;
  if (offered?.canSearch !== true || learned(`names:${type}`) === 'lost') return undefined;
  const isTagged = type === 'Provenance' || type === 'Binary';
  const ways = [isTagged ? '_tag' : 'identifier', 'encounter', 'patient', 'subject', 'target'];
  return ways.find((way) => offered.searchParameters.has(way) && learned(`search:${type}:${way}`) !== 'refused');
}
