// FHIRPath as a tree. `at` is the position, from 0, to which a message points: the name of a member or function, the sign of an
// operation, the bracket of an index.

type At = { readonly at: number };

export type Literal =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'integer' | 'decimal'; readonly value: number }
  /** As written, without the `@`. */
  | { readonly type: 'date' | 'dateTime' | 'time'; readonly value: string }
  | { readonly type: 'quantity'; readonly value: number; readonly unit: string };

export type ExpressionNode =
  | (At & { readonly kind: 'literal'; readonly literal: Literal })
  /** `{}` */
  | (At & { readonly kind: 'empty' })
  /** `%name`, without the `%`. */
  | (At & { readonly kind: 'variable'; readonly name: string })
  | (At & { readonly kind: 'this' | 'index' | 'total' })
  /** `target.name`; without a target it is a member of what the expression is about. */
  | (At & { readonly kind: 'member'; readonly target?: ExpressionNode; readonly name: string })
  | (At & {
      readonly kind: 'call';
      readonly target?: ExpressionNode;
      readonly name: string;
      readonly args: readonly ExpressionNode[];
    })
  | (At & { readonly kind: 'item'; readonly target: ExpressionNode; readonly index: ExpressionNode })
  | (At & {
      readonly kind: 'operation';
      readonly operator: Operator;
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
    })
  | (At & { readonly kind: 'sign'; readonly sign: '+' | '-'; readonly operand: ExpressionNode })
  /** `x is T`, `x as T`, `x.is(T)`, `x.as(T)`, `x.ofType(T)`. `type` is as written: `Quantity`, `FHIR.Quantity`, `System.String`. */
  | (At & {
      readonly kind: 'type';
      readonly operator: 'is' | 'as' | 'ofType';
      readonly target?: ExpressionNode;
      readonly type: string;
    });

export const OPERATORS = [
  '=', '!=', '~', '!~', '<', '<=', '>', '>=', '+', '-', '*', '/', 'div', 'mod', '&', '|', 'and', 'or', 'xor', 'implies', 'in', 'contains',
] as const; // biome-ignore format: one line reads better
export type Operator = (typeof OPERATORS)[number];
