// What of a chart helps a diagnosis, read one kind after another. A kind that cannot be read is left out and said; it never fails
// the rest.
import type { Resource } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { ChartGroup } from '../../domain/history/chart-history.ts';
import { type FactType, selectFacts } from '../../domain/history/chart-selection.ts';
import type { Ehr, SearchAnswer } from '../../ports/ehr.ts';
import type { LoadedSite } from '../../ports/sites.ts';

type FactSearch = {
  readonly group: ChartGroup;
  readonly type: FactType;
  /** In an omission: `The allergies cannot be read`. */
  readonly words: string;
  readonly maxCount: number;
  /** Beside the patient; what a server does not know is left out, since everything is filtered here again. */
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

type FactsParts = {
  readonly site: LoadedSite;
  readonly ehr: Ehr;
  /** `Patient/1`, `Encounter/2`. */
  readonly patient: string;
  readonly encounter: string;
};

export type ChartFactsRead = {
  /** A kind that could not be read is not here; one that has nothing is empty. */
  readonly groups: Readonly<Partial<Record<ChartGroup, readonly Resource[]>>>;
  readonly omissions: readonly string[];
};

/** How many searches one reading has under way: an EHR serves people first. */
const AT_A_TIME = 3;

export async function readChartFacts(parts: FactsParts, signal: AbortSignal): Promise<ChartFactsRead> {
  const offered = await offeredTypes(parts.ehr, signal);
  const results: FactsOfKind[] = new Array(SEARCHES.length);
  const waiting = [...SEARCHES.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, search] = next;
      results[index] = await readKind({ ...parts, offered, search }, signal);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const groups: Partial<Record<ChartGroup, readonly Resource[]>> = {};
  for (const { group, facts } of results) if (facts) groups[group] = [...(groups[group] ?? []), ...facts];
  return { groups, omissions: results.flatMap(({ omissions }) => omissions) };
}

type OfferedTypes = EhrCapabilities['types'] | undefined;

/** Undefined where nobody knows: then everything is tried. */
async function offeredTypes(ehr: Ehr, signal: AbortSignal): Promise<OfferedTypes> {
  try {
    const { isKnown, types } = await ehr.capabilities(signal);
    return isKnown ? types : undefined;
  } catch (error) {
    reasonOf(error, signal);
    return undefined;
  }
}

type FactsOfKind = {
  readonly group: ChartGroup;
  /** Undefined where they could not be read. */
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
      ...said(selected.foreign, words, 'not of this patient'),
      ...said(selected.drafts, words, 'drafts of an AI that nobody has confirmed'),
      ...said(selected.unusable, words, 'not to be understood'),
    ];
    return { group, facts: selected.facts, omissions };
  } catch (error) {
    return { group, omissions: [`The ${words} cannot be read: ${reasonOf(error, signal)}.`] };
  }
}

function said(count: number, words: string, why: string): readonly string[] {
  return count === 0 ? [] : [`${count} of the ${words} ${count === 1 ? 'is' : 'are'} ${why}, and left out.`];
}

/** Twice as many as are told: servers that do not filter or sort as asked give others, too. */
async function searchNarrowed(parts: KindParts, signal: AbortSignal): Promise<SearchAnswer> {
  const { ehr, patient, encounter, offered, search } = parts;
  const known = offered?.get(search.type)?.searchParameters;
  const isTaken = (name: string) => name.startsWith('_') || known === undefined || known.size === 0 || known.has(name);
  const narrowing = Object.entries(search.narrowing(encounter)).filter(([name]) => isTaken(name));
  const maxResources = search.maxCount * 2;
  const ask = async (more: Readonly<Record<string, string>>) => {
    const found = await ehr.search({ type: search.type, parameters: { patient, ...more }, maxResources }, signal);
    const resources = found.resources.slice(0, maxResources);
    return { resources, isComplete: found.isComplete && resources.length === found.resources.length };
  };
  try {
    return await ask(Object.fromEntries(narrowing));
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'ehrRefused';
    if (!isRefused || narrowing.length === 0) throw error;
    // Some refuse a parameter that they do not know, and say so nowhere before.
    return await ask({});
  }
}

const REASONS: ReadonlyMap<ErrorCode, string> = new Map([
  ['ehrRefused', 'the EHR refuses it'],
  ['ehrUnavailable', 'the EHR does not answer'],
  ['ehrAnswer', "the EHR's answer is not to be understood"],
]);

/** Why something of the chart is missing. What is no failure of the EHR is thrown on. */
export function reasonOf(error: unknown, signal: AbortSignal): string {
  const reason = error instanceof AppError ? REASONS.get(error.code) : undefined;
  if (reason === undefined || signal.aborted) throw error;
  return reason;
}
