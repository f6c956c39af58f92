// The made-up cases that a reasoner and a note writer are scored by. `seen` were looked at while the built-in one was made better,
// `unseen` were not: those say how good it is with what nobody prepared it for.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { LANGUAGES, type Language } from '../../src/domain/language.ts';
import { TEMPLATE_NAMES } from '../../src/domain/template.ts';

export const PARTS = ['seen', 'unseen'] as const;
export type Part = (typeof PARTS)[number];

/** ICD-10 codes or their beginnings, alternatives divided by `|`. */
const codes = z.string().regex(/^[A-Z]\d[0-9A-Z.]*(\|[A-Z]\d[0-9A-Z.]*)*$/);

const vignette = z.strictObject({
  id: z.string(),
  kind: z.enum(['usual', 'trap']),
  trap: z
    .enum(['negation', 'family', 'hidden-red-flag', 'two-problems', 'nothing-wrong', 'not-medical', 'instructions'])
    .optional(),
  text: z.string().min(1),
  expect: z.strictObject({
    first: codes.optional(),
    among3: z.array(codes).default([]),
    among5: z.array(codes).default([]),
    mustNotMiss: z.array(codes).default([]),
    not3: z.array(codes).default([]),
    /** No disease is to be put forward with any certainty. */
    nothing: z.boolean().default(false),
    triage: z.enum(['RED', 'WHITE']),
  }),
  why: z.string(),
});

const section = z.strictObject({
  /** Phrases that were said, alternatives divided by `|`. */
  holds: z.array(z.string()).default([]),
  lacks: z.array(z.string()).default([]),
  /** Nobody said anything that belongs there. */
  silent: z.boolean().default(false),
});

const talk = z
  .strictObject({
    id: z.string(),
    template: z.enum(TEMPLATE_NAMES as [string, ...string[]]).optional(),
    custom: z.string().optional(),
    medical: z.boolean(),
    talk: z.array(z.tuple([z.int().min(0), z.string()])).min(1),
    sections: z.record(z.string(), section).default({}),
    fields: z.record(z.string(), z.string()).default({}),
    /** Words that nobody said. */
    invented: z.array(z.string()).default([]),
    why: z.string(),
  })
  .refine(({ template, custom }) => (template === undefined) !== (custom === undefined), 'either template or custom');

export type Vignette = z.output<typeof vignette> & { readonly language: Language; readonly part: Part };
export type Talk = z.output<typeof talk> & { readonly language: Language };

const FOLDER = path.join(import.meta.dirname, 'sets');

export async function readVignettes(): Promise<readonly Vignette[]> {
  const sets = LANGUAGES.flatMap((language) =>
    PARTS.map(async (part) => {
      const cases = await readSet(`${language}-${part}.yaml`, z.array(vignette));
      return cases.map((one) => ({ ...one, language, part }));
    }),
  );
  return (await Promise.all(sets)).flat();
}

export async function readTalks(): Promise<readonly Talk[]> {
  const sets = LANGUAGES.map(async (language) => {
    const talks = await readSet(`${language}-talks.yaml`, z.array(talk));
    return talks.map((one) => ({ ...one, language }));
  });
  return (await Promise.all(sets)).flat();
}

async function readSet<T>(name: string, schema: z.ZodType<T>): Promise<T> {
  const read = schema.safeParse(parse(await readFile(path.join(FOLDER, name), 'utf8')));
  if (!read.success) throw new Error(`${name}: ${z.prettifyError(read.error)}`);
  return read.data;
}
