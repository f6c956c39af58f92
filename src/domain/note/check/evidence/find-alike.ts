// Finds the utterances that a statement most likely rests on: by shared words, numbers, drugs, findings and parts of the body. A word that is
// said often tells little. Each statement looks up its own words in an index, so that the talk is read once.
import { foldText } from '../../../../clinical-text/fold.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { SpokenFacts } from '../spoken-facts.ts';
import type { TextFacts } from '../text-facts.ts';

export type FindAlike = (statement: TextFacts) => readonly number[];

const SHORTEST_WORD = 4;
/** `vomited` and `vomiting` begin alike. */
const WORD_START = 5;
/** One rare word is enough, two common ones are, too. */
const LEAST_SCORE = 2.2;
/** Others are as likely as this share of the best. */
const AS_LIKELY = 0.8;
const MOST = 3;

export function makeFindAlike({ readings }: Pick<SpokenFacts, 'readings'>): FindAlike {
  const index = new Map<string, number[]>();
  readings.forEach((reading, utterance) => {
    for (const mark of marksOf(reading)) {
      const places = index.get(mark);
      if (places === undefined) index.set(mark, [utterance]);
      else places.push(utterance);
    }
  });
  const weightOf = (places: readonly number[]) => Math.log((readings.length + 1) / places.length);
  return (statement) => {
    const scores = new Map<number, number>();
    for (const mark of marksOf(statement)) {
      const places = index.get(mark) ?? [];
      for (const utterance of places) scores.set(utterance, (scores.get(utterance) ?? 0) + weightOf(places));
    }
    const sorted = [...scores].toSorted(([a, one], [b, other]) => other - one || a - b);
    const best = sorted[0]?.[1] ?? 0;
    if (best < Math.min(LEAST_SCORE, Math.log(readings.length + 1))) return [];
    return sorted
      .filter(([, score]) => score >= best * AS_LIKELY)
      .slice(0, MOST)
      .map(([utterance]) => utterance);
  };
}

/** What a text and an utterance may have in common, also in other words: `ten` and 10, `Tylenol` and paracetamol. */
function marksOf({ tokens, drugs, measures, findings, sides, dates }: TextFacts): ReadonlySet<string> {
  return new Set([
    ...tokens.flatMap(wordMark),
    ...drugs.flatMap(({ ids }) => ids.map((id) => `drug ${id}`)),
    ...findings.map(({ id }) => `finding ${id}`),
    ...sides.parts.map(({ id }) => `part ${id}`),
    ...measures.flatMap((one) =>
      one.kind === 'amount' ? one.values.map((value) => `value ${value}`) : [`key ${one.key}`],
    ),
    ...dates.map(({ year, month, day }) => `date ${year ?? ''} ${month ?? ''} ${day ?? ''}`),
  ]);
}

function wordMark({ kind, word, stem }: Token): readonly string[] {
  if (kind === 'number') return [`value ${Number(word.replace(',', '.'))}`];
  return kind === 'word' && word.length >= SHORTEST_WORD ? [foldText(stem).slice(0, WORD_START)] : [];
}
