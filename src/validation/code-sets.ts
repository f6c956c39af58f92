// The codes of FHIR R4: the value sets of its required bindings that can be listed, and its own code systems.
import { readFhirR4 } from './fhir-r4.ts';

export type CodeSet = {
  /** Codes by code system. */
  readonly systems: ReadonlyMap<string, ReadonlySet<string>>;
};

export type CodeSets = {
  /** Undefined if the value set is unknown, or cannot be listed (languages, media types, units). */
  readonly valueSet: (url: string) => CodeSet | undefined;
  /** All codes of one of FHIR's own code systems; undefined for others, and for those that FHIR does not list completely. */
  readonly codeSystem: (url: string) => ReadonlySet<string> | undefined;
};

/** Codes that were added after R4, and that this engine writes. */
const NEWER: Readonly<Record<string, readonly string[]>> = {
  'http://terminology.hl7.org/CodeSystem/v3-ObservationValue': ['AIAST'],
};

let loaded: CodeSets | undefined;

export function loadCodeSets(): CodeSets {
  loaded ??= { codeSystem: cached(codeSystem), valueSet: cached(valueSet) };
  return loaded;
}

function codeSystem(url: string): ReadonlySet<string> | undefined {
  const { systems } = readFhirR4();
  return Object.hasOwn(systems, url) ? new Set([...(systems[url] ?? []), ...(NEWER[url] ?? [])]) : undefined;
}

function valueSet(url: string): CodeSet | undefined {
  const { valueSets } = readFhirR4();
  if (!Object.hasOwn(valueSets, url)) return undefined;
  const systems = new Map<string, ReadonlySet<string>>();
  for (const [system, codes] of valueSets[url] ?? []) {
    const added = codes === true ? codeSystem(system) : codes;
    systems.set(system, new Set([...(systems.get(system) ?? []), ...(added ?? [])]));
  }
  return { systems };
}

/** FHIR has a few hundred of them, so nothing is ever dropped; the resources may name any other, which is not stored. */
function cached<T>(find: (url: string) => T | undefined): (url: string) => T | undefined {
  const found = new Map<string, T>();
  return (url) => {
    const value = found.get(url) ?? find(url);
    if (value !== undefined) found.set(url, value);
    return value;
  };
}
