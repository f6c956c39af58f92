// What a node is made of, in the order of the text.
import type { ExpressionNode } from './syntax.ts';

export function innerNodes(node: ExpressionNode): readonly ExpressionNode[] {
  if (node.kind === 'item') return [node.target, node.index];
  if (node.kind === 'operation') return [node.left, node.right];
  if (node.kind === 'sign') return [node.operand];
  if (node.kind === 'call') return [...before(node), ...node.args];
  return node.kind === 'member' || node.kind === 'type' ? before(node) : [];
}

function before({ target }: { readonly target?: ExpressionNode }): readonly ExpressionNode[] {
  return target ? [target] : [];
}
