// Paths of the input as people would write them in an expression, with positions.

/** The path of an element below another: `%note.sections[0]` and `text`. */
export function pathBelow(path: string, key: string): string {
  if (path === '%context') return `%${key}`;
  return `${path}.${/^[A-Za-z_]\w*$/.test(key) ? key : `\`${key}\``}`;
}

const MAX_OBJECTS = 200_000;

/** The paths of all objects in the variables. An object that occurs twice has the path of the first place. */
export function inputPaths(variables: unknown): WeakMap<object, string> {
  const paths = new WeakMap<object, string>();
  const waiting: { readonly value: unknown; readonly path: string }[] = [{ value: variables, path: '%context' }];
  for (let count = 0; count < waiting.length && count < MAX_OBJECTS; count++) {
    const { value, path } = waiting[count] ?? { value: undefined, path: '' };
    if (typeof value !== 'object' || value === null || paths.has(value)) continue;
    paths.set(value, path);
    for (const [key, child] of Object.entries(value)) {
      const below = Array.isArray(value) ? `${path}[${key}]` : pathBelow(path, key);
      if (typeof child === 'object' && child !== null) waiting.push({ value: child, path: below });
    }
  }
  return paths;
}
