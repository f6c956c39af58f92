// Many scores as a few figures: by language, and for what was looked at while tuning and what was not apart from each other.
import { LANGUAGES, type Language } from '../../src/domain/language.ts';
import type { TalkScore } from './score-talk.ts';
import type { VignetteScore } from './score-vignette.ts';
import type { Part } from './sets.ts';

/** `met` of `of`. */
export type Share = { readonly met: number; readonly of: number };

export type VignetteSummary = {
  readonly part: Part;
  readonly language: Language | 'all';
  readonly count: number;
  readonly top1: Share;
  readonly top3: Share;
  readonly top5: Share;
  readonly mustNotMiss: Share;
  /** Of those that are RED, called WHITE; and the other way round. */
  readonly underCalls: Share;
  readonly overCalls: Share;
  readonly wrong: number;
};

export type TalkSummary = {
  readonly language: Language | 'all';
  readonly count: number;
  readonly placed: Share;
  readonly judged: Share;
  readonly invented: number;
};

const EVERYBODY = ['all', ...LANGUAGES] as const;

export function summariseVignettes(part: Part, scores: readonly VignetteScore[]): readonly VignetteSummary[] {
  const ofPart = scores.filter((score) => score.part === part);
  return EVERYBODY.map((language) => {
    const some = ofPart.filter((score) => language === 'all' || score.language === language);
    const red = some.filter(({ wanted }) => wanted === 'RED');
    const white = some.filter(({ wanted }) => wanted === 'WHITE');
    return {
      part,
      language,
      count: some.length,
      top1: shareOf(some, ({ isFirst }) => isFirst),
      top3: shareOf(some, ({ isAmong3 }) => isAmong3),
      top5: shareOf(some, ({ isAmong5 }) => isAmong5),
      mustNotMiss: { met: sum(some.map(({ found }) => found)), of: sum(some.map(({ mustNotMiss }) => mustNotMiss)) },
      underCalls: shareOf(red, ({ triage }) => triage === 'under'),
      overCalls: shareOf(white, ({ triage }) => triage === 'over'),
      wrong: sum(some.map(({ wrong }) => wrong.length)),
    };
  });
}

export function summariseTalks(scores: readonly TalkScore[]): readonly TalkSummary[] {
  return EVERYBODY.map((language) => {
    const some = scores.filter((score) => language === 'all' || score.language === language);
    return {
      language,
      count: some.length,
      placed: { met: sum(some.map(({ placed }) => placed)), of: sum(some.map(({ wanted }) => wanted)) },
      judged: shareOf(some, ({ isJudgedRight }) => isJudgedRight),
      invented: sum(some.map(({ invented }) => invented.length)),
    };
  });
}

/** Of those of whom something was expected. */
function shareOf<T>(values: readonly T[], isMet: (value: T) => boolean | undefined): Share {
  const judged = values.map(isMet).filter((value) => value !== undefined);
  return { met: judged.filter((value) => value).length, of: judged.length };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
