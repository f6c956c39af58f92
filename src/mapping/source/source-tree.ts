// The data of a file that a person edits, with the place of each part. YAML and JSON files both become this.
import type { Place, Problem } from '../../domain/mapping/mapping.ts';

export type SourceScalar = {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  readonly place: Place;
  /** The place in the file of the character at this offset of a text value, with quotes and folds taken into account. */
  readonly placeAt: (offset: number) => Place;
};

export type SourceEntry = {
  readonly key: string;
  readonly keyPlace: Place;
  readonly keyPlaceAt: (offset: number) => Place;
  readonly value: SourceNode;
};

export type SourceList = { readonly kind: 'list'; readonly place: Place; readonly items: readonly SourceNode[] };
/** No key occurs twice, and none has a special meaning for JavaScript objects. */
export type SourceMap = { readonly kind: 'map'; readonly place: Place; readonly entries: readonly SourceEntry[] };

/** A part that an alias repeats is the same object again. With all aliases written out it has at most MAX_NODES. */
export type SourceNode = SourceScalar | SourceList | SourceMap;

/** No root if the file cannot be parsed. A root beside problems may lack the parts that they are about. */
export type ReadSource = { readonly root?: SourceNode; readonly problems: readonly Problem[] };

export const MAX_DEPTH = 32;
export const MAX_NODES = 50_000;

/** Keys with a special meaning for JavaScript objects. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The data alone. */
export function toPlain(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toPlain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, toPlain(value)]));
}
