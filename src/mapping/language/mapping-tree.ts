// The tree of a mapping file: constants, expressions, blocks. Every node has its place in the file.
import type { Place } from '../../domain/mapping/mapping.ts';
import type { ExpressionNode } from '../fhirpath/syntax.ts';

export type Expression = {
  readonly text: string;
  readonly node: ExpressionNode;
  readonly place: Place;
  /** The place of a position in the text. */
  readonly placeAt: (at: number) => Place;
};

export type Assignment = {
  readonly name: string;
  readonly namePlace: Place;
  readonly value: MappingNode;
};

export type ObjectKey = { readonly key: string; readonly keyPlace: Place; readonly value: MappingNode };

/** `{% if %}` with its `{% else %}`. */
export type Branch = {
  readonly condition: Expression;
  readonly then: MappingNode;
  readonly otherwise?: MappingNode;
  readonly place: Place;
};

type At = { readonly place: Place };

export type MappingNode =
  | (At & {
      readonly kind: 'constant';
      readonly value: string | number | boolean | null;
      /** The place of a character of a text. */
      readonly placeAt?: (at: number) => Place;
    })
  /** `{{ expr }}`, or `{{+ expr +}}` if `keepsNull`. */
  | (At & { readonly kind: 'first'; readonly expression: Expression; readonly keepsNull: boolean })
  /** `{[ expr ]}` */
  | (At & { readonly kind: 'all'; readonly expression: Expression })
  /** Text around expressions. */
  | (At & {
      readonly kind: 'text';
      readonly parts: readonly (string | { readonly expression: Expression; readonly keepsNull: boolean })[];
      /** The place of a character in a literal part. */
      readonly placeAt?: (part: number, at: number) => Place;
    })
  | (At & { readonly kind: 'list'; readonly items: readonly MappingNode[] })
  /** Keys, then `{% merge %}` over them, then `{% if %}` over that. */
  | (At & {
      readonly kind: 'object';
      readonly keys: readonly ObjectKey[];
      readonly merge?: readonly MappingNode[];
      readonly branch?: Branch;
    })
  /** An `{% if %}` alone in its object: the branch is the value. */
  | (At & { readonly kind: 'branch'; readonly branch: Branch })
  | (At & {
      readonly kind: 'for';
      readonly item: string;
      readonly index?: string;
      readonly expression: Expression;
      readonly body: MappingNode;
    })
  /** `{{ expr }}` as a key: the bare names of the body read its items. */
  | (At & { readonly kind: 'context'; readonly expression: Expression; readonly body: MappingNode })
  /** `{% assign %}` around whatever its object is. */
  | (At & { readonly kind: 'assign'; readonly assignments: readonly Assignment[]; readonly body: MappingNode });
