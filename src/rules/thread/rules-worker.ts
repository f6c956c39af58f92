// The code of the thread in which the rules work. It reads the knowledge at the first question.
import { AppError } from '../../domain/errors.ts';
import { answerQuestions, RefusedQuestion } from '../../platform/thread-answers.ts';
import type { NoteRequest } from '../../ports/reasoner.ts';
import { makeExtractFacts } from '../extraction/extract-facts.ts';
import type { ExtractFacts } from '../extraction/history-facts.ts';
import { loadKnowledge } from '../knowledge/load-knowledge.ts';
import { KNOWLEDGE_FOLDER } from '../knowledge/read-knowledge.ts';
import { makeNoteWriter } from '../note-writing/note-writer.ts';
import { type HistoryText, makeRulesWork, type RulesWork } from '../rules-work.ts';
import { makeWorkClock } from './work-clock.ts';

export type Question =
  /** Answers with the version of the knowledge. */
  | { readonly kind: 'open' }
  | { readonly kind: 'diagnose'; readonly history: HistoryText }
  | { readonly kind: 'note'; readonly request: NoteRequest };

/** `code`: absent if the knowledge cannot be used. */
export type Refusal = Pick<AppError, 'message'> & Partial<Pick<AppError, 'code'>>;

/** For the longest text; a usual history takes some hundredths of it, and the transcript of an hour about a tenth. */
const LIMIT_MS = 2_000;

const clock = makeWorkClock(LIMIT_MS);
let rules: { readonly version: string; readonly work: RulesWork } | undefined;

answerQuestions<Question, unknown>((question) => {
  rules ??= open();
  const { version, work } = rules;
  try {
    if (question.kind === 'open') return version;
    clock.begin(question.kind === 'note' ? 'transcript' : 'text');
    return question.kind === 'diagnose' ? work.diagnose(question.history) : work.writeNote(question.request);
  } catch (thrown) {
    throw thrown instanceof AppError ? refusal({ code: thrown.code, message: thrown.message }) : thrown;
  }
});

function open() {
  try {
    const knowledge = loadKnowledge(KNOWLEDGE_FOLDER);
    const extractFacts = lazily(() => makeExtractFacts(knowledge, clock.check));
    return {
      version: knowledge.version,
      work: makeRulesWork({ knowledge, extractFacts, writeNote: makeNoteWriter(knowledge, clock.check) }),
    };
  } catch (thrown) {
    throw refusal({ message: thrown instanceof Error ? thrown.message : 'unknown failure' });
  }
}

/** The index of all phrases needs far more memory than the knowledge itself: it is made when the first history comes, beside its time. */
function lazily(make: () => ExtractFacts): ExtractFacts {
  let extractFacts: ExtractFacts | undefined;
  return (text) => {
    if (extractFacts === undefined) {
      extractFacts = make();
      clock.begin();
    }
    return extractFacts(text);
  };
}

function refusal(why: Refusal): RefusedQuestion {
  return new RefusedQuestion(why);
}
