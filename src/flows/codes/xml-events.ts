// A small reader of XML as a stream: tags, their attributes and text. It loads nothing, declares no entities and keeps at most one tag in
// memory, so that no document can make it grow or reach out.
import { wrongFile, wrongLine } from './code-file.ts';

export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

const MAX_TAG = 65_536;
const MAX_DEPTH = 100;
const MAX_ENTITY = 12;
const NAME = '[A-Za-z_][\\w.:-]*';
const OPEN_TAG = new RegExp(`^(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)$`);
const CLOSE_TAG = new RegExp(`^/(${NAME})\\s*$`);
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g');
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** What is skipped, from its first characters to its last. */
const SKIPPED: readonly (readonly [start: string, end: string])[] = [
  ['!--', '-->'],
  ['?', '?>'],
];
const CDATA = '![CDATA[';
const CDATA_END = ']]>';
const DOCTYPE = '!DOCTYPE';

export class XmlEvents {
  readonly #open: string[] = [];
  #rest = '';
  #line = 1;
  /** The line where what was taken last begins. */
  #startLine = 1;
  /** The end of what is skipped now. */
  #skipsTo: string | undefined;
  #isInCdata = false;
  #hasRoot = false;

  *write(text: string): Generator<XmlEvent> {
    this.#rest += text;
    for (let size = -1; size !== this.#rest.length && this.#rest !== ''; ) {
      size = this.#rest.length;
      if (this.#skipsTo !== undefined) this.#skip(this.#skipsTo);
      else if (this.#isInCdata) yield* this.#cdata();
      else if (this.#rest.startsWith('<')) yield* this.#markup();
      else yield* this.#text();
    }
  }

  /** Throws if the document is not complete. */
  end(): void {
    if (this.#rest.trim() === '' && this.#hasRoot && this.#open.length === 0 && this.#skipsTo === undefined) return;
    throw wrongFile('The file ends in the middle of its XML: it is not complete.');
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#startLine = this.#line;
    this.#rest = this.#rest.slice(length);
    for (let at = taken.indexOf('\n'); at >= 0; at = taken.indexOf('\n', at + 1)) this.#line += 1;
    return taken;
  }

  #wrong(message: string): Error {
    return wrongLine(this.#startLine, message);
  }

  #skip(end: string): void {
    const at = this.#rest.indexOf(end);
    if (at < 0) {
      this.#take(Math.max(0, this.#rest.length - end.length + 1));
      return;
    }
    this.#take(at + end.length);
    this.#skipsTo = undefined;
  }

  *#cdata(): Generator<XmlEvent> {
    const at = this.#rest.indexOf(CDATA_END);
    const text = this.#take(at < 0 ? Math.max(0, this.#rest.length - CDATA_END.length + 1) : at);
    if (text !== '') yield { kind: 'text', text };
    if (at < 0) return;
    this.#take(CDATA_END.length);
    this.#isInCdata = false;
  }

  *#text(): Generator<XmlEvent> {
    const at = this.#rest.indexOf('<');
    const whole = at < 0 ? this.#rest : this.#rest.slice(0, at);
    // An entity may be cut off by the end of what has arrived.
    const entity = at < 0 ? whole.lastIndexOf('&') : -1;
    const isCut = entity >= 0 && whole.length - entity <= MAX_ENTITY && !whole.includes(';', entity);
    const text = this.#decode(this.#take(isCut ? entity : whole.length));
    if (text === '') return;
    if (this.#open.length === 0 && text.trim() !== '')
      throw this.#wrong('there is text outside of the XML: this is no ClaML.');
    yield { kind: 'text', text };
  }

  *#markup(): Generator<XmlEvent> {
    const rest = this.#rest.slice(1, DOCTYPE.length + 1);
    const skipped = SKIPPED.find(([start]) => rest.startsWith(start));
    if (skipped !== undefined) {
      this.#take(skipped[0].length + 1);
      this.#skipsTo = skipped[1];
      return;
    }
    if (rest.startsWith(CDATA)) {
      this.#take(CDATA.length + 1);
      this.#isInCdata = true;
      return;
    }
    // More is needed to know what it is.
    if (rest.startsWith('!') && this.#rest.length <= DOCTYPE.length) return;
    const end = endOfTag(this.#rest);
    if (end < 0) {
      if (this.#rest.length > MAX_TAG) throw this.#wrong(`a tag is longer than ${MAX_TAG} characters.`);
      return;
    }
    if (end > MAX_TAG) throw this.#wrong(`a tag is longer than ${MAX_TAG} characters.`);
    yield* this.#tag(this.#take(end + 1).slice(1, -1));
  }

  *#tag(tag: string): Generator<XmlEvent> {
    if (tag.startsWith('!')) {
      if (tag.startsWith(DOCTYPE) && !tag.includes('[') && !this.#hasRoot) return;
      throw this.#wrong('it declares entities or parts of a DTD, which are not read.');
    }
    const closed = CLOSE_TAG.exec(tag)?.[1];
    if (closed !== undefined) {
      if (this.#open.pop() !== closed) throw this.#wrong('a tag is closed that is not open: the XML is damaged.');
      yield { kind: 'close', name: closed };
      return;
    }
    const [, name, attributes = '', slash] = OPEN_TAG.exec(tag) ?? [];
    if (name === undefined) throw this.#wrong('a tag is damaged.');
    if (this.#open.length === 0 && this.#hasRoot) throw this.#wrong('there is a second root element.');
    if (this.#open.length >= MAX_DEPTH) throw this.#wrong(`elements are nested more than ${MAX_DEPTH} deep.`);
    this.#hasRoot = true;
    yield { kind: 'open', name, attributes: this.#attributes(attributes) };
    if (slash === '/') yield { kind: 'close', name };
    else this.#open.push(name);
  }

  #attributes(text: string): ReadonlyMap<string, string> {
    return new Map(
      [...text.matchAll(ATTRIBUTE)].map(
        ([, name = '', one, other]) => [name, this.#decode(one ?? other ?? '')] as const,
      ),
    );
  }

  #decode(text: string): string {
    if (!text.includes('&')) return text;
    return text.replace(/&([^&;]{0,12});?/g, (whole, name: string) => {
      const decoded = whole.endsWith(';') ? entityOf(name) : undefined;
      if (decoded === undefined) throw this.#wrong('it uses an entity that XML does not define.');
      return decoded;
    });
  }
}

/** A `>` in an attribute does not end a tag. */
function endOfTag(text: string): number {
  let quote = '';
  for (let index = 0; index < text.length && index <= MAX_TAG; index++) {
    const character = text.charAt(index);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '>') return index;
    else if (character === '"' || character === "'") quote = character;
  }
  return -1;
}

function entityOf(name: string): string | undefined {
  if (Object.hasOwn(ENTITIES, name)) return ENTITIES[name];
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name) ?? [];
  if (hex === undefined && decimal === undefined) return undefined;
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  const isCharacter =
    point >= 0x20
      ? point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
      : point === 9 || point === 10 || point === 13;
  return isCharacter ? String.fromCodePoint(point) : undefined;
}
