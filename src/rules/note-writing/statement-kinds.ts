// The kinds of statements, and how the cues of a language find them.

import { type FamilyWord, makeFindPhrases } from '../../clinical-text/phrases/family-phrases.ts';
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from './cue-files.ts';

export const REPORTED_KINDS = [
  'complaint',
  'history',
  'past',
  'medication',
  'allergy',
  'family',
  'social',
  'response',
] as const;
export const FOUND_KINDS = ['exam', 'vital', 'result'] as const;
export const THOUGHT_KINDS = ['assessment', 'differential'] as const;
/** Sorted by precedence for equal scores: the more specific first. */
export const DONE_KINDS = [
  'return',
  'followup',
  'referral',
  'test-order',
  'monitoring',
  'intervention',
  'decision',
  'treatment',
  'advice',
] as const;
/** These are never in a note. */
export const PASSING_KINDS = ['talk', 'command'] as const;

export type NoteKind =
  | (typeof REPORTED_KINDS)[number]
  | (typeof FOUND_KINDS)[number]
  | (typeof THOUGHT_KINDS)[number]
  | (typeof DONE_KINDS)[number];
export type Kind = NoteKind | (typeof PASSING_KINDS)[number];

export const NOTE_KINDS: readonly NoteKind[] = [...DONE_KINDS, ...FOUND_KINDS, ...THOUGHT_KINDS, ...REPORTED_KINDS];
const ALL_KINDS: readonly Kind[] = [...PASSING_KINDS, ...NOTE_KINDS];

const SURE = 4;
const LIKELY = 2;
/** Many cues of one kind are no stronger than a few: a decision also names drugs and doses. */
const MAX_SCORE = 10;

export type Scores = ReadonlyMap<Kind, number>;
export type ScoreWords = (words: readonly FamilyWord[]) => Scores;
export type KindCues = {
  /** Scores a question by the kind of its answer. */
  readonly scoreQuestion: ScoreWords;
  readonly scoreStatement: ScoreWords;
};

/** Throws an Error if the cues have an unknown kind, or lack one. */
export function makeKindCues({ 'kinds-told': reported, 'kinds-done': done }: CueFiles, language: Language): KindCues {
  const cues = new Map(Object.entries({ ...reported, ...done }));
  const unknown = [...cues.keys()].filter((name) => !ALL_KINDS.some((kind) => kind === name));
  const missing = ALL_KINDS.filter((kind) => !cues.has(kind));
  if (unknown.length + missing.length > 0) {
    throw new Error(`The cues of the note writer: unknown kinds [${unknown}], missing kinds [${missing}]`);
  }
  const phrases = (of: 'asked' | 'sure' | 'likely', weight: number) =>
    ALL_KINDS.flatMap((kind) =>
      (cues.get(kind)?.[language][of] ?? []).map((phrase) => [phrase, { kind, weight }] as const),
    );
  return {
    scoreQuestion: makeScore(phrases('asked', SURE)),
    scoreStatement: makeScore([...phrases('sure', SURE), ...phrases('likely', LIKELY)]),
  };
}

function makeScore(phrases: readonly (readonly [string, { kind: Kind; weight: number }])[]): ScoreWords {
  const find = makeFindPhrases(phrases);
  return (words) => {
    const scores = new Map<Kind, number>();
    for (const { gives } of find(words)) {
      scores.set(gives.kind, Math.min(MAX_SCORE, (scores.get(gives.kind) ?? 0) + gives.weight));
    }
    return scores;
  };
}

/** The allowed kind with the highest score; of equal scores the first. */
export function bestKind<K extends Kind>(
  scores: Scores,
  allowed: readonly K[],
): { kind: K; score: number } | undefined {
  let best: { kind: K; score: number } | undefined;
  for (const kind of allowed) {
    const score = scores.get(kind) ?? 0;
    if (score > (best?.score ?? 0)) best = { kind, score };
  }
  return best;
}
