// Sums up what was taken out of the note and the diagnosis of a run. Counts only.
import type { StepResults } from './step-results.ts';

export type RemovedFromRun = { readonly markup: number; readonly addresses: number; readonly dosages: number };

/** Undefined if nothing was removed. */
export function removedFromRun({ check, diagnose }: Partial<StepResults>): RemovedFromRun | undefined {
  const [note, diagnosis] = [check?.removed, diagnose?.removed];
  if (note === undefined && diagnosis === undefined) return undefined;
  return {
    markup: (note?.markup ?? 0) + (diagnosis?.markup ?? 0),
    addresses: (note?.addresses ?? 0) + (diagnosis?.links ?? 0),
    dosages: diagnosis?.dosages ?? 0,
  };
}
