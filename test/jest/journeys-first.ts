// The order in which suites begin: journeys first, because they take the longest and mostly wait, so that no long suite is left alone at
// the end. Larger journeys begin before smaller ones.
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

  /** Nothing is remembered from run to run: all of them are taken for failed ones. */
  allFailedTests<One extends Suite>(suites: One[]): One[] {
    return suites;
  }

  cacheResults(): void {}
}
