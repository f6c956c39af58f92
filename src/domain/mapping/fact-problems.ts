// What is wrong with facts that somebody wrote by hand, in plain words: which fact, what it must be, and what was probably meant.
// Names of facts are said, what stands there never: it may be a patient's.
import { z } from 'zod';

export type FactProblem = {
  /** `note`, `sections`, 0, `key`; of one that is missing, where it would be. */
  readonly path: readonly (string | number)[];
  /** `note.sections[0].key is missing` */
  readonly message: string;
};

/** The known word that somebody probably meant. */
export type Suggest = (word: string, known: Iterable<string>) => string | undefined;

type Schema = z.core.$ZodType;

/** Gives what the schema makes of the input, or all that is wrong with it. */
export function readWith<T extends Schema>(
  schema: T,
  input: unknown,
  suggest: Suggest,
): { readonly data: z.output<T> } | { readonly problems: readonly FactProblem[] } {
  const parsed = z.safeParse(schema, input, { error: (issue) => describe(issue, suggest) });
  if (parsed.success) return { data: parsed.data };
  const { issues } = parsed.error;
  const unknown = issues.flatMap((issue): readonly UnknownName[] => {
    if (issue.code !== 'unrecognized_keys') return [];
    const group = pathOf(issue);
    const names = namesAt(schema, group);
    return issue.keys.map((key) => ({ group, key, meant: suggest(key, names) }));
  });
  // A name that was written wrongly is not missing as well.
  const meant = new Set(unknown.map((each) => each.meant !== undefined && elementOf([...each.group, each.meant])));
  const others = issues
    .filter(({ code }) => code !== 'unrecognized_keys')
    .filter((issue) => issue.message !== MISSING || !meant.has(elementOf(pathOf(issue))))
    .map((issue) => ({ path: pathOf(issue), message: `${elementOf(pathOf(issue))} ${issue.message}` }));
  return { problems: [...unknown.map(describeUnknown), ...others] };
}

type UnknownName = {
  readonly group: FactProblem['path'];
  readonly key: string;
  readonly meant: string | undefined;
};

function describeUnknown({ group, key, meant }: UnknownName): FactProblem {
  // What is no name may be text that came to stand before a colon.
  const isName = /^[\p{L}\p{N}_-]{1,64}$/u.test(key);
  const element = isName ? elementOf([...group, key]) : `a key of ${elementOf(group)}`;
  return { path: [...group, key], message: `${element} is not known here${hint(meant)}` };
}

function pathOf({ path }: z.core.$ZodIssue): FactProblem['path'] {
  return path.map((part) => (typeof part === 'number' ? part : String(part)));
}

const MISSING = 'is missing';

/** Where the schema says nothing itself. */
function describe(issue: z.core.$ZodRawIssue, suggest: Suggest): string {
  const { input } = issue;
  if (input === undefined) return MISSING;
  if (issue.code === 'invalid_value') {
    const names = issue.values.map(String);
    const meant = typeof input === 'string' ? suggest(input, names) : undefined;
    return `must be one of ${names.join(', ')}${hint(meant)}`;
  }
  if (issue.code === 'too_small') return `must be ${issue.minimum} or more`;
  if (issue.code === 'too_big') return `must be ${issue.maximum} or less`;
  if (issue.code !== 'invalid_type') return 'cannot be used';
  if (issue.expected === 'object') return `must be a group of ${namesAt(issue.inst, []).join(', ')}`;
  // YAML takes 2026 for a number and true for a truth value.
  const isBare = typeof input === 'number' || typeof input === 'boolean';
  if (issue.expected === 'string') return `must be a text${isBare ? '; write it in quotes' : ''}`;
  return TYPES[issue.expected] ?? 'cannot be used';
}

const TYPES: Readonly<Record<string, string>> = {
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
};

function hint(name: string | undefined): string {
  return name === undefined ? '' : `; did you mean ${name}?`;
}

/** `note.sections[0].key` */
function elementOf(path: FactProblem['path']): string {
  const element = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return element.replace(/^\./, '') || 'the input';
}

/** The names that may stand in the group that this path leads to. */
function namesAt(schema: unknown, [first, ...rest]: FactProblem['path']): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return namesAt(schema.unwrap(), first === undefined ? [] : [first, ...rest]);
  }
  if (schema instanceof z.ZodArray) return namesAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return first === undefined ? Object.keys(schema.shape) : namesAt(schema.shape[first], rest);
}
