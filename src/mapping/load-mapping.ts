// Reads, parses, checks and compiles a mapping file. A returned mapping has no mistake that can be known before its first input.
import { type DocumentMapping, MappingError, type Problem, sortProblems } from '../domain/mapping/mapping.ts';
import { checkMapping } from './check/check-mapping.ts';
import { documentVariableNames } from './check/document-shapes.ts';
import { compileMapping } from './language/compile-mapping.ts';
import type { MappingNode } from './language/mapping-tree.ts';
import { parseMapping } from './language/parse-mapping.ts';
import type { MappingContext } from './mapping-context.ts';
import { parseSource } from './source/parse-source.ts';

type MappingFile = {
  /** The name for messages; a name that ends in `.json` is read as JSON. */
  readonly file: string;
  readonly text: Uint8Array | string;
  readonly context: MappingContext;
};

/** Returns all problems of the file in the order of its lines; a mapping only if there is none. */
export function loadMapping({ file, text, context }: MappingFile): {
  readonly mapping?: DocumentMapping;
  readonly problems: readonly Problem[];
} {
  const source = parseSource({ file, text });
  if (!source.root) return { problems: sortProblems(source.problems) };
  const { tree, problems } = parseMapping(source.root);
  const understood = [...source.problems, ...problems];
  const found = [...understood, ...(tree ? checkMapping(tree, context, { isWhole: understood.length === 0 }) : [])];
  if (!tree || found.length > 0) return { problems: sortProblems(found) };
  return compileChecked(tree, file, context);
}

function compileChecked(tree: MappingNode, file: string, context: MappingContext): ReturnType<typeof loadMapping> {
  const variables = context.kind === 'free' ? context.variables : documentVariableNames;
  const isStrict = context.kind === 'document' || context.isStrict;
  try {
    return { mapping: compileMapping(tree, { file, variables, isStrict }), problems: [] };
  } catch (error) {
    // The check finds all of these; if it misses one, the file is still refused.
    if (!(error instanceof MappingError)) throw error;
    return { problems: [error.problem] };
  }
}
