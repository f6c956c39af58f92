// Learns how emergencies are told: a logistic regression over what was heard and the words around it, from stories of which the
// triage is known. Findings never speak against urgency. The same each time.
import { LANGUAGES, type Language } from '../../domain/language.ts';

export type Story = {
  readonly language: Language;
  readonly isUrgent: boolean;
  readonly findings: readonly string[];
  readonly words: readonly string[];
};

export type LearntTone = {
  readonly start: number;
  /** Different words of the stories that it was learnt from. */
  readonly shortest: number;
  readonly longest: number;
  readonly findings: ReadonlyMap<string, number>;
  readonly words: Readonly<Record<Language, ReadonlyMap<string, number>>>;
};

/** What stands in fewer stories says nothing. */
const FEWEST_STORIES = 3;
/** Of words: what weighs less is chance. */
const LEAST_WEIGHT = 0.1;
/** Fewer words say too little of how something is told: of such stories nothing is learnt. */
const SHORTEST = 12;
/** How much it costs to give a weight at all. */
const HOLD_FINDINGS = 3;
const HOLD_WORDS = 1;
const ROUNDS = 400;
const STEP = 0.04;
const START_STEP = 0.5;
const KEEP_SLOPE = 0.9;
const KEEP_SQUARE = 0.99;
const TINY = 1e-6;

type Row = { readonly at: readonly number[]; readonly isUrgent: number; readonly counts: number };

export function learnTone(all: readonly Story[]): LearntTone {
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

/** A word means something in its language only. */
function spelt({ language, words }: Story): readonly string[] {
  return words.map((word) => `${language} ${word}`);
}

function wordsOf(language: Language, weights: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const own = [...weights].filter(
    ([name, weight]) => name.startsWith(`${language} `) && Math.abs(weight) >= LEAST_WEIGHT,
  );
  return new Map(own.map(([name, weight]) => [name.slice(language.length + 1), weight]));
}

/** In an order that does not turn on that of the stories. */
function namesOf(lists: readonly (readonly string[])[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const list of lists) for (const name of new Set(list)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= FEWEST_STORIES)
    .map(([name]) => name)
    .sort();
}

function rowsOf(stories: readonly Story[], findings: readonly string[], words: readonly string[]): readonly Row[] {
  const places = new Map([...findings, ...words].map((name, at) => [name, at]));
  const share = shares(stories);
  return stories.map((story) => ({
    at: [...new Set([...story.findings, ...spelt(story)])].flatMap((name) => places.get(name) ?? []),
    isUrgent: story.isUrgent ? 1 : 0,
    counts: share(story),
  }));
}

/** In each language urgent ones and others count the same together, however many there are of each. */
function shares(stories: readonly Story[]): (story: Story) => number {
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

/** Down the slope, with steps that grow small where it changes its direction. */
function descend(rows: readonly Row[], findings: number, words: number) {
  const all = rows.reduce((sum, { counts }) => sum + counts, 0);
  const weights = new Float64Array(findings + words);
  const slope = new Float64Array(weights.length);
  const kept = new Float64Array(weights.length);
  const square = new Float64Array(weights.length);
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
      const keep = KEEP_SLOPE * (kept[place] ?? 0) + (1 - KEEP_SLOPE) * down;
      const wide = KEEP_SQUARE * (square[place] ?? 0) + (1 - KEEP_SQUARE) * down * down;
      const next = weight - (STEP * keep) / (Math.sqrt(wide) + TINY);
      kept[place] = keep;
      square[place] = wide;
      weights[place] = place < findings ? Math.max(0, next) : next;
    }
    start -= (START_STEP * startSlope) / all;
  }
  return { start, weights };
}
