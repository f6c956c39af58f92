// Which claims are in which statement.
import type { ClaimWithVerdict } from './check-work.ts';

type Place = Pick<ClaimWithVerdict, 'section' | 'from' | 'to'>;

/** The claims whose words begin in each statement, by its index. Statements of a section are in its order and do not overlap. */
export function claimsByStatement<Claim extends Pick<Place, 'section' | 'from'>>(
  statements: readonly Place[],
  claims: readonly Claim[],
): readonly (readonly Claim[])[] {
  const own = statements.map((): Claim[] => []);
  const bySection = Map.groupBy(statements.keys(), (index) => statements[index]?.section);
  for (const claim of claims) {
    const indexes = bySection.get(claim.section) ?? [];
    const index = indexes[countUpTo(indexes, (at) => (statements[at]?.from ?? 0) <= claim.from) - 1];
    if (index !== undefined && claim.from < (statements[index]?.to ?? 0)) own[index]?.push(claim);
  }
  return own;
}

/** How many of the first ones pass the test, if those that pass come before those that do not. */
function countUpTo(indexes: readonly number[], passes: (index: number) => boolean): number {
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(indexes[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
