// Finds out whether the value of a variable can reach the result of a mapping. Assigning it to a name that is never read does not
// show it; neither does a condition.
import { innerNodes } from '../fhirpath/inner-nodes.ts';
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import type { Branch, MappingNode } from '../language/mapping-tree.ts';

/** The names that hold its value (true) or hide it (false). Changes during the walk. */
type Names = Map<string, boolean>;

/** `name` is without `%`. */
export function showsVariable(tree: MappingNode, name: string): boolean {
  return shows(tree, new Map([[name, true]]), name);
}

function shows(node: MappingNode, names: Names, name: string): boolean {
  switch (node.kind) {
    case 'constant':
      return false;
    case 'first':
    case 'all':
      return holds(node.expression.node, names, name);
    case 'text':
      return node.parts.some((part) => typeof part !== 'string' && holds(part.expression.node, names, name));
    case 'list':
      return node.items.some((item) => shows(item, names, name));
    case 'object':
      return [...node.keys.map(({ value }) => value), ...(node.merge ?? []), ...partsOf(node.branch)].some((part) =>
        shows(part, names, name),
      );
    case 'branch':
      return partsOf(node.branch).some((part) => shows(part, names, name));
    case 'context':
      return holds(node.expression.node, names, name) || shows(node.body, names, name);
    case 'for': {
      const given = [{ name: node.item, holds: () => holds(node.expression.node, names, name) }];
      if (node.index !== undefined) given.push({ name: node.index, holds: () => false });
      return withNames(given, names, () => shows(node.body, names, name));
    }
    case 'assign': {
      const given = node.assignments.map((one) => ({ name: one.name, holds: () => shows(one.value, names, name) }));
      return withNames(given, names, () => shows(node.body, names, name));
    }
  }
}

function partsOf(branch: Branch | undefined): readonly MappingNode[] {
  return [branch?.then, branch?.otherwise].filter((part) => part !== undefined);
}

type Assignment = { readonly name: string; readonly holds: () => boolean };

/** Assigns one name after another; each is in scope for the next. */
function withNames(given: readonly Assignment[], names: Names, work: () => boolean): boolean {
  const hidden = given.map((one) => {
    const before = names.get(one.name) ?? false;
    names.set(one.name, one.holds());
    return [one.name, before] as const;
  });
  const found = work();
  for (const [hiddenName, before] of hidden.toReversed()) names.set(hiddenName, before);
  return found;
}

function holds(node: ExpressionNode, names: Names, name: string): boolean {
  if (node.kind === 'variable') return names.get(node.name) === true;
  const isOfContext = node.kind === 'member' && node.target?.kind === 'variable' && node.target.name === 'context';
  if (isOfContext && node.name === name) return true;
  return innerNodes(node).some((inner) => holds(inner, names, name));
}
