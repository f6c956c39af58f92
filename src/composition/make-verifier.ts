// Picks the verifier, the second check of notes, from the configuration: by default the model that reasons. With the rules and no model of its
// own there is none.
import type { Config } from '../config.ts';
import { makeHttpFetch } from '../platform/http-fetch.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { Verifier } from '../ports/verifier.ts';
import type { OnModelCall } from './make-reasoner.ts';

/** Undefined: there is no second check. */
export async function makeVerifier(
  config: Config,
  onCall: OnModelCall,
  { tracing }: { readonly tracing?: Tracing } = {},
): Promise<Verifier | undefined> {
  const settings = verifierSettings(config);
  if (settings === undefined) return undefined;
  const { makeOpenAiVerifier } = await import('../outbound/openai/openai-verifier.ts');
  const totalMs = config.VERIFIER_SECONDS * 1000;
  return makeOpenAiVerifier({
    ...settings,
    timeouts: { firstByteMs: totalMs, idleMs: totalMs, totalMs },
    fetch: makeHttpFetch({ tracing }),
    tracing,
    onCall: (call) => onCall({ vendor: 'openai', ...call }),
  });
}

/** The reasoner's key goes to no other server than the reasoner's. */
function verifierSettings(config: Config) {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL, VERIFIER_API_KEY, VERIFIER_BASE_URL, VERIFIER_MODEL } = config;
  const isModelSet = OPENAI_API_KEY !== undefined || OPENAI_BASE_URL !== undefined;
  if (VERIFIER_MODEL === 'off' || (VERIFIER_MODEL === undefined && !isModelSet)) return undefined;
  return {
    model: VERIFIER_MODEL ?? OPENAI_MODEL,
    baseUrl: VERIFIER_BASE_URL ?? OPENAI_BASE_URL,
    apiKey: VERIFIER_API_KEY ?? (VERIFIER_BASE_URL === undefined ? OPENAI_API_KEY : undefined),
  };
}
