// The vendor's answer made into a transcript. Checks its shape; never passes on a transcript of which a part is missing.
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import { numberSpeakers, type Transcript } from '../../domain/recording/transcript.ts';

const CONFIDENCE_STEPS = 1_000_000;
/** BCP 47 for a language that nobody could tell: of silence, above all. */
const UNDETERMINED = 'und';

const seconds = z.number().nonnegative();
const wordSchema = z.object({
  word: z.string().optional(),
  punctuated_word: z.string().optional(),
  start: seconds,
  end: seconds,
  confidence: z.number().optional(),
  speaker: z.number().optional(),
});
const utteranceSchema = z.object({
  start: seconds,
  end: seconds,
  confidence: z.number().optional(),
  transcript: z.string(),
  speaker: z.number().optional(),
  words: z.array(wordSchema).optional(),
});
const answerSchema = z.object({
  metadata: z.object({ duration: seconds }),
  results: z.object({
    channels: z.array(
      z.object({
        alternatives: z.array(z.object({ words: z.array(wordSchema).optional() })).optional(),
        detected_language: z.string().optional(),
      }),
    ),
    utterances: z.array(utteranceSchema).optional(),
  }),
});

type VendorWord = z.infer<typeof wordSchema>;
type VendorUtterance = z.infer<typeof utteranceSchema>;
type Said = {
  readonly vendorSpeaker: number | undefined;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly confidence: number;
};

/** Throws `vendorAnswer` where it is not the answer that was asked for. Silence is a transcript without utterances. */
export function toTranscript(answer: unknown, language: Language | 'detect'): Transcript {
  const parsed = answerSchema.safeParse(answer);
  // The schema's own message could quote what was said.
  if (!parsed.success) throw new AppError('vendorAnswer', 'The speech service gave an answer that cannot be read');
  const { metadata, results } = parsed.data;
  const asUtterances = (results.utterances ?? []).map(fromUtterance).filter(isHeard);
  const said = asUtterances.length > 0 ? asUtterances : fromWords(wordsOf(results.channels)).filter(isHeard);
  const inOrder = said.toSorted((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);
  const speakers = numberSpeakers(inOrder.map(({ vendorSpeaker }) => vendorSpeaker));
  return {
    utterances: inOrder.map(({ text, startSeconds, endSeconds, confidence }, index) => ({
      speaker: speakers[index] ?? 0,
      text,
      startSeconds,
      endSeconds,
      confidence,
    })),
    durationSeconds: metadata.duration,
    language: language === 'detect' ? detectedLanguage(results.channels) : language,
  };
}

function isHeard({ text }: Said): boolean {
  return text !== '';
}

function fromUtterance({ transcript, start, end, confidence, speaker, words = [] }: VendorUtterance): Said {
  return {
    vendorSpeaker: speaker ?? words[0]?.speaker,
    text: transcript.trim(),
    startSeconds: start,
    endSeconds: Math.max(start, end),
    confidence: averageConfidence(words) ?? toProbability(confidence ?? 0),
  };
}

type VendorChannels = z.infer<typeof answerSchema>['results']['channels'];

/** Of the first channel in which anybody speaks. `pt-BR` is `pt`: the product knows languages, not countries. */
function detectedLanguage(channels: VendorChannels): string {
  const told = channels.filter(({ detected_language }) => detected_language);
  const spoken = told.find((channel) => wordsOf([channel]).length > 0) ?? told[0];
  const tag = spoken?.detected_language?.split(/[-_]/)[0]?.toLowerCase() ?? '';
  return /^[a-z]{2,3}$/.test(tag) ? tag : UNDETERMINED;
}

function wordsOf(channels: VendorChannels): readonly VendorWord[] {
  return channels.flatMap(({ alternatives }) => alternatives?.[0]?.words ?? []).toSorted((a, b) => a.start - b.start);
}

/** One utterance for each stretch of words by the same speaker. */
function fromWords(words: readonly VendorWord[]): readonly Said[] {
  const turns: VendorWord[][] = [];
  for (const word of words) {
    const turn = turns.at(-1);
    if (turn && turn[0]?.speaker === word.speaker) turn.push(word);
    else turns.push([word]);
  }
  return turns.map((turn) => ({
    vendorSpeaker: turn[0]?.speaker,
    text: turn
      .map(({ punctuated_word, word }) => (punctuated_word ?? word ?? '').trim())
      .filter(Boolean)
      .join(' '),
    startSeconds: turn[0]?.start ?? 0,
    endSeconds: turn.reduce((latest, { end }) => Math.max(latest, end), 0),
    confidence: averageConfidence(turn) ?? 0,
  }));
}

function averageConfidence(words: readonly VendorWord[]): number | undefined {
  const known = words.flatMap(({ confidence }) => (confidence === undefined ? [] : [toProbability(confidence)]));
  if (known.length === 0) return undefined;
  const average = known.reduce((sum, confidence) => sum + confidence, 0) / known.length;
  // Without the dust of adding up: 0.9, not 0.9000000000000001.
  return Math.round(average * CONFIDENCE_STEPS) / CONFIDENCE_STEPS;
}

function toProbability(value: number): number {
  return Math.min(1, Math.max(0, value));
}
