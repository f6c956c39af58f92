// The codes of the value sets that FHIR R4 requires.
import { loadCodeSets } from '../../validation/code-sets.ts';
import { isObject } from './resource-values.ts';

/** The codes of each code system. */
export type RequiredCodes = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns undefined if the value set cannot be listed (languages, media types, units). */
export function requiredCodes(valueSet: string): RequiredCodes | undefined {
  return loadCodeSets().valueSet(valueSet)?.systems;
}

/** True for a code, a Coding, or a concept with at least one coding of these codes. */
export function isOfRequired(codes: RequiredCodes, value: unknown): boolean {
  if (typeof value === 'string') return [...codes.values()].some((listed) => listed.has(value));
  if (!isObject(value)) return true;
  const { coding, system, code } = value;
  if (Array.isArray(coding)) return coding.some((one) => isOfRequired(codes, one));
  return typeof system === 'string' && typeof code === 'string' && (codes.get(system)?.has(code) ?? false);
}
