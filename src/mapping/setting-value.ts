// The settings of a site that are FHIRPath, asked about one encounter and one patient. What cannot be evaluated is neither a yes nor
// a no, and says so.
import { compileExpression } from './fhirpath/compile-expression.ts';
import { type Evaluate, ExpressionError, type Frame } from './fhirpath/frame.ts';
import { parseExpression } from './fhirpath/parse-expression.ts';
import { BudgetError, makeBudget } from './language/run.ts';

export type SettingInput = {
  readonly encounter: unknown;
  readonly patient: unknown;
  /** An instant: what `ageYears()` counts to. */
  readonly time: string;
  /** An IANA name. */
  readonly timeZone: string;
};

export type SettingAnswer =
  | { readonly kind: 'value'; readonly value: boolean | string }
  /** The expression gave nothing. */
  | { readonly kind: 'empty' }
  /** In the words of whoever wrote the setting; never with a value of the input. */
  | { readonly kind: 'failed'; readonly why: string };

type ReadOptions = {
  /** For `trigger`: a name without `%` is one of the Encounter's. */
  readonly hasBareNames?: boolean;
};

export type ReadSetting = (expression: string, input: SettingInput, options?: ReadOptions) => SettingAnswer;

type SettingParts = {
  /** How many expressions are kept compiled; those of all sites are a few dozen. */
  readonly maxKept?: number;
  readonly limits?: { readonly steps: number; readonly characters: number };
};

/** Far more than a setting needs of one encounter and one patient. */
const LIMITS = { steps: 100_000, characters: 1_048_576 };
const VARIABLES = ['encounter', 'patient'];

export function makeReadSetting({ maxKept = 500, limits = LIMITS }: SettingParts = {}): ReadSetting {
  const kept = new Map<string, Evaluate>();

  function compiled(expression: string, isStrict: boolean): Evaluate {
    const key = `${isStrict ? 'strict' : 'open'} ${expression}`;
    const known = kept.get(key);
    if (known) return known;
    const names = { slotOf, isStrict, known: VARIABLES };
    const evaluate = compileExpression(parseExpression(expression), names);
    const [oldest] = kept.keys();
    if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
    kept.set(key, evaluate);
    return evaluate;
  }

  return (expression, input, { hasBareNames = false } = {}) => {
    const { encounter, patient } = input;
    const context = { encounter, patient };
    const frame: Frame = {
      slots: [encounter, patient],
      context,
      index: undefined,
      total: [],
      budget: makeBudget(limits),
      documents: {},
      timeZone: input.timeZone,
      time: input.time,
      reportUnmapped: () => {},
    };
    try {
      return answerOf(compiled(expression, !hasBareNames)(frame, [hasBareNames ? encounter : context]));
    } catch (error) {
      return { kind: 'failed', why: reasonOf(error) };
    }
  };
}

function slotOf(name: string): number | undefined {
  const slot = VARIABLES.indexOf(name);
  return slot < 0 ? undefined : slot;
}

function answerOf(items: readonly unknown[]): SettingAnswer {
  const [value] = items;
  if (value === undefined) return { kind: 'empty' };
  if (items.length > 1) return { kind: 'failed', why: 'it gives several values, and should give one' };
  if (typeof value === 'boolean' || typeof value === 'string') return { kind: 'value', value };
  return { kind: 'failed', why: 'it gives neither true or false nor a text' };
}

/** Anything else is a mistake of the engine, and is not hidden behind a setting. */
function reasonOf(error: unknown): string {
  if (error instanceof ExpressionError) return error.message;
  if (error instanceof BudgetError) return 'it does far more than a setting needs';
  if (error instanceof RangeError) return 'what it reads is too large, or nested too deep';
  throw error;
}
