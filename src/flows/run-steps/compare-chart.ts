// Compares the documents of a dry run with those in the chart, without changing anything. The result names the elements that differ, never
// their values.
import type { ChartFacts } from '../../domain/chart/chart.ts';
import { summarizeSession } from '../../domain/chart/existing-documents.ts';
import type { ChartDifference } from '../../domain/run/run.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { ChartSet } from '../chart-writing/map-chart.ts';

export type CompareChart = (
  order: { readonly site: LoadedSite; readonly facts: ChartFacts; readonly set: ChartSet },
  signal: AbortSignal,
) => Promise<readonly ChartDifference[]>;

type CompareParts = { readonly ehrs: Pick<Ehrs, 'of'>; readonly ledger: Pick<Ledger, 'read'> };

const MAX_ELEMENTS = 50;
/** Elements that the server sets. */
const NOT_COMPARED = new Set(['id', 'meta', 'implicitRules']);

export function makeCompareChart({ ehrs, ledger }: CompareParts): CompareChart {
  return async ({ site, facts, set }, signal) => {
    const place = { site: site.name, encounter: facts.encounter.id ?? '', session: facts.session.key };
    const { documents: standing } = summarizeSession(await ledger.read(place));
    const byName = new Map([...standing.values()].map((document) => [document.base.value, document]));
    const ehr = ehrs.of(site);
    const differences: ChartDifference[] = [];
    for (const { document, identity, resource } of set.documents.filter((one) => one.document !== 'device')) {
      const there = byName.get(identity.value);
      byName.delete(identity.value);
      const stored = there && (await ehr.read(there.reference, signal));
      const reference = there && { reference: there.reference };
      if (stored === undefined) differences.push({ document, ...reference, change: 'new', elements: [] });
      else {
        const elements = differingElements(stored.resource, resource);
        differences.push({ document, ...reference, change: elements.length > 0 ? 'changed' : 'same', elements });
      }
    }
    for (const { document, reference } of byName.values()) {
      differences.push({ document, reference, change: 'gone', elements: [] });
    }
    return differences;
  };
}

/** The paths of leaves that differ, without references between documents of the set, which have no id in the chart yet. */
function differingElements(there: unknown, here: unknown): readonly string[] {
  const found: string[] = [];
  const compare = (one: unknown, other: unknown, path: string): void => {
    if (found.length >= MAX_ELEMENTS) return;
    if (isObject(one) && isObject(other)) {
      const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
      for (const name of names.toSorted()) {
        if (path === '' && NOT_COMPARED.has(name)) continue;
        compare(
          one[name],
          other[name],
          Array.isArray(other) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`,
        );
      }
    } else if (!Object.is(one, other) && !isOwnName(other)) found.push(path);
  };
  compare(there, here, '');
  return found;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isOwnName(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('urn:uuid:');
}
