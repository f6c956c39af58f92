// Texts as the div of a narrative. A section of the note is a text whose statements keep their ids, so that what refers to one finds it.
import { cleanText } from '../../../domain/clean-text.ts';
import { ExpressionError } from '../frame.ts';
import { isObject, itemsOf, type Spot, wrongType } from '../values.ts';
import { ofItems, spend } from './make-call.ts';
import { escapedHtml } from './strings.ts';

const XHTML = 'http://www.w3.org/1999/xhtml';

/** Each text one or more paragraphs: an empty line begins a new one, a line end within one stays. */
export const xhtml = ofItems((value, call) => {
  const { spot } = call.parts;
  const used = new Set<string>();
  let inner = '';
  for (const item of itemsOf(value)) {
    const { text, statements } = readItem(item, spot);
    // What escapes and tags add is known only afterwards; it is paid for before the next text.
    spend(call, text.length);
    const paragraphs = paragraphsOf(text, placeStatements(text, statements, used));
    spend(call, Math.max(0, paragraphs.length - text.length));
    inner += paragraphs;
  }
  return inner === '' ? undefined : `<div xmlns="${XHTML}">${inner}</div>`;
});

type Statement = { readonly id: string; readonly text: string };
type Place = { readonly id: string; readonly from: number; readonly to: number };

function readItem(item: unknown, spot: Spot): { readonly text: string; readonly statements: readonly Statement[] } {
  if (typeof item === 'string') return { text: cleanText(item), statements: [] };
  if (!isObject(item) || typeof item['text'] !== 'string') throw wrongType(item, spot, 'texts');
  const statements = Array.isArray(item['statements']) ? item['statements'] : [];
  return { text: cleanText(item['text']), statements: statements.map((one) => readStatement(one, spot)) };
}

function readStatement(statement: unknown, spot: Spot): Statement {
  if (!isObject(statement)) throw wrongType(statement, spot, 'statements with an id');
  const { id, text } = statement as { readonly id?: unknown; readonly text?: unknown };
  if (typeof id === 'string' && /^[A-Za-z][A-Za-z0-9.-]{0,63}$/.test(id) && typeof text === 'string') {
    return { id, text: cleanText(text).trim() };
  }
  throw new ExpressionError(`${spot.name} needs statements with an id, as in st-1, and a text`, spot.at);
}

/** In the order of the text. One that is not there, or whose id was used before, gets no element. */
function placeStatements(text: string, statements: readonly Statement[], used: Set<string>): readonly Place[] {
  let done = 0;
  return statements.flatMap(({ id, text: words }): Place[] => {
    const from = words === '' || used.has(id) ? -1 : text.indexOf(words, done);
    if (from < 0) return [];
    used.add(id);
    done = from + words.length;
    return [{ id, from, to: done }];
  });
}

function paragraphsOf(text: string, places: readonly Place[]): string {
  const left = places.values();
  let next = left.next().value;
  let all = '';
  for (const { from, to } of splitParagraphs(text)) {
    let [paragraph, done] = ['', from];
    while (next !== undefined && next.from < to) {
      // What goes on in another paragraph has its element in the first one.
      const end = Math.min(next.to, to);
      const words = asHtml(text.slice(next.from, end).trimEnd());
      paragraph += `${asHtml(text.slice(done, next.from))}<span id="${next.id}">${words}</span>`;
      done = next.from + text.slice(next.from, end).trimEnd().length;
      next = left.next().value;
    }
    all += `<p>${paragraph}${asHtml(text.slice(done, to))}</p>`;
  }
  return all;
}

/** Without white space at both ends, and without empty ones. */
function splitParagraphs(text: string): readonly { readonly from: number; readonly to: number }[] {
  const breaks = text.includes('\n') ? [...text.matchAll(/\n[^\S\n]*\n\s*/g)] : [];
  const starts = [0, ...breaks.map((found) => found.index + found[0].length)];
  return starts.flatMap((start, index) => {
    const raw = text.slice(start, breaks[index]?.index ?? text.length);
    const trimmed = raw.trim();
    const from = start + raw.indexOf(trimmed);
    return trimmed === '' ? [] : [{ from, to: from + trimmed.length }];
  });
}

function asHtml(text: string): string {
  return escapedHtml(text).replaceAll('\n', '<br/>');
}
