// Settings of several files made into one tree: those of a site over those that it inherits, key by key. Each keeps the place where
// it was written, so that a mistake is looked for in the right file.
import type { SourceEntry, SourceMap, SourceNode } from '../../mapping/mapping.ts';

/** Nearest first. */
export function mergeSettings(trees: readonly SourceMap[], defaults: SourceMap): SourceMap {
  const own = trees
    .map(withWholeLanguage)
    .reduceRight<SourceMap | undefined>(
      (inherited, tree) => (inherited === undefined ? tree : mergeMaps(tree, inherited)),
      undefined,
    );
  return own === undefined ? defaults : mergeMaps(withoutEmpty(own), defaults);
}

function mergeMaps(over: SourceMap, under: SourceMap): SourceMap {
  const inherited = new Map(under.entries.map((entry) => [entry.key, entry]));
  const own = over.entries.map((entry) => mergeEntry(entry, inherited.get(entry.key)));
  const names = new Set(over.entries.map((entry) => entry.key));
  return { ...over, entries: [...own, ...under.entries.filter((entry) => !names.has(entry.key))] };
}

function mergeEntry(over: SourceEntry, under: SourceEntry | undefined): SourceEntry {
  const isBothMaps = over.value.kind === 'map' && under?.value.kind === 'map';
  if (!isBothMaps || isOfAnotherType(over.value, under.value)) return over;
  return { ...over, value: mergeMaps(over.value, under.value) };
}

/** What says its own type, as `ehr.auth` does, has nothing in common with what is inherited for another type. */
function isOfAnotherType(over: SourceMap, under: SourceMap): boolean {
  const type = textOf(over, 'type');
  return type !== undefined && type !== textOf(under, 'type');
}

function textOf(node: SourceMap, key: string): unknown {
  const value = node.entries.find((entry) => entry.key === key)?.value;
  return value?.kind === 'scalar' ? value.value : undefined;
}

/** `language: es` is short for both of its parts. */
function withWholeLanguage(tree: SourceMap): SourceMap {
  const entries = tree.entries.map((entry): SourceEntry => {
    const { key, value } = entry;
    if (key !== 'language' || value.kind !== 'scalar' || value.value === null) return entry;
    const parts = ['speech', 'note'].map((part) => ({ ...entry, key: part }));
    return { ...entry, value: { kind: 'map', place: value.place, entries: parts } };
  });
  return { ...tree, entries };
}

/** A key without a value takes away what is inherited. Where the engine has one by itself, that is a problem told elsewhere. */
function withoutEmpty<N extends SourceNode>(node: N): N {
  if (node.kind !== 'map') return node;
  const said = node.entries.filter(({ value }) => value.kind !== 'scalar' || value.value !== null);
  return { ...node, entries: said.map((entry) => ({ ...entry, value: withoutEmpty(entry.value) })) };
}

/** Undefined where it is not there. A number is a position in a list. */
export function nodeAt(tree: SourceMap, ...path: readonly (string | number)[]): SourceNode | undefined {
  return path.reduce<SourceNode | undefined>((node, step) => {
    if (node?.kind === 'map') return node.entries.find((entry) => entry.key === step)?.value;
    return node?.kind === 'list' && typeof step === 'number' ? node.items[step] : undefined;
  }, tree);
}
