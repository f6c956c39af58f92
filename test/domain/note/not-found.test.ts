import { describe, expect, it } from '@jest/globals';
import { checkNote } from '../../../src/domain/note/check-note.ts';
import { judgeStatements } from '../../../src/domain/note/check-verdicts.ts';
import { findNotFound } from '../../../src/domain/note/not-found.ts';
import { aTranscript } from '../../fakes/speech.ts';

const CASES = [
  ['en', 'Any pain?', 'Pain since Monday. No known allergies.', 'allergies', 'No known allergies.'],
  [
    'es',
    '¿Dolor?',
    'Dolor desde el lunes. Alérgica a la penicilina.',
    'Alérgica a la penicilina',
    'Alérgica a la penicilina.',
  ],
  ['pt', 'Alguma dor?', 'Dor desde segunda. Toma varfarina.', 'varfarina', 'Toma varfarina.'],
] as const;

describe('what of a note was not found', () => {
  it.each(CASES)('has its words and its sentence (%s)', (language, said, text, words, sentence) => {
    const utterance = { speaker: 0, text: said, startSeconds: 0, endSeconds: 1, confidence: 1 };
    const transcript = aTranscript({ utterances: [utterance] });
    const note = {
      note: { title: '', sections: [{ key: 'PLAN', title: '', text: said }] },
      dynamicFields: { history: text },
    };
    const report = checkNote({ note, transcript, language, maxUnsupported: {} });
    const statements = judgeStatements({ note, report });
    expect(findNotFound({ note, statements, language })).toContainEqual({ words, sentence });
  });

  it('is nothing if all was said', () => {
    expect(findNotFound({ note: { note: { title: '', sections: [] } }, statements: [], language: 'en' })).toEqual([]);
  });
});
