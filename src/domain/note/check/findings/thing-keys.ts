// What a note states and a talk names is known by its key: `list:fever`, `history:asthma`, `lexicon:dry-cough`. Which keys mean the same, or
// nearly the same.
import type { Lexicon } from '../../lexicon.ts';
import { LESS_EXACT } from '../finding-words.ts';
import { BROADER } from './history-words.ts';
import { IN_LEXICON } from './lexicon-names.ts';

const LEXICON = 'lexicon:';
/** Of no part that the lists know. */
export const PAIN = 'list:pain';
/** Of whatever part of the body. */
export const ANY_PAIN = 'list:any pain';

/** These keys, and those of the lexicon that mean the same. */
export function sameKeys(keys: readonly string[]): readonly string[] {
  return unique(keys.flatMap((key) => [key, ...(IN_LEXICON.get(nameOf(key)) ?? []).map((id) => LEXICON + id)]));
}

/** The same with all that implies it or is implied by it. */
export function kindredKeys(keys: readonly string[], lexicon: Lexicon | undefined): readonly string[] {
  const all = sameKeys(keys).flatMap((key) => {
    if (!key.startsWith(LEXICON) || lexicon === undefined) return [key];
    return [...lexicon.kinOf(nameOf(key))].map((kin) => LEXICON + kin);
  });
  return unique(all);
}

/** What says the same less exactly. */
export function broaderKeys(keys: readonly string[]): readonly string[] {
  return keys.flatMap((key) => {
    const name = nameOf(key);
    if (name.startsWith('pain')) return name === 'pain' ? [ANY_PAIN] : [PAIN];
    if (key.startsWith('list:')) return (LESS_EXACT.get(name) ?? []).map((other) => `list:${other}`);
    return key.startsWith('history:') ? (BROADER.get(name) ?? []).map((other) => `history:${other}`) : [];
  });
}

/** Behind the source: `fever`. */
export function nameOf(key: string): string {
  return key.slice(key.indexOf(':') + 1);
}

function unique(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)];
}
