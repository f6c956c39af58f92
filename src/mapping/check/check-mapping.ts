// Everything that is wrong with a mapping and can be known before it is applied, at once: names, members, functions, and the
// resource that it makes.
import { type Problem, sortProblems } from '../../domain/mapping/mapping.ts';
import type { MappingNode } from '../language/mapping-tree.ts';
import { inputVariables } from '../language/read-variables.ts';
import type { MappingContext } from '../mapping-context.ts';
import { checkNoticeShown } from './check-notice.ts';
import { checkTarget } from './check-target.ts';
import { inferMapping } from './infer-mapping.ts';

type CheckOptions = {
  /** False where a part of the file was not understood: what is missing may be there. */
  readonly isWhole?: boolean;
};

/** In the order in which somebody would read them, none of them twice. Throws nothing. */
export function checkMapping(
  tree: MappingNode,
  context: MappingContext,
  { isWhole = true }: CheckOptions = {},
): readonly Problem[] {
  const { problems, shapeOf } = inferMapping(tree, context);
  // Any mapping on any input may make whatever it likes, also what another engine takes for FHIR.
  if (context.kind === 'free') return tidied(problems);
  const { document, needsNotice = true } = context;
  // Whoever is told of a slip in %notice need not be told that it is missing.
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
