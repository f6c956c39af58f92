// Checks a site setting that is FHIRPath on the encounter and the patient, when the file is loaded, so that a mistake has its column.
import { inferExpression } from './check/infer-expression.ts';
import type { KnownValue } from './check/known-value.ts';
import { fhirShape, type Kind, kindOf, kindWords } from './check/shape.ts';
import { checkNames } from './fhirpath/check-names.ts';
import { ExpressionError } from './fhirpath/frame.ts';
import { parseExpression } from './fhirpath/parse-expression.ts';

export type SettingRule = {
  /** A name without `%` is an element of the Encounter. */
  readonly hasBareNames: boolean;
  readonly gives: 'boolean' | 'text';
};

/** `at` is an offset in the expression. */
export type SettingMistake = { readonly at: number; readonly message: string };

const VARIABLES: ReadonlyMap<string, KnownValue> = new Map([
  ['encounter', { shape: fhirShape('Encounter') }],
  ['patient', { shape: fhirShape('Patient') }],
]);

/** Unknown elements are mistakes too: an empty result would be taken for a no, and nothing would ever be documented. */
export function checkSetting(expression: string, { hasBareNames, gives }: SettingRule): readonly SettingMistake[] {
  const mistakes: SettingMistake[] = [];
  const report = (at: number, message: string) => void mistakes.push({ at, message });
  try {
    const node = parseExpression(expression);
    const slotOf = (name: string) => (VARIABLES.has(name) ? 0 : undefined);
    const names = { slotOf, isStrict: !hasBareNames, known: [...VARIABLES.keys()] };
    for (const { at, message } of checkNames(node, names)) report(at, message);
    const item = hasBareNames ? VARIABLES.get('encounter') : undefined;
    const scope = { variables: VARIABLES, item, documents: undefined, keysOf: () => undefined, report };
    const kind = kindOf(inferExpression(node, scope).shape);
    if (mistakes.length === 0 && kind !== undefined && kind !== gives) report(0, otherKind(kind, gives));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(error.at ?? 0, error.message);
  }
  return mistakes;
}

function otherKind(kind: Kind, gives: SettingRule['gives']): string {
  const hint = gives === 'boolean' ? 'true or false, as with .exists()' : 'a text';
  return `this gives ${kindWords(kind)}, and should give ${hint}`;
}
