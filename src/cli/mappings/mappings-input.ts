// Reads the input of a mapping: YAML or JSON, from a file or standard input. Error messages repeat none of the content, because it may
// be patient data.
import { createReadStream } from 'node:fs';
import { factProblems } from '../../domain/mapping/chart-facts.ts';
import type { FactProblem } from '../../domain/mapping/fact-problems.ts';
import { describeProblem, sortProblems } from '../../domain/mapping/mapping.ts';
import { FORBIDDEN_KEYS, parseSource, type SourceNode, suggest, toPlain } from '../../mapping/mapping.ts';
import { CliError } from '../shared/cli-error.ts';

type Input = {
  /** Undefined if the file is empty. */
  readonly value: unknown;
  /** The name of the input in messages. */
  readonly file: string;
};

const MAX_BYTES = 16 * 1024 * 1024;
/** Limits for YAML, whose parser is slow and keeps the whole syntax tree. */
const MAX_YAML_BYTES = 1024 * 1024;
const MAX_DEPTH = 200;

type InputFile = {
  /** The path of the file; `-` is standard input. */
  readonly file: string;
  readonly stdin?: AsyncIterable<Uint8Array>;
};

/** Reads and parses the input. Throws a CliError. */
export async function readInput(given: InputFile): Promise<Input> {
  const { value, file } = await read(given);
  return { value, file };
}

/** Reads facts for `previewMapping`. Throws a CliError with all mistakes, in the order of the file. */
export async function readFacts(given: InputFile): Promise<unknown> {
  const { value, ...source } = await read(given);
  const problems = factProblems(value, suggest);
  if (problems.length > 0) throw new CliError(explainFacts(problems, source));
  return value;
}

type Source = { readonly file: string; readonly bytes: Uint8Array };

async function read({ file, stdin }: InputFile): Promise<Input & Source> {
  const isStdin = file === '-' && stdin !== undefined;
  const shown = isStdin ? 'standard input' : file;
  const bytes = await readBytes(isStdin ? stdin : createReadStream(file), shown);
  const json = parseJson(bytes);
  const value = json ? json.value : parseYaml(bytes, shown);
  refuseHarmful(value, shown);
  return { value, file: shown, bytes };
}

/** Reads a file that the user named. Throws a CliError. */
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
  if (sizeBytes > MAX_BYTES) throw new CliError(`${shown} is larger than 16 MiB, the limit for inputs.`);
  return Buffer.concat(chunks);
}

function explainUnreadable(shown: string, thrown: unknown): string {
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `The file ${shown} does not exist.`;
  if (code === 'EISDIR') return `${shown} is a folder, not a file.`;
  if (code === 'EACCES' || code === 'EPERM') return `This user may not read ${shown}.`;
  return `${shown} cannot be read.`;
}

/** Returns undefined if the text is not JSON. V8's error message is dropped, because it quotes the text. */
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
      `${shown} is not JSON and is larger than 1 MiB, the limit for YAML. The limit for JSON is 16 MiB.`,
    );
  }
  const { root, problems } = parseSource({ file: shown, text: bytes });
  if (problems.length > 0) throw new CliError(problems.map(describeProblem).join('\n'));
  return root && toPlain(root);
}

/** Refuses deep nesting, and keys that would reach JavaScript's prototypes. */
function refuseHarmful(value: unknown, shown: string): void {
  const left: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value: inner, depth } = next;
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth > MAX_DEPTH)
      throw new CliError(`${shown} is nested more than ${MAX_DEPTH} levels deep, which no mapping needs.`);
    for (const [key, child] of Object.entries(inner)) {
      if (FORBIDDEN_KEYS.has(key)) throw new CliError(`${shown} has the key ${key}, which is not allowed. Remove it.`);
      left.push({ value: child, depth: depth + 1 });
    }
  }
}

/** Formats `input.yaml:12:3: note.title is missing`; without a place if the file is too large to search. */
function explainFacts(problems: readonly FactProblem[], { file, bytes }: Source): string {
  const { root } = bytes.byteLength > MAX_YAML_BYTES ? {} : parseSource({ file, text: bytes });
  if (root === undefined) return problems.map(({ message }) => `${file}: ${message}`).join('\n');
  const placed = problems.map(({ path, message }) => ({ place: placeAt(root, path), message }));
  return sortProblems(placed).map(describeProblem).join('\n');
}

/** The place of a key or list item, or of the object that lacks it. */
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
