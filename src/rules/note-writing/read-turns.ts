// Reads a transcript for the note writer: cleaned sentences with their words, in turns of one speaker each.

import { foldWord } from '../../clinical-text/fold.ts';
import type { FamilyWord } from '../../clinical-text/phrases/family-phrases.ts';
import { splitSpeech } from '../../clinical-text/sentences/split-speech.ts';
import { LANGUAGES, type Language } from '../../domain/language.ts';
import type { Transcript } from '../../domain/recording/transcript.ts';
import type { CleanSpeech } from './clean-speech.ts';
import type { CueFiles } from './cue-files.ts';
import { joinCorrected } from './join-corrected.ts';
import type { ReadWords } from './word-families.ts';

export type Sentence = {
  readonly text: string;
  readonly words: readonly FamilyWord[];
  readonly speaker: number;
  /** The index of its utterance, in a list that has those of all sentences that it is joined with. */
  readonly utterances: readonly number[];
  readonly isQuestion: boolean;
  /** `Okay.`, `Thank you.`: nothing for a note. */
  readonly isEmpty: boolean;
};
export type Turn = { readonly speaker: number; readonly sentences: readonly Sentence[] };

type Parts = {
  readonly cleanSpeech: CleanSpeech;
  readonly readWords: ReadWords;
  readonly emptyWords: ReadonlySet<string>;
};

export function readTurns({ utterances }: Transcript, parts: Parts): readonly Turn[] {
  const turns: { speaker: number; sentences: Sentence[] }[] = [];
  for (const [utterance, { speaker, text }] of utterances.entries()) {
    const sentences = joinCorrected(splitSpeech(text), parts.cleanSpeech).flatMap((raw) =>
      readSentence(raw, { speaker, utterances: [utterance] }, parts),
    );
    if (sentences.length === 0) continue;
    const last = turns.at(-1);
    if (last?.speaker === speaker) last.sentences.push(...sentences);
    else turns.push({ speaker, sentences });
  }
  return turns;
}

function readSentence(
  raw: string,
  place: Pick<Sentence, 'speaker' | 'utterances'>,
  { cleanSpeech, readWords, emptyWords }: Parts,
): readonly Sentence[] {
  const text = cleanSpeech(raw);
  if (text === '') return [];
  const words = readWords(text);
  const isQuestion = /\?["”»)]?$/.test(text);
  return [{ text, words, ...place, isQuestion, isEmpty: words.every(({ word }) => emptyWords.has(word)) }];
}

/** Detected by function words. If they are not clear, the language of the transcript is used. */
export function languageOfTalk(
  { utterances, language }: Transcript,
  { 'function-words': lists }: CueFiles['speech'],
): Language {
  const counts = LANGUAGES.map((name) => ({ name, words: new Set(lists[name].map(foldWord)), count: 0 }));
  let left = MAX_LOOKED_AT;
  for (const { text } of utterances) {
    for (const [piece] of text.slice(0, left).matchAll(/[\p{L}\p{M}'’]+/gu)) {
      const word = foldWord(piece);
      for (const count of counts) if (count.words.has(word)) count.count += 1;
    }
    left -= text.length;
    if (left <= 0) break;
  }
  const named = LANGUAGES.find((name) => language.toLowerCase().startsWith(name));
  const [best, second] = counts.toSorted((a, b) => b.count - a.count);
  const isPlain = best !== undefined && best.count >= 3 && best.count > (second?.count ?? 0) * 1.15;
  return isPlain ? best.name : (named ?? best?.name ?? 'en');
}

const MAX_LOOKED_AT = 20_000;
