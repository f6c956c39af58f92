// One application of a mapping: what its closures share. Made afresh each time, so that applications never disturb each other.
import type { Budget, Collection, Frame } from '../fhirpath/frame.ts';
import type { Expression } from './mapping-tree.ts';
import type { Trace } from './trace.ts';

export type Limits = {
  /** Values made, items looped over, and what expressions do. */
  readonly steps: number;
  /** Characters: how many expressions make, and how many the result holds. */
  readonly characters: number;
};

export type Run = Frame & {
  /** What a bare name reads: the input, or the item of a context block. */
  focus: Collection;
  /** The expression that was begun last: an error is reported at its place. */
  expression: Expression | undefined;
  /** How many more characters the result may hold. */
  charactersLeft: number;
  readonly limits: Limits;
  /** Only where lineage is wanted. */
  readonly trace: Trace | undefined;
};

/** Undefined is nothing. Arrays hold no arrays, and nothing is empty but a text. */
export type Make = (run: Run) => unknown;

export class BudgetError extends Error {}

export function makeBudget({ steps, characters }: Limits): Budget {
  let stepsLeft = steps;
  let charactersLeft = characters;
  return {
    spendSteps(count) {
      stepsLeft -= count;
      if (stepsLeft < 0) throw new BudgetError(`this mapping does more than ${shown(steps)} steps; ${LOOPING}`);
    },
    spendCharacters(count) {
      charactersLeft -= count;
      if (charactersLeft < 0) {
        throw new BudgetError(`this mapping makes more than ${shown(characters)} characters of text; ${LOOPING}`);
      }
    },
  };
}

const LOOPING = 'is it looping over too much?';

function shown(count: number): string {
  return count.toLocaleString('en');
}

/** Spends for text that goes into the result, also if it is the same text of the input each time. */
export function spendResult(run: Run, characters: number): void {
  run.charactersLeft -= characters;
  if (run.charactersLeft >= 0) return;
  throw new BudgetError(`this result has more than ${shown(run.limits.characters)} characters of text; ${LOOPING}`);
}
