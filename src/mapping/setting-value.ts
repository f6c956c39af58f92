// Evaluates the FHIRPath settings of a site for one encounter and one patient. A failed evaluation is neither true nor false, and
// has its reason.
import { compileExpression } from './fhirpath/compile-expression.ts';
import { type Evaluate, ExpressionError, type Frame } from './fhirpath/frame.ts';
import { parseExpression } from './fhirpath/parse-expression.ts';
import { BudgetError, makeBudget } from './language/run.ts';

export type SettingInput = {
  readonly encounter: unknown;
  readonly patient: unknown;
  /** The instant up to which `ageYears()` counts. */
  readonly time: string;
  /** The IANA name of the time zone. */
  readonly timeZone: string;
};

export type SettingAnswer =
  | { readonly kind: 'value'; readonly value: boolean | string }
  /** The expression returned nothing. */
  | { readonly kind: 'empty' }
  /** The reason for the author of the setting; never with a value of the input. */
  | { readonly kind: 'failed'; readonly why: string };

type ReadOptions = {
  /** For `trigger`: a name without `%` is an element of the Encounter. */
  readonly hasBareNames?: boolean;
};

export type ReadSetting = (expression: string, input: SettingInput, options?: ReadOptions) => SettingAnswer;

type SettingParts = {
  /** How many compiled expressions are cached; all sites together have a few dozen. */
  readonly maxCached?: number;
  readonly limits?: { readonly steps: number; readonly characters: number };
};

/** Far more than a setting needs of one encounter and one patient. */
const LIMITS = { steps: 100_000, characters: 1_048_576 };
const VARIABLES = ['encounter', 'patient'];

export function makeReadSetting({ maxCached = 500, limits = LIMITS }: SettingParts = {}): ReadSetting {
  const cache = new Map<string, Evaluate>();

  function compiled(expression: string, isStrict: boolean): Evaluate {
    const key = `${isStrict ? 'strict' : 'open'} ${expression}`;
    const known = cache.get(key);
    if (known) return known;
    const names = { slotOf, isStrict, known: VARIABLES };
    const evaluate = compileExpression(parseExpression(expression), names);
    const [oldest] = cache.keys();
    if (cache.size >= maxCached && oldest !== undefined) cache.delete(oldest);
    cache.set(key, evaluate);
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

/** Any other error is a bug of the engine and is rethrown. */
function reasonOf(error: unknown): string {
  if (error instanceof ExpressionError) return error.message;
  if (error instanceof BudgetError) return 'it does far more than a setting needs';
  if (error instanceof RangeError) return 'what it reads is too large, or nested too deep';
  throw error;
}
