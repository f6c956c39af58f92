// Reads the fixtures of names and codes beside this file.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

export type Pair = { readonly code: string; readonly name: string };

/** By language. */
export function readPairs(file: string): Readonly<Record<string, readonly Pair[]>> {
  const lists = readLists(file);
  return Object.fromEntries(Object.entries(lists).map(([language, lines]) => [language, lines.map(readPair)]));
}

export function readLists(file: string): Readonly<Record<string, readonly string[]>> {
  return parse(readFileSync(path.join(import.meta.dirname, file), 'utf8'));
}

/** Reads `I21.9 Heart attack`. */
function readPair(line: string): Pair {
  const blank = line.indexOf(' ');
  return { code: line.slice(0, blank), name: line.slice(blank + 1) };
}
