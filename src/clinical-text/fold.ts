// How words are compared: in lower case, without accents. What tells two languages apart by an accent is looked at before.

const NOT_ASCII = /[^\0-\x7f]/;
/** No word of a lexicon is longer: the rest is cut. */
const MAX_WORD = 40;

export function foldText(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.normalize('NFD').replace(/\p{M}/gu, '') : lower;
}

/** One word, without dots and apostrophes either. */
export function foldWord(word: string): string {
  const short = word.length > MAX_WORD ? `${word.slice(0, MAX_WORD)}~` : word;
  const lower = short.toLowerCase().normalize('NFC');
  // The only word that means something else without its accent: `sí` is yes, `si` is if.
  if (lower === 'sí') return lower;
  return /^[a-z]*$/.test(lower) ? lower : foldText(lower).replace(/[.'’]/g, '');
}

/** Roughly the singular, in any of the three languages. Compare stems only with stems. */
export function stemOf(word: string): string {
  if (word.length < 4 || !word.endsWith('s')) return word;
  if (word.endsWith('oes')) return `${word.slice(0, -3)}ao`;
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /(ss|us|is)$/.test(word) ? word : word.slice(0, -1);
}
