// Finds the variables of the input that a mapping reads, without those that it assigns itself.
import { innerNodes } from '../fhirpath/inner-nodes.ts';
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import type { Branch, Expression, MappingNode } from './mapping-tree.ts';

type VariableNames = {
  readonly found: Set<string>;
  /** Names assigned here or further out, with a count, because an inner name may hide an outer one. */
  readonly own: Map<string, number>;
};

export function inputVariables(tree: MappingNode): ReadonlySet<string> {
  const found = new Set<string>();
  inNode(tree, { found, own: new Map() });
  return found;
}

function inNode(node: MappingNode, known: VariableNames): void {
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
      const names = node.index === undefined ? [node.item] : [node.item, node.index];
      for (const name of names) add(name, 1, known);
      inNode(node.body, known);
      for (const name of names) add(name, -1, known);
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

function inBranch({ condition, then, otherwise }: Branch, known: VariableNames): void {
  inExpression(condition, known);
  inNode(then, known);
  if (otherwise) inNode(otherwise, known);
}

function inAssign({ assignments, body }: Extract<MappingNode, { kind: 'assign' }>, known: VariableNames): void {
  for (const { name, value } of assignments) {
    inNode(value, known);
    add(name, 1, known);
  }
  inNode(body, known);
  for (const { name } of assignments) add(name, -1, known);
}

function add(name: string, count: 1 | -1, { own }: VariableNames): void {
  own.set(name, (own.get(name) ?? 0) + count);
}

function inExpression({ node }: Expression, { found, own }: VariableNames): void {
  const visit = (part: ExpressionNode): void => {
    if (part.kind === 'variable' && !own.get(part.name)) found.add(part.name);
    // `%context.disease` reads %disease.
    if (part.kind === 'member' && part.target?.kind === 'variable' && part.target.name === 'context')
      found.add(part.name);
    for (const inner of innerNodes(part)) visit(inner);
  };
  visit(node);
}
