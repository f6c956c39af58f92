// Handles keys without a value. If the engine has a default, an empty key is a problem, because the author may not have meant the default.
// If it has none, an empty key removes the inherited value.
import type { Problem } from '../../domain/mapping/mapping.ts';
import type { SourceMap, SourceNode } from '../../mapping/mapping.ts';
import { nodeAt } from './merge-settings.ts';

/** `name` is the name of the group, followed by a dot. */
export function* emptySettings(tree: SourceMap, defaults: SourceMap, name = ''): Generator<Problem> {
  for (const { key, keyPlace, value } of tree.entries) {
    const byItself = nodeAt(defaults, key);
    if (byItself === undefined) continue;
    if (isEmpty(value)) {
      const message = `${name}${key} has no value: write one, or take the line away to inherit it`;
      yield { place: keyPlace, message };
    } else if (value.kind === 'map' && byItself.kind === 'map') {
      yield* emptySettings(value, byItself, `${name}${key}.`);
    }
  }
}

function isEmpty(node: SourceNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}
