// Checks a mapping before it is applied and reports all problems at once: names, elements, functions, and the resource that it
// makes.
import { type Problem, sortProblems } from '../../domain/mapping/mapping.ts';
import type { MappingNode } from '../language/mapping-tree.ts';
import { inputVariables } from '../language/read-variables.ts';
import type { MappingContext } from '../mapping-context.ts';
import { checkNoticeShown } from './check-notice.ts';
import { checkTarget } from './check-target.ts';
import { inferMapping } from './infer-mapping.ts';

type CheckOptions = {
  /** False if a part of the file was not understood: an element that seems missing may be in that part. */
  readonly isWhole?: boolean;
};

/** The problems in the order of the file, each once. Never throws. */
export function checkMapping(
  tree: MappingNode,
  context: MappingContext,
  { isWhole = true }: CheckOptions = {},
): readonly Problem[] {
  const { problems, shapeOf } = inferMapping(tree, context);
  // A free mapping may make anything, also what another engine takes for FHIR.
  if (context.kind === 'free') return tidied(problems);
  const { document, needsNotice = true } = context;
  // A misspelled %notice is reported; that the notice is missing would only repeat it.
  const isMeant = problems.some(({ message }) => /%(?:context\.)?notice\b/.test(message));
  return tidied([
    ...problems,
    ...checkTarget({ tree, shapeOf, makes: document === 'notice' ? 'text' : 'resource' }),
    ...(needsNotice && isWhole && !isMeant ? checkNoticeShown({ tree, document, reads: inputVariables(tree) }) : []),
  ]);
}

function tidied(problems: readonly Problem[]): readonly Problem[] {
  const once = new Map(
    problems.map((problem) => [`${problem.place.line}:${problem.place.column}:${problem.message}`, problem]),
  );
  return sortProblems([...once.values()]);
}
