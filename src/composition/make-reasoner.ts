// Who reasons: a model where one is set, else the rules that come with the engine. Never the rules in place of a model that is down.
import path from 'node:path';
import type { Config } from '../config.ts';
import { makeOpenAiReasoner } from '../outbound/openai/openai-reasoner.ts';
import { makePdfText } from '../platform/file-check/pdf-text.ts';
import { makeHttpFetch } from '../platform/http-fetch.ts';
import type { Reasoner, ReasonerCall } from '../ports/reasoner.ts';
import { makeHearHistory } from '../rules/extraction/hear-history.ts';
import { readKnowledge } from '../rules/knowledge/read-knowledge.ts';
import { makeNoteWriter } from '../rules/note-writing/note-writer.ts';
import { makeBuiltinReasoner } from '../rules/rules-reasoner.ts';

type OnCall = (call: ReasonerCall & { readonly vendor: string }) => void;

const KNOWLEDGE = path.join(import.meta.dirname, '../../knowledge');

/** Throws where the rules are needed and what they know cannot be read; the message says what to do. */
export function makeReasoner(config: Config, onCall: OnCall): Reasoner {
  const isModelSet = config.OPENAI_API_KEY !== undefined || config.OPENAI_BASE_URL !== undefined;
  return isModelSet ? makeModel(config, onCall) : makeRules(onCall);
}

function makeModel(config: Config, onCall: OnCall): Reasoner {
  return makeOpenAiReasoner({
    apiKey: config.OPENAI_API_KEY,
    baseUrl: config.OPENAI_BASE_URL,
    model: config.OPENAI_MODEL,
    timeouts: {
      firstByteMs: config.REASONER_FIRST_BYTE_SECONDS * 1000,
      idleMs: config.REASONER_IDLE_SECONDS * 1000,
      totalMs: config.REASONER_TOTAL_SECONDS * 1000,
    },
    fetch: makeHttpFetch(),
    onCall: (call) => onCall({ vendor: 'openai', ...call }),
  });
}

function makeRules(onCall: OnCall): Reasoner {
  return makeBuiltinReasoner({
    ...readRules(),
    readPdfText: makePdfText(),
    onCall: (call) => onCall({ vendor: 'builtin', ...call }),
  });
}

/** At the start, so that nobody finds out by a question. */
function readRules() {
  try {
    const knowledge = readKnowledge(KNOWLEDGE);
    return { knowledge, hearHistory: makeHearHistory(knowledge), writeNote: makeNoteWriter() };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'unknown failure';
    throw new Error(`${why}\n${WHAT_TO_DO}`, { cause: thrown });
  }
}

const WHAT_TO_DO = `These files lie in ${KNOWLEDGE}.
Put them right (FORMAT.md there says how), or as they came; or set OPENAI_API_KEY or OPENAI_BASE_URL: a model does not need them.`;
