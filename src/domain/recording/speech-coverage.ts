// Compares a transcript with the sound of its recording. Words over silence were invented by the recogniser; speech without words was missed.
// Only sound that changes like speech counts as missed.
import type { CheckReport } from '../note/check-report.ts';
import type { SoundSpan } from '../run/step-results.ts';
import type { Transcript } from './transcript.ts';

type CoverageParts = {
  readonly transcript: Transcript;
  readonly sound?: readonly SoundSpan[];
  readonly declaredSeconds?: number;
};
type Span = { readonly startSeconds: number; readonly endSeconds: number };

/** The precision of word times. */
const WORD_SLACK_SECONDS = 0.3;
/** A shorter pause in an utterance is no gap in the transcript. */
const PAUSE_SECONDS = 1;
/** Below this amount of speech no coverage is computed. */
const MIN_SPEECH_SECONDS = 10;
/** An utterance with less sound than this share of its time is over silence. */
const NEARLY_NOTHING = 0.1;
/** A transcript that is shorter than this share of the declared length lacks its end. */
const WHOLE = 0.95;

export function coverSpeech(parts: CoverageParts): Pick<CheckReport, 'overSilence' | 'coverage'> {
  const shares = [coverageOfSound(parts), coverageOfLength(parts)].filter((share) => share !== undefined);
  return { overSilence: findOverSilence(parts), ...(shares.length > 0 && { coverage: Math.min(...shares) }) };
}

function findOverSilence({ transcript, sound }: CoverageParts): readonly number[] {
  if (sound === undefined) return [];
  const audible = flatten(sound, WORD_SLACK_SECONDS);
  return transcript.utterances.flatMap(({ startSeconds, endSeconds }, index) => {
    // A word without a duration gets the slack as its duration.
    const end = Math.max(endSeconds, startSeconds + WORD_SLACK_SECONDS);
    const share = overlap({ startSeconds, endSeconds: end }, audible) / (end - startSeconds);
    return share < NEARLY_NOTHING ? [index] : [];
  });
}

function coverageOfSound({ transcript, sound }: CoverageParts): number | undefined {
  const speech = flatten(sound?.filter(({ isLikeSpeech }) => isLikeSpeech === true) ?? [], 0);
  const seconds = speech.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
  if (seconds < MIN_SPEECH_SECONDS) return undefined;
  const written = flatten(transcript.utterances, PAUSE_SECONDS);
  const covered = speech.reduce((sum, span) => sum + overlap(span, written), 0);
  return Math.min(1, covered / seconds);
}

function coverageOfLength({ transcript, declaredSeconds }: CoverageParts): number | undefined {
  if (declaredSeconds === undefined || !(declaredSeconds > 0)) return undefined;
  const share = transcript.durationSeconds / declaredSeconds;
  return share < WHOLE ? Math.max(0, share) : undefined;
}

/** Sorted, widened on both sides, and without overlaps. */
function flatten(spans: readonly Span[], slackSeconds: number): readonly Span[] {
  const flat: Span[] = [];
  for (const { startSeconds, endSeconds } of spans.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const span = {
      startSeconds: startSeconds - slackSeconds,
      endSeconds: Math.max(startSeconds, endSeconds) + slackSeconds,
    };
    const last = flat.at(-1);
    if (last === undefined || span.startSeconds > last.endSeconds) flat.push(span);
    else flat[flat.length - 1] = { ...last, endSeconds: Math.max(last.endSeconds, span.endSeconds) };
  }
  return flat;
}

/** Seconds of the span that the other spans cover, which are sorted. */
function overlap(span: Span, others: readonly Span[]): number {
  let [low, high] = [0, others.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((others[middle]?.endSeconds ?? 0) <= span.startSeconds) low = middle + 1;
    else high = middle;
  }
  let seconds = 0;
  for (let index = low; index < others.length; index += 1) {
    const other = others[index];
    if (other === undefined || other.startSeconds >= span.endSeconds) break;
    seconds += Math.min(span.endSeconds, other.endSeconds) - Math.max(span.startSeconds, other.startSeconds);
  }
  return seconds;
}
