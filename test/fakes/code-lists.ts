// The official lists of codes, in memory.
import type { CodeSystem } from '../../src/domain/coding/code-system.ts';
import type { OfficialCode } from '../../src/domain/coding/official-codes.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { CodeList, CodeLists } from '../../src/ports/codes.ts';

type Stored = { readonly list: CodeList; readonly displays: ReadonlyMap<string, string> };

export function makeFakeCodeLists({ now = () => new Date() }: { readonly now?: () => Date } = {}): CodeLists {
  const stored = new Map<CodeSystem, Stored>();
  let isImporting = false;
  const inOrder = () => [...stored.values()].toSorted((one, other) => (one.list.system < other.list.system ? -1 : 1));
  return {
    list: async () => inOrder().map(({ list }) => list),
    async replace({ system, batches }) {
      if (isImporting) throw new AppError('inUse', 'Another list is imported at the moment');
      isImporting = true;
      try {
        const codes: OfficialCode[] = [];
        let next = await batches.next();
        for (; next.done !== true; next = await batches.next()) codes.push(...next.value);
        const categories = codes.filter(({ isBillable }) => isBillable === false).length;
        const list = { system, ...next.value, count: codes.length, categories, importedAt: now() };
        stored.set(system, { list, displays: new Map(codes.map(({ code, display }) => [code, display])) });
        return list;
      } finally {
        isImporting = false;
      }
    },
    async find(system, codes) {
      const found = stored.get(system);
      if (found === undefined) return undefined;
      const named = codes.flatMap((code) => {
        const display = found.displays.get(code);
        return display === undefined ? [] : [[code, display] as const];
      });
      return { system, version: found.list.version, displays: Object.fromEntries(named) };
    },
    async displays(codes) {
      const named = codes.map((code) => {
        const found = inOrder().flatMap(({ displays }) => displays.get(code) ?? []);
        return [code, found] as const;
      });
      return new Map(named.filter(([, displays]) => displays.length > 0));
    },
  };
}
