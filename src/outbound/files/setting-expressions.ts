// Parses settings that are FHIRPath on the encounter and the patient when the file is loaded, so that a mistake is reported with its column.
import { checkSetting, didYouMean, type SettingRule } from '../../mapping/mapping.ts';
import { isText, type Mistake, type Setting, wrong } from './settings-reader.ts';

/** An expression that must be true or false. */
export function expression({ hasBareNames = false }: Partial<SettingRule> = {}): Setting<string> {
  return checkedExpression({ hasBareNames, gives: 'boolean' });
}

function checkedExpression(wanted: SettingRule): Setting<string> {
  return (node, name, reading) => {
    if (!isText(node)) return wrong(node, `${name} is a FHIRPath expression, as text`, reading);
    const mistakes = checkSetting(node.value, wanted);
    for (const { at, message } of mistakes) reading.report(node.placeAt(at), `${name}: ${message}`);
    return mistakes.length === 0 ? node.value : undefined;
  };
}

/** One of the constants, or an expression, recognized by a `%`. */
export function constantOrExpression(constants: readonly string[], gives: SettingRule['gives']): Setting<string> {
  const readExpression = checkedExpression({ hasBareNames: false, gives });
  return (node, name, reading) => {
    if (isText(node) && constants.includes(node.value)) return node.value;
    if (isText(node) && node.value.includes('%')) return readExpression(node, name, reading);
    const options = `${name} is one of ${constants.join(', ')}, or FHIRPath on %encounter and %patient`;
    return wrong(node, options + (isText(node) ? didYouMean(node.value, constants) : ''), reading);
  };
}

/** Checks a name that is a code or an expression, recognized by a `%`. */
export function expressionNameMistake(name: string): Mistake | undefined {
  if (name.includes('%')) return checkSetting(name, { hasBareNames: false, gives: 'boolean' })[0];
  return /\s/.test(name) ? { at: 0, message: 'a name with a space is neither a code nor an expression' } : undefined;
}
