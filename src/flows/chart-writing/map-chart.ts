// Maps the documents of a session for what one EHR accepts. Content that it does not accept goes into another document, or is listed as
// left out.
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
  /** The mappings' names of documents that this EHR does not accept. */
  readonly leftOut: readonly string[];
};

/** A mapped set, with the site and the facts that it was made of. */
export type MappedChart = { readonly site: LoadedSite; readonly facts: ChartFacts; readonly set: ChartSet };

const DIFFERENTIAL_TYPES = new Set(['Condition', 'RiskAssessment']);

/** Returns the set that was mapped before, if it was made of the same facts and the EHR accepts all of it; else maps again. */
export function reuseOrMapChart(earlier: MappedChart | undefined, parts: MapChartParts): ChartSet {
  return earlier !== undefined && isStillGood(earlier, parts) ? earlier.set : mapChart(parts);
}

function isStillGood({ site, facts, set }: MappedChart, parts: MapChartParts): boolean {
  const isWhole =
    set.leftOut.length === 0 && set.documents.every(({ resource }) => parts.takesType(resource.resourceType));
  return isWhole && site === parts.site && isDeepStrictEqual(facts, parts.facts);
}

/** Throws like `mapDocuments`. It ends because each round leaves out at least one more document. */
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

/** If no statement of the differential can be written, a document has it as text. */
function withoutDocuments({ site, names, hasDifferential }: Limit): LoadedSite {
  const { write } = site.settings;
  const accepted = (documents: readonly string[]) => documents.filter((name) => !names.has(name));
  // A site that writes no diagnosis gets none as text either.
  const isWanted = write.differential === 'resources' && write.diagnosis.length > 0;
  const needsText = isWanted && !hasDifferential && !names.has('differential');
  const differential = needsText ? 'separate-document' : write.differential;
  const settings: SiteSettings = {
    ...site.settings,
    write: { ...write, note: accepted(write.note), diagnosis: accepted(write.diagnosis), differential },
  };
  const mappings = new Map([...site.mappings].filter(([name]) => !names.has(name)));
  return { ...site, settings, mappings };
}
