// Folding makes words comparable: lower case, no accents. Code that needs an accent to tell two languages apart reads it before.

const NOT_ASCII = /[^\0-\x7f]/;
/** No listed word is longer, so the rest of a word is cut. */
const MAX_WORD = 40;

export function foldText(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.normalize('NFD').replace(/\p{M}/gu, '') : lower;
}

/** Folds one word and also removes its dots and apostrophes. */
export function foldWord(word: string): string {
  const short = word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}~` : word;
  const lower = short.toLowerCase().normalize('NFC');
  // This word alone means something else without its accent: `sí` is yes, `si` is if.
  if (lower === 'sí') return lower;
  return /^[a-z]*$/.test(lower) ? lower : foldText(lower).replace(/[.'’]/g, '');
}

/** Returns roughly the singular, in any of the three languages. Compare stems only with stems. */
export function stemOf(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word;
  if (word.endsWith('oes')) return `${word.slice(0, -3)}ao`;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /(ss|us|is)$/.test(word) ? word : word.slice(0, -1);
}
