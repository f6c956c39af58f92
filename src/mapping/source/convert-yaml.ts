// Converts the library's nodes to source nodes: resolves and counts aliases, checks keys, refuses odd numbers.
import { type Document, isAlias, isMap, isScalar, isSeq, Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { Place, Problem } from '../../domain/mapping/mapping.ts';
import { keyProblem, MANY_NODES, numberProblem, textProblem } from './check-source.ts';
import { makeOffsetAt, type ScalarStyle } from './scalar-places.ts';
import type { PlaceOf } from './source-lines.ts';
import {
  MAX_DEPTH,
  MAX_NODES,
  type ReadSource,
  type SourceEntry,
  type SourceNode,
  type SourceScalar,
} from './source-tree.ts';
import { quotesFor, TOO_DEEP, unquotedBrace } from './yaml-problems.ts';

/** A node with how many values and levels it is when all its aliases are written out. */
type Converted = { readonly node: SourceNode; readonly size: number; readonly height: number };

type Conversion = {
  readonly text: string;
  readonly placeOf: PlaceOf;
  readonly problems: Problem[];
  /** By name; open while its own node is not converted yet. */
  readonly anchors: Map<string, Converted | 'open'>;
};

type YamlDocument = { readonly document: Document; readonly text: string; readonly placeOf: PlaceOf };

export function convertYaml({ document, text, placeOf }: YamlDocument): ReadSource {
  const problems: Problem[] = document.warnings.map(({ code, pos, message }) => ({
    place: placeOf(pos[0]),
    message: code === 'TAG_RESOLVE_FAILED' ? 'a tag (!name) is not allowed here: this file holds plain data' : message,
  }));
  const { node, size } = convert(
    document.contents,
    { text, placeOf, problems, anchors: new Map() },
    { depth: 1, at: 0 },
  );
  if (size <= MAX_NODES) return { root: node, problems };
  return { problems: [...problems, { place: node.place, message: MANY_NODES }] };
}

/** How deep, and where, for what has no place of its own. */
type Where = { readonly depth: number; readonly at: number };

function convert(yaml: unknown, conversion: Conversion, where: Where): Converted {
  if (isAlias(yaml)) return resolveAlias(yaml.source, conversion, { ...where, at: yaml.range?.[0] ?? where.at });
  if (!isScalar(yaml) && !isMap(yaml) && !isSeq(yaml)) return leaf(nothingAt(conversion.placeOf(where.at)));
  const anchor = yaml.anchor;
  if (anchor !== undefined) conversion.anchors.set(anchor, 'open');
  const converted = convertNode(yaml, conversion, { ...where, at: yaml.range?.[0] ?? where.at });
  if (anchor !== undefined) conversion.anchors.set(anchor, converted);
  return converted;
}

function convertNode(yaml: Scalar | YAMLMap | YAMLSeq, conversion: Conversion, { depth, at }: Where): Converted {
  if (isScalar(yaml)) return leaf(convertScalar(yaml, conversion, at));
  const place = conversion.placeOf(at);
  if (depth > MAX_DEPTH) {
    conversion.problems.push({ place, message: TOO_DEEP });
    return leaf(nothingAt(place));
  }
  return isMap(yaml) ? convertMap(yaml, conversion, { depth, at }) : convertList(yaml, conversion, { depth, at });
}

function leaf(node: SourceNode): Converted {
  return { node, size: 1, height: 0 };
}

function nothingAt(place: Place): SourceScalar {
  return { kind: 'scalar', value: null, place, placeAt: () => place };
}

function resolveAlias(name: string, { anchors, placeOf, problems }: Conversion, { depth, at }: Where): Converted {
  const place = placeOf(at);
  const target = anchors.get(name);
  const message =
    target === undefined
      ? `*${name} is not known here: the anchor &${name} comes before its aliases`
      : target === 'open'
        ? `*${name} would hold itself`
        : depth + target.height - 1 > MAX_DEPTH
          ? TOO_DEEP
          : undefined;
  if (message === undefined && target !== undefined && target !== 'open') return target;
  problems.push({ place, message: message ?? TOO_DEEP });
  return leaf(nothingAt(place));
}

function convertList(yaml: YAMLSeq, conversion: Conversion, { depth, at }: Where): Converted {
  const items: SourceNode[] = [];
  let size = 1;
  let height = 0;
  for (const item of yaml.items) {
    const converted = convert(item, conversion, { depth: depth + 1, at });
    items.push(converted.node);
    size += converted.size;
    height = Math.max(height, converted.height);
  }
  return { node: { kind: 'list', place: conversion.placeOf(at), items }, size, height: height + 1 };
}

function convertMap(yaml: YAMLMap, conversion: Conversion, { depth, at }: Where): Converted {
  const entries: SourceEntry[] = [];
  const seen = new Map<string, Place>();
  let size = 1;
  let height = 0;
  for (const pair of yaml.items) {
    const key = convertKey(pair.key, conversion, at);
    const keyAt = isScalar(pair.key) ? (pair.key.range?.[1] ?? at) : at;
    const converted = convert(pair.value, conversion, { depth: depth + 1, at: keyAt });
    size += converted.size + 1;
    height = Math.max(height, converted.height);
    if (key === undefined) continue;
    const message = keyProblem(key.value, seen.get(key.value));
    if (message !== undefined) {
      conversion.problems.push({ place: key.place, message });
      continue;
    }
    seen.set(key.value, key.place);
    entries.push({ key: key.value, keyPlace: key.place, keyPlaceAt: key.placeAt, value: converted.node });
  }
  return { node: { kind: 'map', place: conversion.placeOf(at), entries }, size, height: height + 1 };
}

type Key = Pick<SourceScalar, 'place' | 'placeAt'> & { readonly value: string };

function convertKey(yaml: unknown, conversion: Conversion, mapAt: number): Key | undefined {
  const { placeOf, problems, text } = conversion;
  if (isScalar(yaml)) {
    const scalar = convertScalar(yaml, conversion, yaml.range?.[0] ?? mapAt);
    if (typeof scalar.value === 'string') return { ...scalar, value: scalar.value };
    problems.push({ place: scalar.place, message: 'a key is a text: put it into quotes' });
    return undefined;
  }
  const at = (isMap(yaml) || isSeq(yaml) || isAlias(yaml) ? yaml.range?.[0] : undefined) ?? mapAt;
  // Looks at the whole line, so not for each of thousands of them.
  const brace = problems.length < 20 ? unquotedBrace(text, at) : undefined;
  const message = brace === undefined ? 'a key is a text, not a list, an object or an alias' : quotesFor(text, brace);
  problems.push({ place: placeOf(brace ?? at), message });
  return undefined;
}

const STYLES: Readonly<Record<string, ScalarStyle>> = {
  [Scalar.PLAIN]: 'plain',
  [Scalar.QUOTE_SINGLE]: 'single',
  [Scalar.QUOTE_DOUBLE]: 'double',
  [Scalar.BLOCK_FOLDED]: 'block',
  [Scalar.BLOCK_LITERAL]: 'block',
};

function convertScalar(yaml: Scalar, { text, placeOf, problems }: Conversion, start: number): SourceScalar {
  const place = placeOf(start);
  const value = yaml.value;
  if (typeof value === 'number') {
    const message = numberProblem(value, yaml.source ?? '');
    if (message !== undefined) problems.push({ place, message });
    return { kind: 'scalar', value, place, placeAt: () => place };
  }
  if (typeof value !== 'string') {
    return { kind: 'scalar', value: typeof value === 'boolean' ? value : null, place, placeAt: () => place };
  }
  const style = STYLES[yaml.type ?? Scalar.PLAIN] ?? 'plain';
  const offsetAt = makeOffsetAt({ style, value, text, start, end: yaml.range?.[1] ?? start });
  const wrong = textProblem(value);
  if (wrong !== undefined) problems.push({ place: placeOf(offsetAt(wrong.at)), message: wrong.message });
  return { kind: 'scalar', value: compact(value), place, placeAt: (offset) => placeOf(offsetAt(offset)) };
}

/** A text cut out of a file that has a `…` anywhere is kept as wide as that, and so is all that is made of it. */
function compact(text: string): string {
  return text.isWellFormed() ? Buffer.from(text, 'utf8').toString('utf8') : text;
}
