// Reads the result of a test that names a finding: "the flu test was negative" denies it, a positive one affirms it. Without a result, the
// name of a test says nothing about the finding.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isWord } from './history.ts';
import { type Mention, mentionsIn, type SentenceView } from './mentions.ts';

export type TestResult = 'positive' | 'negative';

/** Words between the finding and the word "test", and from there to the result. */
const NAMED_WITHIN = 3;
const RESULT_WITHIN = 8;
const RESULT_BEFORE = 3;

/** Returns the findings that a test with a result is about. */
export function testedMentions(view: SentenceView): ReadonlyMap<Mention, TestResult> {
  const results = new Map<Mention, TestResult>();
  for (const mention of view.mentions) {
    // "Negative pregnancy test" is a finding with its own result.
    if (mention.words.some((at) => isWord(view, at, 'test') || resultAt(view, at) !== undefined)) continue;
    const test = testOf(view, mention);
    const result = test === undefined ? undefined : resultOf(view, mention, test);
    if (result !== undefined) results.set(mention, result);
  }
  return results;
}

/** Returns the index of the word "test" beside the finding: "flu test", "prueba de la gripe". */
function testOf(view: SentenceView, { from, to }: Mention): number | undefined {
  for (let at = from; at >= Math.max(view.sentence.from, from - NAMED_WITHIN); at--) {
    if (isWord(view, at, 'test')) return at;
    if (isCut(view, at) || isWord(view, at, 'and')) break;
  }
  for (let at = to; at < Math.min(view.sentence.to, to + NAMED_WITHIN) && !isCut(view, at); at++) {
    if (isWord(view, at, 'test')) return at;
    if (isWord(view, at, 'and')) break;
  }
  return undefined;
}

/** The nearest result behind both words, else right before them: "negative flu test". */
function resultOf(view: SentenceView, mention: Mention, test: number): TestResult | undefined {
  const begin = Math.max(mention.to, test + 1);
  for (let at = begin; at < Math.min(view.sentence.to, begin + RESULT_WITHIN); at++) {
    const isColon = at === begin && view.tokens[at]?.marks.startsWith(':');
    if (((view.tokens[at]?.before ?? 0) >= BREAKS.clause && !isColon) || view.hasCue(at, 'but')) break;
    if (mentionsIn(view, { from: at, to: at + 1 }).some((other) => other.finding !== mention.finding)) break;
    const result = resultAt(view, at);
    if (result !== undefined) return result;
  }
  const first = Math.min(mention.from, test);
  for (let at = first - 1; at >= Math.max(view.sentence.from, first - RESULT_BEFORE); at--) {
    if (isCut(view, at + 1)) break;
    const result = resultAt(view, at);
    if (result !== undefined) return result;
  }
  return undefined;
}

function resultAt(view: SentenceView, at: number): TestResult | undefined {
  if (isWord(view, at, 'negative-result')) return 'negative';
  if (!isWord(view, at, 'positive-result')) return undefined;
  return isWord(view, at - 1, 'does-not') ? 'negative' : 'positive';
}

function isCut(view: SentenceView, at: number): boolean {
  return (view.tokens[at]?.before ?? BREAKS.none) >= BREAKS.comma;
}
