// One JSON document, read while it arrives in pieces: a tree that only ever grows. Looks at each character at most twice,
// whatever the pieces; unfinished strings are there as prefixes, unfinished numbers and words are not there yet.
import { BrokenAnswer } from './broken-answer.ts';
import type { Growth, JsonNode, Place, ScalarNode, StringNode } from './json-tree.ts';

type OpenString = Place & { readonly kind: 'string'; text: string; isComplete: boolean };
type OpenArray = Place & { readonly kind: 'array'; readonly items: JsonNode[]; isComplete: boolean };
type OpenObject = Place & {
  readonly kind: 'object';
  readonly members: Map<string, JsonNode>;
  isComplete: boolean;
  nextKey: string;
};

/** What may come next. `first-…`: the container may also end at once. */
type Expected =
  | 'value'
  | 'first-item'
  | 'first-key'
  | 'key'
  | 'colon'
  | 'comma'
  | 'characters'
  | 'escape'
  | 'unicode'
  | 'word'
  | 'nothing';

const MAX_DEPTH = 64;
const SPACE = /[ \t\n\r]+/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these within a string.
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001f]+/y;
const WORD_CHARACTERS = /[0-9a-zA-Z+\-.]+/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const HEX_DIGIT = /^[0-9a-fA-F]$/;
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

export class GrowingJson {
  /** Characters looked at so far. */
  steps = 0;
  #root: JsonNode | undefined;
  readonly #open: (OpenArray | OpenObject)[] = [];
  #expected: Expected = 'value';
  /** The string that is being read; a key has no node. */
  #string: OpenString | undefined;
  #keyText = '';
  /** First half of a surrogate pair whose other half has not come. */
  #heldHalf = '';
  #pending = '';
  #grown: StringNode[] = [];
  #ended: JsonNode[] = [];

  get root(): JsonNode | undefined {
    return this.#root;
  }

  /** Takes the next piece; returns what it changed. Throws a BrokenAnswer. */
  write(piece: string): Growth {
    this.#grown = [];
    this.#ended = [];
    let index = 0;
    while (index < piece.length) {
      const next = this.#read(piece, index);
      this.steps += Math.max(1, next - index);
      index = next;
    }
    return { grown: this.#grown, ended: this.#ended };
  }

  /** All has come. Throws a BrokenAnswer where the document is not whole. */
  finish(): void {
    if (this.#expected === 'word' && this.#open.length === 0) this.#endWord();
    if (this.#expected !== 'nothing') throw new BrokenAnswer('the JSON is not whole');
  }

  #read(piece: string, index: number): number {
    switch (this.#expected) {
      case 'characters':
        return this.#readCharacters(piece, index);
      case 'escape':
        return this.#readEscape(piece, index);
      case 'unicode':
        return this.#readUnicode(piece, index);
      case 'word':
        return this.#readWord(piece, index);
      default:
        return this.#readStructure(piece, index);
    }
  }

  #readStructure(piece: string, index: number): number {
    const space = matchLength(SPACE, piece, index);
    if (space > 0) return index + space;
    const character = piece.charAt(index);
    switch (this.#expected) {
      case 'value':
      case 'first-item':
        if (character === ']' && this.#expected === 'first-item') this.#closeContainer('array');
        else return this.#beginValue(character, index);
        break;
      case 'key':
      case 'first-key':
        if (character === '}' && this.#expected === 'first-key') this.#closeContainer('object');
        else if (character === '"') this.#beginKey();
        else throw new BrokenAnswer('the JSON has no key where one must be');
        break;
      case 'colon':
        if (character !== ':') throw new BrokenAnswer('the JSON has no colon behind a key');
        this.#expected = 'value';
        break;
      case 'comma':
        this.#readComma(character);
        break;
      default:
        throw new BrokenAnswer('there is more behind the JSON');
    }
    return index + 1;
  }

  #readComma(character: string): void {
    const container = this.#open.at(-1);
    if (character === ',') this.#expected = container?.kind === 'object' ? 'key' : 'value';
    else if (character === '}') this.#closeContainer('object');
    else if (character === ']') this.#closeContainer('array');
    else throw new BrokenAnswer('the JSON has no comma or end where one must be');
  }

  #beginValue(character: string, index: number): number {
    if (character === '"') {
      this.#string = { kind: 'string', text: '', isComplete: false, ...this.#place() };
      this.#attach(this.#string);
      this.#expected = 'characters';
      return index + 1;
    }
    if (character === '{' || character === '[') {
      this.#openContainer(character);
      return index + 1;
    }
    this.#pending = '';
    this.#expected = 'word';
    return index;
  }

  #beginKey(): void {
    this.#string = undefined;
    this.#keyText = '';
    this.#expected = 'characters';
  }

  #openContainer(character: '{' | '['): void {
    if (this.#open.length >= MAX_DEPTH) throw new BrokenAnswer(`the JSON is deeper than ${MAX_DEPTH}`);
    const place = this.#place();
    const container: OpenArray | OpenObject =
      character === '['
        ? { kind: 'array', items: [], isComplete: false, ...place }
        : { kind: 'object', members: new Map(), isComplete: false, nextKey: '', ...place };
    this.#attach(container);
    this.#open.push(container);
    this.#expected = character === '[' ? 'first-item' : 'first-key';
  }

  #closeContainer(kind: 'array' | 'object'): void {
    const container = this.#open.pop();
    if (container?.kind !== kind) throw new BrokenAnswer('the JSON ends something that was not begun');
    container.isComplete = true;
    this.#ended.push(container);
    this.#endValue();
  }

  #readCharacters(piece: string, index: number): number {
    const length = matchLength(PLAIN_CHARACTERS, piece, index);
    if (length > 0) {
      this.#append(piece.slice(index, index + length));
      return index + length;
    }
    const character = piece.charAt(index);
    if (character === '\\') this.#expected = 'escape';
    else if (character === '"') this.#endString();
    else throw new BrokenAnswer('the JSON has a control character in a string');
    return index + 1;
  }

  #readEscape(piece: string, index: number): number {
    const character = piece.charAt(index);
    if (character === 'u') {
      this.#pending = '';
      this.#expected = 'unicode';
      return index + 1;
    }
    const meant = ESCAPES.get(character);
    if (meant === undefined) throw new BrokenAnswer('the JSON has an unknown escape');
    this.#expected = 'characters';
    this.#append(meant);
    return index + 1;
  }

  #readUnicode(piece: string, index: number): number {
    const digit = piece.charAt(index);
    if (!HEX_DIGIT.test(digit)) throw new BrokenAnswer('the JSON has an unknown escape');
    this.#pending += digit;
    if (this.#pending.length === 4) {
      this.#expected = 'characters';
      this.#append(String.fromCharCode(Number.parseInt(this.#pending, 16)));
    }
    return index + 1;
  }

  #readWord(piece: string, index: number): number {
    const length = matchLength(WORD_CHARACTERS, piece, index);
    if (length === 0) this.#endWord();
    else this.#pending += piece.slice(index, index + length);
    return index + length;
  }

  #endWord(): void {
    const word = this.#pending;
    const literal = LITERALS.get(word);
    if (literal === undefined && !NUMBER.test(word)) throw new BrokenAnswer('the JSON has an unknown word');
    const node: ScalarNode = {
      kind: 'scalar',
      value: literal === undefined ? Number(word) : literal,
      ...this.#place(),
    };
    this.#attach(node);
    this.#ended.push(node);
    this.#endValue();
  }

  #append(text: string): void {
    const { visible, half } = splitHalf(this.#heldHalf + text);
    this.#heldHalf = half;
    this.#grow(visible);
  }

  #grow(text: string): void {
    if (text === '') return;
    if (!this.#string) {
      this.#keyText += text;
      return;
    }
    this.#string.text += text;
    if (this.#grown.at(-1) !== this.#string) this.#grown.push(this.#string);
  }

  #endString(): void {
    this.#grow(this.#heldHalf);
    this.#heldHalf = '';
    if (!this.#string) {
      this.#endKey();
      return;
    }
    this.#string.isComplete = true;
    this.#ended.push(this.#string);
    this.#endValue();
  }

  #endKey(): void {
    const container = this.#open.at(-1);
    if (container?.kind !== 'object') throw new BrokenAnswer('the JSON has a key outside an object');
    // Which of the two is meant? A tree that only grows could not take the first one back.
    if (container.members.has(this.#keyText)) throw new BrokenAnswer('the JSON has the same key twice');
    container.nextKey = this.#keyText;
    this.#expected = 'colon';
  }

  #endValue(): void {
    this.#expected = this.#open.length > 0 ? 'comma' : 'nothing';
  }

  #place(): Place {
    const parent = this.#open.at(-1);
    if (!parent) return { parent, key: '' };
    return { parent, key: parent.kind === 'array' ? parent.items.length : parent.nextKey };
  }

  #attach(node: JsonNode): void {
    const container = this.#open.at(-1);
    if (!container) this.#root = node;
    else if (container.kind === 'array') container.items.push(node);
    else container.members.set(container.nextKey, node);
  }
}

function matchLength(sticky: RegExp, text: string, index: number): number {
  sticky.lastIndex = index;
  return sticky.test(text) ? sticky.lastIndex - index : 0;
}

function splitHalf(text: string): { readonly visible: string; readonly half: string } {
  const last = text.charCodeAt(text.length - 1);
  const isHalf = last >= 0xd8_00 && last <= 0xdb_ff;
  return isHalf ? { visible: text.slice(0, -1), half: text.slice(-1) } : { visible: text, half: '' };
}
