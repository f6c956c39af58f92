// The versions of a run after a further step.
import type { RunVersions } from './run.ts';

/** A model replaces an earlier one together with what is known of its answer: if its vendor says nothing, nothing stays. */
export function mergeVersions(before: RunVersions, made: RunVersions = {}): RunVersions {
  if (made.model === undefined) return { ...before, ...made };
  const { answeredBy: _, ...rest } = before;
  return { ...rest, ...made };
}
