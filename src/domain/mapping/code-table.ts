// A table of codes from `codes/*.yaml` of a mappings folder: it maps the engine's own words to codes of a code system.

export type CodeEntry = {
  /** Absent: the key is valid but has no code, and only text is written. */
  readonly code?: string;
  /** Only if it differs from the system of the table. */
  readonly system?: string;
  readonly display?: string;
  /** The version of the code system, if the display is of an official list. */
  readonly version?: string;
};

export type CodeTable = {
  /** The name in mappings: `sections` for `%codes.sections`. */
  readonly name: string;
  readonly system?: string;
  /** What `code()` does with a key that is not in the table: report it and return nothing, return the key as the code, or return nothing. */
  readonly unmapped: 'report' | 'keep' | 'ignore';
  readonly codes: Readonly<Record<string, CodeEntry>>;
};
