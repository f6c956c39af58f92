// Turns the vendor's answer into a transcript. It checks the shape and never passes on an incomplete transcript.
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { Language } from '../../domain/language.ts';
import { numberSpeakers, type Transcript, type Utterance } from '../../domain/recording/transcript.ts';

const CONFIDENCE_STEPS = 1_000_000;
/** BCP 47 for an undetermined language, as of silence. */
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
type SpokenWords = Omit<Utterance, 'speaker'> & { readonly vendorSpeaker: number | undefined };

/** Throws `vendorAnswer` if the answer does not fit the request. Silence is a transcript without utterances. */
export function toTranscript(answer: unknown, language: Language | 'detect'): Transcript {
  const parsed = answerSchema.safeParse(answer);
  // The schema's own message could quote spoken words.
  if (!parsed.success) throw new AppError('vendorAnswer', 'The speech service gave an answer that cannot be read');
  const { metadata, results } = parsed.data;
  const asUtterances = (results.utterances ?? []).map(fromUtterance).filter(isHeard);
  const said = asUtterances.length > 0 ? asUtterances : fromWords(wordsOf(results.channels)).filter(isHeard);
  const inOrder = said.toSorted((a, b) => a.startSeconds - b.startSeconds || a.endSeconds - b.endSeconds);
  const speakers = numberSpeakers(inOrder.map(({ vendorSpeaker }) => vendorSpeaker));
  return {
    utterances: inOrder.map(({ vendorSpeaker: _, ...words }, index) => ({ speaker: speakers[index] ?? 0, ...words })),
    durationSeconds: metadata.duration,
    language: language === 'detect' ? detectedLanguage(results.channels) : language,
  };
}

function isHeard({ text }: SpokenWords): boolean {
  return text !== '';
}

function fromUtterance({ transcript, start, end, confidence, speaker, words = [] }: VendorUtterance): SpokenWords {
  return {
    vendorSpeaker: speaker ?? words[0]?.speaker,
    text: transcript.trim(),
    startSeconds: start,
    endSeconds: Math.max(start, end),
    confidence: averageConfidence(words) ?? toProbability(confidence ?? 0),
  };
}

type VendorChannels = z.infer<typeof answerSchema>['results']['channels'];

/** The language of the first channel that has speech. `pt-BR` becomes `pt`: the engine knows languages, not countries. */
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
function fromWords(words: readonly VendorWord[]): readonly SpokenWords[] {
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
  // Rounds away the error of adding: 0.9, not 0.9000000000000001.
  return Math.round(average * CONFIDENCE_STEPS) / CONFIDENCE_STEPS;
}

function toProbability(value: number): number {
  return Math.min(1, Math.max(0, value));
}
