// The JSON of a request, read as strictly as all JSON from outside. A body is at most a megabyte here; the depth is what matters.
import { parseStrictJson as parseStrict } from '../../../domain/strict-json.ts';

/** Throws `invalidRequest`. */
export function parseStrictJson(text: string, limits?: { readonly maxDepth: number }): unknown {
  return parseStrict(text, limits);
}
