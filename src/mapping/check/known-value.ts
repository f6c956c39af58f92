// What an expression has in hand while it is checked: values whose shape is known, and how people would call them.
import { isBareText, quoteIt } from '../fhirpath/check-names.ts';
import { didYouMean } from '../suggest.ts';
import { alternatives, describeShape, memberNames, memberOf, type Shape, UNKNOWN } from './shape.ts';

export type Known = {
  readonly shape: Shape;
  /** What it is, or what it was chosen from: `%note.sections`. */
  readonly path?: string;
  /** Where the path begins in the expression, if it stands there as it is. */
  readonly start?: number;
};

export type Scope = {
  readonly variables: ReadonlyMap<string, Known>;
  /** What a bare name and `$this` read; undefined where nothing says so. */
  readonly item: Known | undefined;
  /** Documents of the site, for `'device'.reference()`; undefined where they are not known. */
  readonly documents: readonly string[] | undefined;
  /** The keys of a table that reports what it does not have; undefined where any key will do. */
  readonly keysOf: (table: string) => readonly string[] | undefined;
  /** `at` is a position in the expression. */
  readonly report: (at: number, message: string) => void;
};

export const NOTHING_KNOWN: Known = { shape: UNKNOWN };

type MemberName = {
  readonly name: string;
  readonly at: number;
  /** Nothing stands before it, so that it may be a text without its quotes. */
  readonly isBare?: boolean;
};

/** `target.name`; what cannot be there is reported, and unknown from then on. */
export function knownMember(target: Known, { name, at, isBare = false }: MemberName, report: Scope['report']): Known {
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

/** `hint` instead of the name that somebody else would have meant. */
function memberProblem({ shape, path, start }: Known, name: string, hint: string | undefined): string {
  const full = path !== undefined && start !== undefined ? `${path}.${name}` : undefined;
  const types = alternatives(shape).map((inner) => (inner.kind === 'fhir' ? inner.type : undefined));
  const names = memberNames(shape);
  if (types.every((type) => type !== undefined)) {
    const said = `${lacks(types)} element ${name}${hint ?? didYouMean(name, names)}`;
    return full === undefined ? said : `${full}: ${said}`;
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

/** Where nothing is near, all that there is, if that is not too much to read. */
function has(what: string | undefined, names: readonly string[]): string {
  return names.length <= 12 ? `; ${what} has ${names.join(', ')}` : '';
}

function lacks([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return `${first} has no`;
  return `neither ${[first, ...others.slice(0, -1)].join(', ')} nor ${others.at(-1)} has an`;
}
