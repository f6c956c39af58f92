// What an expression sees while a mapping is applied. Variables were given their slots when the mapping was loaded, so that no
// name is looked up at run time.
import type { Reference } from '../../domain/mapping/mapping.ts';

/** Never null, undefined or an array inside: FHIRPath's collections are flat. */
export type Collection = readonly unknown[];

export type Frame = {
  /** By slot: a value as it came, or undefined. An array is several items, null is none. */
  readonly slots: unknown[];
  /** `%context`; bare names at the top of a mapping that is not strict read it too. */
  readonly context: unknown;
  index: number | undefined;
  total: Collection;
  readonly budget: Budget;
  readonly documents: Readonly<Record<string, readonly Reference[]>>;
  readonly timeZone: string;
  /** When the results were made, for `ageYears()`: an instant. There is no other clock. */
  readonly time: string | undefined;
  /** Called by `code()` for a code that its table does not have. */
  readonly reportUnmapped: (table: string, code: string) => void;
};

/** How much work one application may do. `spend…` throws a BudgetError when it is used up. */
export type Budget = {
  spendSteps: (steps: number) => void;
  /** Characters of text that were made, wherever they end up. */
  spendCharacters: (characters: number) => void;
};

export type Evaluate = (frame: Frame, focus: Collection) => Collection;

/** What is wrong with an expression, at load or at run time. The message never quotes a value of the input. */
export class ExpressionError extends Error {
  /** The position in the text of the expression, from 0; undefined if it is unknown. */
  readonly at: number | undefined;

  constructor(message: string, at?: number) {
    super(message);
    this.name = 'ExpressionError';
    this.at = at;
  }
}
