// Reads what is given to a mapping: YAML or JSON, from a file or from standard input. What is wrong with it is said without
// repeating anything of it: it may be a patient's.
import { createReadStream } from 'node:fs';
import { factProblems } from '../../domain/mapping/chart-facts.ts';
import type { FactProblem } from '../../domain/mapping/fact-problems.ts';
import { describeProblem, sortProblems } from '../../domain/mapping/mapping.ts';
import { FORBIDDEN_KEYS, parseSource, type SourceNode, suggest, toPlain } from '../../mapping/mapping.ts';
import { CliError } from '../shared/cli-error.ts';

type Input = {
  /** Undefined where the file is empty. */
  readonly value: unknown;
  /** As people see it. */
  readonly file: string;
};

const MAX_BYTES = 16 * 1024 * 1024;
/** YAML is read slowly, and all that it is made of is kept. */
const MAX_YAML_BYTES = 1024 * 1024;
const MAX_DEPTH = 200;

type Given = {
  /** `-` is standard input. */
  readonly file: string;
  readonly stdin?: AsyncIterable<Uint8Array>;
};

/** Throws a CliError. */
export async function readInput(given: Given): Promise<Input> {
  const { value, file } = await read(given);
  return { value, file };
}

/** What `previewMapping` takes. Throws a CliError with all that is wrong, in the order of the file. */
export async function readFacts(given: Given): Promise<unknown> {
  const { value, ...source } = await read(given);
  const problems = factProblems(value, suggest);
  if (problems.length > 0) throw new CliError(explainFacts(problems, source));
  return value;
}

type Source = { readonly file: string; readonly bytes: Uint8Array };

async function read({ file, stdin }: Given): Promise<Input & Source> {
  const isStdin = file === '-' && stdin !== undefined;
  const shown = isStdin ? 'standard input' : file;
  const bytes = await readBytes(isStdin ? stdin : createReadStream(file), shown);
  const json = parseJson(bytes);
  const value = json ? json.value : parseYaml(bytes, shown);
  refuseHarmful(value, shown);
  return { value, file: shown, bytes };
}

/** The bytes of a file that a person named. Throws a CliError. */
export function readNamedFile(file: string): Promise<Uint8Array> {
  return readBytes(createReadStream(file), file);
}

async function readBytes(source: AsyncIterable<Uint8Array>, shown: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of source) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > MAX_BYTES) break;
      chunks.push(chunk);
    }
  } catch (thrown) {
    throw new CliError(explainUnreadable(shown, thrown), { cause: thrown });
  }
  if (sizeBytes > MAX_BYTES)
    throw new CliError(`${shown} is larger than 16 MiB, which is more than a mapping is given.`);
  return Buffer.concat(chunks);
}

function explainUnreadable(shown: string, thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `There is no file ${shown}.`;
  if (code === 'EISDIR') return `${shown} is a folder, where a file is expected.`;
  if (code === 'EACCES' || code === 'EPERM') return `${shown} may not be read by this user.`;
  return `${shown} cannot be read.`;
}

/** Undefined where it is no JSON. V8's own words are dropped: they quote the text. */
function parseJson(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { value: text.trim() === '' ? undefined : JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function parseYaml(bytes: Uint8Array, shown: string): unknown {
  if (bytes.byteLength > MAX_YAML_BYTES) {
    throw new CliError(
      `${shown} is no JSON, and larger than 1 MiB, which is too much for YAML. Up to 16 MiB are read of JSON.`,
    );
  }
  const { root, problems } = parseSource({ file: shown, text: bytes });
  if (problems.length > 0) throw new CliError(problems.map(describeProblem).join('\n'));
  return root && toPlain(root);
}

/** What is nested without end, and keys that would reach into the machinery of JavaScript. */
function refuseHarmful(value: unknown, shown: string): void {
  const left: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value: inner, depth } = next;
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth > MAX_DEPTH)
      throw new CliError(`${shown} is nested more than ${MAX_DEPTH} levels deep, which no mapping needs.`);
    for (const [key, child] of Object.entries(inner)) {
      if (FORBIDDEN_KEYS.has(key)) throw new CliError(`${shown} has a key ${key}, which is not allowed. Take it out.`);
      left.push({ value: child, depth: depth + 1 });
    }
  }
}

/** `input.yaml:12:3: note.title is missing`; without a place where the file is too large to look for it. */
function explainFacts(problems: readonly FactProblem[], { file, bytes }: Source): string {
  const { root } = bytes.byteLength > MAX_YAML_BYTES ? {} : parseSource({ file, text: bytes });
  if (root === undefined) return problems.map(({ message }) => `${file}: ${message}`).join('\n');
  const placed = problems.map(({ path, message }) => ({ place: placeAt(root, path), message }));
  return sortProblems(placed).map(describeProblem).join('\n');
}

/** Of the key, or of the item of a list; of one that is not there, the place of what lacks it. */
function placeAt(root: SourceNode, path: FactProblem['path']): SourceNode['place'] {
  let node = root;
  let { place } = root;
  for (const part of path) {
    const entry = node.kind === 'map' ? node.entries.find(({ key }) => key === part) : undefined;
    const item = node.kind === 'list' ? node.items[Number(part)] : undefined;
    const next = entry?.value ?? item;
    if (next === undefined) return node.place;
    node = next;
    place = entry?.keyPlace ?? next.place;
  }
  return place;
}
