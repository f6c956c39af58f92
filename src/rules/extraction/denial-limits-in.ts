// Where a denial of a sentence ends or does not count, by the cues that the check of a note reads, too.

import { cuesOf } from '../../clinical-text/cues/cues.ts';
import { isGoingOn, isOccasional, isPurposeOfTreatment } from '../../clinical-text/cues/denial-limits.ts';
import type { PhraseWord } from '../../clinical-text/cues/phrase-set.ts';
import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isWord } from './history.ts';
import type { Mention, SentenceView } from './mentions.ts';

/** Words of the next sentence that may belong to this one: "No pain. Only on stairs." */
const WORDS_BEHIND = 4;

export type DenialLimits = ReturnType<typeof denialLimitsIn>;

/** The words of the sentence for the cues that the check of a note reads, too. Places are those of the history. */
export function denialLimitsIn({ tokens, sentence, mentions, words }: SentenceView) {
  const cues = cuesOf(sentence.best);
  const isFollowedBy = (at: number): boolean => at + 1 < sentence.to && tokens[at + 1]?.before === BREAKS.none;
  const ownWords = new Set(mentions.flatMap(({ words }) => words));
  const row = tokens
    .slice(sentence.from, sentence.to + WORDS_BEHIND)
    .map(({ text }, at): PhraseWord => ({ word: text, sentence: sentence.from + at < sentence.to ? 0 : 1 }));
  // The verb of a finding does not say that it goes on: "no ha bajado de peso", "hasn't gone weak". Nor does a copula: "no fue de golpe".
  const isOwn = (at: number): boolean =>
    ownWords.has(at) || (isWord({ tokens, words }, at, 'turned') && isFollowedBy(at));
  const between = row.map((word, at) => (isOwn(sentence.from + at) ? { ...word, word: '' } : word));
  const placesBehind = (to: number): number[] => {
    let end = to;
    while (end < sentence.to && (tokens[end]?.before ?? BREAKS.none) < BREAKS.comma) end++;
    return [to, end];
  };
  return {
    isGoingOn: (at: number) =>
      cues.copulas.lengthAt(row, at + 1 - sentence.from) === 0 && isGoingOn(between, at - sentence.from, cues),
    isPurposeOfTreatment: (at: number) => isPurposeOfTreatment(row, at - sentence.from, cues),
    // "No pain at rest, only on stairs" denies the pain at rest.
    isOnlySometimes: ({ words, to }: Mention) =>
      placesBehind(to).some((at) => isOccasional(row, at - sentence.from, cues)) &&
      !words.some((at) => cues.occasions.lengthAt(row, at - sentence.from) > 0),
    endsDenial: (at: number) =>
      cues.copulas.lengthAt(row, at - sentence.from) > 0 || (tokens[at]?.text === 'e' && tokens[at].isAccented),
  };
}
