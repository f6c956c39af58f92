// Sets the order of suites. The longest journeys and the suites that compute most begin early, because a late one would delay the end of the
// run, and the other journeys follow by size. Each is followed by a few other suites: journeys mostly wait for engines, and those keep the cores busy meanwhile.
import { statSync } from 'node:fs';
import path from 'node:path';

type Suite = { readonly path: string };

const TESTS = path.join(import.meta.dirname, '..');
const JOURNEYS = `${path.join(TESTS, 'journeys')}${path.sep}`;

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

/** They are small files, and compute for ten seconds and more. */
const HEAVIEST = [
  'eval/floors',
  'eval/inventions/inventions',
  'rules/answers/candidates',
  'rules/real-knowledge',
  'rules/thread/open-rules-thread',
  'rules/longest-finding',
  'flows/chart-writing/write-chart.property',
  'rules/knowledge/load-knowledge',
  'composition/make-reasoner',
  'eval/options',
].map((name) => path.join(TESTS, `${name}.test.ts`));

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
    const named = (files: readonly string[]) => files.flatMap((file) => sorted.filter((suite) => suite.path === file));
    const longest = named(LONGEST);
    const heaviest = named(HEAVIEST);
    const journeys = sorted.filter((suite) => suite.path.startsWith(JOURNEYS) && !longest.includes(suite));
    const lighter = sorted.filter((suite) => !suite.path.startsWith(JOURNEYS) && !heaviest.includes(suite));
    const others = [...heaviest, ...lighter];
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
