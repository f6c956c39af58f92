// Values with the paths of the input at which they were found, or from which the mapping made them.
import type { Trace, Traced } from './trace.ts';
import { pathBelow } from './trace-paths.ts';

/** Items of the value at a path. */
export function itemsAt(path: string, raw: unknown): readonly Traced[] {
  if (raw === null || raw === undefined) return [];
  if (!Array.isArray(raw)) return [{ value: raw, paths: [path], isExact: true }];
  return raw.flatMap((item, index) => itemsAt(`${path}[${index}]`, item));
}

/** Items of a value that the mapping has just made, whose parts have sources of their own. */
export function itemsMade(trace: Trace, value: unknown): readonly Traced[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return [made(value, trace.last?.sources)];
  const parts = trace.parts.get(value);
  return value.map((item, index) => made(item, parts?.get(index)?.sources));
}

function made(value: unknown, sources: readonly string[] = []): Traced {
  return { value, paths: sources, isExact: sources.length === 1 };
}

type Member = {
  readonly name: string;
  /** True without a dot before the name: `Patient` may be the Patient itself. */
  readonly isRoot: boolean;
  readonly trace: Trace;
};

export function membersOf(target: Traced, { name, isRoot, trace }: Member): readonly Traced[] {
  const { value, paths, isExact } = target;
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Readonly<Record<string, unknown>>;
  if (isRoot && Object.hasOwn(members, 'resourceType') && members['resourceType'] === name) return [target];
  const key = keyOf(members, name);
  if (key === undefined) return [];
  const parts = trace.parts.get(value);
  if (parts) return partItems(trace, members[key], parts.get(key)?.sources);
  const [path = ''] = paths;
  if (isExact) return itemsAt(pathBelow(path, key), members[key]);
  return itemsAt('', members[key]).map((item) => ({ value: item.value, paths, isExact: false }));
}

function partItems(trace: Trace, value: unknown, sources: readonly string[] | undefined): readonly Traced[] {
  if (sources !== undefined && !Array.isArray(value)) return [made(value, sources)];
  const parts = Array.isArray(value) ? trace.parts.get(value) : undefined;
  return itemsAt('', value).map((item, index) => made(item.value, parts?.get(index)?.sources ?? sources));
}

/** `value` is also `valueQuantity`. */
function keyOf(members: Readonly<Record<string, unknown>>, name: string): string | undefined {
  if (Object.hasOwn(members, name)) return name;
  return Object.keys(members).find((key) => key.startsWith(name) && /^[A-Z]/.test(key.slice(name.length)));
}
