// Picks the reasoner and speech adapters from the configuration and logs the choice. Only what is picked is loaded.
import { isRules } from '../domain/site/engine-choice.ts';
import { makeHttpFetch } from '../platform/http-fetch.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { Speech } from '../ports/speech.ts';
import type { EngineContext } from './engine-context.ts';
import { makeReasoner } from './make-reasoner.ts';

export type Engines = {
  readonly reasoner: Reasoner;
  readonly speech: Speech;
};

/** Throws as `makeReasoner`. `builtin` is used if no speech recognition is configured. */
export async function makeEngines(context: EngineContext, builtin: Pick<Engines, 'speech'>): Promise<Engines> {
  const reasoner = await makeReasoner(context.config, context.metrics.vendorCalled);
  return { reasoner, speech: await makeSpeech(context, builtin) };
}

/** Called once the engine is ready: the log must show it, too, not only the startup message. */
export function logRules({ logger }: EngineContext, { reasoner: { engine } }: Engines): void {
  if (!isRules(engine)) return;
  logger.info('no model is set: the rules are the reasoner; they are no language model and not a medical device', {
    component: 'reasoner',
    engine,
  });
}

async function makeSpeech({ config, metrics }: EngineContext, builtin: Pick<Engines, 'speech'>): Promise<Speech> {
  if (config.DEEPGRAM_API_KEY === undefined && config.DEEPGRAM_BASE_URL === undefined) return builtin.speech;
  const { makeDeepgramSpeech } = await import('../outbound/deepgram/deepgram-speech.ts');
  const { parseDeepgramModels } = await import('../outbound/deepgram/models.ts');
  return makeDeepgramSpeech({
    apiKey: config.DEEPGRAM_API_KEY,
    baseUrl: config.DEEPGRAM_BASE_URL,
    models: parseDeepgramModels(config.DEEPGRAM_MODEL),
    baseTimeoutMs: config.SPEECH_BASE_SECONDS * 1000,
    fetch: makeHttpFetch(),
    onCall: metrics.vendorCalled,
  });
}
