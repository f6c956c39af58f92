// `It is the right one. No, wait, the left.`: a sentence that puts the one before it right is made one with it, so that the wrong word
// is taken out of it. All others stay as they are.
import type { CleanSpeech } from './clean-speech.ts';

const END = /[.…\s]+$/;
const MAX_CHARS = 300;

export function joinCorrected(sentences: readonly string[], cleanSpeech: CleanSpeech): readonly string[] {
  const joined: string[] = [];
  for (const sentence of sentences) {
    const before = joined.at(-1);
    const both = before && putRight(before, sentence, cleanSpeech);
    if (both) joined[joined.length - 1] = both;
    else joined.push(sentence);
  }
  return joined;
}

/** Undefined where nothing of the sentence before was taken back. */
function putRight(before: string, sentence: string, cleanSpeech: CleanSpeech): string | undefined {
  if (before.length + sentence.length > MAX_CHARS) return undefined;
  const start = before.replace(END, '');
  if (start === before || start === '') return undefined;
  const both = `${start}, ${sentence}`;
  const kept = cleanSpeech(start).replace(END, '');
  return cleanSpeech(both).startsWith(kept) ? undefined : both;
}
