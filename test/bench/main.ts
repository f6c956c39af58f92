// `npm run bench` measures the costs of the engine on this machine. Ratios can be compared between machines, single times cannot.
// Arguments name the suites to run: `npm run bench -- uploads`.
import { measureAttacks } from './attacks.ts';
import { measureCards } from './cards.ts';
import { measureChartWrites } from './chart-writes.ts';
import { measureCheck } from './check.ts';
import { printFigures } from './figures.ts';
import { measureMappings } from './mappings.ts';
import { measureMemory } from './memory.ts';
import { measureRequests } from './requests.ts';
import { measureRules } from './rules.ts';
import { measureRuns } from './runs.ts';
import { measureStartup } from './startup.ts';
import { measureStreams } from './streams.ts';
import { measureUploads } from './uploads.ts';

const SUITES = {
  startup: measureStartup,
  memory: measureMemory,
  uploads: measureUploads,
  streams: measureStreams,
  mappings: measureMappings,
  rules: measureRules,
  check: measureCheck,
  'chart-writes': measureChartWrites,
  requests: measureRequests,
  cards: measureCards,
  runs: measureRuns,
  attacks: measureAttacks,
} as const;

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}`);
  process.exit(1);
}
let isAllKept = true;
for (const [name, measure] of Object.entries(SUITES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`measuring ${name} …`);
  const figures = await measure();
  printFigures(name, figures);
  isAllKept &&= figures.every(({ isKept }) => isKept !== false);
}
process.exit(isAllKept ? 0 : 1);
