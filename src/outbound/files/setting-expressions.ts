// Settings that are FHIRPath on the encounter and the patient: read when the file is loaded, so that a mistake has its column.
import { inferExpression } from '../../mapping/check/infer-expression.ts';
import type { Known } from '../../mapping/check/known-value.ts';
import { fhirShape, type Kind, kindOf, kindWords } from '../../mapping/check/shape.ts';
import { checkNames } from '../../mapping/fhirpath/check-names.ts';
import { ExpressionError } from '../../mapping/fhirpath/frame.ts';
import { parseExpression } from '../../mapping/fhirpath/parse-expression.ts';
import { didYouMean } from '../../mapping/suggest.ts';
import { isText, type Mistake, type Setting, wrong } from './settings-reader.ts';

const VARIABLES: ReadonlyMap<string, Known> = new Map([
  ['encounter', { shape: fhirShape('Encounter') }],
  ['patient', { shape: fhirShape('Patient') }],
]);

type Wanted = {
  /** Whether a name without `%` is one of the Encounter's. */
  readonly hasBareNames: boolean;
  readonly gives: 'boolean' | 'text';
};

/** A test: true or false. */
export function expression({ hasBareNames = false }: Partial<Wanted> = {}): Setting<string> {
  return checkedExpression({ hasBareNames, gives: 'boolean' });
}

function checkedExpression(wanted: Wanted): Setting<string> {
  return (node, name, reading) => {
    if (!isText(node)) return wrong(node, `${name} is a FHIRPath expression, as text`, reading);
    const mistakes = expressionMistakes(node.value, wanted);
    for (const { at, message } of mistakes) reading.report(node.placeAt(at), `${name}: ${message}`);
    return mistakes.length === 0 ? node.value : undefined;
  };
}

/** One of the constants, or an expression, which has a `%` somewhere. */
export function constantOrExpression(constants: readonly string[], gives: Wanted['gives']): Setting<string> {
  const readExpression = checkedExpression({ hasBareNames: false, gives });
  return (node, name, reading) => {
    if (isText(node) && constants.includes(node.value)) return node.value;
    if (isText(node) && node.value.includes('%')) return readExpression(node, name, reading);
    const options = `${name} is one of ${constants.join(', ')}, or FHIRPath on %encounter and %patient`;
    return wrong(node, options + (isText(node) ? didYouMean(node.value, constants) : ''), reading);
  };
}

/** For a group whose names are codes or expressions, which have a `%`. */
export function expressionNameMistake(name: string): Mistake | undefined {
  if (name.includes('%')) return expressionMistakes(name, { hasBareNames: false, gives: 'boolean' })[0];
  return /\s/.test(name) ? { at: 0, message: 'a name with a space is neither a code nor an expression' } : undefined;
}

/** Also members that are not there: an empty answer would be taken for a no, and nothing would ever be documented. */
function expressionMistakes(text: string, { hasBareNames, gives }: Wanted): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  const report = (at: number, message: string) => void mistakes.push({ at, message });
  try {
    const node = parseExpression(text);
    const names = { slotOf: slotOfVariable, isStrict: !hasBareNames, known: [...VARIABLES.keys()] };
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

function otherKind(kind: Kind, gives: Wanted['gives']): string {
  const hint = gives === 'boolean' ? 'true or false, as with .exists()' : 'a text';
  return `this gives ${kindWords(kind)}, and should give ${hint}`;
}

function slotOfVariable(name: string): number | undefined {
  return VARIABLES.has(name) ? 0 : undefined;
}
