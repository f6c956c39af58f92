// Checks that a text is a narrative of FHIR: well-formed XHTML, one div with content, and nothing active. It is read strictly as
// XML: syntax that two readers could understand differently (comments, CDATA, named entities of HTML) is refused.
import { attributeProblem, elementProblem, XHTML } from './narrative-rules.ts';

const MAX_DEPTH = 64;

const NAME = '[A-Za-z_][A-Za-z0-9:._-]{0,63}';
const OPENING = new RegExp(`<(${NAME})`, 'y');
const ATTRIBUTE = new RegExp(`[ \\t\\r\\n]{1,1000}(${NAME})[ \\t\\r\\n]*=[ \\t\\r\\n]*(?:"([^"<]*)"|'([^'<]*)')`, 'y');
const OPENING_END = /[ \t\r\n]*(\/?)>/y;
const CLOSING = new RegExp(`</(${NAME})[ \\t\\r\\n]*>`, 'y');
const ENTITY = /&(?:(lt|gt|amp|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));/y;
const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Thrown when the text cannot be read further. */
class Malformed extends Error {}

type Reading = {
  readonly text: string;
  position: number;
  readonly open: string[];
  readonly problems: Set<string>;
  hasRoot: boolean;
  hasContent: boolean;
};

/** What is wrong, each as the end of a sentence about the narrative. */
export function narrativeProblems(text: string): readonly string[] {
  const reading: Reading = { text, position: 0, open: [], problems: new Set(), hasRoot: false, hasContent: false };
  try {
    while (reading.position < text.length) readNext(reading);
    const unclosed = reading.open.at(-1);
    if (unclosed !== undefined) throw new Malformed(`${tag(unclosed)} is never closed`);
    if (!reading.hasRoot) throw new Malformed('it has no <div>');
    if (!reading.hasContent) reading.problems.add('has no content: neither text nor an image');
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    reading.problems.add(`is not well-formed XHTML: ${error.message}; text from outside must go through xhtml()`);
  }
  return [...reading.problems];
}

function readNext(reading: Reading): void {
  const { text, position } = reading;
  if (text.charAt(position) !== '<') {
    const end = text.indexOf('<', position);
    readText(reading, end < 0 ? text.length : end);
  } else if (text.startsWith('</', position)) readClosing(reading);
  else if (text.startsWith('<!', position) || text.startsWith('<?', position)) {
    throw new Malformed(`${at(reading)} it has a comment, CDATA section, DOCTYPE or processing instruction`);
  } else readOpening(reading);
}

function readText(reading: Reading, end: number): void {
  const raw = reading.text.slice(reading.position, end);
  if (raw.includes(']]>')) throw new Malformed(`${at(reading)} it has a bare ]]>`);
  let hasText = false;
  for (const piece of pieces(raw, reading)) hasText ||= piece.trim() !== '';
  if (hasText && reading.open.length === 0) throw new Malformed(`${at(reading)} it has text outside of its <div>`);
  if (hasText) reading.hasContent = true;
  reading.position = end;
}

/** The plain parts of a text, and the characters that its entities stand for. Never a copy of all: it may have megabytes. */
function* pieces(raw: string, reading: Reading): Generator<string> {
  let from = 0;
  for (let ampersand = raw.indexOf('&'); ampersand >= 0; ampersand = raw.indexOf('&', from)) {
    yield raw.slice(from, ampersand);
    ENTITY.lastIndex = ampersand;
    const [whole, named, decimal, hex] = ENTITY.exec(raw) ?? [];
    const character = named === undefined ? numbered(decimal, hex) : CHARACTERS[named];
    if (whole === undefined || character === undefined) {
      throw new Malformed(`${at(reading)} an & begins none of &lt; &gt; &amp; &quot; &apos; &#…;`);
    }
    yield character;
    from = ampersand + whole.length;
  }
  yield raw.slice(from);
}

function readOpening(reading: Reading): void {
  const name = match(reading, OPENING)?.[1];
  if (name === undefined) throw new Malformed(`${at(reading)} a < begins no element`);
  const problem = elementProblem(name);
  if (problem !== undefined) reading.problems.add(problem);
  const attributes = readAttributes(reading, name);
  const end = match(reading, OPENING_END);
  if (end === undefined)
    throw new Malformed(`${at(reading)} ${tag(name)} does not end, or has an attribute without quotes`);
  if (reading.open.length === 0) checkRoot(reading, name, attributes);
  if (name === 'img' && attributes.has('src')) reading.hasContent = true;
  if (end[1] === '/') return;
  reading.open.push(name);
  if (reading.open.length > MAX_DEPTH) throw new Malformed(`it is nested deeper than ${MAX_DEPTH} elements`);
}

function readAttributes(reading: Reading, element: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (;;) {
    const found = match(reading, ATTRIBUTE);
    if (found === undefined) return attributes;
    const [, name = '', inDouble, inSingle = ''] = found;
    if (attributes.has(name)) throw new Malformed(`${at(reading)} ${tag(element)} has an attribute twice`);
    const value = [...pieces(inDouble ?? inSingle, reading)].join('');
    attributes.set(name, value);
    const problem = attributeProblem({ element, name, value });
    if (problem !== undefined) reading.problems.add(problem);
  }
}

function checkRoot(reading: Reading, name: string, attributes: ReadonlyMap<string, string>): void {
  if (reading.hasRoot) throw new Malformed(`${at(reading)} a second element follows its <div>`);
  reading.hasRoot = true;
  if (name !== 'div') reading.problems.add('must have one <div> around everything');
  else if (!attributes.has('xmlns')) reading.problems.add(`must begin with <div xmlns="${XHTML}">`);
}

function readClosing(reading: Reading): void {
  const name = match(reading, CLOSING)?.[1];
  if (name === undefined) throw new Malformed(`${at(reading)} a closing tag does not end`);
  const open = reading.open.pop();
  if (open === undefined) throw new Malformed(`${at(reading)} ${tag(name)} is closed and was not open`);
  if (open !== name) throw new Malformed(`${at(reading)} ${tag(name)} is closed where ${tag(open)} is open`);
}

/** Undefined for what is no character of XML 1.0. */
function numbered(decimal: string | undefined, hex: string | undefined): string | undefined {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
  const isCharacter =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x1_0000 && code <= 0x10_ffff);
  return isCharacter ? String.fromCodePoint(code) : undefined;
}

function match(reading: Reading, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reading.position;
  const found = pattern.exec(reading.text);
  if (found === null) return undefined;
  reading.position = pattern.lastIndex;
  return found;
}

/** The name if it is one of XHTML; text that looks like a tag may be a patient's words. */
function tag(name: string): string {
  return elementProblem(name) === undefined ? `<${name}>` : 'an element';
}

/** The start of the current piece. */
function at({ position }: Reading): string {
  return `at character ${position + 1}`;
}
