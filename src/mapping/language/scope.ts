// Which variables can be read at a place in a mapping, and the slot of each.
import type { Names } from '../fhirpath/compile-expression.ts';

export type Scope = Names & {
  /** How many slots an application needs: all scopes of a mapping share this. */
  readonly size: { slots: number };
  /** The first slot that no variable here uses. */
  readonly nextSlot: number;
  readonly own: Own | undefined;
  readonly inputSlotOf: (name: string) => number | undefined;
};

/** The mapping's own variables, the innermost first. A list, since a file may assign many. */
type Own = { readonly name: string; readonly slot: number; readonly outer: Own | undefined };

type Variables = { readonly names: readonly string[]; readonly isStrict: boolean };

/** The variables of the input: a slot for each, in their order. */
export function makeScope({ names, isStrict }: Variables): Scope {
  const slots = new Map(names.map((name, slot) => [name, slot]));
  const slotOf = (name: string) => slots.get(name);
  return {
    isStrict,
    slotOf,
    inputSlotOf: slotOf,
    own: undefined,
    size: { slots: names.length },
    nextSlot: names.length,
  };
}

function slotIn(own: Own | undefined, name: string): number | undefined {
  for (let known = own; known; known = known.outer) if (known.name === name) return known.slot;
  return undefined;
}

/** With one more variable, which hides an outer one of the same name. Scopes beside each other use the same slots. */
export function withVariable(outer: Scope, name: string): { readonly scope: Scope; readonly slot: number } {
  const slot = outer.nextSlot;
  outer.size.slots = Math.max(outer.size.slots, slot + 1);
  const own: Own = { name, slot, outer: outer.own };
  // Walked along once for each name: expressions ask for the same ones again and again.
  const known = new Map<string, number | undefined>();
  const slotOf = (asked: string) => {
    if (!known.has(asked)) known.set(asked, slotIn(own, asked) ?? outer.inputSlotOf(asked));
    return known.get(asked);
  };
  return { slot, scope: { ...outer, own, slotOf, nextSlot: slot + 1 } };
}
