// The paths that an expression reads, as far as they are visible without running it. The lineage of a result uses them.
import { innerNodes } from './inner-nodes.ts';
import type { ExpressionNode } from './syntax.ts';

export type SimplePath = {
  /** Without the `%`. */
  readonly variable: string;
  readonly steps: readonly (string | number)[];
  /** The name of the variable. */
  readonly at: number;
};

/** The longest runs of members and literal indexes behind each variable, in the order of the text. */
export function simplePathsOf(node: ExpressionNode): readonly SimplePath[] {
  const paths: SimplePath[] = [];
  collect(node, paths);
  return paths.sort((one, other) => one.at - other.at);
}

/** `%note.sections[0].text` */
export function textOfPath({ variable, steps }: SimplePath): string {
  return `%${variable}${steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`;
}

function collect(node: ExpressionNode, paths: SimplePath[]): void {
  const path = simplePath(node);
  if (path) paths.push(path);
  else for (const inner of innerNodes(node)) collect(inner, paths);
}

function simplePath(node: ExpressionNode): SimplePath | undefined {
  const steps: (string | number)[] = [];
  let start: ExpressionNode | undefined = node;
  while (start && start.kind !== 'variable') {
    const stepped = stepOf(start);
    if (!stepped) return undefined;
    steps.push(stepped.step);
    start = stepped.target;
  }
  return start && { variable: start.name, steps: steps.reverse(), at: start.at };
}

type Stepped = { readonly step: string | number; readonly target: ExpressionNode | undefined };

function stepOf(node: ExpressionNode): Stepped | undefined {
  if (node.kind === 'member') return { step: node.name, target: node.target };
  if (node.kind !== 'item' || node.index.kind !== 'literal' || node.index.literal.type !== 'integer') return undefined;
  return { step: node.index.literal.value, target: node.target };
}
