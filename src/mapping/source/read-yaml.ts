// YAML 1.2, core schema, as data with places: no tags of others, no merge keys, no second document, and nothing that grows when it
// is written out.
import { Composer, type Document, Lexer, Parser, Scalar, visit } from 'yaml';
import type { Problem } from '../../domain/mapping/mapping.ts';
import { convertYaml } from './convert-yaml.ts';
import type { PlaceOf } from './source-lines.ts';
import type { ReadSource } from './source-tree.ts';
import { describeYamlErrors, TOO_DEEP } from './yaml-problems.ts';

const MAX_LEXEMES = 250_000;
const MAX_BRACKETS = 64;
const MAX_ALIASES = 100;

type YamlFile = { readonly text: string; readonly placeOf: PlaceOf };

export function readYaml({ text, placeOf }: YamlFile): ReadSource {
  const heavy = tooHeavy(text);
  if (heavy !== undefined) return { problems: [{ place: placeOf(heavy.at), message: heavy.message }] };
  const { documents, problems } = compose({ text, placeOf });
  const [document] = documents;
  if (problems.length > 0) return { problems };
  if (document === undefined || document.contents === null) {
    return { problems: [{ place: placeOf(0), message: 'there is nothing in this file' }] };
  }
  const errors = describeYamlErrors({ errors: document.errors, text, placeOf, quoteStarts: openQuotes(document) });
  // A tree that the library had to guess would only give misleading problems.
  if (errors.length > 0) return { problems: errors };
  return convertYaml({ document, text, placeOf });
}

type Heavy = { readonly at: number; readonly message: string };

/** Runs before the parser: some files are cheap to write and expensive to parse. */
function tooHeavy(text: string): Heavy | undefined {
  let lexemes = 0;
  let brackets = 0;
  let aliases = 0;
  let at = 0;
  for (const lexeme of new Lexer().lex(text)) {
    lexemes++;
    if (lexeme === '[' || lexeme === '{') brackets++;
    else if (lexeme === ']' || lexeme === '}') brackets--;
    else if (lexeme.startsWith('*') && lexeme.length > 1) aliases++;
    if (lexemes > MAX_LEXEMES) return { at, message: 'this file has too many parts: split it' };
    if (brackets > MAX_BRACKETS) return { at, message: TOO_DEEP };
    if (aliases > MAX_ALIASES)
      return { at, message: `this file repeats more than ${MAX_ALIASES} parts by aliases (*name)` };
    at += isMarker(lexeme) ? 0 : lexeme.length;
  }
  return undefined;
}

/** Lexemes that are signals of the lexer, not parts of the text. */
function isMarker(lexeme: string): boolean {
  return lexeme === '\u0002' || lexeme === '\u0018' || lexeme === '\u001f';
}

type Composed = { readonly documents: readonly Document[]; readonly problems: readonly Problem[] };

function compose({ text, placeOf }: YamlFile): Composed {
  const tokens = [...new Parser().parse(text)];
  const directive = tokens.find((token) => token.type === 'directive');
  if (directive !== undefined) {
    const message = 'a line that begins with % changes how YAML is read: remove it';
    return { documents: [], problems: [{ place: placeOf(directive.offset), message }] };
  }
  const second = tokens.filter((token) => token.type === 'document')[1];
  if (second !== undefined) {
    const message = 'a second document begins here (---): a file holds one';
    return { documents: [], problems: [{ place: placeOf(second.offset), message }] };
  }
  try {
    const composer = new Composer({
      version: '1.2',
      schema: 'core',
      merge: false,
      resolveKnownTags: false,
      // The library compares each key with each other; the conversion does it in one pass.
      uniqueKeys: false,
      keepSourceTokens: true,
    });
    return { documents: [...composer.compose(tokens, true, text.length)], problems: [] };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { documents: [], problems: [{ place: placeOf(0), message: TOO_DEEP }] };
  }
}

/** The starts of quoted texts by their ends; the library reports the position at which it missed the quote. */
function openQuotes(document: Document): ReadonlyMap<number, number> {
  const starts = new Map<number, number>();
  if (!document.errors.some(({ message }) => message.startsWith('Missing closing'))) return starts;
  visit(document, {
    Scalar(_, node) {
      const isQuote = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
      if (isQuote && node.range) starts.set(node.range[1], node.range[0]);
    },
  });
  return starts;
}
