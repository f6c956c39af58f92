// Values of an expression while it is checked: their shape, and their name for messages.
import { isBareText, quoteIt } from '../fhirpath/check-names.ts';
import { didYouMean } from '../suggest.ts';
import { alternatives, describeShape, memberNames, memberOf, type Shape, UNKNOWN } from './shape.ts';

export type KnownValue = {
  readonly shape: Shape;
  /** The name of the value, or of the list that it is from: `%note.sections`. */
  readonly path?: string;
  /** The position of the path in the expression, if it is written there literally. */
  readonly start?: number;
};

export type Scope = {
  readonly variables: ReadonlyMap<string, KnownValue>;
  /** The value that a bare name and `$this` read; undefined if it is unknown. */
  readonly item: KnownValue | undefined;
  /** Documents of the site, for `'device'.reference()`; undefined if they are unknown. */
  readonly documents: readonly string[] | undefined;
  /** The keys of a table that reports missing ones; undefined if any key is allowed. */
  readonly keysOf: (table: string) => readonly string[] | undefined;
  /** `at` is a position in the expression. */
  readonly report: (at: number, message: string) => void;
};

export const NOTHING_KNOWN: KnownValue = { shape: UNKNOWN };

type MemberName = {
  readonly name: string;
  readonly at: number;
  /** True without a dot before the name: it may be a text whose quotes were forgotten. */
  readonly isBare?: boolean;
};

/** The value of `target.name`; an impossible name is reported, and its value is unknown. */
export function knownMember(
  target: KnownValue,
  { name, at, isBare = false }: MemberName,
  report: Scope['report'],
): KnownValue {
  const { shape, path, start } = target;
  const found = memberOf(shape, name);
  if (found === undefined) {
    const hint = isBare && isBareText(name) ? quoteIt(name) : undefined;
    report(start ?? at, memberProblem(target, name, hint));
    return NOTHING_KNOWN;
  }
  return {
    shape: found,
    ...(path !== undefined && { path: `${path}.${name}` }),
    ...(start !== undefined && { start }),
  };
}

/** `hint` replaces the suggestion of a similar name. */
function memberProblem({ shape, path, start }: KnownValue, name: string, hint: string | undefined): string {
  const full = path !== undefined && start !== undefined ? `${path}.${name}` : undefined;
  const types = alternatives(shape).map((inner) => (inner.kind === 'fhir' ? inner.type : undefined));
  const names = memberNames(shape);
  if (types.every((type) => type !== undefined)) {
    const problem = `${lacks(types)} element ${name}${hint ?? didYouMean(name, names)}`;
    return full === undefined ? problem : `${full}: ${problem}`;
  }
  if (shape.kind === 'object' && shape.isTables) {
    return `%codes.${name}: there is no table ${name}${didYouMean(name, names) || '.'} Tables are files in codes/`;
  }
  if (hint !== undefined) return `${name} is no member of ${path ?? 'this'}${hint}`;
  if (names.length === 0) return `${path ?? 'this'} is ${describeShape(shape)}: it has no member ${name}`;
  if (full !== undefined) {
    const meant = didYouMean(name, names, (other) => `${path}.${other}`);
    return `${full} is not known here${meant || has(path, names)}`;
  }
  const meant = didYouMean(name, names);
  if (path === undefined) return `there is no member ${name} here${meant || has('it', names)}`;
  return `${name} is no member of ${path}${meant || has('it', names)}`;
}

/** Without a similar name, all names, if they are few enough to read. */
function has(what: string | undefined, names: readonly string[]): string {
  return names.length <= 12 ? `; ${what} has ${names.join(', ')}` : '';
}

function lacks([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return `${first} has no`;
  return `neither ${[first, ...others.slice(0, -1)].join(', ')} nor ${others.at(-1)} has an`;
}
