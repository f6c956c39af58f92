// A mapping as other rooms see it: it makes a document from variables and reports where each part came from. Places are in files that people
// edit; lines and columns count from 1.

export type Place = { readonly file: string; readonly line: number; readonly column: number };

/** A problem in a file that a person edits. `message` says what is wrong and what to do; it never quotes patient data. */
export type Problem = { readonly place: Place; readonly message: string };

/** `mappings/mercy/composition.yaml:14:9: %note.sectoins is not known here; did you mean %note.sections?` */
export function describeProblem({ place, message }: Problem): string {
  return `${place.file}:${place.line}:${place.column}: ${message}`;
}

/** Sorts by file, line and column. */
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
  /** By name, without `%`. A variable that is absent or undefined is empty. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** For `'device'.reference()`: the documents of the same set by name; several if one is made for each disease. */
  readonly documents?: Readonly<Record<string, readonly Reference[]>>;
  /** An IANA name, for `instant()` of a time without an offset. Default: UTC. */
  readonly timeZone?: string;
  /** The instant when the results were made, for `ageYears()`. A mapping has no other clock. */
  readonly time?: string;
  /** Also reports the lineage of each element, which is slower. */
  readonly wantsLineage?: boolean;
};

/** A key that a code table lacks: no code was written for it, and the author of the table should add it. */
export type UnmappedCode = { readonly table: string; readonly code: string; readonly place: Place };

export type LineageEntry = {
  /** The path in the result: `section[0].text.div`; the empty string is the result itself. */
  readonly element: string;
  /** The line of the mapping that made the element. */
  readonly place: Place;
  /** The paths that the line has read: `%note.sections[0].text`. Empty for a constant. */
  readonly sources: readonly string[];
};

export type MappingResult = {
  /** Undefined if the mapping made nothing. It may share parts with the variables and must not be changed. */
  readonly value: unknown;
  readonly unmapped: readonly UnmappedCode[];
  /** Only if requested; in the order of the result. */
  readonly lineage?: readonly LineageEntry[];
};

/** One compiled file, which can be applied any number of times. */
export type DocumentMapping = {
  readonly file: string;
  /** The variables that the mapping reads. A mapping that reads `%disease` is applied once for each disease. */
  readonly reads: ReadonlySet<string>;
  /** Throws a MappingError if an expression cannot handle a value, or if the evaluation budget is used up. */
  readonly apply: (input: MappingInput) => MappingResult;
};

/** A mapping failed on this input. The message names the place, never a value. */
export class MappingError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(describeProblem(problem));
    this.name = 'MappingError';
    this.problem = problem;
  }
}
