// Runs an expression as a mapping would, on made-up data.
import type { Reference } from '../../../src/domain/mapping/mapping.ts';
import { compileExpression, compileFirst } from '../../../src/mapping/fhirpath/compile-expression.ts';
import { type Budget, type Collection, ExpressionError, type Frame } from '../../../src/mapping/fhirpath/frame.ts';
import { parseExpression } from '../../../src/mapping/fhirpath/parse-expression.ts';

export class TestBudgetError extends Error {}

export type Evaluation = {
  readonly variables?: Readonly<Record<string, unknown>>;
  /** What bare names read. */
  readonly context?: unknown;
  readonly isStrict?: boolean;
  readonly isInsideContext?: boolean;
  readonly documents?: Readonly<Record<string, readonly Reference[]>>;
  readonly timeZone?: string;
  readonly time?: string;
  readonly steps?: number;
  readonly characters?: number;
};

export type Evaluated = {
  readonly items: Collection;
  readonly first: unknown;
  readonly unmapped: readonly string[];
  readonly stepsSpent: number;
  readonly charactersSpent: number;
};

export function evaluate(text: string, evaluation: Evaluation = {}): Evaluated {
  const { variables = {}, context = variables, isStrict = false, isInsideContext = false } = evaluation;
  const known = Object.keys(variables);
  const names = { slotOf: (name: string) => slotIn(known, name), isStrict, isInsideContext, known };
  const node = parseExpression(text);
  const unmapped: string[] = [];
  const { budget, spent } = makeTestBudget(evaluation);
  const frame = { ...makeFrame(evaluation, context), budget, reportUnmapped: report(unmapped) };
  const items = compileExpression(node, names)(frame, [context]);
  const stepsSpent = spent.steps;
  const charactersSpent = spent.characters;
  const secondFrame = { ...frame, budget: makeTestBudget(evaluation).budget, reportUnmapped: () => {} };
  const first = compileFirst(node, names)(secondFrame, [context]);
  return { items, first, unmapped, stepsSpent, charactersSpent };
}

export function itemsOf(text: string, evaluation: Evaluation = {}): Collection {
  return evaluate(text, evaluation).items;
}

/** The message and position of what is wrong with an expression. */
export function problemOf(text: string, evaluation: Evaluation = {}): string {
  try {
    evaluate(text, evaluation);
  } catch (error) {
    if (error instanceof ExpressionError) return `${error.at}: ${error.message}`;
    throw error;
  }
  return 'no problem';
}

function slotIn(known: readonly string[], name: string): number | undefined {
  const slot = known.indexOf(name);
  return slot < 0 ? undefined : slot;
}

function report(unmapped: string[]): Frame['reportUnmapped'] {
  return (table, code) => unmapped.push(`${table}: ${code}`);
}

function makeFrame({ variables = {}, documents = {}, timeZone = 'UTC', time }: Evaluation, context: unknown) {
  return {
    slots: Object.values(variables),
    context,
    index: undefined,
    total: [],
    documents,
    timeZone,
    time,
  } satisfies Partial<Frame>;
}

function makeTestBudget({ steps = 1_000_000, characters = 8_000_000 }: Evaluation) {
  const spent = { steps: 0, characters: 0 };
  const budget: Budget = {
    spendSteps(count) {
      spent.steps += count;
      if (spent.steps > steps) throw new TestBudgetError('too many steps');
    },
    spendCharacters(count) {
      spent.characters += count;
      if (spent.characters > characters) throw new TestBudgetError('too many characters');
    },
  };
  return { budget, spent };
}
