// The claims that are compared word by word with the talk: drugs, doses, numbers, sides, allergies, dates, denied findings and attestations.

import type { CheckWork, ClaimWithVerdict, NoteText } from './check-work.ts';
import type { ClaimContent } from './claim.ts';
import { readClaims } from './claims.ts';
import { contradictionOf } from './contradictions.ts';
import { supportOf } from './support.ts';

type Judgement = Pick<ClaimWithVerdict, 'verdict' | 'said'> | undefined;

export function statedClaims({ texts, language, spoken, transcript }: CheckWork): readonly ClaimWithVerdict[] {
  const cache = new Map<string, Judgement>();
  const judge = (content: ClaimContent): Judgement => {
    const key = JSON.stringify(content);
    if (!cache.has(key)) cache.set(key, judgeContent(content));
    return cache.get(key);
  };
  const judgeContent = (content: ClaimContent): Judgement => {
    const support = supportOf(content, spoken, language);
    if (support === 'incomparable') return undefined;
    if (support !== 'unsupported') return { verdict: 'supported', said: momentOf(support) };
    const contradiction = contradictionOf(content, spoken, language);
    if (contradiction === undefined) return { verdict: 'unsupported' };
    return { verdict: 'contradicted', said: momentOf(contradiction) };
  };
  const momentOf = (utterance: number) => {
    return { utterance, startSeconds: transcript.utterances[utterance]?.startSeconds ?? 0 };
  };
  return texts.flatMap((text) =>
    readClaims(text.reading, language).flatMap(({ kind, first, end, content }) => {
      const judgement = judge(content);
      return judgement === undefined ? [] : [{ kind, ...placeOf(text, first, end), ...judgement }];
    }),
  );
}

export function placeOf({ name, reading }: NoteText, first: number, end: number) {
  return { section: name, from: reading.tokens[first]?.from ?? 0, to: reading.tokens[end - 1]?.to ?? 0 };
}

/** Words of the note that no lexicon lists, so that they are searched as they are. */
export function stemsOf(texts: readonly NoteText[], language: CheckWork['language']): ReadonlySet<string> {
  return new Set(
    texts.flatMap(({ reading }) =>
      readClaims(reading, language).flatMap(({ content }) => {
        if (content.what === 'words') return content.stems;
        if (content.what !== 'allergy') return [];
        return content.substances.filter((id) => id.startsWith('word:')).map((id) => id.slice('word:'.length));
      }),
    ),
  );
}
