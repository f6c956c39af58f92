// Reads strict JSON with the place of each value. It stops at the first syntax error; doubled keys and odd numbers are all
// reported.
import type { Place, Problem } from '../../domain/mapping/mapping.ts';
import { keyProblem, MANY_NODES, numberProblem, textProblem } from './check-source.ts';
import { makeOffsetAt } from './scalar-places.ts';
import type { PlaceOf } from './source-lines.ts';
import {
  MAX_DEPTH,
  MAX_NODES,
  type ReadSource,
  type SourceEntry,
  type SourceNode,
  type SourceScalar,
} from './source-tree.ts';
import { TOO_DEEP } from './yaml-problems.ts';

type JsonFile = { readonly text: string; readonly placeOf: PlaceOf };

/** The reading position, and the problems so far. */
type Reading = JsonFile & { at: number; nodes: number; readonly problems: Problem[] };

class JsonMistake extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

export function readJson({ text, placeOf }: JsonFile): ReadSource {
  const reading: Reading = { text, placeOf, at: 0, nodes: 0, problems: [] };
  try {
    skipBlanks(reading);
    if (reading.at === text.length) throw new JsonMistake(0, 'there is nothing in this file');
    const root = readValue(reading, 1);
    skipBlanks(reading);
    if (reading.at < text.length) throw new JsonMistake(reading.at, 'JSON ends before this: remove what follows');
    return { root, problems: reading.problems };
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error;
    return { problems: [...reading.problems, { place: placeOf(error.at), message: error.message }] };
  }
}

function skipBlanks(reading: Reading): void {
  while (/[ \t\n\r]/.test(reading.text[reading.at] ?? '')) reading.at++;
}

function readValue(reading: Reading, depth: number): SourceNode {
  reading.nodes++;
  if (reading.nodes > MAX_NODES) throw new JsonMistake(reading.at, MANY_NODES);
  const first = reading.text[reading.at];
  if ((first === '{' || first === '[') && depth > MAX_DEPTH) throw new JsonMistake(reading.at, TOO_DEEP);
  if (first === '{') return readObject(reading, depth);
  if (first === '[') return readArray(reading, depth);
  if (first === '"') return readString(reading);
  return readWord(reading);
}

function readArray(reading: Reading, depth: number): SourceNode {
  const place = reading.placeOf(reading.at);
  const items: SourceNode[] = [];
  readParts(reading, ']', () => items.push(readValue(reading, depth + 1)));
  return { kind: 'list', place, items };
}

function readObject(reading: Reading, depth: number): SourceNode {
  const place = reading.placeOf(reading.at);
  const entries: SourceEntry[] = [];
  const seen = new Map<string, Place>();
  readParts(reading, '}', () => {
    if (reading.text[reading.at] !== '"') throw new JsonMistake(reading.at, 'a key needs double quotes');
    const key = readString(reading);
    skipBlanks(reading);
    if (reading.text[reading.at] !== ':') throw new JsonMistake(reading.at, 'a colon is missing here');
    reading.at++;
    skipBlanks(reading);
    const value = readValue(reading, depth + 1);
    const message = keyProblem(key.value, seen.get(key.value));
    if (message !== undefined) reading.problems.push({ place: key.place, message });
    else entries.push({ key: key.value, keyPlace: key.place, keyPlaceAt: key.placeAt, value });
    if (message === undefined) seen.set(key.value, key.place);
  });
  return { kind: 'map', place, entries };
}

/** Reads the parts between brackets, with commas between them and none at the end. */
function readParts(reading: Reading, end: ']' | '}', readPart: () => void): void {
  const start = reading.at;
  reading.at++;
  skipBlanks(reading);
  if (reading.text[reading.at] === end) {
    reading.at++;
    return;
  }
  for (;;) {
    readPart();
    skipBlanks(reading);
    const next = reading.text[reading.at];
    if (next === undefined) throw new JsonMistake(start, `this is never closed with ${end}`);
    if (next !== end && next !== ',') throw new JsonMistake(reading.at, `a comma or ${end} is missing here`);
    reading.at++;
    if (next === end) return;
    skipBlanks(reading);
    if (reading.text[reading.at] === end)
      throw new JsonMistake(reading.at - 1, 'JSON has no comma behind the last one');
  }
}

function readString(reading: Reading): SourceScalar & { readonly value: string } {
  const { text, placeOf, problems } = reading;
  const start = reading.at;
  let at = start + 1;
  while (at < text.length && text[at] !== '"' && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
  if (text[at] !== '"') throw new JsonMistake(start, 'the quote that begins this text is never closed');
  const value = parseString(text.slice(start, at + 1), start);
  reading.at = at + 1;
  const offsetAt = makeOffsetAt({ style: 'double', value, text, start, end: at });
  const wrong = textProblem(value);
  if (wrong !== undefined) problems.push({ place: placeOf(offsetAt(wrong.at)), message: wrong.message });
  return { kind: 'scalar', value, place: placeOf(start), placeAt: (offset) => placeOf(offsetAt(offset)) };
}

function parseString(written: string, start: number): string {
  try {
    return JSON.parse(written) as string;
  } catch {
    const wrong = /\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(written.replaceAll('\\\\', '\u0001\u0001'));
    const message = wrong
      ? 'JSON knows no such escape: write \\\\ for a backslash'
      : 'JSON texts have no tabs or line ends';
    throw new JsonMistake(start + (wrong?.index ?? 0), message);
  }
}

const WORD = /[^\s,:[\]{}"]+/y;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function readWord(reading: Reading): SourceNode {
  const start = reading.at;
  const place = reading.placeOf(start);
  WORD.lastIndex = start;
  const word = WORD.exec(reading.text)?.[0];
  if (word === undefined) throw new JsonMistake(start, 'a value is missing here');
  reading.at += word.length;
  const known = WORDS.get(word);
  if (known !== undefined) return { kind: 'scalar', value: known, place, placeAt: () => place };
  if (!NUMBER.test(word)) {
    const message = /^[-+.]?[0-9]/.test(word) ? 'this is no number of JSON' : 'a text needs double quotes';
    throw new JsonMistake(start, message);
  }
  const value = Number(word);
  const message = numberProblem(value, word);
  if (message !== undefined) reading.problems.push({ place, message });
  return { kind: 'scalar', value, place, placeAt: () => place };
}
