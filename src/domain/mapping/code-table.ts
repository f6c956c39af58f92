// A table of codes, as `codes/*.yaml` of a mappings folder says it: from the house's own words to a code system's.

export type CodeEntry = {
  /** Absent: this key is known, and has no code. Only text is written. */
  readonly code?: string;
  /** Where it differs from the table's. */
  readonly system?: string;
  readonly display?: string;
};

export type CodeTable = {
  /** As mappings call it: `sections` for `%codes.sections`. */
  readonly name: string;
  readonly system?: string;
  /** What `code()` does with a key that is not here: report it and give nothing, keep the key itself as the code, or give nothing. */
  readonly unmapped: 'report' | 'keep' | 'ignore';
  readonly codes: Readonly<Record<string, CodeEntry>>;
};
