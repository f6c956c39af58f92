// Describes problems of hand-written facts in plain words: which fact, what it must be, and which name was probably meant. Messages hold names
// of facts, never values, which may be patient data.
import { z } from 'zod';

export type FactProblem = {
  /** `note`, `sections`, 0, `key`; the place of a missing fact is where it would be. */
  readonly path: readonly (string | number)[];
  /** `note.sections[0].key is missing` */
  readonly message: string;
};

/** Returns the valid name that was probably meant. */
export type Suggest = (word: string, known: Iterable<string>) => string | undefined;

type Schema = z.core.$ZodType;

/** Returns the parsed input, or all problems. */
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
  // A misspelled name is not reported as missing as well.
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
  // A key that is not a name may be clinical text before a colon.
  const isName = /^[\p{L}\p{N}_-]{1,64}$/u.test(key);
  const element = isName ? elementOf([...group, key]) : `a key of ${elementOf(group)}`;
  return { path: [...group, key], message: `${element} is not known here${hint(meant)}` };
}

function pathOf({ path }: z.core.$ZodIssue): FactProblem['path'] {
  return path.map((part) => (typeof part === 'number' ? part : String(part)));
}

const MISSING = 'is missing';

/** The message of an issue for which the schema defines none. */
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
  // YAML reads 2026 as a number and true as a boolean.
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

/** The valid names in the group at this path. */
function namesAt(schema: unknown, [first, ...rest]: FactProblem['path']): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return namesAt(schema.unwrap(), first === undefined ? [] : [first, ...rest]);
  }
  if (schema instanceof z.ZodArray) return namesAt(schema.element, rest);
  if (!(schema instanceof z.ZodObject)) return [];
  return first === undefined ? Object.keys(schema.shape) : namesAt(schema.shape[first], rest);
}
