// Picks the reasoner from the configuration: a model if one is set, else the rules. There is no fallback from a failing model to the rules.
import type { Config } from '../config.ts';
import type { FindNames } from '../flows/codes/official-names.ts';
import { makePdfText } from '../platform/file-check/pdf-text.ts';
import { makeHttpFetch } from '../platform/http-fetch.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { Reasoner, ReasonerCall } from '../ports/reasoner.ts';

/** Called once for each call of a model or of the rules. */
export type OnModelCall = (call: ReasonerCall & { readonly vendor: string }) => void;

type ModelParts = {
  readonly findNames?: FindNames;
  readonly tracing?: Tracing;
};

/**
 * Loads only the adapter that it picks: with a model neither the code of the rules nor what they know is read. Throws if the rules are
 * needed and their knowledge cannot be read; the message says what to do.
 */
export async function makeReasoner(config: Config, onCall: OnModelCall, parts: ModelParts = {}): Promise<Reasoner> {
  const isModelSet = config.OPENAI_API_KEY !== undefined || config.OPENAI_BASE_URL !== undefined;
  return isModelSet ? await makeModel(config, onCall, parts) : await makeRules(onCall);
}

async function makeModel(config: Config, onCall: OnModelCall, { findNames, tracing }: ModelParts): Promise<Reasoner> {
  const { makeOpenAiReasoner } = await import('../outbound/openai/openai-reasoner.ts');
  return makeOpenAiReasoner({
    apiKey: config.OPENAI_API_KEY,
    baseUrl: config.OPENAI_BASE_URL,
    model: config.OPENAI_MODEL,
    timeouts: {
      firstByteMs: config.REASONER_FIRST_BYTE_SECONDS * 1000,
      idleMs: config.REASONER_IDLE_SECONDS * 1000,
      totalMs: config.REASONER_TOTAL_SECONDS * 1000,
    },
    fetch: makeHttpFetch({ tracing }),
    tracing,
    findNames,
    onCall: (call) => onCall({ vendor: 'openai', ...call }),
  });
}

async function makeRules(onCall: OnModelCall): Promise<Reasoner> {
  const { openRules } = await import('../rules/rules.ts');
  return await openRules({
    readPdfText: makePdfText(),
    onCall: (call) => onCall({ vendor: 'builtin', ...call }),
  });
}
