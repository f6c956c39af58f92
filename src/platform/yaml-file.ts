// Reads a YAML file of the product by its schema; each problem has its line.
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

export type YamlFile = {
  /** As messages name it: `lexicon/chest.yaml` */
  readonly path: string;
  readonly text: string;
};

export type YamlProblem = { readonly path: string; readonly line: number; readonly message: string };

export type ReadFile<T> = {
  readonly path: string;
  /** Undefined if there are problems. */
  readonly value?: T;
  readonly problems: readonly YamlProblem[];
  /** The line of a key or an item; if it is missing, of the nearest thing around it. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
};

export function readYaml<S extends z.ZodType>({ path, text }: YamlFile, schema: S): ReadFile<z.output<S>> {
  const { document, lineAt, lineOf } = parse(text);
  const syntax = [...document.errors, ...document.warnings];
  if (syntax.length > 0) {
    return { path, problems: syntax.map(({ pos, message }) => ({ path, line: lineAt(pos[0]), message })), lineOf };
  }
  const read = schema.safeParse(document.toJS({ maxAliasCount: 0 }) ?? {});
  if (read.success) return { path, value: read.data, problems: [], lineOf };
  const problems = read.error.issues
    .flatMap((issue) => toProblems(issue))
    .map(({ at, message }) => ({ path, line: lineOf(at), message }));
  return { path, problems, lineOf };
}

type Places = {
  readonly document: Document;
  readonly lineAt: (offset: number) => number;
  readonly lineOf: (inside: readonly PropertyKey[]) => number;
};

function parse(text: string): Places {
  const lines = new LineCounter();
  const document: Document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  return { document, lineAt, lineOf: (inside) => lineAt(offsetOf(document, inside)) };
}

type PlacedMessage = { readonly at: readonly PropertyKey[]; readonly message: string };

function toProblems(issue: z.core.$ZodIssue, around: readonly PropertyKey[] = []): PlacedMessage[] {
  const at = [...around, ...issue.path];
  const name = at.length === 0 ? 'the file' : at.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ at: [...at, key], message: `${[...at, key].join('.')} is not known here` }));
  }
  // Of the alternatives of a union, the author meant the one whose kind fits: its problems are reported.
  if (issue.code === 'invalid_union') {
    const nearest = issue.errors.find((errors) =>
      errors.some(({ code, path }) => code !== 'invalid_type' || path.length > 0),
    );
    if (nearest !== undefined) return nearest.flatMap((inner) => toProblems(inner, at));
  }
  if (issue.code === 'invalid_key') return [{ at, message: `${name} is no id: lower-case-with-dashes` }];
  if (issue.code === 'invalid_type' && issue.input === undefined) return [{ at, message: `${name}: ${issue.message}` }];
  return [{ at, message: `${name}: ${issue.message}` }];
}

/** The offset of the key, if the last step is a key; else of the nearest existing thing around it. */
function offsetOf(document: Document, inside: readonly PropertyKey[]): number {
  for (let length = inside.length; length > 0; length--) {
    const around = length === 1 ? document.contents : document.getIn(inside.slice(0, length - 1), true);
    const last = inside[length - 1];
    if (isMap(around)) {
      const key = around.items.find((pair) => isScalar(pair.key) && pair.key.value === last)?.key;
      if (isNode(key) && key.range) return key.range[0];
    }
    const node = document.getIn(inside.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}
