// JSON as a tree that may still be growing. Objects are maps, so that no key means anything to the language.

/** Where a node hangs: a member by its key, an item by its position. */
export type Place = { readonly parent: ContainerNode | undefined; readonly key: string | number };
/** `text` never ends within a surrogate pair while the string is unfinished. */
export type StringNode = Place & { readonly kind: 'string'; readonly text: string; readonly isComplete: boolean };
export type ScalarNode = Place & { readonly kind: 'scalar'; readonly value: number | boolean | null };
type ArrayNode = Place & {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
  readonly isComplete: boolean;
};
type ObjectNode = Place & {
  readonly kind: 'object';
  readonly members: ReadonlyMap<string, JsonNode>;
  readonly isComplete: boolean;
};
type ContainerNode = ArrayNode | ObjectNode;
export type JsonNode = StringNode | ScalarNode | ContainerNode;

/** What one piece of text changed: strings that got longer, and values of all kinds that are complete now. */
export type Growth = { readonly grown: readonly StringNode[]; readonly ended: readonly JsonNode[] };

/** The plain value of a tree; a key `__proto__` is a key like any other. */
export function toValue(node: JsonNode): unknown {
  switch (node.kind) {
    case 'string':
      return node.text;
    case 'scalar':
      return node.value;
    case 'array':
      return node.items.map(toValue);
    case 'object':
      return Object.fromEntries(Array.from(node.members, ([key, member]) => [key, toValue(member)]));
  }
}
