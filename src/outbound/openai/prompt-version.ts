// The version of the prompts, as a hash: it changes with every change of a prompt, of the answer's form or of the fences around data, and
// with nothing else. It makes it possible to find and retract what one prompt wrote.
import { createHash } from 'node:crypto';
import { BAD_FORMS } from '../../domain/diagnosis/repair-diagnosis.ts';
import type { Visit } from '../../domain/history/visit.ts';
import { LANGUAGES } from '../../domain/language.ts';
import { chooseTemplate, TEMPLATE_NAMES, type Template } from '../../domain/note/template.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import type { IcdEdition } from '../../ports/reasoner.ts';
import { askForDiagnosis } from './diagnosis-prompt.ts';
import { askForNote } from './note-prompt.ts';
import { type Question, withDoubts } from './question.ts';

const HASH_DIGITS = 12;
/** Marks and placeholders, which are new in each call. */
const NEW_EACH_TIME = /[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What differs from call to call is data: one value is enough. */
const DAY = new Date('2026-01-01T00:00:00Z');
const VISIT: Visit = { date: '2026-01-01', age: 'age', sex: 'female' };
const EDITIONS = ['icd-10', 'icd-10-cm', 'icd-10-es'] as const satisfies readonly IcdEdition[];

const TEMPLATE: Template = {
  name: 'CUSTOM',
  sections: [{ key: 'SECTION', title: 'Section', guidance: 'guidance' }],
  dynamicFields: [{ name: 'field', description: 'description' }],
};
const NOT_FOUND = [{ words: 'words', sentence: 'sentence' }];
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
  const history = { clinicalHistory: 'history', attachments: [], language } as const;
  return [
    ...EDITIONS.map((codes) => askForDiagnosis({ ...history, codes, visit: VISIT }, DAY)),
    askForDiagnosis(history, DAY),
    withDoubts(askForDiagnosis({ attachments, language }, DAY), BAD_FORMS),
    askForNote({ transcript: TRANSCRIPT, template: TEMPLATE, language, visit: VISIT }, DAY),
    askForNote({ transcript: TRANSCRIPT, template: TEMPLATE, language, notFound: NOT_FOUND }, DAY),
    askForNote({ transcript: TRANSCRIPT, template: TEMPLATE, language, instruction: 'instruction' }, DAY),
    ...TEMPLATE_NAMES.map((template) => {
      return askForNote({ transcript: TRANSCRIPT, template: chooseTemplate({ template, language }), language }, DAY);
    }),
  ];
}
