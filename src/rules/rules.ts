// The rules: a Reasoner without a language model. Other rooms import this file only.
import type { Reasoner } from '../ports/reasoner.ts';
import { KNOWLEDGE_FOLDER } from './knowledge/read-knowledge.ts';
import { makeRulesReasoner, type RulesReasonerParts } from './rules-reasoner.ts';
import { openRulesThread } from './thread/open-rules-thread.ts';

type RulesParts = Pick<RulesReasonerParts, 'readPdfText' | 'onCall'>;

const WHAT_TO_DO = `These files are in ${KNOWLEDGE_FOLDER}.
Correct them (FORMAT.md there describes them) or restore them; or set OPENAI_API_KEY or OPENAI_BASE_URL: a model does not need them.`;

/** Reads knowledge/. Rejects if it cannot be used: the message names every problem with file and line, and what to do. */
export async function openRules(parts: RulesParts): Promise<Reasoner> {
  try {
    return makeRulesReasoner({ ...parts, ...(await openRulesThread()) });
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'unknown failure';
    throw new Error(`${why}\n${WHAT_TO_DO}`, { cause: thrown });
  }
}
