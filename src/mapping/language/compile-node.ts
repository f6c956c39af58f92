// The tree of a mapping as closures. Names have become slots and constants are made once; nothing of the file is looked at again
// while the mapping is applied.
import { compileAssign, compileBranch, compileContext, compileList, compileLoop } from './compile-blocks.ts';
import { compileObject } from './compile-object.ts';
import { compileAll, compileConstant, compileFirstValue, compileText } from './compile-values.ts';
import type { Compiled } from './compiled.ts';
import type { MappingNode } from './mapping-tree.ts';
import type { Scope } from './scope.ts';

export function compileNode(node: MappingNode, scope: Scope, depth: number): Compiled {
  switch (node.kind) {
    case 'constant':
      return compileConstant(node);
    case 'first':
      return { make: compileFirstValue(node, scope, depth) };
    case 'all':
      return { make: compileAll(node, scope, depth) };
    case 'text':
      return { make: compileText(node, scope) };
    case 'list':
      return compileList(node, scope, depth, compileNode);
    case 'object':
      return compileObject(node, scope, depth, compileNode);
    case 'branch':
      return { make: compileBranch(node.branch, scope, depth, compileNode) };
    case 'for':
      return { make: compileLoop(node, scope, depth, compileNode) };
    case 'context':
      return { make: compileContext(node, scope, depth, compileNode) };
    case 'assign':
      return { make: compileAssign(node, scope, depth, compileNode) };
  }
}
