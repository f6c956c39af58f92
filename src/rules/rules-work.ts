// What the rules do for one request, once its text is known: pure work without a network, a clock or a disk.
import type { Diagnosis } from '../domain/diagnosis/diagnosis.ts';
import type { Language } from '../domain/language.ts';
import type { NoteAnswer, NoteRequest } from '../ports/reasoner.ts';
import { buildDiagnosis } from './answers/build-diagnosis.ts';
import type { UnseenContent } from './answers/unseen-content.ts';
import type { ExtractFacts } from './extraction/history-facts.ts';
import type { Knowledge } from './knowledge/knowledge.ts';

export type HistoryText = {
  readonly text: string;
  readonly unseen: UnseenContent;
  /** Of the answer. */
  readonly language: Language;
};

export type RulesWork = {
  readonly diagnose: (history: HistoryText) => Diagnosis;
  readonly writeNote: (request: NoteRequest) => NoteAnswer;
};

type WorkParts = {
  readonly knowledge: Knowledge;
  readonly extractFacts: ExtractFacts;
  readonly writeNote: (request: NoteRequest) => NoteAnswer;
};

export function makeRulesWork({ knowledge, extractFacts, writeNote }: WorkParts): RulesWork {
  return {
    diagnose: ({ text, unseen, language }) =>
      buildDiagnosis({ knowledge, facts: extractFacts(text), unseen, language }),
    writeNote,
  };
}
