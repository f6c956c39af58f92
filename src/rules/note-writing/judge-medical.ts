// Decides whether a talk is medical. Each cue counts once, so that one repeated word about health in a talk about kitchens is not enough.

import { makeFindPhrases } from '../../clinical-text/phrases/family-phrases.ts';
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from './cue-files.ts';
import type { Turn } from './read-turns.ts';

const WEIGHTS = { clinic: 3, health: 1, elsewhere: -2 } as const;
const DRUG_WEIGHT = 2;
const MIN_POINTS = 3;

export function makeJudgeMedical({ medical }: Pick<CueFiles, 'medical'>, language: Language) {
  const find = makeFindPhrases(
    (['clinic', 'health', 'elsewhere'] as const).flatMap((sign) =>
      medical[sign][language].map((phrase) => [phrase, { phrase, weight: WEIGHTS[sign] }] as const),
    ),
  );
  return (turns: readonly Turn[]): boolean => {
    const seen = new Map<string, number>();
    for (const { sentences } of turns) {
      for (const { words } of sentences) {
        for (const { gives } of find(words)) seen.set(gives.phrase, gives.weight);
        for (const { word, families } of words) if (families.has('drug')) seen.set(`drug ${word}`, DRUG_WEIGHT);
      }
    }
    return [...seen.values()].reduce((sum, weight) => sum + weight, 0) >= MIN_POINTS;
  };
}
