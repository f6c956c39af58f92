// JSON of a server that is not trusted: taken apart without believing anything of its shape. Too deep, or with a key that reaches
// prototypes, is as bad as no JSON.
import type { Resource } from '@medplum/fhirtypes';

export type JsonObject = { readonly [key: string]: unknown };

/** FHIR nests sections and items without a limit; nobody nests this deep. */
const MAX_DEPTH = 100;
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) && isTame(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** Says no more than that it is one: what stands in it is the server's word. */
export function isResource(value: unknown): value is Resource & JsonObject {
  return isObject(value) && textAt(value, 'resourceType') !== undefined;
}

/** Level by level: a recursion would be what hostile nesting is after. */
function isTame(root: JsonObject): boolean {
  let level: readonly object[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return false;
    const next: object[] = [];
    for (const node of level) {
      if (FORBIDDEN_KEYS.some((key) => Object.hasOwn(node, key))) return false;
      for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return true;
}
