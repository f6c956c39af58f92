// The built-in speech recognition knows the recordings of the sandbox by their bytes; for others it names the missing setting.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readScenarios } from '../../../src/sandbox/scenarios.ts';
import { makeRecordedSpeech } from '../../../src/sandbox/speech/recorded-speech.ts';
import { aRecording } from '../../contracts/speech-contract.ts';

const never = new AbortController().signal;
const { recordings } = readScenarios();
const speech = makeRecordedSpeech({ recordings: () => recordings, message: 'set DEEPGRAM_API_KEY' });

function ofBytes(bytes: Uint8Array, pieces = 3) {
  let opened = 0;
  const { recording } = aRecording();
  return {
    opened: () => opened,
    recording: {
      ...recording,
      type: 'audio/ogg',
      open: async function* () {
        const step = Math.ceil(bytes.length / pieces);
        for (let at = 0; at < bytes.length; at += step) {
          opened += 1;
          yield bytes.subarray(at, at + step);
        }
      },
    } as const,
  };
}

describe('the built-in speech recognition', () => {
  it.each(recordings.map((known) => [known.id, known] as const))('knows %s', async (_, { path, transcript }) => {
    const { recording } = ofBytes(readFileSync(path));
    expect(await speech.transcribe({ recording, language: 'detect' }, never)).toBe(transcript);
  });

  it('knows recordings in all three languages', () => {
    expect(new Set(recordings.map(({ transcript }) => transcript.language))).toEqual(new Set(['en', 'es', 'pt']));
  });

  it('does not know a recording with one changed byte', async () => {
    const bytes = Uint8Array.from(readFileSync(recordings[0]?.path ?? ''));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    const asked = speech.transcribe({ recording: ofBytes(bytes).recording, language: 'en' }, never);
    await expect(asked).rejects.toMatchObject({ code: 'notConfigured', message: 'set DEEPGRAM_API_KEY' });
  });

  it('does not read more than its largest recording', async () => {
    const most = Math.max(...recordings.map(({ sizeBytes }) => sizeBytes));
    const large = ofBytes(new Uint8Array(most * 10), 100);
    const asked = speech.transcribe({ recording: large.recording, language: 'en' }, never);
    await expect(asked).rejects.toMatchObject({ code: 'notConfigured' });
    expect(large.opened()).toBeLessThan(15);
  });

  it('stops when the call is cancelled', async () => {
    const stopped = AbortSignal.abort();
    const { recording } = ofBytes(readFileSync(recordings[0]?.path ?? ''));
    await expect(speech.transcribe({ recording, language: 'en' }, stopped)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});
