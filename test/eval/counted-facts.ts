// The facts that a differential and a triage say they counted. The rules write them in sentences of `knowledge/wording`, whose beginnings
// say which of them tell facts; any other sentence, as a model writes it, is a statement too.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Language } from '../../src/domain/language.ts';
import { itemOf, type Statement, statementsOf } from './statements.ts';

const WORDING = path.join(import.meta.dirname, '../../knowledge/wording');

/** Sentences with findings of the patient; the others tell candidates, what is unknown, and what is not counted. */
const OF_FACTS = ['speaksFor', 'speaksAgainst', 'comesWith', 'unexplained', 'danger', 'together'];

type Wording = {
  readonly uncertain: string;
  readonly why: Readonly<Record<string, string>>;
  readonly triage: Readonly<Record<string, string>>;
  readonly next: Readonly<Record<string, string>>;
};

export function factsIn(texts: readonly string[], language: Language): readonly Statement[] {
  const wording = parse(readFileSync(path.join(WORDING, `${language}.yaml`), 'utf8')) as Wording;
  return texts.flatMap(sentencesOf).flatMap((sentence) => factsOf(sentence, wording));
}

function factsOf(sentence: string, { why, triage, next, uncertain }: Wording): readonly Statement[] {
  const known = Object.entries({ ...next, ...triage, ...why }).find(([, template]) => opens(sentence, template));
  if (known === undefined) return statementsOf(sentence);
  const [name, template] = known;
  if (!OF_FACTS.includes(name)) return [];
  const items = sentence.slice(openingOf(template).length).split(name === 'unexplained' ? ', ' : '; ');
  const affirmed = items.filter((item) => !opens(item, why['saidAbsent'] ?? ''));
  // The doubt is about what was said; it denies nothing.
  return affirmed.map((item) => itemOf(item.replace(`, ${uncertain})`, ')').replace(` (${uncertain})`, '')));
}

function opens(text: string, template: string): boolean {
  const opening = openingOf(template);
  return opening !== '' && text.startsWith(opening);
}

function openingOf(template: string): string {
  return template.split('{')[0] ?? '';
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?])\s+/);
}
