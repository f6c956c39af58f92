// The tree of phrases in rows of numbers: a node is a number, and the edges of a node are behind each other, sorted by their literal. As
// objects, the nodes of all phrases of the knowledge would take ten times the memory.
import type { CompiledPhrase, Literal, Step } from './phrase-notation.ts';

export const ROOT = 0;

export type PackedTree<T> = {
  /** For each node the place of its first edge, and one more: the number of edges. */
  readonly firstEdges: Int32Array;
  /** For each edge: the literal that opens it, the words that it may skip before, and the node that it leads to. */
  readonly literals: Int32Array;
  readonly gaps: Uint8Array;
  readonly targets: Int32Array;
  /** For each node the widest gap of its edges; -1 if it has none. */
  readonly widest: Int8Array;
  /** For each node the place of the first of its ends, and one more: the number of ends. */
  readonly firstEnds: Int32Array;
  readonly ends: readonly T[];
};

export type TreeBuilder<T> = {
  readonly add: (phrase: CompiledPhrase, what: T) => void;
  readonly pack: () => PackedTree<T>;
};

type Edge = { readonly node: number; readonly literal: number; readonly gap: number; readonly target: number };
type End<T> = { readonly node: number; readonly what: T };

export function makeTreeBuilder<T>(idOf: (literal: Literal) => number): TreeBuilder<T> {
  const edges: Edge[] = [];
  const ends: End<T>[] = [];
  /** The next node by node and step, so that equal steps share a node. */
  const steps = new Map<string, number>();
  let nodes = ROOT + 1;
  const addStep = (from: number, { gap, choices, written }: Step): number => {
    const key = `${from} ${gap} ${written}`;
    const known = steps.get(key);
    if (known !== undefined) return known;
    const to = nodes++;
    steps.set(key, to);
    for (const choice of choices) {
      let node = from;
      for (const [index, literal] of choice.entries()) {
        const target = index === choice.length - 1 ? to : nodes++;
        edges.push({ node, literal: idOf(literal), gap: index === 0 ? gap : 0, target });
        node = target;
      }
    }
    return to;
  };
  return {
    add: (phrase, what) => {
      let node = ROOT;
      for (const step of phrase) node = addStep(node, step);
      ends.push({ node, what });
    },
    pack: () => packTree(nodes, edges, ends),
  };
}

function packTree<T>(nodes: number, edges: readonly Edge[], ends: readonly End<T>[]): PackedTree<T> {
  const sortedEdges = edges.toSorted((one, other) => one.node - other.node || one.literal - other.literal);
  const sortedEnds = ends.toSorted((one, other) => one.node - other.node);
  const widest = new Int8Array(nodes).fill(-1);
  for (const { node, gap } of edges) widest[node] = Math.max(widest[node] ?? -1, gap);
  return {
    firstEdges: firstPlaces(nodes, sortedEdges),
    literals: Int32Array.from(sortedEdges, ({ literal }) => literal),
    gaps: Uint8Array.from(sortedEdges, ({ gap }) => gap),
    targets: Int32Array.from(sortedEdges, ({ target }) => target),
    widest,
    firstEnds: firstPlaces(nodes, sortedEnds),
    ends: sortedEnds.map(({ what }) => what),
  };
}

/** For each node the place of its first item, and one more: the number of items. */
function firstPlaces(nodes: number, items: readonly { readonly node: number }[]): Int32Array {
  const places = new Int32Array(nodes + 1);
  for (const { node } of items) places[node + 1] = (places[node + 1] ?? 0) + 1;
  for (let node = 1; node <= nodes; node++) places[node] = (places[node] ?? 0) + (places[node - 1] ?? 0);
  return places;
}

/** The place of the first edge of the node with this literal, or with a greater one. */
export function findEdge({ firstEdges, literals }: PackedTree<unknown>, node: number, literal: number): number {
  let low = firstEdges[node] ?? 0;
  let high = firstEdges[node + 1] ?? 0;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((literals[middle] ?? 0) < literal) low = middle + 1;
    else high = middle;
  }
  return low;
}
