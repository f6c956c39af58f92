// The span of a piece of work, in the trace that it belongs to.

export type SpanFacts = {
  readonly name: string;
  /** Ids, names and codes of closed sets: never clinical text, and no reference of a patient. */
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
};

/** The span ends with the work. What the work does, and what it begins, belongs to it. */
export type InSpan = <T>(span: SpanFacts, work: () => Promise<T>) => Promise<T>;
