// Cuts what one person said into sentences. A point within a number or before a small letter ends none.
import { TITLES } from '../tokens/breaks.ts';

/** Behind these words a point ends no sentence. */
const ABBREVIATION = new RegExp(`(?:^|\\s)(?:${[...TITLES, 'st', 'approx', 'aprox', 'no'].join('|')})$`, 'i');
const LONGEST_ABBREVIATION = 7;

/** Returns trimmed, non-empty sentences in the order of the text. */
export function splitSpeech(text: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const mark = text.charAt(index);
    if (!'.!?…\n'.includes(mark)) continue;
    let end = index;
    while (end + 1 < text.length && '.!?…"”)'.includes(text.charAt(end + 1))) end += 1;
    if (isEnd(text, index, end)) {
      sentences.push(text.slice(start, end + 1));
      start = end + 1;
    }
    index = end;
  }
  sentences.push(text.slice(start));
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function isEnd(text: string, first: number, last: number): boolean {
  const mark = text.charAt(first);
  if (mark === '\n' || mark === '?' || mark === '!') return true;
  const next = text.slice(last + 1, last + 4);
  if (next === '') return true;
  if (!/^\s/.test(next)) return false;
  // `Ena... enalapril` is a pause; `Dr. Who` and `approx. 5` are abbreviations.
  const isPause = last > first || mark === '…';
  if (isPause) return !/^\s+[\p{Ll}]/u.test(next);
  return !ABBREVIATION.test(text.slice(Math.max(0, first - LONGEST_ABBREVIATION), first));
}
