// Searches for changes at an EHR since a moment. The newest come first, so that pages of a growing list repeat entries instead of skipping them. If
// there are more changes than one search returns, the time window is halved. Servers may ignore parameters, so results are filtered again.
import type { Encounter, Resource, ResourceType } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import type { Ehr, SearchAnswer } from '../../ports/ehr.ts';

type Parameters = Readonly<Record<string, string | readonly string[]>>;

export type ChangeSearch = {
  readonly type: ResourceType;
  readonly parameters: (since: Date) => Parameters;
  /** The search is by `_lastUpdated`, so its time window can be limited. */
  readonly isByChange: boolean;
  /** If the EHR refuses this search, the others go on. */
  readonly isOptional?: boolean;
};

export type ChangeWindow = {
  readonly resources: readonly Resource[];
  /** Absent: all changes until now are included. Otherwise there are later ones. */
  readonly until?: Date;
  /** Even the shortest window has more changes than one search returns: some are missing. */
  readonly isCrowded: boolean;
  /** The optional types that the EHR refuses. */
  readonly refused: readonly ResourceType[];
};

export type SearchChanges = (
  order: {
    readonly site: string;
    readonly ehr: Ehr;
    readonly searches: readonly ChangeSearch[];
    readonly since: Date;
    readonly now: Date;
  },
  signal: AbortSignal,
) => Promise<ChangeWindow>;

const MAX_RESOURCES = 1000;
/** For a search without a limited window. */
const MAX_UNCUT = 5000;
const SHORTEST_WINDOW_MS = 2000;
/** Some servers store whole seconds. */
const TOLERANCE_MS = 1000;
/** The clock of the server may be ahead. */
const AHEAD_MS = 600_000;

export function makeSearchChanges(): SearchChanges {
  const cannotSort = new Set<string>();

  const searchSorted = async (
    { site, ehr, type, parameters, maxResources }: SortedSearch,
    signal: AbortSignal,
  ): Promise<SearchAnswer> => {
    const name = `${site} ${type}`;
    const plain = () => ehr.search({ type, parameters, maxResources }, signal);
    if (cannotSort.has(name) || '_sort' in parameters) return plain();
    try {
      return await ehr.search({ type, parameters: { ...parameters, _sort: '-_lastUpdated' }, maxResources }, signal);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== 'ehrRefused') throw thrown;
      const answer = await plain();
      cannotSort.add(name);
      return answer;
    }
  };

  const searchOne = async (
    { type, parameters, isByChange, isOptional }: ChangeSearch,
    { site, ehr, since, until }: Window,
    signal: AbortSignal,
  ): Promise<SearchAnswer | undefined> => {
    const wanted = withEnd(parameters(since), isByChange ? until : undefined);
    const maxResources = isByChange ? MAX_RESOURCES : MAX_UNCUT;
    try {
      const answer = await searchSorted({ site, ehr, type, parameters: wanted, maxResources }, signal);
      if (!answer.isComplete && isByChange) requireFiltered(answer.resources, { site, since, until });
      return answer;
    } catch (thrown) {
      if (isOptional && thrown instanceof AppError && thrown.code === 'ehrRefused') return undefined;
      throw thrown;
    }
  };

  return async ({ site, ehr, searches, since, now }, signal) => {
    const refused = new Set<ResourceType>();
    let until: Date | undefined;
    for (;;) {
      const answers: SearchAnswer[] = [];
      for (const search of searches.filter(({ type }) => !refused.has(type))) {
        const answer = await searchOne(search, { site, ehr, since, until }, signal);
        if (answer) answers.push(answer);
        else refused.add(search.type);
      }
      const resources = answers.flatMap((answer) => answer.resources);
      const end = { refused: [...refused], ...(until !== undefined && { until }) };
      if (answers.every(({ isComplete }) => isComplete)) return { resources, ...end, isCrowded: false };
      const next = halfWay(since, until ?? new Date(now.getTime() + AHEAD_MS));
      if (next === undefined || !searches.every(({ isByChange }) => isByChange))
        return { resources, ...end, isCrowded: true };
      until = next;
    }
  };
}

type Window = { readonly site: string; readonly ehr: Ehr; readonly since: Date; readonly until: Date | undefined };

type SortedSearch = {
  readonly site: string;
  readonly ehr: Ehr;
  readonly type: ResourceType;
  readonly parameters: Parameters;
  readonly maxResources: number;
};

/** Adds the end of the window; repeated parameters must all match. */
function withEnd(parameters: Parameters, until: Date | undefined): Parameters {
  if (until === undefined) return parameters;
  const own = parameters['_lastUpdated'] ?? [];
  return { ...parameters, _lastUpdated: [...(typeof own === 'string' ? [own] : own), `le${until.toISOString()}`] };
}

/** In whole seconds; undefined if the window cannot be shorter. */
function halfWay(since: Date, until: Date): Date | undefined {
  const half = (until.getTime() - since.getTime()) / 2;
  return half < SHORTEST_WINDOW_MS ? undefined : new Date(Math.ceil((since.getTime() + half) / 1000) * 1000);
}

/** Throws if the server ignores the time window and returns all encounters of all time. */
function requireFiltered(
  resources: readonly Resource[],
  { site, since, until }: { readonly site: string; readonly since: Date; readonly until: Date | undefined },
): void {
  const isOutside = (ms: number) =>
    ms < since.getTime() - TOLERANCE_MS || (until !== undefined && ms > until.getTime() + TOLERANCE_MS);
  if (resources.some((resource) => isOutside(changedAtMs(resource) ?? since.getTime()))) {
    throw new AppError('ehrRefused', `${site}: the EHR ignores _lastUpdated in a search`);
  }
}

export function changedAtMs({ meta }: Resource): number | undefined {
  const ms = typeof meta?.lastUpdated === 'string' ? Date.parse(meta.lastUpdated) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Uses the time of the change, or the period of the encounter. A resource without either counts as new. */
export function isSince(resource: Resource, since: Date): boolean {
  const changed = changedAtMs(resource);
  if (changed !== undefined) return changed > since.getTime() - TOLERANCE_MS;
  const { start, end = start } = (resource as Partial<Encounter>).period ?? {};
  const was = typeof end === 'string' ? Date.parse(end) : Number.NaN;
  return Number.isNaN(was) || was >= since.getTime();
}
