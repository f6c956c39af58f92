// Cases of the note check, one line each: the conversation, the note, and the statements of the note.

import type { Language } from '../../../../src/domain/language.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import { type StatementKind, verdictOf } from '../../../../src/domain/note/check-report.ts';
import type { WrittenNote } from '../../../../src/domain/note/note.ts';
import type { Transcript } from '../../../../src/domain/recording/transcript.ts';

/** The conversation, with a bar between two utterances; the note; its statements: `+dose 500 mg` is supported, `-dose 500 mg` is not. */
export type Row = readonly [said: string, note: string, ...statements: string[]];

/** Two people speak in turn, three seconds each. */
export function aConversation(said: string, language: string): Transcript {
  const lines = said.split('|').map((line) => line.trim());
  return {
    language,
    durationSeconds: 3 * lines.length,
    utterances: lines.map((text, index) => ({
      speaker: index % 2,
      text,
      startSeconds: 3 * index,
      endSeconds: 3 * index + 2.5,
      confidence: 0.9,
    })),
  };
}

export function aNote(text: string, dynamicFields?: Readonly<Record<string, string>>): WrittenNote {
  const note = { title: '', sections: [{ key: 'SUBJECTIVE', title: 'Subjective', text }] };
  return dynamicFields ? { note, dynamicFields } : { note };
}

/** The kinds that are compared word by word. Findings and acts have tests of their own. */
const WORD_BY_WORD: ReadonlySet<StatementKind> = new Set([
  'drug',
  'dose',
  'number',
  'laterality',
  'allergy',
  'date',
  'negation',
  'attestation',
]);

export function statementsOf(said: string, text: string, language: Language, spoken: string = language): string[] {
  const transcript = aConversation(said, spoken);
  const { statements } = checkNote({ note: aNote(text), transcript, language, maxUnsupported: {} });
  return statements
    .filter(({ kind }) => WORD_BY_WORD.has(kind))
    .map((one) => `${verdictOf(one) === 'supported' ? '+' : '-'}${one.kind} ${text.slice(one.from, one.to)}`);
}
