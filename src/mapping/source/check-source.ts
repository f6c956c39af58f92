// What YAML and JSON files have to keep alike: keys, numbers, and what escapes may stand for.
import type { Place } from '../../domain/mapping/mapping.ts';
import { firstControlCharacter } from './read-text.ts';
import { FORBIDDEN_KEYS, MAX_NODES } from './source-tree.ts';

export const MANY_NODES = `this file holds more than ${MAX_NODES.toLocaleString('en')} values when its aliases are written out`;

export function keyProblem(key: string, earlier: Place | undefined): string | undefined {
  if (earlier !== undefined) return `this key stands in line ${earlier.line} already: an object has each key once`;
  if (FORBIDDEN_KEYS.has(key)) return `${key} cannot be a key`;
  if (key === '<<') return 'YAML merge keys (<<) are not used here: write {% merge %}';
  return undefined;
}

/** A number that would come out as another than was written. */
export function numberProblem(value: number, source: string): string | undefined {
  if (!Number.isFinite(value)) return 'this is no number that FHIR or JSON can hold';
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return 'this number has more digits than can be kept exactly: put it into quotes';
  }
  if (/^[-+]?0[0-9]/.test(source)) return 'this number would lose its leading zeros: put it into quotes';
  return undefined;
}

/** What escapes can write that no resource can hold. */
export function textProblem(value: string): { readonly at: number; readonly message: string } | undefined {
  const control = firstControlCharacter(value);
  if (control >= 0) return { at: control, message: 'this stands for a control character, which no text may hold' };
  const half = value.isWellFormed() ? -1 : value.search(LONE_SURROGATE);
  return half < 0 ? undefined : { at: half, message: 'this is half of a character: both halves, or none' };
}

const LONE_SURROGATE = /\p{Surrogate}/u;
