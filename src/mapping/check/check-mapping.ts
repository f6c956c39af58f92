// Everything that is wrong with a mapping and can be known before it is applied, at once: names, members, functions, and the
// resource that it makes.
import { type Problem, sortProblems } from '../../domain/mapping.ts';
import type { MappingNode } from '../language/mapping-tree.ts';
import { inputVariables } from '../language/read-variables.ts';
import type { MappingContext } from '../mapping-context.ts';
import { checkNoticeShown } from './check-notice.ts';
import { checkTarget } from './check-target.ts';
import { inferMapping } from './infer-mapping.ts';

/** In the order in which somebody would read them, none of them twice. Throws nothing. */
export function checkMapping(tree: MappingNode, context: MappingContext): readonly Problem[] {
  const { problems, shapeOf } = inferMapping(tree, context);
  if (context.kind === 'free') {
    // A mapping that is not strict may be one for another engine, and make what only that one understands.
    const target = context.isStrict ? checkTarget({ tree, shapeOf, makes: 'anything' }) : [];
    return tidied([...problems, ...target]);
  }
  const { document, needsNotice = true } = context;
  return tidied([
    ...problems,
    ...checkTarget({ tree, shapeOf, makes: document === 'notice' ? 'text' : 'resource' }),
    ...(needsNotice ? checkNoticeShown({ tree, document, reads: inputVariables(tree) }) : []),
  ]);
}

function tidied(problems: readonly Problem[]): readonly Problem[] {
  const once = new Map(
    problems.map((problem) => [`${problem.place.line}:${problem.place.column}:${problem.message}`, problem]),
  );
  return sortProblems([...once.values()]);
}
