// Who reasons and who listens: chosen by what is configured, and said where nobody is.
import { makeAbsentReasoner } from '../outbound/builtin/absent-reasoner.ts';
import { makeAbsentSpeech } from '../outbound/builtin/absent-speech.ts';
import { makeDeepgramSpeech } from '../outbound/deepgram/deepgram-speech.ts';
import { parseDeepgramModels } from '../outbound/deepgram/models.ts';
import { makeOpenAiReasoner } from '../outbound/openai/openai-reasoner.ts';
import { makeHttpFetch } from '../platform/http-fetch.ts';
import type { ComponentHealth, HealthCheck } from '../ports/health.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { Speech } from '../ports/speech.ts';
import type { House } from './house.ts';

const NO_REASONER =
  'No reasoner is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own, and start again';
const NO_SPEECH =
  'No speech recognition is configured: set DEEPGRAM_API_KEY, or DEEPGRAM_BASE_URL for a server of your own, and start again';

export type Engines = {
  readonly reasoner: Reasoner;
  readonly speech: Speech;
  readonly health: readonly HealthCheck[];
};

export function makeEngines(house: House): Engines {
  const reasoner = makeReasoner(house);
  const speech = makeSpeech(house);
  const health = [
    async () => engineHealth('reasoner', reasoner.engine, NO_REASONER),
    async () => engineHealth('speech', speech.engine, NO_SPEECH),
  ];
  return { reasoner, speech, health };
}

function makeReasoner({ config, metrics }: House): Reasoner {
  if (config.OPENAI_API_KEY === undefined && config.OPENAI_BASE_URL === undefined) {
    return makeAbsentReasoner(NO_REASONER);
  }
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
    onCall: (call) => metrics.vendorCalled({ vendor: 'openai', ...call }),
  });
}

function makeSpeech({ config, metrics }: House): Speech {
  if (config.DEEPGRAM_API_KEY === undefined && config.DEEPGRAM_BASE_URL === undefined) {
    return makeAbsentSpeech(NO_SPEECH);
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

function engineHealth(name: string, engine: string | undefined, absence: string): ComponentHealth {
  return engine === undefined
    ? { name, status: 'degraded', detail: `${absence}.` }
    : { name, status: 'ok', detail: `${engine} is configured.` };
}
