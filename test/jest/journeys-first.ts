// Sets the order of suites: journeys first, because they take the longest and mostly wait, so that a late one would delay the end of the run.
// Journeys, and the others, are ordered by size.
import { statSync } from 'node:fs';
import path from 'node:path';

type Suite = { readonly path: string };

const JOURNEYS = `${path.join(import.meta.dirname, '../journeys')}${path.sep}`;

export default class JourneysFirst {
  sort<One extends Suite>(suites: Iterable<One>): One[] {
    const sized = Array.from(suites, (suite) => ({ suite, bytes: statSync(suite.path).size }));
    const sorted = sized.toSorted((one, other) => other.bytes - one.bytes).map(({ suite }) => suite);
    const isJourney = (suite: One) => suite.path.startsWith(JOURNEYS);
    return [...sorted.filter(isJourney), ...sorted.filter((suite) => !isJourney(suite))];
  }

  /** Nothing is cached between runs, so no suite counts as failed before. */
  allFailedTests<One extends Suite>(suites: One[]): One[] {
    return suites;
  }

  cacheResults(): void {}
}
