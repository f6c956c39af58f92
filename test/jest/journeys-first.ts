// Sets the order of suites. The longest journeys are first, because a late one would delay the end of the run. The others follow by size, each
// with a few smaller suites: journeys mostly wait for engines, and those keep the cores busy meanwhile.
import { statSync } from 'node:fs';
import path from 'node:path';

type Suite = { readonly path: string };

const JOURNEYS = `${path.join(import.meta.dirname, '../journeys')}${path.sep}`;

/** They take a minute or more, mostly for pauses of the engine. */
const LONGEST = [
  'sandbox-drills',
  'runs-killed-writing',
  'events-outages',
  'runs-vendors',
  'builtin-runs',
  'events-subscription',
].map((name) => `${JOURNEYS}${name}.test.ts`);

/** With so many after each, the journeys end well before the other suites. */
const OTHERS_PER_JOURNEY = 4;

export default class JourneysFirst {
  sort<One extends Suite>(suites: Iterable<One>): One[] {
    const sized = Array.from(suites, (suite) => ({ suite, bytes: statSync(suite.path).size }));
    const sorted = sized.toSorted((one, other) => other.bytes - one.bytes).map(({ suite }) => suite);
    const longest = LONGEST.flatMap((file) => sorted.filter((suite) => suite.path === file));
    const journeys = sorted.filter((suite) => suite.path.startsWith(JOURNEYS) && !longest.includes(suite));
    const others = sorted.filter((suite) => !suite.path.startsWith(JOURNEYS));
    const mixed = journeys.flatMap((journey, index) => {
      const from = index * OTHERS_PER_JOURNEY;
      return [journey, ...others.slice(from, from + OTHERS_PER_JOURNEY)];
    });
    return [...longest, ...mixed, ...others.slice(journeys.length * OTHERS_PER_JOURNEY)];
  }

  /** Nothing is cached between runs, so no suite counts as failed before. */
  allFailedTests<One extends Suite>(suites: One[]): One[] {
    return suites;
  }

  cacheResults(): void {}
}
