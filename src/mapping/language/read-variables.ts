// Which variables of the input a mapping reads: not those that it assigns itself.
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import type { Branch, Expression, MappingNode } from './mapping-tree.ts';

type Known = {
  readonly found: Set<string>;
  /** Assigned here or further out, so not of the input. */
  readonly own: Own | undefined;
};

type Own = { readonly name: string; readonly outer: Own | undefined };

export function inputVariables(tree: MappingNode): ReadonlySet<string> {
  const found = new Set<string>();
  inNode(tree, { found, own: undefined });
  return found;
}

function inNode(node: MappingNode, known: Known): void {
  switch (node.kind) {
    case 'constant':
      return;
    case 'first':
    case 'all':
      inExpression(node.expression, known);
      return;
    case 'text':
      for (const part of node.parts) if (typeof part !== 'string') inExpression(part.expression, known);
      return;
    case 'list':
      for (const item of node.items) inNode(item, known);
      return;
    case 'object':
      for (const { value } of node.keys) inNode(value, known);
      for (const item of node.merge ?? []) inNode(item, known);
      if (node.branch) inBranch(node.branch, known);
      return;
    case 'branch':
      inBranch(node.branch, known);
      return;
    case 'for': {
      inExpression(node.expression, known);
      const item: Own = { name: node.item, outer: known.own };
      inNode(node.body, { ...known, own: node.index === undefined ? item : { name: node.index, outer: item } });
      return;
    }
    case 'context':
      inExpression(node.expression, known);
      inNode(node.body, known);
      return;
    case 'assign':
      inAssign(node, known);
  }
}

function inBranch({ condition, then, otherwise }: Branch, known: Known): void {
  inExpression(condition, known);
  inNode(then, known);
  if (otherwise) inNode(otherwise, known);
}

function inAssign({ assignments, body }: Extract<MappingNode, { kind: 'assign' }>, known: Known): void {
  let own = known.own;
  for (const { name, value } of assignments) {
    inNode(value, { ...known, own });
    own = { name, outer: own };
  }
  inNode(body, { ...known, own });
}

function inExpression({ node }: Expression, { found, own }: Known): void {
  const visit = (part: ExpressionNode): void => {
    if (part.kind === 'variable' && !isOwn(part.name, own)) found.add(part.name);
    // `%context.disease` reads %disease.
    if (part.kind === 'member' && part.target?.kind === 'variable' && part.target.name === 'context')
      found.add(part.name);
    for (const inner of partsOf(part)) visit(inner);
  };
  visit(node);
}

function isOwn(name: string, own: Own | undefined): boolean {
  for (let known = own; known; known = known.outer) if (known.name === name) return true;
  return false;
}

function partsOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.kind) {
    case 'member':
    case 'type':
      return node.target ? [node.target] : [];
    case 'call':
      return node.target ? [node.target, ...node.args] : node.args;
    case 'item':
      return [node.target, node.index];
    case 'operation':
      return [node.left, node.right];
    case 'sign':
      return [node.operand];
    default:
      return [];
  }
}
