// The schemas of the cues of the note writer, knowledge/notes/*.yaml.
import { z } from 'zod';
import type { Language } from '../../domain/language.ts';
import { inLanguages } from '../knowledge/schema-parts.ts';

const words = z.string().transform((text) => text.split(/\s+/).filter(Boolean));
const wordList = inLanguages(words);
const phrases = z.array(z.string().min(1));
const phraseList = inLanguages(phrases);
const cues = z.strictObject({
  asked: phrases.default([]),
  sure: phrases.default([]),
  likely: phrases.default([]),
});
const kinds = z.record(z.string(), inLanguages(cues));

export const NOTE_FILES = {
  words: z.record(z.string(), wordList),
  'kinds-told': kinds,
  'kinds-done': kinds,
  speech: z.strictObject({
    hesitations: wordList,
    openers: phraseList,
    asides: phraseList,
    repeats: wordList,
    corrections: phraseList,
    yes: phraseList,
    no: phraseList,
    empty: wordList,
    'function-words': wordList,
    first: phraseList,
    others: phraseList,
    'third-person': wordList,
    'doctor-called': phraseList,
    'doctor-says': phraseList,
    handover: phraseList,
    'not-given': phraseList,
    lead: phraseList,
    ahead: phraseList,
    plans: phraseList,
    orders: phraseList,
    imperatives: phraseList,
    conditions: phraseList,
    'order-endings': wordList,
    'plan-questions': phraseList,
    permission: phraseList,
    'end-tags': phraseList,
    requests: phraseList,
    tags: phraseList,
    asks: phraseList,
    denials: phraseList,
    units: phraseList,
    between: phraseList,
    'plain-no': phraseList,
    'side-articles': phraseList,
    'rarely-numbers': wordList,
    'field-words': wordList,
    halves: phraseList,
    and: wordList,
    hundreds: wordList,
  }),
  relatives: z.strictObject({
    relations: z.record(
      z.string(),
      z.strictObject({ other: z.string(), label: inLanguages(z.string().min(1)), ...wordList.shape }),
    ),
    self: phraseList,
    asked: phraseList,
    confirms: phraseList,
    shown: phraseList,
    along: phraseList,
    theirs: phraseList,
  }),
  medical: z.strictObject({ clinic: phraseList, health: phraseList, elsewhere: phraseList }),
  sections: z.strictObject({
    templates: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
    custom: z.record(z.string(), wordList),
    neighbours: z.record(z.string(), z.array(z.string())),
    topics: z.record(z.string(), wordList),
    everything: wordList,
  }),
  fields: z.record(
    z.string(),
    z.strictObject({
      value: z.enum(['number', 'pressure', 'drug', 'span', 'words', 'phone']),
      who: z.enum(['clinician', 'anyone']),
      from: z.number().optional(),
      to: z.number().optional(),
      ...inLanguages(z.strictObject({ asked: phrases, near: phrases })).shape,
    }),
  ),
} as const;

export type CueFiles = { readonly [Name in keyof typeof NOTE_FILES]: z.output<(typeof NOTE_FILES)[Name]> };

/** For words of a template, which may be in another language than the talk. */
export function inAllLanguages({ en, es, pt }: Readonly<Record<Language, readonly string[]>>): readonly string[] {
  return [...en, ...es, ...pt];
}
export type FieldCue = CueFiles['fields'][string];
