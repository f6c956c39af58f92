// Decodes characters that are written as HTML entities or as escapes, because a viewer decodes them too.

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  bsol: '\\',
  colon: ':',
  commat: '@',
  equals: '=',
  excl: '!',
  grave: '`',
  gt: '>',
  lbrack: '[',
  lpar: '(',
  lsqb: '[',
  lt: '<',
  nbsp: ' ',
  newline: '\n',
  num: '#',
  period: '.',
  quest: '?',
  quot: '"',
  rbrack: ']',
  rpar: ')',
  rsqb: ']',
  shy: '',
  sol: '/',
  tab: '\t',
  zerowidthspace: '',
};

/** `&lt;`, `&#60;` and `&#x3c;`, also without the semicolon where browsers take that, and with the ampersand encoded any number of times. */
const ENTITY =
  /&(?:amp;?|#0*38;?|#x0*26;?)*(?:#x0*([\da-f]{1,6});?|#0*(\d{1,7});?|([a-z]{2,14});|(lt|gt|amp;|quot|nbsp))/gi;

/** `%3c`, `\u003c` and `\x3c`, and the wide forms. */
const ESCAPED_LESS = /%3c|\\u\{?0*3c\}?|\\x3c|[\uff1c\ufe64]/gi;
const ESCAPED_GREATER = /%3e|\\u\{?0*3e\}?|\\x3e|[\uff1e\ufe65]/gi;

export function decodeEntities(text: string): string {
  return text
    .replace(ENTITY, (entity, hex?: string, decimal?: string, name?: string, open?: string) => {
      if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
      if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10));
      return NAMED[(name ?? open ?? '').replace(';', '').toLowerCase()] ?? entity;
    })
    .replace(ESCAPED_LESS, '<')
    .replace(ESCAPED_GREATER, '>');
}

/** The gap character and other noncharacters are none that a text can ask for. */
function characterOf(code: number): string {
  if (code === 0 || code > 0x10_ffff || (code & 0xfffe) === 0xfffe || (code >= 0xd800 && code <= 0xdfff)) return '';
  return String.fromCodePoint(code);
}
