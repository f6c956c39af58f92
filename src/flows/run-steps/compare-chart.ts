// Compares the documents of a dry run with those in the chart, and plans their write like a real run, without changing anything. The result
// names the elements that differ, never their values.
import type { ChartFacts } from '../../domain/chart/chart.ts';
import type { ExistingDocument } from '../../domain/chart/existing-documents.ts';
import { plannedChange } from '../../domain/chart/planned-change.ts';
import type { DocumentToWrite } from '../../domain/chart/planned-writes.ts';
import type { ChartDifference } from '../../domain/run/step-results.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { ChartSet } from '../chart-writing/map-chart.ts';
import { type DocumentPlan, planDocuments } from '../chart-writing/plan-revision.ts';

export type CompareChart = (
  order: { readonly site: LoadedSite; readonly facts: ChartFacts; readonly set: ChartSet },
  signal: AbortSignal,
) => Promise<readonly ChartDifference[]>;

type CompareParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly knowledge: Pick<EhrKnowledge, 'recall'>;
};

const MAX_ELEMENTS = 50;
/** Elements that the server sets. */
const NOT_COMPARED = new Set(['id', 'meta', 'implicitRules']);

export function makeCompareChart({ ehrs, ledger, knowledge }: CompareParts): CompareChart {
  return async ({ site, facts, set }, signal) => {
    const place = { site: site.name, encounter: facts.encounter.id ?? '', session: facts.session.key };
    const ehr = ehrs.of(site);
    const capabilities = await ehr.capabilities(signal);
    const profile = { capabilities, facts: await knowledge.recall(site.name, capabilities.software) };
    const revisions = await ledger.read(place);
    const planned = await planDocuments({ parts: { ehr, ledger }, site, facts, revisions, profile, set }, signal);
    const documents = set.documents.filter(({ document }) => document !== 'device');
    const wanted = new Set(documents.map(({ identity }) => identity.value));
    const gone = [...planned.existing.documents.values()].filter(
      ({ base, document }) => !wanted.has(base.value) && document !== 'device',
    );
    return [
      ...documents.map((document) => differenceOf(document, planned)),
      ...gone.map((existing) => differenceOfGone(existing, planned)),
    ];
  };
}

function differenceOf(
  { document, identity, resource }: DocumentToWrite,
  { plan, existing: { documents }, inChart }: DocumentPlan,
): ChartDifference {
  const existing = documents.get(identity.value);
  const now = existing && inChart.get(existing.reference);
  const planned = plannedChange({ plan, base: identity.value, existing, now });
  const reference = existing && { reference: existing.reference };
  if (now === undefined) return { document, ...reference, change: 'new', elements: [], ...planned };
  // The time when it was made differs always, and is no reason to write it again.
  const isSame = planned.would === 'keep' && planned.why === undefined;
  const elements = isSame ? [] : differingElements(now.resource, resource);
  return { document, ...reference, change: elements.length > 0 ? 'changed' : 'same', elements, ...planned };
}

function differenceOfGone(existing: ExistingDocument, { plan, inChart }: DocumentPlan): ChartDifference {
  const { document, reference, base } = existing;
  const planned = plannedChange({ plan, base: base.value, existing, now: inChart.get(reference) });
  return { document, reference, change: 'gone', elements: [], ...planned };
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
