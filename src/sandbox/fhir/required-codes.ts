// The codes of the value sets from which FHIR R4 leaves no way out: read from the published ones when one is met for the first time.
import type { CodeSystem, CodeSystemConcept, ValueSet } from '@medplum/fhirtypes';
import { publishedDefinition } from './published-definitions.ts';
import { isObject } from './resource-values.ts';

/** By system. */
export type RequiredCodes = ReadonlyMap<string, ReadonlySet<string>>;

const known = new Map<string, RequiredCodes | undefined>();

/** Undefined: they are no list (languages, media types, units). */
export function requiredCodes(valueSet: string): RequiredCodes | undefined {
  if (!known.has(valueSet)) known.set(valueSet, load(valueSet));
  return known.get(valueSet);
}

function load(valueSet: string): RequiredCodes | undefined {
  const { compose } = (published('ValueSet', valueSet) ?? {}) as Partial<ValueSet>;
  if (!compose || compose.exclude) return undefined;
  const codes = new Map<string, ReadonlySet<string>>();
  for (const { system, concept, filter, valueSet: others } of compose.include) {
    if (system === undefined || filter || others) return undefined;
    const listed = concept ? new Set(concept.map(({ code }) => code)) : codesOfSystem(system);
    if (!listed) return undefined;
    codes.set(system, listed);
  }
  return codes;
}

function codesOfSystem(system: string): ReadonlySet<string> | undefined {
  const { concept, content } = (published('CodeSystem', system) ?? {}) as Partial<CodeSystem>;
  const below = ({ code, concept: more = [] }: CodeSystemConcept): readonly string[] => [code, ...more.flatMap(below)];
  return concept && content === 'complete' ? new Set(concept.flatMap(below)) : undefined;
}

function published(kind: 'ValueSet' | 'CodeSystem', url: string): unknown {
  return publishedDefinition('valuesets', `${kind}/${url.slice(url.lastIndexOf('/') + 1)}`);
}

/** A code, a Coding, or a concept with at least one coding that is of them. */
export function isOfRequired(codes: RequiredCodes, value: unknown): boolean {
  if (typeof value === 'string') return [...codes.values()].some((listed) => listed.has(value));
  if (!isObject(value)) return true;
  const { coding, system, code } = value;
  if (Array.isArray(coding)) return coding.some((one) => isOfRequired(codes, one));
  return typeof system === 'string' && typeof code === 'string' && (codes.get(system)?.has(code) ?? false);
}
