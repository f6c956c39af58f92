// JSON of a server that is not trusted: taken apart without believing anything of its shape. Too deep, or with a key that reaches
// prototypes, is as bad as no JSON.
import type { Resource } from '@medplum/fhirtypes';
import { isObject } from '../../domain/raw-members.ts';

export type JsonObject = { readonly [key: string]: unknown };

/** FHIR nests sections and items without a limit; no real resource nests this deep. */
const MAX_DEPTH = 100;
/** Objects and lists; a whole answer of 16 MB that means something has a quarter of it. Empty ones take 50 bytes for 3. */
const MAX_CONTAINERS = 1_000_000;
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];
/** Without any of these in the text, no key of it is one of those. */
const PERHAPS_FORBIDDEN = /__proto__|constructor|prototype|\\u/;
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING_BRACE, OPENING_BRACKET, CLOSING_BRACE, CLOSING_BRACKET] = [0x7b, 0x5b, 0x7d, 0x5d];

export function parseJsonObject(text: string): JsonObject | undefined {
  if (!isModest(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && (!PERHAPS_FORBIDDEN.test(text) || isTame(parsed)) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export function objectAt(parent: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = parent?.[key];
  return isObject(value) ? value : undefined;
}

export function textAt(parent: JsonObject | undefined, key: string): string | undefined {
  const value = parent?.[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What is no object in it is left out. */
export function objectsAt(parent: JsonObject | undefined, key: string): readonly JsonObject[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textsAt(parent: JsonObject | undefined, key: string): readonly string[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Checks only that it is a resource; its members are unchecked. */
export function isResource(value: unknown): value is Resource & JsonObject {
  return isObject(value) && textAt(value, 'resourceType') !== undefined;
}

/** Looked at before it is parsed: parsed, hostile nesting of a few MB takes seconds, and memory that ends the process. */
function isModest(text: string): boolean {
  let [depth, containers] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      depth += 1;
      containers += 1;
      if (depth > MAX_DEPTH || containers > MAX_CONTAINERS) return false;
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth -= 1;
  }
  return true;
}

/** Where the closing quotation mark is, or the end. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 1;
}

/** With a stack of its own: a recursion would be what hostile nesting is after. */
function isTame(root: JsonObject): boolean {
  const open: object[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const key of FORBIDDEN_KEYS) if (Object.hasOwn(node, key)) return false;
    for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return true;
}
