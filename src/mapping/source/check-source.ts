// The rules that YAML and JSON files share: keys, numbers, and the characters that escapes may write.
import type { Place } from '../../domain/mapping/mapping.ts';
import { firstControlCharacter } from './read-text.ts';
import { FORBIDDEN_KEYS, MAX_NODES } from './source-tree.ts';

export const MANY_NODES = `this file holds more than ${MAX_NODES.toLocaleString('en')} values when its aliases are written out`;

export function keyProblem(key: string, earlier: Place | undefined): string | undefined {
  if (earlier !== undefined) return `this key is already in line ${earlier.line}: an object has each key once`;
  if (FORBIDDEN_KEYS.has(key)) return `${key} cannot be a key`;
  if (key === '<<') return 'YAML merge keys (<<) are not used here: write {% merge %}';
  return undefined;
}

/** Refuses a number that would be read as another one than was written. */
export function numberProblem(value: number, source: string): string | undefined {
  if (!Number.isFinite(value)) return 'this is no number that FHIR or JSON can hold';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return 'this number has more digits than can be kept exactly: put it into quotes';
  }
  if (/^[-+]?0[0-9]/.test(source)) return 'this number would lose its leading zeros: put it into quotes';
  return undefined;
}

/** Refuses characters that escapes can write and no resource can hold. */
export function textProblem(value: string): { readonly at: number; readonly message: string } | undefined {
  const control = firstControlCharacter(value);
  if (control >= 0) return { at: control, message: 'this escape is a control character, which no text may hold' };
  const half = value.isWellFormed() ? -1 : value.search(LONE_SURROGATE);
  return half < 0 ? undefined : { at: half, message: 'this is half of a character: both halves, or none' };
}

const LONE_SURROGATE = /\p{Surrogate}/u;
