// `It is the right one. No, wait, the left.`: joins a sentence that corrects the one before it with that sentence, so that the wrong word
// can be removed. All other sentences are unchanged.
import type { CleanSpeech } from './clean-speech.ts';

const END = /[.…\s]+$/;
const MAX_CHARS = 300;

export function joinCorrected(sentences: readonly string[], cleanSpeech: CleanSpeech): readonly string[] {
  const joined: string[] = [];
  for (const sentence of sentences) {
    const before = joined.at(-1);
    const both = before && joinIfCorrected(before, sentence, cleanSpeech);
    if (both) joined[joined.length - 1] = both;
    else joined.push(sentence);
  }
  return joined;
}

/** Returns undefined if the sentence corrects nothing. */
function joinIfCorrected(before: string, sentence: string, cleanSpeech: CleanSpeech): string | undefined {
  if (before.length + sentence.length > MAX_CHARS) return undefined;
  const start = before.replace(END, '');
  if (start === before || start === '') return undefined;
  const both = `${start}, ${sentence}`;
  const cleaned = cleanSpeech(start).replace(END, '');
  return cleanSpeech(both).startsWith(cleaned) ? undefined : both;
}
