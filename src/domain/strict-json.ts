// Parses untrusted JSON: one pass over the raw text refuses what JSON.parse accepts (excessive depth, duplicate keys, keys that reach
// prototypes, characters that no database can hold), then JSON.parse reads it. Error messages hold no content.
import { AppError } from './errors.ts';

type StrictJsonLimits = { readonly maxDepth?: number; readonly maxContainers?: number };

const DEFAULT_MAX_DEPTH = 64;
/** Counts objects and lists. An empty one takes 50 bytes for 3 characters: a body of 16 MB would become 300 MB. */
const DEFAULT_MAX_CONTAINERS = 1_000_000;
/** For one object. A million keys would take seconds. */
const MAX_KEYS = 100_000;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const SPACES = ' \t\r\n';
const STRUCTURE = /["{}[\]]/g;

/** Throws `invalidRequest`. */
export function parseStrictJson(text: string, limits: StrictJsonLimits = {}): unknown {
  scan(text, limits);
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** Keeps the keys of each open object; an array has none. JSON.parse refuses unbalanced brackets. */
function scan(
  text: string,
  { maxDepth = DEFAULT_MAX_DEPTH, maxContainers = DEFAULT_MAX_CONTAINERS }: StrictJsonLimits,
) {
  const open: (Set<string> | undefined)[] = [];
  let [position, containers] = [nextStructure(text, 0), 0];
  while (position < text.length) {
    const character = text[position];
    if (character === '"') {
      position = nextStructure(text, scanString(text, position, open.at(-1)));
      continue;
    }
    if (character === '}' || character === ']') open.pop();
    else {
      open.push(character === '{' ? new Set() : undefined);
      containers += 1;
    }
    if (open.length > maxDepth) throw invalid(`The JSON is nested deeper than ${maxDepth} levels`);
    if (containers > maxContainers) throw invalid(`The JSON has more than ${maxContainers} objects and lists`);
    position = nextStructure(text, position + 1);
  }
}

/** The position of the next quote or bracket, or the end of the text. */
function nextStructure(text: string, start: number): number {
  STRUCTURE.lastIndex = start;
  return STRUCTURE.test(text) ? STRUCTURE.lastIndex - 1 : text.length;
}

/** Returns the position after the string. */
function scanString(text: string, start: number, keys: Set<string> | undefined): number {
  const end = stringEnd(text, start);
  const value = unescaped(text.slice(start, end));
  if (value.includes('\0') || !value.isWellFormed()) {
    throw invalid('The JSON has a text with a character that is not allowed (U+0000 or half a surrogate pair)');
  }
  if (keys === undefined) return end;
  // No regular expression: megabytes of spaces can exhaust one.
  let next = end;
  while (next < text.length && SPACES.includes(text.charAt(next))) next += 1;
  if (text[next] === ':') noteKey(value, keys);
  return end;
}

/** A quote ends the string unless an odd number of backslashes precedes it. */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  throw notJson();
}

function noteKey(key: string, keys: Set<string>): void {
  if (FORBIDDEN_KEYS.has(key)) throw invalid(`The JSON has a key that is not allowed (${key})`);
  if (keys.has(key)) throw invalid('The JSON has an object with the same key twice');
  if (keys.size >= MAX_KEYS) throw invalid(`The JSON has an object with more than ${MAX_KEYS} keys`);
  keys.add(key);
}

function unescaped(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw notJson();
  }
}

function notJson(): AppError {
  return invalid('The body is not valid JSON');
}

function invalid(message: string): AppError {
  return new AppError('invalidRequest', message);
}
