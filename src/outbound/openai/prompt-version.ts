// The version of the prompts, as a hash: it changes with every change of a prompt, of the answer's form or of the fences around data, and
// with nothing else. It makes it possible to find and retract what one prompt wrote.
import { createHash } from 'node:crypto';
import { LANGUAGES } from '../../domain/language.ts';
import type { Template } from '../../domain/note/template.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import { askForDiagnosis } from './diagnosis-prompt.ts';
import { askForNote } from './note-prompt.ts';
import type { Question } from './question.ts';

const HASH_DIGITS = 12;
/** Marks and placeholders, which are new in each call. */
const NEW_EACH_TIME = /[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const TEMPLATE: Template = {
  name: 'CUSTOM',
  sections: [{ key: 'SECTION', title: 'Section', guidance: 'guidance' }],
  dynamicFields: [{ name: 'field', description: 'description' }],
};
const TRANSCRIPT: Transcript = {
  utterances: [{ speaker: 0, text: 'words', startSeconds: 0, endSeconds: 1, confidence: 1 }],
  durationSeconds: 1,
  language: 'en',
};

/** The same in every process of one version of the product. */
export function promptVersion(): string {
  return hashOf(LANGUAGES.flatMap(plainQuestions));
}

/** Of questions about the same data: what differs is how it is asked. */
export function hashOf(questions: readonly Pick<Question, 'schemaName' | 'schema' | 'messages'>[]): string {
  const asked = questions.map(({ schemaName, schema, messages }) => ({ schemaName, schema, messages }));
  const text = JSON.stringify(asked).replace(NEW_EACH_TIME, '');
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
}

function plainQuestions(language: (typeof LANGUAGES)[number]): readonly Question[] {
  const open = async function* () {};
  const attachments = [
    { type: 'image/png', sizeBytes: 1, open },
    { type: 'application/pdf', sizeBytes: 1, open },
  ] as const;
  return [
    askForDiagnosis({ clinicalHistory: 'history', attachments: [], language }),
    askForDiagnosis({ attachments, language }),
    askForNote({ transcript: TRANSCRIPT, template: TEMPLATE, language }),
  ];
}
