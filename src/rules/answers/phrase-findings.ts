// Writes findings for a sentence: the name in the language of the answer, and the words of the text in quotes if they differ.

import { foldText } from '../../clinical-text/fold.ts';
import { cleanText } from '../../domain/clean-text.ts';
import type { Language } from '../../domain/language.ts';
import type { ExtractedFinding } from '../extraction/history-facts.ts';
import { fillTemplate } from '../knowledge/fill-template.ts';
import type { Finding } from '../knowledge/knowledge.ts';
import type { Wording } from '../knowledge/language-schema.ts';

const MAX_QUOTE = 60;

/** The language of an answer, with its sentences. */
export type AnswerLanguage = { readonly language: Language; readonly wording: Wording };

export type PhrasedFinding = Pick<ExtractedFinding, 'quote' | 'presence'> & { readonly finding: Finding };

export function phraseFinding(
  { finding, quote, presence }: PhrasedFinding,
  { language, wording }: AnswerLanguage,
): string {
  const name = finding.name[language];
  const words = cut(cleanText(quote).replace(/\s+/g, ' ').trim());
  const notes = [
    ...(words === '' || foldText(words) === foldText(name) ? [] : [fillTemplate(wording.quote, { text: words })]),
    ...(presence === 'uncertain' ? [wording.uncertain] : []),
  ];
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`;
}

/** Cuts at the end of a word if possible. */
function cut(words: string): string {
  if (words.length <= MAX_QUOTE) return words;
  const head = words.slice(0, MAX_QUOTE);
  const end = head.lastIndexOf(' ');
  return `${(end > MAX_QUOTE / 2 ? head.slice(0, end) : head).toWellFormed()}…`;
}
