// Makes words of medicine comparable across English, Spanish and Portuguese. Most of them are Latin or Greek and differ only by rules of
// spelling and by endings: haemorrhage, hemorrhage; fractura, fratura; neumonía, pneumonia; infección, infecção, infection.
import { stemOf } from '../fold.ts';

/** A shorter word is often an abbreviation: `CKD` is no `CHD`. */
const SHORTEST_WORD = 4;
/** Letters that remain when an ending is removed. */
const SHORTEST_KEY = 4;

/** The word in one spelling, with its ending. It expects a folded word. The beginning of a word keeps being a beginning. */
export function respell(folded: string): string {
  if (folded.length < SHORTEST_WORD) return folded;
  return folded
    .replace(/[ao]e/g, 'e')
    .replace(/ph/g, 'f')
    .replace(/([tr])h/g, '$1')
    .replace(/ch|k|qu(?=[ei]|$)/g, 'c')
    .replace(/y/g, 'i')
    .replace(/tion(?=s?$)|cao$/g, 'cion')
    .replace(/tial/g, 'cial')
    .replace(/sao$/, 'sion')
    .replace(/ao$/, 'on')
    .replace(/ct/g, 't')
    .replace(/our(?=s?$)/, 'or')
    .replace(/^p(?=[ns])/, '')
    .replace(/^es(?=[^aeious])/, 's')
    .replace(/(.)\1/g, '$1');
}

/** The spelling without number and gender. Compare keys only with keys. */
export function spellingKey(folded: string): string {
  const spelled = respell(stemOf(folded.replace(/ais$/, 'al')));
  const ending = /(?:i?[ao]s?|es?|is|us|i)$/.exec(spelled);
  return ending !== null && ending.index >= SHORTEST_KEY ? spelled.slice(0, ending.index) : spelled;
}
