// The names of HTML and SVG elements, by how a text without them is written.

/** Elements within a line: the words on both sides stay together. */
export const INLINE: ReadonlySet<string> = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** Elements with a line of their own. */
export const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote body br center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol p pre section summary table tbody tfoot thead title tr ul'.split(
    ' ',
  ),
);

const OTHERS: ReadonlySet<string> = new Set(
  'animate applet area audio base basefont bgsound button canvas caption circle col colgroup datalist defs desc ellipse embed filter foreignobject frame frameset g iframe image img input isindex keygen line lineargradient link listing map marquee math mask meta metadata meter mi mn mo mtext noembed noframes noscript object optgroup option output param path pattern picture plaintext polygon polyline portal progress rect script select set slot source stop style svg symbol td template text textarea textpath th track tspan use video view xml xmp'.split(
    ' ',
  ),
);

/** Words and abbreviations of clinical texts as well as elements: "a <b", "PEEP <base value". */
const WORDS: ReadonlySet<string> = new Set(
  'a abbr address area article aside b base big body button caption center circle cite code col data del desc details dialog dir dd dl dt em embed figure filter footer form frame g head header i image input ins label legend li line link listing main map mark mask math menu meta meter mi mn mo object ol option output p path pattern picture pre progress q rb rect rp rt ruby s samp section select set slot small source span stop strong sub summary sup symbol table td template text th time title tr track tt u use var view xml'.split(
    ' ',
  ),
);

export function isElement(name: string): boolean {
  return INLINE.has(name) || BLOCKS.has(name) || OTHERS.has(name) || /^[a-z]{1,10}:[a-z]{1,30}$/.test(name);
}

export function isWordToo(name: string): boolean {
  return WORDS.has(name);
}
