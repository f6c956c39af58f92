// Reads values at a path of a resource, and all its references. Resources are plain JSON here.

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns all values at a path such as `name.family`, in order; lists are flattened. */
export function valuesAt(value: unknown, path: string): readonly unknown[] {
  let found: readonly unknown[] = [value];
  for (const name of path.split('.')) {
    found = found.flatMap((one) => (isObject(one) ? [one[name]].flat() : [])).filter((one) => one !== undefined);
  }
  return found;
}

/** `Patient/1` of `Patient/1`, `http://ehr/fhir/Patient/1/_history/2` and the like; undefined for what names no resource here. */
export function localReference(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return /(?:^|\/)([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})(?:\/_history\/[A-Za-z0-9\-.]{1,64})?$/.exec(value)?.[1];
}

/** Returns each `reference` in the value, at any depth. */
export function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, part]) => {
    const own = name === 'reference' ? localReference(part) : undefined;
    return own === undefined ? referencesIn(part) : [own];
  });
}
