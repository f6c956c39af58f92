// Does the transcript lie where the recording speaks? Words over silence were made up by the recogniser; speech without words was not
// written down. Sound alone is not speech: only what comes and goes like speech counts as not covered.
import type { CheckReport } from '../note/check-report.ts';
import type { SoundSpan } from '../run/run.ts';
import type { Transcript } from './transcript.ts';

type CoverageParts = {
  readonly transcript: Transcript;
  readonly sound?: readonly SoundSpan[];
  readonly declaredSeconds?: number;
};
type Span = { readonly startSeconds: number; readonly endSeconds: number };

/** Times of words are exact to about so much. */
const WORD_SLACK_SECONDS = 0.3;
/** A pause within what somebody says is no gap in the transcript. */
const PAUSE_SECONDS = 1;
/** Of less speech no share is told. */
const MIN_SPEECH_SECONDS = 10;
/** Over so little sound nobody said it. */
const NEARLY_NOTHING = 0.1;
/** A transcript that is shorter lacks its end. */
const WHOLE = 0.95;

export function coverSpeech(parts: CoverageParts): Pick<CheckReport, 'overSilence' | 'coverage'> {
  const shares = [coverageOfSound(parts), coverageOfLength(parts)].filter((share) => share !== undefined);
  return { overSilence: findOverSilence(parts), ...(shares.length > 0 && { coverage: Math.min(...shares) }) };
}

function findOverSilence({ transcript, sound }: CoverageParts): readonly number[] {
  if (sound === undefined) return [];
  const heard = flatten(sound, WORD_SLACK_SECONDS);
  return transcript.utterances.flatMap(({ startSeconds, endSeconds }, index) => {
    // A word without a length is looked for around its place.
    const end = Math.max(endSeconds, startSeconds + WORD_SLACK_SECONDS);
    const share = overlap({ startSeconds, endSeconds: end }, heard) / (end - startSeconds);
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

/** In order, widened on both sides, without overlaps. */
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

/** Seconds of the span that lie in the others, which are in order. */
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
