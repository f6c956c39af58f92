// Who reasons and who listens: chosen by what is configured, and said.
import { isRules } from '../domain/site/engine-choice.ts';
import { makeDeepgramSpeech } from '../outbound/deepgram/deepgram-speech.ts';
import { parseDeepgramModels } from '../outbound/deepgram/models.ts';
import { makeHttpFetch } from '../platform/http-fetch.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { Speech } from '../ports/speech.ts';
import type { SandboxScenarios } from '../sandbox/scenarios.ts';
import { makeKnownSpeech } from '../sandbox/speech/recorded-speech.ts';
import type { EngineContext } from './engine-context.ts';
import { NO_SPEECH } from './engines-health.ts';
import { makeReasoner } from './make-reasoner.ts';

export type Engines = {
  readonly reasoner: Reasoner;
  readonly speech: Speech;
};

/** Throws as `makeReasoner`. */
export function makeEngines(house: EngineContext, known: Pick<SandboxScenarios, 'recordings'>): Engines {
  const reasoner = makeReasoner(house.config, house.metrics.vendorCalled);
  return { reasoner, speech: makeSpeech(house, known) };
}

/** Once the engine is ready, for whoever reads the log and not the greeting. */
export function logRules({ logger }: EngineContext, { reasoner: { engine } }: Engines): void {
  if (!isRules(engine)) return;
  logger.info('no model is set: rules reason, which are no language model and not a medical device', {
    component: 'reasoner',
    engine,
  });
}

function makeSpeech({ config, metrics }: EngineContext, { recordings }: Pick<SandboxScenarios, 'recordings'>): Speech {
  if (config.DEEPGRAM_API_KEY === undefined && config.DEEPGRAM_BASE_URL === undefined) {
    return makeKnownSpeech({ recordings, message: NO_SPEECH });
  }
  return makeDeepgramSpeech({
    apiKey: config.DEEPGRAM_API_KEY,
    baseUrl: config.DEEPGRAM_BASE_URL,
    models: parseDeepgramModels(config.DEEPGRAM_MODEL),
    baseTimeoutMs: config.SPEECH_BASE_SECONDS * 1000,
    fetch: makeHttpFetch(),
    onCall: metrics.vendorCalled,
  });
}
