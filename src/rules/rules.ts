// The rules: a Reasoner without a language model. Other rooms import this file only.
import type { Reasoner } from '../ports/reasoner.ts';
import { makeExtractFacts } from './extraction/extract-facts.ts';
import type { ExtractFacts } from './extraction/history-facts.ts';
import { loadKnowledge } from './knowledge/load-knowledge.ts';
import { KNOWLEDGE_FOLDER } from './knowledge/read-knowledge.ts';
import { makeNoteWriter } from './note-writing/note-writer.ts';
import { makeRulesReasoner, type RulesReasonerParts } from './rules-reasoner.ts';

type RulesParts = Pick<RulesReasonerParts, 'readPdfText' | 'onCall'>;

const WHAT_TO_DO = `These files are in ${KNOWLEDGE_FOLDER}.
Correct them (FORMAT.md there describes them) or restore them; or set OPENAI_API_KEY or OPENAI_BASE_URL: a model does not need them.`;

/** Reads knowledge/. Throws if it cannot be used: the message names every problem with file and line, and what to do. */
export function openRules(parts: RulesParts): Reasoner {
  const knowledge = loadKnowledgeOrExplain();
  return makeRulesReasoner({
    ...parts,
    knowledge,
    extractFacts: lazily(() => makeExtractFacts(knowledge)),
    writeNote: makeNoteWriter(knowledge),
  });
}

/** The index of all phrases needs far more memory than the knowledge itself: it is made when the first history comes. */
function lazily(make: () => ExtractFacts): ExtractFacts {
  let extractFacts: ExtractFacts | undefined;
  return (text) => {
    extractFacts ??= make();
    return extractFacts(text);
  };
}

function loadKnowledgeOrExplain() {
  try {
    return loadKnowledge(KNOWLEDGE_FOLDER);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'unknown failure';
    throw new Error(`${why}\n${WHAT_TO_DO}`, { cause: thrown });
  }
}
