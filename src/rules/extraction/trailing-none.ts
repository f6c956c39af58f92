// A "none" behind its noun negates only that noun, and a "not" that ends a comparison begins no list of denied findings.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { Cue, SentenceView } from './mentions.ts';

const LONGEST_NOUN = 5;
const NONE = /^(nenhum|nenhuma|ningun|ninguno|ninguna|alguno|alguna|whatsoever)$/;
const NO_NOUN =
  /^(e|y|and|com|con|with|mas|pero|but|no|na|nos|nas|em|en|in|desde|since|ha|hace|faz|hoje|hoy|agora|ahora|para|quando|cuando)$/;
const DOES_NOT = /^(nao|sem|nem|nunca|no|sin|ni|without|not)$/;
/** True of "sem fôlego nenhum e a suar frio" and "não tenho força nenhuma no braço e a fala enrolada". */
export function isBehindItsNoun({ tokens, sentence }: SentenceView, cue: Cue): boolean {
  const next = tokens[cue.to];
  return (
    NONE.test(tokens[cue.to - 1]?.text ?? '') &&
    cue.to - cue.from === 1 &&
    cue.from > sentence.from &&
    next?.before === BREAKS.none &&
    NO_NOUN.test(next.text) &&
    hasOwnNo(tokens, cue.from)
  );
}

function hasOwnNo(tokens: SentenceView['tokens'], noun: number): boolean {
  for (let at = noun; at >= Math.max(0, noun - LONGEST_NOUN); at--) {
    if (at < noun - 1 && DOES_NOT.test(tokens[at]?.text ?? '')) return true;
    if ((tokens[at]?.before ?? BREAKS.clause) >= BREAKS.comma) return false;
  }
  return false;
}

/** True of "The others are well again. She is not: cannot stand, vomits": the findings behind it are present. */
export function isContrast({ tokens, hasCue }: SentenceView, cue: Cue): boolean {
  return (
    /^(ela|ele|eu|ella|el|yo|esta|este)$/.test(tokens[cue.from - 1]?.text ?? '') || hasCue(cue.to, 'negation', 'denial')
  );
}
