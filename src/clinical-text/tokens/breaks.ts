// The break between two words: none, a comma, the end of a clause or the end of a sentence. The dot of an abbreviation and the end of a
// wrapped line are no break.

export const BREAKS = { none: 0, comma: 1, clause: 2, sentence: 3 } as const;
export type Break = (typeof BREAKS)[keyof typeof BREAKS];

/** A dot behind them ends no sentence, unless a capital letter follows. */
const ABBREVIATIONS = new Set(
  (
    'st approx aprox abd temp pct pte pcte hist tto ttmo trat sem min hr hrs ej etc lat ' +
    'izq izqda izqdo der dcha dcho esq dir resp fem masc aprx dx sx ex art fig cont fx qx max med num hosp obs neg pos bilat ant post sup inf ' +
    'sec seg seg mes meses anos tel av pag ca cf inc dept depto'
  ).split(' '),
);

/** A dot behind them never ends a sentence: a name follows. */
export const TITLES = new Set(['dr', 'dra', 'drs', 'sr', 'sra', 'srta', 'mr', 'mrs', 'ms', 'prof', 'vs']);

/** A line of this length was probably wrapped. */
const WRAPPED_FROM = 60;

type Between = {
  readonly between: string;
  /** The word before, folded. */
  readonly last: string;
  readonly isAbbreviation: boolean;
  readonly isCapital: boolean;
  readonly isQueried: boolean;
  readonly text: string;
  /** The offset of `between` in `text`. */
  readonly from: number;
};

export function breakBetween(parts: Between): Break {
  const { between } = parts;
  if (between === '' || between === ' ') return BREAKS.none;
  if (isLineEnd(parts) || isSentenceEnd(parts)) return BREAKS.sentence;
  if (/[;:]/.test(between)) return BREAKS.clause;
  return /[,()[\]–—¿¡→]|\s-|-\s/.test(between) ? BREAKS.comma : BREAKS.none;
}

function isSentenceEnd({ between, last, isAbbreviation, isCapital, isQueried }: Between): boolean {
  if (/[!…•|]|\.\.+/.test(between)) return true;
  if (between.includes('?')) return !isQueried;
  if (!between.includes('.') || TITLES.has(last)) return false;
  if (/^\.\s*$/.test(between) && (isAbbreviation || ABBREVIATIONS.has(last))) return isCapital && between !== '.';
  // "fever.cough" is two sentences without a blank; "p.ej" is an abbreviation.
  return /\.[\s"'”)\]]/.test(between) || last.length > 2;
}

function isLineEnd({ between, isCapital, text, from }: Between): boolean {
  const line = between.search(/[\n\r\u2028]/);
  if (line < 0) return false;
  if (/\n\s*\n/.test(between) || /[\n\r]\s*[-*•>·]/.test(between) || isCapital) return true;
  if (/[,(]\s*[\n\r]/.test(between)) return false;
  // Looks back over the length of one line, not over the whole text.
  const before = text.slice(Math.max(0, from + line - WRAPPED_FROM), from + line);
  return before.length < WRAPPED_FROM || /[\n\r]/.test(before);
}
