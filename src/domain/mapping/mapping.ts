// What a mapping is to the rest of the house: something that makes a document from variables, and says where each part came
// from. Places are of files that people edit; lines and columns count from 1.

export type Place = { readonly file: string; readonly line: number; readonly column: number };

/** Something wrong in a file that a person edits. `message` says what, and what to do; it never quotes patient data. */
export type Problem = { readonly place: Place; readonly message: string };

/** `mappings/mercy/composition.yaml:14:9: %note.sectoins is not known here; did you mean %note.sections?` */
export function describeProblem({ place, message }: Problem): string {
  return `${place.file}:${place.line}:${place.column}: ${message}`;
}

/** In the order in which somebody would read them. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort(
    (one, other) =>
      compare(one.place.file, other.place.file) ||
      one.place.line - other.place.line ||
      one.place.column - other.place.column,
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** A FHIR Reference, literal or logical. */
export type Reference = {
  readonly reference?: string;
  readonly type?: string;
  readonly identifier?: { readonly system?: string; readonly value?: string };
  readonly display?: string;
};

export type MappingInput = {
  /** By name, without `%`. A name that is not here, or is undefined, is empty. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** For `'device'.reference()`: the documents of the same set, by name; several where one is made for each disease. */
  readonly documents?: Readonly<Record<string, readonly Reference[]>>;
  /** An IANA name, for `instant()` of a time without an offset. UTC where absent. */
  readonly timeZone?: string;
  /** When the results were made: an instant, for `ageYears()`. A mapping has no other clock. */
  readonly time?: string;
  /** Also say where each element came from. Slower. */
  readonly wantsLineage?: boolean;
};

/** A code that a table does not have: nothing was written for it, and somebody should know. */
export type UnmappedCode = { readonly table: string; readonly code: string; readonly place: Place };

export type LineageEntry = {
  /** In the result: `section[0].text.div`; the empty string is the result itself. */
  readonly element: string;
  /** The line that made it. */
  readonly place: Place;
  /** What that line read, as paths with positions: `%note.sections[0].text`. Empty for a constant. */
  readonly sources: readonly string[];
};

export type MappingResult = {
  /** Undefined where the mapping made nothing. It may share parts with the variables: read it, never change it. */
  readonly value: unknown;
  readonly unmapped: readonly UnmappedCode[];
  /** Only where asked for. In the order of the result. */
  readonly lineage?: readonly LineageEntry[];
};

/** One file, ready to be applied any number of times. */
export type DocumentMapping = {
  readonly file: string;
  /** The variables that it reads. One that reads `%disease` is applied once for each disease. */
  readonly reads: ReadonlySet<string>;
  /** Throws a MappingError: a value that an expression cannot work with, or a budget that was used up. */
  readonly apply: (input: MappingInput) => MappingResult;
};

/** A mapping that failed on this input. The message names the place, never a value. */
export class MappingError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(describeProblem(problem));
    this.name = 'MappingError';
    this.problem = problem;
  }
}
