// Finds names in the raw text of a PDF, also where their letters are written as #xx.

const GAP = '[\\0\\s]*';
/** A name is followed by white space, a delimiter or the end. */
const NAME_END = '(?![^\\0\\s()<>[\\]{}/%])';
/**
 * A name is preceded by white space, a delimiter, a number, a keyword or one of the keys whose value it is. Anything else is
 * a path in a link, such as https://example.org/Launch.
 */
const NAME_START = `(?:(?<![^\\0\\s()<>[\\]{}%])|(?<=\\d|R|obj|null|true|false|${['S', 'Type', 'Subtype'].map(letters).join('|')}))`;

/** Scripts, programs to start, and files within the file. */
const ACTIVE = ['JavaScript', 'Launch', 'EmbeddedFile', 'EmbeddedFiles', 'RichMedia'];
const ACTIVE_NAME = new RegExp(`${NAME_START}(?:${ACTIVE.map(nameOf).join('|')})`);
/** `/JS` with a string or a reference: short enough to be met by chance, so only in pairs with what uses it. */
const SCRIPT = nameThen('JS', '(?:\\(|<|\\d+[\\0\\s]+\\d+[\\0\\s]+R)');
const RENDITION = new RegExp(nameOf('Rendition'));

/** Source of a pattern for this name and no longer one. */
export function nameOf(word: string): string {
  return `${letters(word)}${NAME_END}`;
}

export function nameThen(word: string, value: string): RegExp {
  return new RegExp(`${nameOf(word)}${GAP}${value}`);
}

export function holdsActive(text: string): boolean {
  return ACTIVE_NAME.test(text) || (RENDITION.test(text) && SCRIPT.test(text));
}

function letters(word: string): string {
  return `/${[...word].map((letter) => `(?:${letter}|#${hexPattern(letter)})`).join('')}`;
}

function hexPattern(letter: string): string {
  const hex = letter.charCodeAt(0).toString(16);
  return [...hex].map((digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`).join('');
}
