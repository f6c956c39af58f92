// Finds past findings. The course of the present illness ("for 3 days", "2 weeks ago he noticed") is not past, and a lasting condition
// never is.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isComplaint } from '../knowledge/findings.ts';
import { hasWord, isWord, type Stretch } from './history.ts';
import { type Cue, type Mention, mentionsIn, type SentenceView } from './mentions.ts';

const LONGEST_SEGMENT = 40;
/** A longer clause with a time is a statement of its own: "had my appendix out years ago". */
const TIME_ALONE = 5;

/** True if the next sentence ends it: "Three weeks ago fever and a runny nose. That passed." */
export function isOverBehind(view: SentenceView, next: SentenceView | undefined): boolean {
  if (next === undefined || !hasWord(view, view.sentence, 'long')) return false;
  const words = next.tokens.slice(next.sentence.from, next.sentence.to).map(({ text }) => text);
  return view.words.patterns.gone.test(words.join(' '));
}

export function pastMentions(view: SentenceView): Set<Mention> {
  const past = new Set<Mention>();
  const add = (mentions: readonly Mention[]): void => {
    for (const mention of mentions) if (isComplaint(mention.finding)) past.add(mention);
  };
  // "Não consegue mais andar" is not past: the "no" belongs to the finding.
  const cues = [...view.cues('past'), ...yearsAgo(view), ...inYears(view), ...atAges(view)];
  for (const cue of cues) if (!isOfFinding(view, cue) && !isLoss(view, cue)) add(atThatTime(view, cue));
  for (const cue of view.cues('over')) {
    for (
      let at = cue.from;
      at > Math.max(cue.from - 5, view.sentence.from) && (view.tokens[at]?.before ?? 0) < BREAKS.comma;
      at--
    ) {
      add(view.mentionsTo.get(at) ?? []);
    }
    if (isThatGone(view, cue))
      add(mentionsIn(view, segmentAt(view, segmentAt(view, cue.from).from - 1)).filter(isHarmless));
  }
  return past;
}

/** "I felt a bit sick in the first week, that's gone": a part of its own that ends the part before it. */
function isThatGone(view: SentenceView, { from }: Cue): boolean {
  const part = segmentAt(view, from);
  if (part.from <= view.sentence.from || part.to - part.from > TIME_ALONE) return false;
  return isWord(view, part.from, 'that-before') && mentionsIn(view, part).length === 0;
}

function isHarmless({ finding }: Mention): boolean {
  return !finding.isDanger;
}

/** A lost ability is no past illness: "já não aguento, ando a juntar comprimidos", "no longer feeds, fever". */
function isLoss(view: SentenceView, { from, to }: Cue): boolean {
  return isWord(view, from, 'no-more') && hasWord(view, { from, to: to + 2 }, 'ability');
}

function isOfFinding(view: SentenceView, cue: Cue): boolean {
  const mentions = view.mentionsAt.get(cue.from) ?? [];
  return cue.kind === 'past' && cue.words.length > 1 && mentions.some(({ words }) => words.length > 1);
}

function atThatTime(view: SentenceView, cue: Cue): readonly Mention[] {
  const segment = segmentAt(view, cue.from);
  if (hasWord(view, segment, 'beginning')) return [];
  const own = mentionsIn(view, segment);
  if (own.length > 0) {
    // "Two years ago pneumonia and now cough": the text behind "now" is about today.
    const now = view.cues('now').length === 0 ? undefined : firstIn(view, segment, 'now');
    return now === undefined || now < cue.from ? own : own.filter(({ from }) => from < now);
  }
  const isFirst = segment.from === view.sentence.from;
  const neighbour = isFirst ? segmentAt(view, segment.to) : segmentAt(view, segment.from - 1);
  const isInside = neighbour.from >= view.sentence.from && neighbour.to <= view.sentence.to;
  // The contrast is about today: "she no longer has it, but is pale".
  const isContrast = isFirst && isWord(view, neighbour.from, 'contrast');
  const isNow = isContrast || firstIn(view, neighbour, 'now') !== undefined || hasWord(view, neighbour, 'beginning');
  return isInside && segment.to - segment.from <= TIME_ALONE && !isNow ? mentionsIn(view, neighbour) : [];
}

/** Reads "hace 10 años" and "há 10 anos", which may also be the duration of something present. */
function yearsAgo(view: SentenceView): Cue[] {
  return view.cues('since').flatMap((cue): Cue[] => {
    const word = view.tokens[cue.from]?.text;
    // "La resonancia de hace 2 años" is the date of a test, and its findings may still be present.
    if ((word !== 'hace' && word !== 'ha') || isSinceThen(view, cue)) return [];
    const years = [1, 2, 3].find((more) => isWord(view, cue.from + more, 'in-years'));
    if (years === undefined) return [];
    const segment = segmentAt(view, cue.from);
    const isPast =
      word === 'hace'
        ? !hasWord(view, segment, 'goes-on') && (isOnce(view, cue) || !isGrowing(view, segment.to))
        : hasWord(view, segment, 'was');
    return isPast ? [{ ...cue, to: cue.from + years + 1 }] : [];
  });
}

/** A single event is past, even if a complaint remains: "me atropelló una moto hace cinco años, me molesta la rodilla". */
function isOnce(view: SentenceView, { from }: Cue): boolean {
  return hasWord(view, { from: Math.max(view.sentence.from, from - 4), to: from }, 'once');
}

function isGrowing(view: SentenceView, from: number): boolean {
  return hasWord(view, { from, to: Math.min(from + 6, view.sentence.to) }, 'grows');
}

/** True of "la resonancia de hace 2 años", but not of "la última, en marzo de hace cuatro años". */
function isSinceThen(view: SentenceView, { from }: Cue): boolean {
  const before = view.tokens[from - 1]?.text;
  return before === 'desde' || (before === 'de' && !isWord(view, from - 2, 'month-name'));
}

/** Reads "in 2015" and "em 2019". */
function inYears(view: SentenceView): Cue[] {
  const { tokens, sentence } = view;
  const cues: Cue[] = [];
  for (let at = sentence.from + 1; at < sentence.to; at++) {
    const year = tokens[at]?.number;
    if (year === undefined || !Number.isInteger(year) || year < 1900 || year > 2099) continue;
    if (isWord(view, at - 1, 'year-before')) cues.push({ kind: 'past', words: [at - 1, at], from: at - 1, to: at + 1 });
  }
  return cues;
}

/** Reads a past event at an age: "had a febrile fit at 18 months", "tuvo … a los 3 años". The time of a pregnancy is no age. */
function atAges(view: SentenceView): Cue[] {
  const cues: Cue[] = [];
  const { tokens, sentence } = view;
  for (let at = sentence.from + 2; at + 1 < sentence.to; at++) {
    const isAge = tokens[at]?.number !== undefined && isWord(view, at + 1, 'age-unit');
    if (!isAge || !isWord(view, at - 1, 'at-age') || isWord(view, at + 2, 'other-age')) continue;
    const segment = segmentAt(view, at);
    if (hasWord(view, { from: segment.from, to: at }, 'had'))
      cues.push({ kind: 'past', words: [at - 1, at, at + 1], from: at - 1, to: at + 2 });
  }
  return cues;
}

/** Returns the part of the sentence between two commas. */
function segmentAt({ tokens, sentence }: SentenceView, at: number): Stretch {
  let from = at;
  while (from > sentence.from && at - from < LONGEST_SEGMENT && (tokens[from]?.before ?? 0) < BREAKS.comma) from--;
  let to = at + 1;
  while (to < sentence.to && to - at < LONGEST_SEGMENT && (tokens[to]?.before ?? 0) < BREAKS.comma) to++;
  return { from, to };
}

function firstIn(view: SentenceView, { from, to }: Stretch, kind: 'now'): number | undefined {
  for (let at = from; at < to; at++) if (view.hasCue(at, kind)) return at;
  return undefined;
}
