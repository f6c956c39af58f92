// Names of engines, in memory. Engines that share a database share the set.
import type { EngineNames } from '../../src/ports/engine-names.ts';

export function makeFakeEngineNames(taken: Set<string> = new Set()): EngineNames {
  return {
    claim: async (name) => {
      if (taken.has(name)) return undefined;
      taken.add(name);
      let isOver = false;
      return {
        release: async () => {
          if (!isOver) taken.delete(name);
          isOver = true;
        },
      };
    },
  };
}
