// FHIR R4 as published, without its documentation: types with their elements, invariants, value sets and code systems. The data beside
// this file is made by .ci/validation-definitions.ts, and is read at the first call. It has 1 MB, so call it only when it is needed.
import { readFileSync } from 'node:fs';

export type CompactElement = {
  /** `Composition.section.entry` */
  readonly path: string;
  /** 0 if absent. */
  readonly min?: number;
  /** 1 if absent. */
  readonly max?: string;
  /** The base type's `max`, if it differs: an element that is a list in the base type stays one. */
  readonly baseMax?: string;
  /** `dateTime`, `Reference(Patient|Group)` */
  readonly types?: readonly string[];
  readonly contentReference?: string;
  /** The value set of a required binding. */
  readonly valueSet?: string;
  /** The names of its invariants, with spaces between them. */
  readonly rules?: string;
};

type FhirR4 = {
  readonly types: Readonly<Record<string, CompactType>>;
  readonly invariants: Readonly<Record<string, readonly [expression: string, human: string]>>;
  /** The codes of value sets that can be listed, by code system; `true` stands for all codes of the system. */
  readonly valueSets: Readonly<Record<string, readonly (readonly [system: string, codes: readonly string[] | true])[]>>;
  /** The code systems that FHIR publishes completely. */
  readonly systems: Readonly<Record<string, readonly string[]>>;
};

export type CompactType = {
  readonly kind: 'primitive-type' | 'complex-type' | 'resource' | 'logical';
  readonly abstract?: boolean;
  /** The type that a profile such as SimpleQuantity narrows. */
  readonly type?: string;
  readonly elements: readonly CompactElement[];
};

let loaded: FhirR4 | undefined;

export function readFhirR4(): FhirR4 {
  loaded ??= JSON.parse(readFileSync(new URL('./fhir-r4.json', import.meta.url), 'utf8')) as FhirR4;
  return loaded;
}

/** `Reference(Patient|Group)` as its parts; no targets: any resource. */
export function splitType(word: string): { readonly code: string; readonly targets: readonly string[] } {
  const [code = '', targets] = word.split(/[()]/);
  return { code, targets: targets?.split('|') ?? [] };
}
