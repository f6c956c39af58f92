// What the model is asked for as a note, and the check of what it gave: exactly the sections of the template, in its order and under its
// titles. A section is its statements, each with the utterances on which it rests; their texts, joined, are its text. A section or field of
// which nothing was said says so; it is never filled by us.
import { z } from 'zod';
import type { Language } from '../../domain/language.ts';
import type { NoteSection, WrittenStatement } from '../../domain/note/note.ts';
import type { Template } from '../../domain/note/template.ts';
import type { NoteAnswer } from '../../ports/reasoner.ts';
import { type AnswerSchema, enumeration, listOf, record, text, wholeNumber } from './answer-schema.ts';
import { BrokenAnswer } from './broken-answer.ts';

const NOT_SAID: Record<Language, string> = {
  en: 'Not discussed.',
  es: 'No se mencionó.',
  pt: 'Não foi mencionado.',
};
const PLAIN_TITLE: Record<Language, string> = { en: 'Clinical note', es: 'Nota clínica', pt: 'Nota clínica' };

export function noteSchema(template: Template): AnswerSchema {
  return record({
    is_medical: { type: 'boolean', description: 'Whether the transcript holds anything of medical relevance' },
    title: text('A short plain title: the kind of visit and its reason'),
    sections: listOf(
      record({
        key: enumeration(template.sections.map((section) => section.key)),
        statements: {
          ...listOf(
            record({
              text: text('One sentence or line of the section, as plain text'),
              utterances: listOf(wholeNumber()),
            }),
          ),
          description: 'The content of the section in its order; empty if nothing was said about it',
        },
      }),
    ),
    ...(template.dynamicFields.length > 0 && {
      dynamic_fields: record(
        Object.fromEntries(template.dynamicFields.map((field) => [field.name, text(field.description)])),
      ),
    }),
  });
}

const relevance = z.object({ is_medical: z.boolean() });
const body = z.object({
  title: z.string(),
  sections: z.array(
    z.object({
      key: z.string(),
      statements: z.array(z.object({ text: z.string(), utterances: z.array(z.number()) })).optional(),
      // A model that ignores the schema may answer in the form of earlier versions.
      text: z.string().optional(),
    }),
  ),
});
type AnswerSection = z.infer<typeof body>['sections'][number];
type AnswerStatement = NonNullable<AnswerSection['statements']>[number];

/** A statement that names more rests on the whole talk. */
const MOST_CITED = 20;

/** The number of utterances of the transcript: a number beyond it names none. */
type Reading = { readonly template: Template; readonly language: Language; readonly utterances: number };

/** Throws a BrokenAnswer. Where `is_medical` is false nothing else of the answer is looked at. */
export function readNote(value: unknown, { template, language, utterances }: Reading): NoteAnswer {
  const judged = relevance.safeParse(value);
  if (!judged.success) throw new BrokenAnswer('the note does not say whether it is medical');
  if (!judged.data.is_medical) return { isMedical: false };
  const { data, success } = body.safeParse(value);
  if (!success) throw new BrokenAnswer('the note breaks its form');
  const title = data.title.trim() || PLAIN_TITLE[language];
  const sections = readSections(data.sections, template, NOT_SAID[language]);
  const statements = data.sections.flatMap((section) => statementsOf(section, utterances));
  return {
    isMedical: true,
    note: { title, sections },
    ...(statements.length > 0 && { statements }),
    ...(template.dynamicFields.length > 0 && { dynamicFields: readDynamicFields(value, template) }),
  };
}

function readSections(answered: readonly AnswerSection[], template: Template, notSaid: string): NoteSection[] {
  const texts = new Map(answered.map((section) => [section.key, textOf(section)]));
  if (answered.length !== template.sections.length || texts.size !== answered.length) {
    throw new BrokenAnswer('the note has a section too many, too few or twice');
  }
  return template.sections.map(({ key, title }) => {
    const said = texts.get(key);
    if (said === undefined) throw new BrokenAnswer('the note lacks a section of the template');
    return { key, title, text: said || notSaid };
  });
}

/** Each statement is a line of its section. */
function textOf({ statements, text = '' }: AnswerSection): string {
  if (statements === undefined) return text.trim();
  const lines = statements.map(wordsOf);
  return lines.filter((line) => line !== '').join('\n');
}

/** Utterances are counted from 1 in a question, and from 0 in a transcript. */
function statementsOf({ key, statements = [] }: AnswerSection, most: number): readonly WrittenStatement[] {
  return statements.flatMap((statement) => {
    const text = wordsOf(statement);
    if (text === '') return [];
    const known = statement.utterances.filter((number) => Number.isInteger(number) && number >= 1 && number <= most);
    const cites = [...new Set(known.map((number) => number - 1))].slice(0, MOST_CITED);
    return [{ section: key, text, cites }];
  });
}

/** A model may repeat its numbers at the end of the text: `Cough for three days. [4, 5]`. They are no content. */
function wordsOf({ text, utterances }: AnswerStatement): string {
  const words = text.trim();
  const [behind = '', numbers = ''] = /\s*\[([\d\s,;–-]+)\]\.?$/.exec(words) ?? [];
  const isCited = (number: string) => utterances.includes(Number(number));
  return numbers !== '' && (numbers.match(/\d+/g) ?? []).every(isCited) ? words.slice(0, -behind.length) : words;
}

function readDynamicFields(value: unknown, template: Template): Readonly<Record<string, string>> {
  const given = ownMember(value, 'dynamic_fields') ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) throw new BrokenAnswer('the dynamic fields are no object');
  return Object.fromEntries(
    template.dynamicFields.map(({ name }) => [name, fieldText(ownMember(given, name))] as const),
  );
}

function fieldText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new BrokenAnswer('a dynamic field is no text');
}

/** Never what an object inherits: a field may be called `toString`. */
function ownMember(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, name)?.value;
}
