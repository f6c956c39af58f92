// The contract of every speech outlet. Run on the fake and on the real adapter.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../src/domain/language.ts';
import type { Recording } from '../../src/domain/recording/recording.ts';
import type { Speech } from '../../src/ports/speech.ts';
import { makeAudio } from '../support/audio-samples.ts';

/** `spanish` and `german` are consultations, too. */
export type SpeechSituation = 'consultation' | 'spanish' | 'german' | 'silence' | 'down' | 'hang';

export type SpeechStage = {
  readonly speech: Speech;
  readonly arrange: (situation: SpeechSituation) => void;
  readonly close: () => Promise<void>;
};

const SIZE_BYTES = 200_000;

export function describeSpeech(name: string, setUp: () => Promise<SpeechStage>): void {
  describe(`${name} keeps the contract of speech`, () => {
    let stage: SpeechStage;
    const never = new AbortController().signal;

    beforeEach(async () => {
      stage = await setUp();
    });
    afterEach(() => stage.close());

    it.each(LANGUAGES)('a consultation in %s has its speakers numbered by first speech', async (language) => {
      stage.arrange('consultation');
      const { recording } = aRecording();
      const transcript = await stage.speech.transcribe({ recording, language }, never);
      const firstHeard = [...new Set(transcript.utterances.map(({ speaker }) => speaker))];
      expect(firstHeard).toEqual(firstHeard.map((_, index) => index));
      expect(firstHeard.length).toBeGreaterThan(1);
      expect(transcript.language).toBe(language);
    });

    it.each([
      ['consultation', 'en'],
      ['spanish', 'es'],
      ['german', 'de'],
    ] as const)('a recording without a given language, a %s, is detected as %s', async (situation, spoken) => {
      stage.arrange(situation);
      const asked = stage.speech.transcribe({ recording: aRecording().recording, language: 'detect' }, never);
      const { language, utterances } = await asked;
      expect(language).toBe(spoken);
      expect(utterances.length).toBeGreaterThan(1);
    });

    it('utterances come in the order of their start, say something, and lie within the recording', async () => {
      stage.arrange('consultation');
      const { utterances, durationSeconds } = await stage.speech.transcribe(
        { recording: aRecording().recording, language: 'en' },
        never,
      );
      const starts = utterances.map(({ startSeconds }) => startSeconds);
      expect(starts).toEqual(starts.toSorted((a, b) => a - b));
      for (const { text, startSeconds, endSeconds, confidence } of utterances) {
        expect(text).toBe(text.trim());
        expect(text).not.toBe('');
        expect(startSeconds).toBeGreaterThanOrEqual(0);
        expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
        expect(endSeconds).toBeLessThanOrEqual(durationSeconds);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }
    });

    it('the recording is read to its end, once where it can be read only once', async () => {
      stage.arrange('consultation');
      const { recording, opened } = aRecording({ isReopenable: false });
      await stage.speech.transcribe({ recording, language: 'en' }, never);
      expect(opened).toEqual([SIZE_BYTES]);
    });

    it('a recording without speech has no utterances and is no error', async () => {
      stage.arrange('silence');
      const transcript = await stage.speech.transcribe({ recording: aRecording().recording, language: 'en' }, never);
      expect(transcript.utterances).toEqual([]);
    });

    it('an outlet that is down says so, and reads what cannot be read again only once', async () => {
      stage.arrange('down');
      const { recording, opened } = aRecording({ isReopenable: false });
      const asked = stage.speech.transcribe({ recording, language: 'en' }, never);
      await expect(asked).rejects.toMatchObject({ code: 'vendorUnavailable' });
      expect(opened.length).toBeLessThanOrEqual(1);
    });

    it('an upload that breaks off comes through as it was thrown', async () => {
      stage.arrange('consultation');
      const broken = new Error('the client went away');
      const { recording } = aRecording({ isReopenable: false, breakWith: broken });
      await expect(stage.speech.transcribe({ recording, language: 'en' }, never)).rejects.toBe(broken);
    });

    it('a call that is cancelled before it begins does not read the recording', async () => {
      const { recording, opened } = aRecording();
      const asked = stage.speech.transcribe({ recording, language: 'en' }, AbortSignal.abort());
      await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
      expect(opened).toEqual([]);
    });

    it('a call that is cancelled while it waits ends at once', async () => {
      stage.arrange('hang');
      const cancel = new AbortController();
      const { recording } = aRecording({ onEnd: () => cancel.abort() });
      const asked = stage.speech.transcribe({ recording, language: 'en' }, cancel.signal);
      await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    });
  });
}

type RecordingParts = {
  readonly isReopenable?: boolean;
  readonly breakWith?: unknown;
  readonly onEnd?: () => void;
};

/** `opened` holds, for each time it was opened, how many bytes were read. */
export function aRecording({ isReopenable = true, breakWith, onEnd }: RecordingParts = {}): {
  readonly recording: Recording;
  readonly opened: readonly number[];
} {
  const bytes = makeAudio('mp3', SIZE_BYTES);
  const opened: number[] = [];
  const open = async function* () {
    const turn = opened.push(0) - 1;
    for (let from = 0; from < bytes.length; from += 50_000) {
      if (breakWith !== undefined && from >= 100_000) throw breakWith;
      const chunk = bytes.subarray(from, from + 50_000);
      opened[turn] = (opened[turn] ?? 0) + chunk.length;
      yield chunk;
    }
    onEnd?.();
  };
  const sizeBytes = isReopenable ? bytes.length : undefined;
  return { recording: { type: 'audio/mpeg', sizeBytes, isReopenable, open }, opened };
}
