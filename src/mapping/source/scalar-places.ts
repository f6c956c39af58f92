// Finds the place in the file of each character of a text value, by walking the value and its source with quotes, escapes, folds
// and indents side by side.

export type ScalarStyle = 'plain' | 'single' | 'double' | 'block';

type Written = {
  readonly style: ScalarStyle;
  readonly value: string;
  /** The whole file. */
  readonly text: string;
  /** The range of the source text, with its quotes or its `|`. */
  readonly start: number;
  readonly end: number;
};

/** Offsets in the file by offset in the value, with one more for the end of the value. Made at the first question. */
export function makeOffsetAt(written: Written): (offset: number) => number {
  let offsets: readonly number[] | undefined;
  return (offset) => {
    offsets ??= align(written);
    const last = offsets.length - 1;
    return offsets[Math.max(0, Math.min(offset, last))] ?? written.start;
  };
}

function align({ style, value, text, start, end }: Written): readonly number[] {
  const offsets: number[] = [];
  let at = contentStart(style, text, start);
  while (offsets.length < value.length && at < end) {
    if (style === 'double' && text[at] === '\\') {
      at = alignEscape({ value, text, at, offsets });
    } else if (isBlank(text[at])) {
      at = alignBlanks({ style, value, text, at, end, offsets });
    } else {
      offsets.push(at);
      at += style === 'single' && text[at] === "'" ? 2 : 1;
    }
  }
  while (offsets.length <= value.length) offsets.push(at);
  return offsets;
}

function contentStart(style: ScalarStyle, text: string, start: number): number {
  if (style === 'plain') return start;
  if (style !== 'block') return start + 1;
  // With the line end behind the `|`, so that the first indent is a run of blanks like the others.
  const header = text.indexOf('\n', start);
  return header < 0 ? text.length : header;
}

type Step = {
  readonly value: string;
  readonly text: string;
  readonly at: number;
  readonly offsets: number[];
};

const ESCAPE_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** `\n`, `\u00e9`, or a `\` at the end of a line, which joins the lines. */
function alignEscape({ text, at, offsets }: Step): number {
  const letter = text[at + 1] ?? '';
  if (letter === '\n' || letter === '\r') {
    let next = at + 1;
    while (isBlank(text[next])) next++;
    return next;
  }
  const digits = ESCAPE_DIGITS[letter] ?? 0;
  const code = digits > 0 ? Number.parseInt(text.slice(at + 2, at + 2 + digits), 16) : 0;
  offsets.push(at);
  // Two halves of one character in JavaScript.
  if (code > 0xffff) offsets.push(at);
  return at + 2 + digits;
}

/** A run of blanks within a line is as written; one with a line end is folded, and its end is what lies on the next line. */
function alignBlanks(step: Step & { readonly style: ScalarStyle; readonly end: number }): number {
  const { style, value, text, at, end, offsets } = step;
  let next = at;
  while (next < end && isBlank(text[next])) next++;
  const written = text.slice(at, next);
  const length = written.includes('\n') ? foldedLength({ style, value, written, from: offsets.length }) : next - at;
  for (let index = 0; index < length; index++) offsets.push(Math.max(at, next - length + index));
  return next;
}

type Fold = { readonly style: ScalarStyle; readonly value: string; readonly written: string; readonly from: number };

function foldedLength({ style, value, written, from }: Fold): number {
  if (style === 'double') {
    // The blanks after it may come from an escape, so they are counted in the source text.
    const lineEnds = written.split('\n').length - 1;
    return lineEnds === 1 ? 1 : lineEnds - 1;
  }
  let length = 0;
  while (isBlank(value[from + length])) length++;
  return length;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\r';
}
