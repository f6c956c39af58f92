// The requests of the six endpoints. The schemas validate, and describe the requests in the OpenAPI document. Messages name the
// field and the rule, and never repeat the value, which can be clinical text.
import { z } from 'zod';
import { DEFAULT_LANGUAGE, LANGUAGES } from '../../../domain/language.ts';
import { NOTE_TYPES, TEMPLATE_NAMES } from '../../../domain/note/template.ts';
import { emptyAsAbsent, required } from '../../../wire/fields.ts';
import { exampleHistory, exampleTemplate } from './examples.ts';

function oneOf<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, { error: `must be one of ${names.join(', ')}` });
}

const TEXT_RULE = 'must be text without NUL or broken characters';

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

const text = z.string({ error: 'must be text' }).refine(isStorable, { error: TEXT_RULE });

const languageName = oneOf(LANGUAGES).meta({ id: 'Language' });

/** The default is said in words: a `default` makes a field required in some generated clients. */
function languageOf(what: string) {
  return emptyAsAbsent(
    languageName.optional().meta({ description: `Language of ${what}; \`${DEFAULT_LANGUAGE}\` if absent.` }),
  ).transform((given) => given ?? DEFAULT_LANGUAGE);
}

const language = languageOf('the answer');

const HISTORY_RULE = 'must be text that is not blank';

const optionalHistory = z.preprocess(
  (value) => (value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value),
  text.optional().meta({
    description: 'Text to analyze, in any language; required when no files are sent. Blank text counts as absent.',
    examples: [exampleHistory],
  }),
);

export const diagnoseFields = z.object({ clinical_history: optionalHistory, language });

export const streamBody = z
  .object({
    clinical_history: z
      .string({ error: required(HISTORY_RULE) })
      .refine((value) => value.trim() !== '', { error: HISTORY_RULE, abort: true })
      .refine(isStorable, { error: TEXT_RULE })
      .meta({ description: 'Text to analyze, in any language.', examples: [exampleHistory] }),
    language,
  })
  .meta({ id: 'DiagnosisStreamRequest' });

export const transcribeFields = z.object({
  note_type: emptyAsAbsent(
    oneOf(NOTE_TYPES).meta({ id: 'NoteType' }).optional().meta({
      description: 'Chooses the default template of this type of note. Not together with custom_template.',
    }),
  ),
  template: emptyAsAbsent(
    oneOf(TEMPLATE_NAMES).meta({ id: 'TemplateName' }).optional().meta({
      description:
        'Overrides the default template of note_type; SOAP if both are absent. Not together with custom_template.',
    }),
  ),
  custom_template: emptyAsAbsent(
    text.optional().meta({
      description:
        'Sections as level-1 headings, each with lines that describe its content; optionally "## Dynamic Fields" with lines "- <field_name>: <description>". Not together with note_type or template.',
      examples: [exampleTemplate],
    }),
  ),
  language: languageOf('the audio and of the note'),
});

const BOOLEAN_WORDS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [false, false],
  ['false', false],
  ['0', false],
]);

export const conversationFields = z.object({
  language: languageOf('the audio'),
  include_timestamps: z
    .preprocess(
      (value) => (value === '' || value === null ? undefined : (BOOLEAN_WORDS.get(lowerCased(value)) ?? value)),
      z.boolean({ error: 'must be true or false' }).optional().meta({
        description: 'Whether each message carries start_time, end_time and confidence; true if absent.',
      }),
    )
    .transform((given) => given ?? true),
});

function lowerCased(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
