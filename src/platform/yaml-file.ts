// One file of YAML as its schema reads it, and where in it each problem lies.
import { load } from 'js-yaml';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

export type YamlFile = {
  /** As people find it: `lexicon/chest.yaml` */
  readonly path: string;
  readonly text: string;
};

export type YamlProblem = { readonly path: string; readonly line: number; readonly message: string };

export type ReadFile<T> = {
  readonly path: string;
  /** Undefined where there are problems. */
  readonly value?: T;
  readonly problems: readonly YamlProblem[];
  /** Of a key or an item in it; of what is around it where it is not there. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
};

/** Quickly where all is well. Reading with places takes ten times as long: that is done where something has to be told. */
export function readYaml<S extends z.ZodType>(file: YamlFile, schema: S): ReadFile<z.output<S>> {
  const quick = schema.safeParse(readQuickly(file.text));
  if (!quick.success) return readWithPlaces(file, schema);
  let places: Places | undefined;
  const lineOf = (inside: readonly PropertyKey[]): number => {
    places ??= findPlaces(file.text);
    return places.lineOf(inside);
  };
  return { path: file.path, value: quick.data, problems: [], lineOf };
}

/** Undefined where the quick reader is stricter, or finds what the other one will tell. */
function readQuickly(text: string): unknown {
  try {
    return load(text, { maxAliases: 0 });
  } catch {
    return undefined;
  }
}

function readWithPlaces<S extends z.ZodType>({ path, text }: YamlFile, schema: S): ReadFile<z.output<S>> {
  const { document, lineAt, lineOf } = findPlaces(text);
  const told = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    path,
    line: lineAt(pos[0]),
    message,
  }));
  if (told.length > 0) return { path, problems: told, lineOf };
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

function findPlaces(text: string): Places {
  const lines = new LineCounter();
  const document: Document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  return { document, lineAt, lineOf: (inside) => lineAt(offsetOf(document, inside)) };
}

type Told = { readonly at: readonly PropertyKey[]; readonly message: string };

function toProblems(issue: z.core.$ZodIssue, around: readonly PropertyKey[] = []): Told[] {
  const at = [...around, ...issue.path];
  const name = at.length === 0 ? 'the file' : at.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ at: [...at, key], message: `${[...at, key].join('.')} is not known here` }));
  }
  // Of the readings of a weight, that one is told which the author meant: a number or a pair.
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

/** The key's, where the last step is a key; else that of the nearest thing around it which is there. */
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
