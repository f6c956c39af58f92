// The first check of a set of resources: it is JSON, and small enough for the other checks. It walks without recursion, so that no
// depth overflows the stack.

/** FHIR's own deepest structures (Questionnaire.item, Composition.section) come nowhere near. */
const MAX_DEPTH = 64;
/** The limit of a whole set: a note with ten sections of a megabyte, in all the documents that carry it, stays below. */
const MAX_VALUES = 400_000;
const MAX_CHARACTERS = 64 * 1_048_576;

const TOO_MUCH = `makes the set too large: no more than ${MAX_VALUES} values and ${MAX_CHARACTERS} characters in all`;

type Visit = { readonly value: unknown; readonly depth: number };
type Spent = { values: number; characters: number };

/** The problem of each resource, as the end of a sentence about it; undefined if there is none. */
export function sizeProblems(resources: readonly unknown[]): readonly (string | undefined)[] {
  const spent: Spent = { values: 0, characters: 0 };
  return resources.map((resource) => sizeProblem(resource, spent));
}

function sizeProblem(resource: unknown, spent: Spent): string | undefined {
  const waiting: Visit[] = [{ value: resource, depth: 1 }];
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    const { value, depth } = visit;
    if (!isJson(value)) return 'has something in it that is no JSON';
    spent.values += 1;
    if (typeof value === 'string') spent.characters += value.length;
    if (spent.characters > MAX_CHARACTERS || spent.values + waiting.length > MAX_VALUES) return TOO_MUCH;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    if (sizeOf(value) > MAX_VALUES) return TOO_MUCH;
    for (const [key, inner] of Object.entries(value)) {
      spent.characters += key.length;
      waiting.push({ value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/** `undefined` is allowed: JSON.stringify drops it. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  }
  return typeof value !== 'bigint' && typeof value !== 'function' && typeof value !== 'symbol';
}
