// What a clinician decides about: the draft as the mappings of that day made it. Before a decision counts, the same is made anew by those
// of today. What comes out otherwise is nothing that anybody has seen.
import { createHash } from 'node:crypto';
import type { ChartFacts, ReviewFacts } from '../../domain/chart/chart.ts';
import { MappingError } from '../../domain/mapping/mapping.ts';
import type { Run, ShownDraft, StepResults } from '../../domain/run/run.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { type ChartSet, mapChart } from '../chart-writing/map-chart.ts';

/** Maps for the site's EHR, as it is known at this moment. */
export type MapFacts = (facts: ChartFacts) => ChartSet;

export function mapFor(site: LoadedSite, takesType: (type: string) => boolean): MapFacts {
  return (facts) => mapChart({ site, facts, takesType });
}

type Drafted = { readonly facts: ChartFacts; readonly set: ChartSet };

/** `facts`: those of a draft, without a review. */
export function shownDraft({ facts, set }: Drafted, revision: number, map: MapFacts): ShownDraft {
  return { revision, run: facts.run, sha256: hashOf(set, approvalOf(facts, map)) };
}

/** The draft that the run's review is about. Undefined: it is not kept, or something else is kept by now. */
export function draftReviewed({ id, review }: Run, { map }: Partial<StepResults>): ShownDraft | undefined {
  const shown = map?.shown;
  return shown?.revision === review?.revision && shown?.run.id === id ? shown : undefined;
}

/** Whether the same would be shown today. `facts`: of a draft with the note that was shown. Throws what mapping throws. */
export function isAsShown(shown: ShownDraft, facts: ChartFacts, map: MapFacts): boolean {
  // Another engine, or other files that make the same, are no other draft.
  const then = { ...facts, run: shown.run };
  return hashOf(map(then), approvalOf(then, map)) === shown.sha256;
}

/** The run before anybody decided about it. */
export function unreviewed({ review: _, ...run }: Run): Run {
  return run;
}

/** With the note that a clinician saw: what an edit made of it is not what was shown. */
export function resultsAsShown({ review }: Run, results: Partial<StepResults>): Partial<StepResults> {
  const { check } = results;
  if (review?.decision !== 'edit' || check?.shown === undefined) return results;
  return { ...results, check: { ...check, note: check.shown } };
}

const SOMEBODY = { decision: 'approve', reviewer: 'Practitioner/somebody', name: 'Somebody' } as const;

/**
 * What an approval as it is would make: a mapping may say something only once somebody has approved, and a site may write Conditions
 * only then. Undefined where it cannot be made: then the approval itself will fail, and say so.
 */
function approvalOf(facts: ChartFacts, map: MapFacts): ChartSet | undefined {
  const review: ReviewFacts = { ...SOMEBODY, time: facts.run.time };
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

/** Members that only change places say nothing else. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Readonly<Record<string, unknown>>;
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(members).sort()) ordered[name] = inOneOrder(members[name]);
  return ordered;
}
