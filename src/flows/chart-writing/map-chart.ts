// The documents of a session for one certain EHR: mapped for what it takes, and for nothing else. What it does not take finds another
// way, or is said to be left out.
import { isDeepStrictEqual } from 'node:util';
import type { ChartFacts } from '../../domain/chart/chart.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type MappedSet, mapDocuments } from './map-documents.ts';

type MapChartParts = {
  readonly site: LoadedSite;
  readonly facts: ChartFacts;
  readonly takesType: (type: string) => boolean;
};

export type ChartSet = MappedSet & {
  /** Documents that this EHR does not take, by their mappings' names. */
  readonly leftOut: readonly string[];
};

/** A set, and of what it was made. */
export type MappedChart = { readonly site: LoadedSite; readonly facts: ChartFacts; readonly set: ChartSet };

const DIFFERENTIAL_TYPES = new Set(['Condition', 'RiskAssessment']);

/** Mapped anew, unless it was just done: of the same facts for an EHR that took all of it, and still does. */
export function reuseOrMapChart(done: MappedChart | undefined, parts: MapChartParts): ChartSet {
  return done !== undefined && isStillGood(done, parts) ? done.set : mapChart(parts);
}

function isStillGood({ site, facts, set }: MappedChart, asked: MapChartParts): boolean {
  const isWhole =
    set.leftOut.length === 0 && set.documents.every(({ resource }) => asked.takesType(resource.resourceType));
  return isWhole && site === asked.site && isDeepStrictEqual(facts, asked.facts);
}

/** Throws like `mapDocuments`. Each round leaves out at least one document more, so it ends. */
export function mapChart({ site, facts, takesType }: MapChartParts): ChartSet {
  for (let limited = site, leftOut: readonly string[] = []; ; ) {
    const set = mapDocuments({ site: limited, facts });
    const refused = set.documents.filter(({ resource }) => !takesType(resource.resourceType));
    if (refused.length === 0) return { ...set, leftOut };
    const names = new Set(refused.map(({ document }) => document));
    leftOut = [...leftOut, ...names];
    const hasDifferential = set.documents.some(
      ({ document, resource }) => DIFFERENTIAL_TYPES.has(resource.resourceType) && !names.has(document),
    );
    limited = withoutDocuments({ site: limited, names, hasDifferential });
  }
}

type Limit = {
  readonly site: LoadedSite;
  readonly names: ReadonlySet<string>;
  /** Whether any statement of the differential can still be written. */
  readonly hasDifferential: boolean;
};

/** Where no statement of the differential can be written, a document carries it as text. */
function withoutDocuments({ site, names, hasDifferential }: Limit): LoadedSite {
  const { write } = site.settings;
  const kept = (documents: readonly string[]) => documents.filter((name) => !names.has(name));
  // A site that writes no diagnosis wants none as text either.
  const isWanted = write.differential === 'resources' && write.diagnosis.length > 0;
  const needsText = isWanted && !hasDifferential && !names.has('differential');
  const differential = needsText ? 'separate-document' : write.differential;
  const settings: SiteSettings = {
    ...site.settings,
    write: { ...write, note: kept(write.note), diagnosis: kept(write.diagnosis), differential },
  };
  const mappings = new Map([...site.mappings].filter(([name]) => !names.has(name)));
  return { ...site, settings, mappings };
}
