// A mapping from its text to its result, without the check against FHIR: the language alone.
import { type DocumentMapping, MappingError, type Problem, sortProblems } from '../../../src/domain/mapping/mapping.ts';
import { compileMapping } from '../../../src/mapping/language/compile-mapping.ts';
import { parseMapping } from '../../../src/mapping/language/parse-mapping.ts';
import type { Limits } from '../../../src/mapping/language/run.ts';
import { parseSource } from '../../../src/mapping/source/parse-source.ts';

export type Variables = Readonly<Record<string, unknown>>;

type Options = {
  readonly isStrict?: boolean;
  readonly limits?: Partial<Limits>;
  readonly file?: string;
};

/** Throws the problems, should there be any. */
export function compileText(
  text: string,
  names: readonly string[],
  { isStrict = true, limits = {}, file = 'mapping.yaml' }: Options = {},
): DocumentMapping {
  const { root, problems } = parseSource({ file, text });
  const parsed = root && parseMapping(root);
  const found = [...problems, ...(parsed?.problems ?? [])];
  if (!parsed?.tree || found.length > 0) throw new Error(described(found).join('\n'));
  return compileMapping(parsed.tree, { file, variables: names, isStrict, limits });
}

export function applyText(text: string, variables: Variables = {}, options: Options = {}): unknown {
  return compileText(text, Object.keys(variables), options).apply({ variables }).value;
}

/** `line:column: message` of everything that is wrong with the file as source and as mapping. */
export function problemsOf(text: string | Uint8Array, file = 'mapping.yaml'): readonly string[] {
  const { root, problems } = parseSource({ file, text });
  const parsed = root ? parseMapping(root).problems : [];
  return described(sortProblems([...problems, ...parsed]));
}

function described(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ place, message }) => `${place.line}:${place.column}: ${message}`);
}

/** `line:column: message` of what goes wrong while it is applied. */
export function failureOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return described([error.problem]).join();
  }
  return 'nothing went wrong';
}
