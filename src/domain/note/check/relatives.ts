// Finds the relative whom a finding or an age belongs to: `my mother had a stroke at fifty`, `diabetes en mi madre`.
import type { Cues } from '../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';

/** Words between a relative and what is said of them. */
const REACH = 7;
/** Words between a finding and the relative behind it: `diabetes de mi madre`. */
const BEHIND = 3;
/** Words between `who` and what is said of a relative. */
const WHO_REACH = 4;
const MINE = new Set(['mi', 'tu', 'su', 'my', 'his', 'her', 'your', 'minha', 'sua']);

/** True of what is said of another person than the patient. */
export function isOfRelative(tokens: readonly Token[], first: number, cues: Cues): boolean {
  return (
    relativeBefore(tokens, first, cues) !== undefined ||
    relativeBehind(tokens, first, cues) !== undefined ||
    relativeNamedBehind(tokens, first, cues) !== undefined ||
    isOfRelatedSpeaker(tokens, first, cues)
  );
}

/** `It's me that comes out in a rash`: who says so is not the patient. */
export function isOfRelatedSpeaker(tokens: readonly Token[], first: number, cues: Cues): boolean {
  return placesBefore(tokens, first, REACH).some((index) => cues.emphatic.lengthAt(tokens, index) > 0);
}

/** The relative in `Quem toma varfarina é o meu marido`. */
export function relativeNamedBehind(tokens: readonly Token[], first: number, cues: Cues): string | undefined {
  if (!placesBefore(tokens, first, WHO_REACH).some((index) => cues.who.lengthAt(tokens, index) > 0)) return undefined;
  const sentence = tokens[first]?.sentence;
  for (let index = first + 1; index <= first + REACH && tokens[index]?.sentence === sentence; index += 1) {
    const length = cues.are.lengthAt(tokens, index);
    if (length === 0) continue;
    for (let at = index + length; at <= index + length + BEHIND; at += 1) {
      const member = tokens[at]?.sentence === sentence ? memberAt(tokens, at, cues) : undefined;
      if (member !== undefined) return member;
    }
  }
  return undefined;
}

/** The places before this one in its sentence, the nearest first. */
function placesBefore(tokens: readonly Token[], first: number, reach: number): readonly number[] {
  const places = Array.from({ length: Math.min(first, reach) }, (_, back) => first - 1 - back);
  return places.filter((index) => tokens[index]?.sentence === tokens[first]?.sentence);
}

/** The nearest relative before this place in its sentence, unless the speaker names themselves in between. */
export function relativeBefore(tokens: readonly Token[], first: number, cues: Cues, reach = REACH): string | undefined {
  const sentence = tokens[first]?.sentence;
  let words = 0;
  for (let index = first - 1; index >= 0 && words < reach; index -= 1) {
    const token = tokens[index];
    if (token?.sentence !== sentence) return undefined;
    const member = memberAt(tokens, index, cues);
    if (member !== undefined) return member;
    if (cues.self.lengthAt(tokens, index) > 0) return undefined;
    if (token?.kind !== 'mark') words += 1;
  }
  return undefined;
}

/** The relative behind this place: `a stroke in my father`. */
function relativeBehind(tokens: readonly Token[], first: number, cues: Cues): string | undefined {
  for (let index = first + 1; index <= first + BEHIND; index += 1) {
    const length = cues.belonging.lengthAt(tokens, index);
    if (tokens[index]?.sentence !== tokens[first]?.sentence) return undefined;
    if (length === 0) continue;
    const owner = cues.owners.lengthAt(tokens, index + length);
    return memberAt(tokens, index + length + owner, cues);
  }
  return undefined;
}

export function memberAt(tokens: readonly Token[], index: number, cues: Cues): string | undefined {
  const token = tokens[index];
  if (token === undefined || isBreast(tokens, index) || isLineage(tokens, index)) return undefined;
  return cues.kin.get(token.word) ?? cues.kin.get(token.stem);
}

/** `My aunt on my mother's side`, `minha tia por parte de mãe`: the aunt is meant. */
function isLineage(tokens: readonly Token[], index: number): boolean {
  if (tokens[index + 1]?.word === 'side') return true;
  return tokens[index - 1]?.word === 'de' && tokens[index - 2]?.word === 'parte';
}

/** `La mama` is a breast; `mamá` and `mi mama` are a mother. */
function isBreast(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  return token?.word === 'mama' && !token.isAccented && !MINE.has(tokens[index - 1]?.word ?? '');
}
