// Sets the order of suites. The longest journeys begin early, because a late one would delay the end of the run, and the other journeys follow
// by size. Each is followed by a few other suites: journeys mostly wait for engines, and those keep the cores busy meanwhile.
import { statSync } from 'node:fs';
import path from 'node:path';

type Suite = { readonly path: string };

const JOURNEYS = `${path.join(import.meta.dirname, '../journeys')}${path.sep}`;

/** They take a minute or more, mostly for pauses of the engine. */
const LONGEST = [
  'sandbox-drills',
  'database-restarts',
  'runs-killed-writing',
  'events-outages',
  'runs-vendors',
  'builtin-runs',
  'events-subscription',
].map((name) => `${JOURNEYS}${name}.test.ts`);

/** Of the longest journeys so many wait at once, and each of the others begins after so many other suites. */
const LONGEST_AT_ONCE = 2;
const OTHERS_PER_LONGEST = 16;
/** With so many after each, the journeys end well before the other suites. */
const OTHERS_PER_JOURNEY = 3;

/** Puts so many of the others before each journey, as long as there are any. */
function mix<One>(journeys: readonly One[], others: readonly One[], most: number) {
  const mixed = journeys.flatMap((journey, index) => [...others.slice(index * most, (index + 1) * most), journey]);
  return { mixed, rest: others.slice(journeys.length * most) };
}

export default class JourneysFirst {
  sort<One extends Suite>(suites: Iterable<One>): One[] {
    const sized = Array.from(suites, (suite) => ({ suite, bytes: statSync(suite.path).size }));
    const sorted = sized.toSorted((one, other) => other.bytes - one.bytes).map(({ suite }) => suite);
    const longest = LONGEST.flatMap((file) => sorted.filter((suite) => suite.path === file));
    const journeys = sorted.filter((suite) => suite.path.startsWith(JOURNEYS) && !longest.includes(suite));
    const others = sorted.filter((suite) => !suite.path.startsWith(JOURNEYS));
    const first = longest.slice(0, LONGEST_AT_ONCE);
    const long = mix(longest.slice(LONGEST_AT_ONCE), others, OTHERS_PER_LONGEST);
    const short = mix(journeys, long.rest, OTHERS_PER_JOURNEY);
    return [...first, ...long.mixed, ...short.mixed, ...short.rest];
  }

  /** Nothing is cached between runs, so no suite counts as failed before. */
  allFailedTests<One extends Suite>(suites: One[]): One[] {
    return suites;
  }

  cacheResults(): void {}
}
