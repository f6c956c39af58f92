// Divides what was written into statements, and finds words in them that must not be in a chart.
import type { Language } from '../../src/domain/language.ts';
import { fold } from './fold.ts';
import type { AbsentWords } from './visit-lists.ts';

/** `outside`: without what is quoted, so that a quotation's "no" denies nothing. */
export type Statement = { readonly text: string; readonly outside: string };

/** Whole words with which a statement denies. */
const DENIALS: Readonly<Record<Language, string>> = {
  en: "no|not|nor|none|never|without|denies|denied|absent|negative|*n't",
  es: 'no|ni|sin|niega|nego|ningun|ninguna|ninguno|nunca|tampoco|negado|negativa|negativo|ausente',
  pt: 'nao|nem|sem|nega|negou|nenhum|nenhuma|nunca|negado|negativo|negativa|ausente',
};

/** Kinds that a denial puts right. */
const DENIABLE: readonly AbsentWords['kind'][] = ['denied', 'considered', 'not-said'];

export function statementsOf(text: string): readonly Statement[] {
  return text
    .split(/\n|(?<=[.!?;])["”»]?\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .map((sentence) => ({ text: plain(sentence), outside: plain(sentence) }));
}

/** An item of an enumeration of findings, each with its quotation in parentheses. */
export function itemOf(item: string): Statement {
  return { text: plain(item), outside: plain(item.replace(/[“«][^”»]*[”»]/g, '')) };
}

/** The words that are found in the statements and are not right there. */
export function wrongWords(
  { words, kind, unless, near }: AbsentWords,
  statements: readonly Statement[],
  language: Language,
): readonly string[] {
  if (words === 'any') return statements.slice(0, 1).map(({ text }) => text);
  return statements.flatMap(({ text, outside }, index) => {
    const from = statements.slice(0, index).findLastIndex(isAnswer);
    const to = statements.findIndex((one, place) => place > index && isAnswer(one));
    const around = statements.slice(Math.max(0, from), to < 0 ? undefined : to + 1).map((one) => one.text);
    const isRight =
      !isAnswer({ text }) ||
      (DENIABLE.includes(kind) && holdsWhole(outside, DENIALS[language])) ||
      (unless !== undefined && holdsWhole(text, unless)) ||
      (near !== undefined && holdsWhole(around.join('\n'), near));
    const found = isRight ? undefined : words.split('|').find((word) => beginsIn(text, word));
    return found === undefined ? [] : [text];
  });
}

function isAnswer({ text }: Pick<Statement, 'text'>): boolean {
  return !text.endsWith('?');
}

function plain(text: string): string {
  return fold(text)
    .replace(/’/g, "'")
    .replace(/^["“«\s]+|[.;,"”»\s]+$/g, '');
}

function beginsIn(text: string, phrase: string): boolean {
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped(plain(phrase))}`, 'u').test(text);
}

/** A star is for any letters. */
function holdsWhole(text: string, phrases: string): boolean {
  return phrases.split('|').some((phrase) => {
    const pattern = escaped(plain(phrase)).replaceAll('\\*', "[\\p{L}']*");
    return new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'u').test(text);
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
