// A "none" behind its noun negates only that noun, and a "not" that ends a comparison begins no list of denied findings.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isWord } from './history.ts';
import type { Cue, SentenceView } from './mentions.ts';

const LONGEST_NOUN = 5;
/** True of "sem fôlego nenhum e a suar frio" and "não tenho força nenhuma no braço e a fala enrolada". */
export function isBehindItsNoun(view: SentenceView, cue: Cue): boolean {
  return (
    isWord(view, cue.to - 1, 'none-behind-noun') &&
    cue.to - cue.from === 1 &&
    cue.from > view.sentence.from &&
    view.tokens[cue.to]?.before === BREAKS.none &&
    isWord(view, cue.to, 'behind-none') &&
    hasOwnNo(view, cue.from)
  );
}

function hasOwnNo(view: SentenceView, noun: number): boolean {
  for (let at = noun; at >= Math.max(0, noun - LONGEST_NOUN); at--) {
    if (at < noun - 1 && isWord(view, at, 'does-not')) return true;
    if ((view.tokens[at]?.before ?? BREAKS.clause) >= BREAKS.comma) return false;
  }
  return false;
}

/** True of "The others are well again. She is not: cannot stand, vomits": the findings behind it are present. */
export function isContrast(view: SentenceView, cue: Cue): boolean {
  return isWord(view, cue.from - 1, 'contrasted') || view.hasCue(cue.to, 'negation', 'denial');
}
