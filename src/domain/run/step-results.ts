// Reading what earlier steps of a run have produced.
import { chooseTemplate, type Template } from '../note/template.ts';
import type { StepName, StepResults } from './run.ts';

/** The result of an earlier step. It is missing only if the order of the steps is wrong. */
export function requireResult<Name extends StepName>(results: Partial<StepResults>, name: Name): StepResults[Name] {
  const result = results[name];
  if (result === undefined) throw new Error(`the result of ${name} is missing`);
  return result as StepResults[Name];
}

/** The template of the note that step read-chart has chosen. */
export function templateOf(results: Partial<StepResults>): Template {
  const { wanted, language } = requireResult(results, 'read-chart');
  const { noteType, template, customTemplate } = wanted;
  return chooseTemplate({ language, noteType, template, customTemplate });
}
