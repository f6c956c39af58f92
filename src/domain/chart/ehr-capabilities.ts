// What an EHR says that it can do, and what was learned of it by using it. Both together decide how it is written to.

export type TypeCapabilities = {
  readonly canRead: boolean;
  readonly canSearch: boolean;
  readonly canCreate: boolean;
  readonly canUpdate: boolean;
  readonly hasConditionalCreate: boolean;
  /** False: the server keeps no versions, so nobody can tell who changed what. */
  readonly hasVersions: boolean;
  readonly searchParameters: ReadonlySet<string>;
};

export type EhrCapabilities = {
  /** Name and version, as it calls itself: `Medplum 5.0.2`. What was learned of another one does not count. */
  readonly software: string;
  /** `4.0.1`; empty where it does not say. */
  readonly fhirVersion: string;
  /** False: it has no CapabilityStatement that can be read, and all the rest is a guess. */
  readonly isKnown: boolean;
  readonly hasTransaction: boolean;
  readonly hasBatch: boolean;
  /** By resource type; one that is not here is not offered, unless nothing is known. */
  readonly types: ReadonlyMap<string, TypeCapabilities>;
};

/** Learned by using it; the later of a name replaces the earlier. */
export type EhrFact =
  /** What it does with a plain transaction. `batch`: it runs it entry by entry and does not say so before. */
  | { readonly name: 'transaction'; readonly value: 'atomic' | 'batch' | 'refused' }
  /** Whether a probe of conditional transactions passed; and how many entries one may hold. */
  | { readonly name: 'conditional'; readonly value: 'passed' | 'failed' }
  | { readonly name: 'conditional-limit'; readonly value: number }
  /** A type that it said it would take, and did not. */
  | { readonly name: `type:${string}`; readonly value: 'taken' | 'refused' }
  /** `search:Condition:identifier` */
  | { readonly name: `search:${string}`; readonly value: 'works' | 'refused' }
  | { readonly name: 'if-match'; readonly value: 'honoured' | 'ignored' }
  /** Whether a resource keeps the identifier (or tag) that it was sent with. `names:DocumentReference` */
  | { readonly name: `names:${string}`; readonly value: 'kept' | 'lost' }
  | { readonly name: 'drafts'; readonly value: 'taken' | 'refused' };

export type LearnedFact = EhrFact & { readonly learnedAt: Date };

/** An EHR as it describes itself, with what was learned by using it. */
export type EhrProfile = { readonly capabilities: EhrCapabilities; readonly facts: readonly EhrFact[] };

/** An EHR that does not describe itself is tried. */
export function canUpdate({ isKnown, types }: EhrCapabilities, type: string): boolean {
  return types.get(type)?.canUpdate ?? !isKnown;
}

/** The newest fact of that name. */
export function factNamed(facts: readonly EhrFact[], name: string): EhrFact['value'] | undefined {
  return facts.findLast((fact) => fact.name === name)?.value;
}
