// How long a run waits before it reads the EHR again: longer the longer it has waited.
const FIRST_RETRY_MS = 15_000;
const LONGEST_RETRY_MS = 300_000;

export function growingPauseMs(ageMs: number): number {
  return Math.min(LONGEST_RETRY_MS, Math.max(FIRST_RETRY_MS, ageMs / 2));
}
