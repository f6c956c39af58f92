// Many scores as a few figures: by language, and for what was looked at while tuning and what was not apart from each other.
import type { ErrorCode } from '../../src/domain/errors.ts';
import { LANGUAGES, type Language } from '../../src/domain/language.ts';
import type { Evaluation } from './evaluate.ts';
import type { TalkScore } from './score-talk.ts';
import type { VignetteScore } from './score-vignette.ts';
import { PARTS, type Part } from './sets.ts';

/** `met` of `of`. */
export type Share = { readonly met: number; readonly of: number };

export type VignetteSummary = {
  readonly part: Part;
  readonly language: Language | 'all';
  readonly count: number;
  readonly top1: Share;
  readonly top3: Share;
  readonly top5: Share;
  /** As a candidate, or named in words as not to be overlooked. */
  readonly mustNotMiss: Share;
  readonly asCandidate: Share;
  /** Of those that are RED, called WHITE or nothing; of those that are WHITE, called RED. */
  readonly underCalls: Share;
  readonly overCalls: Share;
  readonly wrong: number;
  readonly unanswered: number;
};

export type TalkSummary = {
  readonly language: Language | 'all';
  readonly count: number;
  readonly placed: Share;
  readonly judged: Share;
  readonly invented: number;
  readonly unanswered: number;
};

export type Summary = {
  /** Of the parts that were asked for: all languages together, then each. */
  readonly vignettes: readonly VignetteSummary[];
  readonly notes: readonly TalkSummary[];
  readonly errors: Readonly<Partial<Record<ErrorCode, number>>>;
};

export const EVERYBODY = ['all', ...LANGUAGES] as const;

export function summarise({ vignettes, talks }: Evaluation): Summary {
  const parts = PARTS.filter((part) => vignettes.some((score) => score.part === part));
  const errors = [...vignettes, ...talks].map(({ error }) => error).filter((error) => error !== undefined);
  const byCode = Map.groupBy(errors, (error) => error);
  return {
    vignettes: parts.flatMap((part) => EVERYBODY.map((language) => summariseVignettes(part, language, vignettes))),
    notes: talks.length === 0 ? [] : EVERYBODY.map((language) => summariseTalks(language, talks)),
    errors: Object.fromEntries([...byCode].map(([code, { length }]) => [code, length])),
  };
}

/** In percentage points; less than nothing where `other` is the better one. Undefined where there is nothing to compare. */
export function pointsBelow(one: Share, other: Share): number | undefined {
  if (one.of === 0 || other.of === 0) return undefined;
  return percentOf(one) - percentOf(other);
}

export function percentOf({ met, of }: Share): number {
  return (100 * met) / of;
}

function summariseVignettes(part: Part, language: Language | 'all', scores: readonly VignetteScore[]): VignetteSummary {
  const some = ofLanguage(scores, language).filter((score) => score.part === part);
  const red = some.filter(({ wanted }) => wanted === 'RED');
  const wanted = sum(some.map(({ mustNotMiss }) => mustNotMiss));
  const white = some.filter(({ wanted }) => wanted === 'WHITE');
  return {
    part,
    language,
    count: some.length,
    top1: shareOf(some, ({ isFirst }) => isFirst),
    top3: shareOf(some, ({ isAmong3 }) => isAmong3),
    top5: shareOf(some, ({ isAmong5 }) => isAmong5),
    mustNotMiss: { met: sum(some.map(({ found }) => found)), of: wanted },
    asCandidate: { met: sum(some.map(({ foundAsCandidate }) => foundAsCandidate)), of: wanted },
    underCalls: shareOf(red, ({ triage }) => triage === 'under'),
    overCalls: shareOf(white, ({ triage }) => triage === 'over'),
    wrong: sum(some.map(({ wrong }) => wrong.length)),
    unanswered: some.filter(({ error }) => error !== undefined).length,
  };
}

function summariseTalks(language: Language | 'all', scores: readonly TalkScore[]): TalkSummary {
  const some = ofLanguage(scores, language);
  return {
    language,
    count: some.length,
    placed: { met: sum(some.map(({ placed }) => placed)), of: sum(some.map(({ wanted }) => wanted)) },
    judged: shareOf(some, ({ isJudgedRight }) => isJudgedRight),
    invented: sum(some.map(({ invented }) => invented.length)),
    unanswered: some.filter(({ error }) => error !== undefined).length,
  };
}

export function ofLanguage<T extends { readonly language: Language }>(
  scores: readonly T[],
  language: Language | 'all',
): readonly T[] {
  return scores.filter((score) => language === 'all' || score.language === language);
}

/** Of those of whom something was expected. */
export function shareOf<T>(values: readonly T[], isMet: (value: T) => boolean | undefined): Share {
  const judged = values.map(isMet).filter((value) => value !== undefined);
  return { met: judged.filter((value) => value).length, of: judged.length };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
