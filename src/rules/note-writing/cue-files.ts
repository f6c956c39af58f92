// Reads and checks the cues of the note writer in knowledge/notes/*.yaml. All problems are reported together.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const FOLDER = path.join(import.meta.dirname, '../../../knowledge/notes');

function inLanguages<T extends z.ZodType>(of: T) {
  return z.strictObject({ en: of, es: of, pt: of });
}
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

const FILES = {
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
    'doctor-called': phraseList,
    'doctor-says': phraseList,
    handover: phraseList,
    'not-given': phraseList,
    lead: phraseList,
    ahead: phraseList,
    requests: phraseList,
    tags: phraseList,
    asks: phraseList,
    denials: phraseList,
    units: phraseList,
    between: phraseList,
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

export type CueFiles = { readonly [Name in keyof typeof FILES]: z.output<(typeof FILES)[Name]> };
export type FieldCue = CueFiles['fields'][string];

/** Throws one Error that names every file and place that cannot be used. */
export function readCueFiles(folder: string = FOLDER): CueFiles {
  const problems: string[] = [];
  const entries = Object.entries(FILES).map(([name, schema]) => {
    const file = `${name}.yaml`;
    try {
      const read = schema.safeParse(parse(readFileSync(path.join(folder, file), 'utf8')));
      if (read.success) return [name, read.data];
      problems.push(...read.error.issues.map((issue) => `${file}: ${issue.path.join('.')}: ${issue.message}`));
    } catch (error) {
      problems.push(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`);
    }
    return [name, undefined];
  });
  if (problems.length > 0) throw new Error(`The cues of the note writer cannot be used:\n${problems.join('\n')}`);
  return Object.fromEntries(entries) as CueFiles;
}
