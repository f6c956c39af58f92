// Who may import whom: holds the imports of `src` to the allowed ones, looks for circles, and for what a pure room must not reach for.
// Looks at `src` below the folder that it is given, else below this one.
import { roomOf, ruleProblems } from './allowed-imports.ts';
import { readSource } from './source-imports.ts';

/** What a pure room must not reach for: time, chance, the environment, the network, the disk. */
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.|\bfetch\(|\bperformance\.|\bsetTimeout\(|from 'node:/;
/** What is given gives the same each time. */
const PURE_IMPORTS = [
  "import { createHash } from 'node:crypto';",
  "import { createHmac, timingSafeEqual } from 'node:crypto';",
  "import { scrypt, timingSafeEqual } from 'node:crypto';",
  "import { isDeepStrictEqual } from 'node:util';",
];
const PURE_ROOMS = ['src/clinical-text', 'src/domain', 'src/mapping', 'src/flows'];

const { texts, imports } = readSource(process.argv[2] ?? '.');
const files = [...texts.keys()];
const problems = [...imports.flatMap(ruleProblems), ...files.flatMap(impureProblems), ...circles()];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function impureProblems(file: string): string[] {
  if (!PURE_ROOMS.includes(roomOf(file))) return [];
  return (texts.get(file) ?? '')
    .split('\n')
    .flatMap((text, index) => (isImpure(text) ? [`${file}:${index + 1}: not in a pure room: ${text.trim()}`] : []));
}

function isImpure(text: string): boolean {
  return IMPURE.test(text) && !PURE_IMPORTS.includes(text);
}

/** Circles of imports. Imports of types count: a circle of types, too, has to be read as one piece. */
function circles(): string[] {
  const next = new Map(
    files.map((file) => [file, imports.filter((line) => line.file === file).map((line) => line.target)]),
  );
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (trail.includes(file)) {
      found.push(`a circle of imports: ${[...trail.slice(trail.indexOf(file)), file].join(' → ')}`);
      return;
    }
    if (done.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return found;
}
