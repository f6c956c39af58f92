// Reads the facts of a chart that help a diagnosis, kind by kind. A kind that cannot be read is reported as an omission and does not fail the
// others.
import type { Resource } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { ChartGroup } from '../../domain/history/chart-history.ts';
import { type FactType, selectFacts } from '../../domain/history/chart-selection.ts';
import { settleAll } from '../../domain/settle-all.ts';
import type { EhrReads, SearchAnswer } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

type FactSearch = {
  readonly group: ChartGroup;
  readonly type: FactType;
  /** The name in an omission: `The allergies cannot be read`. */
  readonly words: string;
  readonly maxCount: number;
  /** Search parameters beside the patient. Unsupported ones are left out, since all results are filtered here again. */
  readonly narrowing: (encounter: string) => Readonly<Record<string, string>>;
};

const SEARCHES: readonly FactSearch[] = [
  {
    group: 'allergies',
    type: 'AllergyIntolerance',
    words: 'allergies',
    maxCount: 50,
    narrowing: () => ({ 'clinical-status': 'active' }),
  },
  {
    group: 'conditions',
    type: 'Condition',
    words: 'conditions',
    maxCount: 50,
    narrowing: () => ({ 'clinical-status': 'active,recurrence,relapse' }),
  },
  {
    group: 'medications',
    type: 'MedicationRequest',
    words: 'prescribed medications',
    maxCount: 50,
    narrowing: () => ({ status: 'active' }),
  },
  {
    group: 'medications',
    type: 'MedicationStatement',
    words: 'stated medications',
    maxCount: 50,
    narrowing: () => ({ status: 'active' }),
  },
  {
    group: 'observations',
    type: 'Observation',
    words: 'observations',
    maxCount: 100,
    narrowing: (encounter) => ({ encounter, category: 'vital-signs,laboratory', _sort: '-date' }),
  },
  {
    group: 'reports',
    type: 'DiagnosticReport',
    words: 'reports',
    maxCount: 50,
    narrowing: (encounter) => ({ encounter, _sort: '-date' }),
  },
];

/** The types of the parts of the chart that help a diagnosis. */
export const CHART_TYPES: readonly string[] = SEARCHES.map(({ type }) => type);

type FactsParts = {
  readonly site: LoadedSite;
  readonly reads: EhrReads;
  /** `Patient/1`, `Encounter/2`. */
  readonly patient: string;
  readonly encounter: string;
};

export type ChartFactGroups = {
  /** A kind that could not be read is absent; a kind without facts is empty. */
  readonly groups: Readonly<Partial<Record<ChartGroup, readonly Resource[]>>>;
  readonly omissions: readonly string[];
};

export async function readChartFacts(parts: FactsParts, signal: AbortSignal): Promise<ChartFactGroups> {
  const offered = await offeredTypes(parts.reads, signal);
  const results = await settleAll(SEARCHES.map((search) => readKind({ ...parts, offered, search }, signal)));
  const groups: Partial<Record<ChartGroup, readonly Resource[]>> = {};
  for (const { group, facts } of results) if (facts) groups[group] = [...(groups[group] ?? []), ...facts];
  return { groups, omissions: results.flatMap(({ omissions }) => omissions) };
}

type OfferedTypes = EhrCapabilities['types'] | undefined;

/** Undefined if the capabilities are unknown: then every search is tried. */
async function offeredTypes(reads: EhrReads, signal: AbortSignal): Promise<OfferedTypes> {
  try {
    const { isKnown, types } = await reads.capabilities(signal);
    return isKnown ? types : undefined;
  } catch (error) {
    reasonOf(error, signal);
    return undefined;
  }
}

type FactsOfKind = {
  readonly group: ChartGroup;
  /** Undefined if they could not be read. */
  readonly facts?: readonly Resource[];
  readonly omissions: readonly string[];
};

type KindParts = FactsParts & { readonly offered: OfferedTypes; readonly search: FactSearch };

async function readKind(parts: KindParts, signal: AbortSignal): Promise<FactsOfKind> {
  const { group, type, words, maxCount } = parts.search;
  if (parts.offered && parts.offered.get(type)?.canSearch !== true) {
    return { group, omissions: [`The ${words} cannot be read: the EHR does not offer them.`] };
  }
  try {
    const { resources, isComplete } = await searchNarrowed(parts, signal);
    const { patient, encounter, site } = parts;
    const { ehr, timeZone } = site.settings;
    const selected = selectFacts({ resources, type, patient, encounter, baseUrl: ehr?.baseUrl, timeZone, maxCount });
    const isAll = isComplete && selected.surplus === 0;
    const omissions = [
      ...(isAll
        ? []
        : [`Not all of the ${words} were read: there are more than ${maxCount}, or the EHR does not show them all.`]),
      ...countText(selected.foreign, words, 'not of this patient'),
      ...countText(selected.drafts, words, 'unconfirmed drafts of an AI'),
      ...countText(selected.unusable, words, 'invalid or not supported'),
    ];
    return { group, facts: selected.facts, omissions };
  } catch (error) {
    return { group, omissions: [`The ${words} cannot be read: ${reasonOf(error, signal)}.`] };
  }
}

function countText(count: number, words: string, why: string): readonly string[] {
  return count === 0 ? [] : [`${count} of the ${words} ${count === 1 ? 'is' : 'are'} ${why}, and left out.`];
}

/** Reads up to twice the wanted number, since a server may not filter or sort as requested. */
async function searchNarrowed(parts: KindParts, signal: AbortSignal): Promise<SearchAnswer> {
  const { reads, patient, encounter, offered, search } = parts;
  const declared = offered?.get(search.type)?.searchParameters;
  const isSupported = (name: string) => name.startsWith('_') || !declared?.size || declared.has(name);
  const narrowing = Object.entries(search.narrowing(encounter)).filter(([name]) => isSupported(name));
  const maxResources = search.maxCount * 2;
  const ask = async (more: Readonly<Record<string, string>>) => {
    const found = await reads.search({ type: search.type, parameters: { patient, ...more }, maxResources }, signal);
    const resources = found.resources.slice(0, maxResources);
    return { resources, isComplete: found.isComplete && resources.length === found.resources.length };
  };
  try {
    return await ask(Object.fromEntries(narrowing));
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'ehrRefused';
    if (!isRefused || narrowing.length === 0) throw error;
    // Some servers refuse an unknown parameter without declaring their parameters.
    return await ask({});
  }
}

const REASONS: ReadonlyMap<ErrorCode, string> = new Map([
  ['ehrRefused', 'the EHR refuses it'],
  ['ehrUnavailable', 'the EHR does not answer'],
  ['ehrAnswer', 'the answer of the EHR is not valid FHIR'],
]);

/** Why a part of the chart is missing. Errors that are not failures of the EHR are thrown again. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  const reason = error instanceof AppError ? REASONS.get(error.code) : undefined;
  if (reason === undefined || signal.aborted) throw error;
  return reason;
}
