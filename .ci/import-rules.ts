// Who may import whom. Reads import lines as text, tells `import type` from `import`, and looks for circles. Looks at `src`
// below the folder that it is given, else below this one.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

type Import = { readonly file: string; readonly line: number; readonly target: string; readonly isType: boolean };

/** What a room, a folder or a file may import beside its own room. The longest entry that fits a file counts. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/config.ts': [],
  'src/startup-message.ts': ['src/ports', 'src/domain'],
  'src/clinical-text': ['src/domain/language.ts'],
  'src/domain': ['src/clinical-text'],
  'src/wire': ['src/domain'],
  'src/mapping': ['src/domain'],
  'src/validation': ['src/domain'],
  'src/ports': ['src/domain'],
  'src/flows': ['src/domain', 'src/mapping', 'src/ports'],
  'src/platform': ['src/domain/backoff.ts'],
  'src/rules': ['src/clinical-text', 'src/domain', 'src/ports', 'src/platform'],
  'src/sandbox': [
    'src/validation/code-sets.ts',
    'src/validation/fhir-r4.ts',
    'src/platform',
    'src/domain',
    'src/ports',
    'src/wire',
    'src/outbound/files/mapping-folders.ts',
    'src/inbound/http/http-extension.ts',
  ],
  'src/sandbox/http': [
    'src/domain',
    'src/wire',
    'src/inbound/http/body/validate.ts',
    'src/inbound/http/docs/openapi-failures.ts',
    'src/inbound/http/docs/openapi-ops-parts.ts',
    'src/inbound/http/docs/openapi-parts.ts',
    'src/inbound/http/ops/ops-body.ts',
    'src/inbound/http/ops/ops-routes.ts',
  ],
  'src/cli': [
    'src/mapping',
    'src/validation',
    'src/domain',
    'src/wire',
    'src/outbound/files',
    'src/flows/operations/preview-mapping.ts',
    'src/platform/command-name.ts',
  ],
  'src/inbound/*': ['src/flows', 'src/domain', 'src/ports', 'src/platform', 'src/wire'],
  'src/outbound/*': ['src/ports', 'src/domain', 'src/platform'],
  'src/outbound/files': ['src/ports', 'src/domain', 'src/platform', 'src/mapping'],
  'src/outbound/fhir': ['src/ports', 'src/domain', 'src/platform', 'src/validation'],
  'src/composition': [
    'src/config.ts',
    'src/domain',
    'src/flows',
    'src/inbound',
    'src/mapping',
    'src/outbound',
    'src/platform',
    'src/ports',
    'src/rules',
    'src/validation',
  ],
  'src/composition/load-extension.ts': ['src/flows/health', 'src/outbound/postgres', 'src/platform', 'src/sandbox'],
  'src/bin.ts': ['src/main.ts', 'src/cli/main.ts'],
  'src/main.ts': [
    'src/composition',
    'src/config.ts',
    'src/startup-message.ts',
    'src/inbound/http/server/open-door.ts',
    'src/platform',
  ],
};

/** Rooms with a face: the one file of the room that other rooms may import. */
const FACES: Readonly<Record<string, string>> = {
  'src/mapping': 'src/mapping/mapping.ts',
  'src/rules': 'src/rules/rules.ts',
};

const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  express: ['src/inbound/http', 'src/sandbox/http'],
  '@fastify/busboy': ['src/inbound/http'],
  helmet: ['src/inbound/http'],
  pg: ['src/outbound/postgres', 'src/platform'],
  kysely: ['src/outbound/postgres', 'src/platform'],
  'pg-boss': ['src/outbound/postgres', 'src/platform'],
  amqplib: ['src/platform', 'src/inbound/amqp', 'src/outbound/amqp'],
  openai: ['src/outbound/openai'],
  '@deepgram/sdk': ['src/outbound/deepgram'],
  'fhir-kit-client': ['src/outbound/fhir'],
  jose: ['src/outbound/fhir'],
  '@medplum/fhir-router': ['src/sandbox'],
};

/** What a pure room must not reach for: time, chance, the environment, the network, the disk. */
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.|\bfetch\(|\bperformance\.|\bsetTimeout\(|from 'node:/;
/** What is given gives the same each time. */
const PURE_IMPORTS = ["import { createHash } from 'node:crypto';", "import { isDeepStrictEqual } from 'node:util';"];
const PURE_ROOMS = ['src/clinical-text', 'src/domain', 'src/mapping', 'src/flows'];

const root = process.argv[2] ?? '.';
const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).map((file) => file.split(path.sep).join('/'));
const sources = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
const imports = files.flatMap(importsOf);
const problems = [...imports.flatMap(ruleProblems), ...files.flatMap(impureProblems), ...circles()];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function importsOf(file: string): Import[] {
  const text = sources.get(file) ?? '';
  const pattern = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;
  return [...text.matchAll(pattern)].map((match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    target: resolve(file, match[2] ?? match[3] ?? ''),
    isType: match[1] !== undefined,
  }));
}

function resolve(file: string, specifier: string): string {
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
}

function roomOf(file: string): string {
  const [, room, inner] = file.split('/');
  return room === 'inbound' || room === 'outbound' ? `src/${room}/${inner}` : `src/${room}`;
}

function ruleProblems({ file, line, target, isType }: Import): string[] {
  const place = `${file}:${line}`;
  if (!target.startsWith('src/')) return packageProblems(place, file, target, isType);
  const room = roomOf(file);
  const allowed = [...allowedTo(file, room), room];
  if (!allowed.some((home) => target === home || target.startsWith(`${home}/`))) {
    return [`${place}: ${room} must not import ${target}`];
  }
  const face = FACES[roomOf(target)];
  if (face !== undefined && target !== face && room !== roomOf(target)) {
    return [`${place}: import ${face}, not ${target}`];
  }
  const isPortValue = target.startsWith('src/ports/') && !isType && !file.startsWith('src/ports/');
  return isPortValue ? [`${place}: ports are types: write \`import type\``] : [];
}

function allowedTo(file: string, room: string): readonly string[] {
  const fitting = Object.keys(ALLOWED).filter((name) => file === name || file.startsWith(`${name}/`));
  const [longest = room.replace(/\/[^/]+$/, '/*')] = fitting.toSorted((one, other) => other.length - one.length);
  return ALLOWED[longest] ?? [];
}

function packageProblems(place: string, file: string, target: string, isType: boolean): string[] {
  const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : (target.split('/')[0] ?? '');
  const homes = PACKAGE_HOMES[name];
  if (homes === undefined || isType || homes.some((home) => file.startsWith(`${home}/`))) return [];
  return [`${place}: ${name} is only for ${homes.join(', ')}`];
}

function impureProblems(file: string): string[] {
  if (!PURE_ROOMS.includes(roomOf(file))) return [];
  return (sources.get(file) ?? '')
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
