// A file that a person edits, as data that still knows where each part stands. YAML and JSON both become this.
import type { Place, Problem } from '../../domain/mapping/mapping.ts';

export type SourceScalar = {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  readonly place: Place;
  /** Where the character at this offset of a text value stands in the file, whatever quotes and folds are around it. */
  readonly placeAt: (offset: number) => Place;
};

export type SourceEntry = {
  readonly key: string;
  readonly keyPlace: Place;
  readonly keyPlaceAt: (offset: number) => Place;
  readonly value: SourceNode;
};

export type SourceList = { readonly kind: 'list'; readonly place: Place; readonly items: readonly SourceNode[] };
/** No key twice, and none that a JavaScript object would take for its own. */
export type SourceMap = { readonly kind: 'map'; readonly place: Place; readonly entries: readonly SourceEntry[] };

/** A part that an alias repeats is the same object again. Written out it is still no more than MAX_NODES. */
export type SourceNode = SourceScalar | SourceList | SourceMap;

/** Without a root where nothing can be made of the file. A root beside problems may lack what they are about. */
export type ReadSource = { readonly root?: SourceNode; readonly problems: readonly Problem[] };

export const MAX_DEPTH = 32;
export const MAX_NODES = 50_000;

/** Keys that would reach into the machinery of JavaScript's objects. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The data alone. */
export function toPlain(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(toPlain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, toPlain(value)]));
}
