// What an EHR states that it can do, and what using it has shown. Both together decide how the engine writes to it.

export type TypeCapabilities = {
  readonly canRead: boolean;
  readonly canSearch: boolean;
  readonly canCreate: boolean;
  readonly canUpdate: boolean;
  readonly hasConditionalCreate: boolean;
  /** False: the server keeps no versions, so a change by a person shows only in the content. */
  readonly hasVersions: boolean;
  readonly searchParameters: ReadonlySet<string>;
};

export type EhrCapabilities = {
  /** Its own name and version: `Medplum 5.0.2`. Facts about another software do not count. */
  readonly software: string;
  /** `4.0.1`; empty if it does not say. */
  readonly fhirVersion: string;
  /** False: it has no readable CapabilityStatement, and all the rest is a guess. */
  readonly isKnown: boolean;
  readonly hasTransaction: boolean;
  readonly hasBatch: boolean;
  /** By resource type. A type without an entry is not offered, unless `isKnown` is false. */
  readonly types: ReadonlyMap<string, TypeCapabilities>;
};

/** Learned by using it; a later fact of the same name replaces the earlier one. */
export type EhrFact =
  /**
   * How it runs a plain transaction. `proven-atomic`: a write test made one fail in its middle, and nothing was stored; a transaction that
   * succeeds proves nothing. `batch`: entry by entry, without announcing it.
   */
  | { readonly name: 'transaction'; readonly value: 'proven-atomic' | 'batch' | 'refused' }
  /** Whether a probe of conditional transactions passed, and how many entries one may hold. */
  | { readonly name: 'conditional'; readonly value: 'passed' | 'failed' }
  | { readonly name: 'conditional-limit'; readonly value: number }
  /** Whether it accepts a type, whatever it states. */
  | { readonly name: `type:${string}`; readonly value: 'taken' | 'refused' }
  /** `search:Condition:identifier`; `search:batch`: several reads in one batch are answered as each of them alone. */
  | { readonly name: `search:${string}`; readonly value: 'works' | 'refused' }
  /** The longest time after which a search of a write test found what was stored; 0: each first search did. */
  | { readonly name: 'search-lag-ms'; readonly value: number }
  | { readonly name: 'if-match'; readonly value: 'honoured' | 'ignored' }
  /** Whether a resource keeps the identifier (or tag) that it was sent with. `names:DocumentReference` */
  | { readonly name: `names:${string}`; readonly value: 'kept' | 'lost' }
  | { readonly name: 'drafts'; readonly value: 'taken' | 'refused' }
  /** The last server outside of the EHR to which a recording was linked and that the site does not list: `https://media.example.org`. */
  | { readonly name: 'recording-origin'; readonly value: string };

export type LearnedFact = EhrFact & { readonly learnedAt: Date };

/** An EHR as it describes itself, with what was learned by using it. */
export type EhrProfile = { readonly capabilities: EhrCapabilities; readonly facts: readonly EhrFact[] };

/** An EHR that does not describe itself is tried. */
export function canUpdate({ isKnown, types }: EhrCapabilities, type: string): boolean {
  return types.get(type)?.canUpdate ?? !isKnown;
}

/** A write test that found everything this soon saw a search that is not behind. */
const SOON_MS = 1_000;
/** A search that is usually not behind may be so for a moment. */
const MOMENT_MS = 10_000;

/** How long a stored resource may stay invisible to a search of this EHR: as set, or less after a write test that found all at once. */
export function searchLagOf(
  facts: readonly EhrFact[],
  setMs: number,
): { readonly searchLagMs: number; readonly isSearchImmediate: boolean } {
  const seen = factNamed(facts, 'search-lag-ms');
  const isSearchImmediate = typeof seen === 'number' && seen <= SOON_MS;
  return { searchLagMs: isSearchImmediate ? Math.min(setMs, MOMENT_MS) : setMs, isSearchImmediate };
}

/** The newest fact of that name. */
export function factNamed(facts: readonly EhrFact[], name: string): EhrFact['value'] | undefined {
  return facts.findLast((fact) => fact.name === name)?.value;
}
