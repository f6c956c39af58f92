// The Deepgram adapter against a local vendor, for the tests of this folder.
import type { Recording } from '../../../src/domain/recording/recording.ts';
import {
  type DeepgramParts,
  makeDeepgramSpeech,
  parseDeepgramModels,
} from '../../../src/outbound/deepgram/deepgram-speech.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import type { Speech } from '../../../src/ports/speech.ts';
import { audioStream } from '../../support/audio-samples.ts';
import type { DeepgramBehaviour, DeepgramServer } from '../../support/deepgram-server.ts';

export const MEBIBYTE = 1_048_576;
export const NEVER = new AbortController().signal;

export function makeSpeech(server: DeepgramServer, parts: Partial<DeepgramParts> = {}): Speech {
  return makeDeepgramSpeech({
    apiKey: 'secret-key',
    baseUrl: server.baseUrl,
    models: parseDeepgramModels('en=model-en,es=model-es,pt=model-pt'),
    baseTimeoutMs: 30_000,
    fetch: makeHttpFetch(),
    pace: { retryBaseMs: 1 },
    ...parts,
  });
}

/** A recording that is passed on while it arrives. */
export function streamed(sizeBytes: number, onChunk?: (askedBytes: number) => void): Recording {
  const open = () => audioStream('wav', sizeBytes, onChunk);
  return { type: 'audio/wav', sizeBytes: undefined, isReopenable: false, open };
}

export function status(code: number, more: object = {}): DeepgramBehaviour {
  return { kind: 'status', status: code, ...more };
}
