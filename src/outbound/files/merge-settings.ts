// Merges the settings of several files into one tree, key by key: a site's values replace inherited ones. Each value keeps its place, so
// that a mistake is reported in the right file.
import type { SourceEntry, SourceMap, SourceNode } from '../../mapping/mapping.ts';

/** The trees, nearest first. */
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

/** A group with a type, such as `ehr.auth`, inherits nothing from a group of another type. */
function isOfAnotherType(over: SourceMap, under: SourceMap): boolean {
  const type = textOf(over, 'type');
  return type !== undefined && type !== textOf(under, 'type');
}

function textOf(node: SourceMap, key: string): unknown {
  const value = node.entries.find((entry) => entry.key === key)?.value;
  return value?.kind === 'scalar' ? value.value : undefined;
}

/** `language: es` sets both parts. */
function withWholeLanguage(tree: SourceMap): SourceMap {
  const entries = tree.entries.map((entry): SourceEntry => {
    const { key, value } = entry;
    if (key !== 'language' || value.kind !== 'scalar' || value.value === null) return entry;
    const parts = ['speech', 'note'].map((part) => ({ ...entry, key: part }));
    return { ...entry, value: { kind: 'map', place: value.place, entries: parts } };
  });
  return { ...tree, entries };
}

/** A key without a value removes the inherited value. If the engine has a default, empty-settings.ts reports a problem. */
function withoutEmpty<N extends SourceNode>(node: N): N {
  if (node.kind !== 'map') return node;
  const said = node.entries.filter(({ value }) => value.kind !== 'scalar' || value.value !== null);
  return { ...node, entries: said.map((entry) => ({ ...entry, value: withoutEmpty(entry.value) })) };
}

/** Returns undefined if the path does not exist. A number in the path is a position in a list. */
export function nodeAt(tree: SourceMap, ...path: readonly (string | number)[]): SourceNode | undefined {
  return path.reduce<SourceNode | undefined>((node, step) => {
    if (node?.kind === 'map') return node.entries.find((entry) => entry.key === step)?.value;
    return node?.kind === 'list' && typeof step === 'number' ? node.items[step] : undefined;
  }, tree);
}
