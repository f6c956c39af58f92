// Identifies the draft that a clinician decides about. Before the decision takes effect, the draft is mapped again with the current mappings: if
// the result differs, the clinician has not seen it.
import { createHash } from 'node:crypto';
import type { ChartFacts, ReviewFacts } from '../../domain/chart/chart.ts';
import { MappingError } from '../../domain/mapping/mapping.ts';
import type { Run } from '../../domain/run/run.ts';
import type { ShownDraft, StepResults } from '../../domain/run/step-results.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type ChartSet, mapChart } from '../chart-writing/map-chart.ts';

/** Maps facts for the site's EHR with its current capabilities. */
export type MapFacts = (facts: ChartFacts) => ChartSet;

export function mapFor(site: LoadedSite, takesType: (type: string) => boolean): MapFacts {
  return (facts) => mapChart({ site, facts, takesType });
}

type MappedDraft = { readonly facts: ChartFacts; readonly set: ChartSet };

/** `facts` are those of a draft, without a review. */
export function shownDraft({ facts, set }: MappedDraft, revision: number, map: MapFacts): ShownDraft {
  return { revision, run: facts.run, sha256: hashOf(set, approvalOf(facts, map)) };
}

/** The draft that the review of the run is about. Undefined if it is not stored, or if another draft is stored by now. */
export function draftReviewed({ id, review }: Run, { map }: Partial<StepResults>): ShownDraft | undefined {
  const shown = map?.shown;
  return shown?.revision === review?.revision && shown?.run.id === id ? shown : undefined;
}

/** Whether the same draft would be shown now. `facts` are those of a draft with the shown note. Throws what mapping throws. */
export function isAsShown(shown: ShownDraft, facts: ChartFacts, map: MapFacts): boolean {
  // Another engine version, or other mapping files with the same result, make no other draft.
  const then = { ...facts, run: shown.run };
  return hashOf(map(then), approvalOf(then, map)) === shown.sha256;
}

/** The run without its review. */
export function unreviewed({ review: _, ...run }: Run): Run {
  return run;
}

/** The results with the note that the clinician saw, before an edit. */
export function resultsAsShown({ review }: Run, results: Partial<StepResults>): Partial<StepResults> {
  const { check } = results;
  if (review?.decision !== 'edit' || check?.shown === undefined) return results;
  return { ...results, check: { ...check, note: check.shown } };
}

const EXAMPLE_REVIEW = { decision: 'approve', reviewer: 'Practitioner/example', name: 'Example Reviewer' } as const;

/**
 * The documents that an approval without changes would make: mappings may add content after an approval, and a site may write Conditions
 * only then. Undefined if they cannot be mapped; the approval itself will report that.
 */
function approvalOf(facts: ChartFacts, map: MapFacts): ChartSet | undefined {
  const review: ReviewFacts = { ...EXAMPLE_REVIEW, time: facts.run.time };
  try {
    return map({ ...facts, review, run: { ...facts.run, status: 'final' } });
  } catch (thrown) {
    if (thrown instanceof MappingError) return undefined;
    throw thrown;
  }
}

function hashOf(...sets: readonly (ChartSet | undefined)[]): string {
  const content = sets.map((set) =>
    (set?.documents ?? []).map(({ document, fullUrl, resource }) => [document, fullUrl, inOneOrder(resource)]),
  );
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Sorts members by name, so that their order does not change the hash. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) ordered[name] = inOneOrder(members[name]);
  return ordered;
}
