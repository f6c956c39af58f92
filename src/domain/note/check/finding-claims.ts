// Affirmed findings, histories and habits of the note, which the talk or the chart has to mention.
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';

export function findingClaims({ lexicon }: CheckWork): readonly ClaimWithVerdict[] {
  if (lexicon === undefined) return [];
  return [];
}
