// Reads the plus sign of "BHCG +" and "Blumberg (+)" as the word `positivo`, unless it joins words ("dor + febre") or counts ("2+/4+").
import type { RawWord } from './raw-word.ts';

const PLUS = /^ ?\(?\+\)?(?=[\s,.;)\n]|$)/;
const GOES_ON =
  /^ ?\(?\+\)? +(?!(?:a|à|ao|em|na|no|bilateral|direita|esquerda|left|right|derecha|izquierda|D|E|R|L)(?!\p{L}))[\p{L}\d]/u;
const LONGEST = 8;

export function joinPlusSigns(text: string, words: readonly RawWord[]): RawWord[] {
  if (!text.includes('+')) return [...words];
  return words.flatMap((word, at) => {
    const behind = text.slice(word.end, Math.min(word.end + LONGEST, words[at + 1]?.end ?? text.length));
    if (word.number !== undefined || /^\d/.test(word.text) || !PLUS.test(behind) || GOES_ON.test(behind)) return [word];
    return [word, { text: 'positivo', start: word.end, end: word.end }];
  });
}
