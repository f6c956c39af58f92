// The closures to which the parts of a mapping are compiled.
import type { MappingNode } from './mapping-tree.ts';
import type { Make } from './run.ts';
import type { Scope } from './scope.ts';

/** What a part without blocks and expressions makes every time: frozen, since all results share it. */
export type Constant = { readonly value: unknown; readonly steps: number; readonly characters: number };

/** `make` of a constant makes it afresh, for lineage. */
export type Compiled = { readonly make: Make; readonly constant?: Constant };

/** `depth` is the depth of the value in the result. */
export type Compile = (node: MappingNode, scope: Scope, depth: number) => Compiled;

export type NodeOf<Kind extends MappingNode['kind']> = Extract<MappingNode, { readonly kind: Kind }>;

/** The message for a value that is merged into an object and is none; used by the parser and at run time. */
export function noObject(what: string, given: string): string {
  return `${what} an object, whose keys are added; this gives ${given}`;
}

export function kindInWords(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}
