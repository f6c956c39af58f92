// Keys without a value. What the engine has by itself is its most open answer (`mode: live`): nobody may get that by leaving his own
// answer out. Where the engine has none, such a key takes away what is inherited.
import type { Problem } from '../../domain/mapping/mapping.ts';
import type { SourceMap, SourceNode } from '../../mapping/mapping.ts';
import { nodeAt } from './merge-settings.ts';

/** `name` is that of the group, with a dot behind it. */
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
