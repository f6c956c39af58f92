// Trains the urgency model: a logistic regression over the findings and words of histories whose triage is known. No finding speaks
// against urgency. The same input always gives the same model.
import { LANGUAGES, type Language } from '../../domain/language.ts';
import type { UrgencyModel } from '../knowledge/knowledge.ts';

export type TrainingStory = {
  readonly language: Language;
  readonly isUrgent: boolean;
  readonly findings: readonly string[];
  readonly words: readonly string[];
};

export type TrainedUrgency = Omit<UrgencyModel, 'urgentFrom'>;

/** A finding or word in fewer histories is ignored. */
const FEWEST_STORIES = 3;
/** A word with less weight is treated as chance. */
const LEAST_WEIGHT = 0.1;
/** Histories with fewer different words are not used for the training. */
const SHORTEST = 12;
/** Regularisation: the penalty on each weight. */
const HOLD_FINDINGS = 3;
const HOLD_WORDS = 1;
const ROUNDS = 400;
const STEP = 0.04;
const START_STEP = 0.5;
const KEEP_SLOPE = 0.9;
const KEEP_SQUARE = 0.99;
const TINY = 1e-6;

type Row = { readonly at: readonly number[]; readonly isUrgent: number; readonly counts: number };

export function trainUrgency(all: readonly TrainingStory[]): TrainedUrgency {
  const stories = all.filter((story) => story.words.length >= SHORTEST);
  const findings = namesOf(stories.map((story) => story.findings));
  const words = namesOf(stories.map(spelt));
  const rows = rowsOf(stories, findings, words);
  const { start, weights } = descend(rows, findings.length, words.length);
  const weightOf = new Map(words.map((word, at) => [word, weights[findings.length + at] ?? 0]));
  return {
    start,
    shortest: SHORTEST,
    longest: Math.max(SHORTEST, ...stories.map((story) => story.words.length)),
    findings: new Map(findings.map((id, at) => [id, weights[at] ?? 0])),
    words: {
      en: wordsOf('en', weightOf),
      es: wordsOf('es', weightOf),
      pt: wordsOf('pt', weightOf),
    },
  };
}

/** Prefixes each word with its language, because it has a meaning in that language only. */
function spelt({ language, words }: TrainingStory): readonly string[] {
  return words.map((word) => `${language} ${word}`);
}

function wordsOf(language: Language, weights: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const own = [...weights].filter(
    ([name, weight]) => name.startsWith(`${language} `) && Math.abs(weight) >= LEAST_WEIGHT,
  );
  return new Map(own.map(([name, weight]) => [name.slice(language.length + 1), weight]));
}

/** Sorted, so that the order of the histories does not matter. */
function namesOf(lists: readonly (readonly string[])[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const list of lists) for (const name of new Set(list)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= FEWEST_STORIES)
    .map(([name]) => name)
    .sort();
}

function rowsOf(
  stories: readonly TrainingStory[],
  findings: readonly string[],
  words: readonly string[],
): readonly Row[] {
  const places = new Map([...findings, ...words].map((name, at) => [name, at]));
  const share = shares(stories);
  return stories.map((story) => ({
    at: [...new Set([...story.findings, ...spelt(story)])].flatMap((name) => places.get(name) ?? []),
    isUrgent: story.isUrgent ? 1 : 0,
    counts: share(story),
  }));
}

/** In each language all urgent histories together weigh as much as all others. */
function shares(stories: readonly TrainingStory[]): (story: TrainingStory) => number {
  const counts = new Map(LANGUAGES.map((language) => [language, { urgent: 0, other: 0 }]));
  for (const { language, isUrgent } of stories) {
    const count = counts.get(language);
    if (count !== undefined) count[isUrgent ? 'urgent' : 'other'] += 1;
  }
  return ({ language, isUrgent }) => {
    const { urgent, other } = counts.get(language) ?? { urgent: 1, other: 1 };
    return (urgent + other) / 2 / Math.max(1, isUrgent ? urgent : other);
  };
}

/** Gradient descent with a moving average of slope and squared slope, as in Adam. */
function descend(rows: readonly Row[], findings: number, words: number) {
  const all = rows.reduce((sum, { counts }) => sum + counts, 0);
  const weights = new Float64Array(findings + words);
  const slope = new Float64Array(weights.length);
  const slopes = new Float64Array(weights.length);
  const squares = new Float64Array(weights.length);
  let start = 0;
  for (let round = 0; round < ROUNDS; round++) {
    slope.fill(0);
    let startSlope = 0;
    for (const { at, isUrgent, counts } of rows) {
      let score = start;
      for (const place of at) score += weights[place] ?? 0;
      const error = (1 / (1 + Math.exp(-score)) - isUrgent) * counts;
      startSlope += error;
      for (const place of at) slope[place] = (slope[place] ?? 0) + error;
    }
    for (let place = 0; place < weights.length; place++) {
      const weight = weights[place] ?? 0;
      const hold = place < findings ? HOLD_FINDINGS : HOLD_WORDS;
      const down = ((slope[place] ?? 0) + hold * weight) / all;
      const keep = KEEP_SLOPE * (slopes[place] ?? 0) + (1 - KEEP_SLOPE) * down;
      const wide = KEEP_SQUARE * (squares[place] ?? 0) + (1 - KEEP_SQUARE) * down * down;
      const next = weight - (STEP * keep) / (Math.sqrt(wide) + TINY);
      slopes[place] = keep;
      squares[place] = wide;
      weights[place] = place < findings ? Math.max(0, next) : next;
    }
    start -= (START_STEP * startSlope) / all;
  }
  return { start, weights };
}
