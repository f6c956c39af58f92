// The made-up cases that a reasoner and a note writer are scored by. `seen` were looked at while the built-in one was made better,
// `unseen` were not: those say how good it is with cases it was not prepared for. `late` were not either, and were written by others,
// when it had learnt all else: harder ones, of what comes to a surgery and an emergency room at large.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { LANGUAGES, type Language } from '../../src/domain/language.ts';
import { TEMPLATE_NAMES } from '../../src/domain/note/template.ts';

export const PARTS = ['seen', 'unseen', 'late'] as const;
export type Part = (typeof PARTS)[number];
/** The vignettes of a part, the talks, or the sandbox's encounters from the recording to the chart. */
export const GROUPS = [...PARTS, 'notes', 'sandbox'] as const;
export type Group = (typeof GROUPS)[number];

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
  /** Nothing was said that belongs there. */
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
    /** Words that were not said. */
    invented: z.array(z.string()).default([]),
    why: z.string(),
  })
  .refine(({ template, custom }) => (template === undefined) !== (custom === undefined), 'either template or custom');

type InFile = { readonly file: string; readonly language: Language };
export type Vignette = z.output<typeof vignette> & InFile & { readonly part: Part };
export type Talk = z.output<typeof talk> & InFile;
export type Cases = { readonly vignettes: readonly Vignette[]; readonly talks: readonly Talk[] };

const FOLDER = path.join(import.meta.dirname, 'sets');

const FILES = [
  { name: 'seen', part: 'seen' },
  { name: 'more', part: 'seen' },
  { name: 'unseen', part: 'unseen' },
  { name: 'late', part: 'late' },
] as const satisfies readonly { name: string; part: Part }[];

/** The cases of these groups; those of the sandbox stand elsewhere. All files are read and checked, whichever groups are asked for. */
export async function readCases(groups: readonly Group[] = GROUPS, folder = FOLDER): Promise<Cases> {
  const [vignettes, talks] = await Promise.all([readVignettes(folder), readTalks(folder)]);
  ensureNamedOnce([...vignettes, ...talks]);
  return {
    vignettes: vignettes.filter(({ part }) => groups.includes(part)),
    talks: groups.includes('notes') ? talks : [],
  };
}

async function readVignettes(folder: string): Promise<readonly Vignette[]> {
  const sets = LANGUAGES.flatMap((language) =>
    FILES.map(async ({ name, part }) => {
      const file = `${language}-${name}.yaml`;
      const cases = await readFileOf(folder, file, vignette);
      return cases.map((one) => ({ ...one, file, language, part }));
    }),
  );
  return (await Promise.all(sets)).flat();
}

async function readTalks(folder: string): Promise<readonly Talk[]> {
  const sets = LANGUAGES.map(async (language) => {
    const file = `${language}-talks.yaml`;
    const talks = await readFileOf(folder, file, talk);
    return talks.map((one) => ({ ...one, file, language }));
  });
  return (await Promise.all(sets)).flat();
}

/** What is wrong is said with the file and the case, never with the text of a case. */
async function readFileOf<T>(folder: string, file: string, schema: z.ZodType<T>): Promise<readonly T[]> {
  const cases = parseYaml(file, await readFile(path.join(folder, file), 'utf8'));
  if (!Array.isArray(cases)) throw new Error(`${file}: is no list of cases`);
  return cases.map((one: unknown, index) => {
    const read = schema.safeParse(one);
    if (read.success) return read.data;
    throw new Error(`${file}, ${nameOf(one, index)}:\n${z.prettifyError(read.error)}`);
  });
}

function parseYaml(file: string, text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  const [problem] = document.errors;
  if (problem === undefined) return document.toJS();
  const line = text.slice(0, problem.pos[0]).split('\n').length;
  throw new Error(`${file}, line ${line}: ${problem.code}`);
}

function nameOf(one: unknown, index: number): string {
  const { id } = (one ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : `case ${index + 1}`;
}

function ensureNamedOnce(cases: readonly { readonly id: string; readonly file: string }[]): void {
  const files = new Map<string, string>();
  for (const { id, file } of cases) {
    const other = files.get(id);
    if (other !== undefined) throw new Error(`${file}, ${id}: is there already, in ${other}`);
    files.set(id, file);
  }
}
