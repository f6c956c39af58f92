// The elements and attributes that FHIR allows in a narrative (the lists of its invariant txt-1), and rules that keep a browser from
// loading or running anything. Attribute values come decoded.

export const XHTML = 'http://www.w3.org/1999/xhtml';

const ELEMENTS = new Set([
  ...[
    'a',
    'abbr',
    'acronym',
    'b',
    'big',
    'blockquote',
    'br',
    'caption',
    'cite',
    'code',
    'col',
    'colgroup',
    'dd',
    'dfn',
  ],
  ...[
    'div',
    'dl',
    'dt',
    'em',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'i',
    'img',
    'li',
    'ol',
    'p',
    'pre',
    'q',
    'samp',
  ],
  ...['small', 'span', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'tt', 'ul', 'var'],
]);

const ATTRIBUTES = new Set([
  ...['abbr', 'accesskey', 'align', 'alt', 'axis', 'bgcolor', 'border', 'cellhalign', 'cellpadding', 'cellspacing'],
  ...['cellvalign', 'char', 'charoff', 'charset', 'cite', 'class', 'colspan', 'compact', 'coords', 'dir', 'frame'],
  ...['headers', 'height', 'href', 'hreflang', 'hspace', 'id', 'lang', 'longdesc', 'name', 'nowrap', 'rel', 'rev'],
  ...['rowspan', 'rules', 'scope', 'shape', 'span', 'src', 'start', 'style', 'summary', 'tabindex', 'title', 'type'],
  ...['valign', 'value', 'vspace', 'width', 'xml:lang', 'xmlns'],
]);

/** Names that a message may quote: no word of a note is one of these by chance. */
const SAID = new Set([
  ...[
    'applet',
    'area',
    'audio',
    'base',
    'body',
    'button',
    'canvas',
    'embed',
    'font',
    'form',
    'frame',
    'frameset',
    'head',
  ],
  ...['html', 'iframe', 'input', 'link', 'map', 'math', 'meta', 'object', 'option', 'script', 'select', 'style', 'svg'],
  ...['template', 'textarea', 'title', 'video'],
]);

const LINK_SCHEMES = new Set(['http', 'https', 'mailto', 'tel', 'urn']);
const LINKS = new Set(['href', 'cite', 'longdesc']);
const INNER_IMAGE = /^(?:#|data:image\/(?:png|jpeg|gif|webp);base64,)/;
/** Parts of a style that could load, run or hide something. */
const ACTIVE_STYLE = /[\\@<]|\/\*|url|expression|script|behavior|binding|import/i;

/** What is wrong, as the end of a sentence about the narrative. */
export function elementProblem(name: string): string | undefined {
  if (ELEMENTS.has(name)) return undefined;
  const lower = name.toLowerCase();
  if (ELEMENTS.has(lower)) return `has <${lower}> in capitals: XHTML is lower case`;
  const what = SAID.has(lower) ? `<${lower}>` : 'an element';
  return `has ${what} that FHIR allows in no narrative; text from outside must go through xhtml()`;
}

type Attribute = { readonly element: string; readonly name: string; readonly value: string };

export function attributeProblem({ element, name, value }: Attribute): string | undefined {
  if (/^on/i.test(name)) return 'has an event handler (on…): FHIR allows none in a narrative';
  if (!ATTRIBUTES.has(name)) return 'has an attribute that FHIR allows in no narrative';
  if (name === 'xmlns' && value !== XHTML) return 'has a namespace other than XHTML';
  if (name === 'src' && (element !== 'img' || !INNER_IMAGE.test(value))) {
    return 'has an image from elsewhere: images must be inside (#id, or data: as PNG, JPEG, GIF or WebP)';
  }
  if (LINKS.has(name) && !isLink(value))
    return `has a link (${name}) that is neither http(s), mailto, tel, urn nor relative`;
  if (name === 'style' && ACTIVE_STYLE.test(value)) return 'has a style that loads or runs something';
  return undefined;
}

function isLink(value: string): boolean {
  // Browsers drop these before they look for the scheme.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
  const address = value.replace(/[\u0000-\u0020\u007f-\u00a0]/g, '');
  const scheme = /^([^/?#:]*):/.exec(address)?.[1];
  return scheme === undefined || LINK_SCHEMES.has(scheme.toLowerCase());
}
