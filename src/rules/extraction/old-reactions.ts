// Finds reactions that a patient tells of an allergy: "penicillin gives me hives", or "my face swells" behind "what happens when you take
// it?". They are no symptoms of today, unless the words say that they happen now: then it may be an anaphylaxis.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isComplaint } from '../knowledge/findings.ts';
import { hasWord, isWord, type Stretch } from './history.ts';
import { type Mention, mentionsIn, type SentenceView } from './mentions.ts';
import { answerOf, skipLabel } from './questions.ts';

/** "Sulfa. It gives me hives.": the reaction may follow the allergy within this many sentences. */
const TOLD_WITHIN = 2;
/** Between the allergy and the question for the reaction. */
const ASKED_WITHIN = 5;

/** `asked`: for the reaction. `named`: the allergy is in the same sentence, or in the question before. `told`: it was named shortly before. */
type Context = 'asked' | 'named' | 'told';

/** Returns the old reactions of each sentence. */
export function oldReactions(views: readonly SentenceView[]): readonly ReadonlySet<Mention>[] {
  let last = Number.NEGATIVE_INFINITY;
  return views.map((view, at) => {
    const before = views[at - 1];
    const isNamed = view.cues('allergy').length > 0;
    const isOther = view.sentence.isQuestion && !isNamed && !asksReaction(view);
    if (isOther || (before?.sentence.isQuestion === true && answerOf(view).answer === 'no'))
      last = Number.NEGATIVE_INFINITY;
    if (isNamed) last = at;
    if (view.sentence.isQuestion || isHappening(view)) return new Set();
    return new Set(reactionsIn(view, contextOf(at - last, isNamed, before)));
  });
}

function contextOf(since: number, isNamed: boolean, before: SentenceView | undefined): Context | undefined {
  const isAnswer = before?.sentence.isQuestion === true;
  if (isAnswer && asksReaction(before) && since <= ASKED_WITHIN) return 'asked';
  if (isNamed || (isAnswer && before.cues('allergy').length > 0)) return 'named';
  return since <= TOLD_WITHIN ? 'told' : undefined;
}

function asksReaction(view: SentenceView): boolean {
  return hasWord(view, view.sentence, 'reaction-asked');
}

function reactionsIn(view: SentenceView, context: Context | undefined): Mention[] {
  if (context === undefined) return [];
  const cue = view.cues('allergy')[0];
  const from = cue?.to ?? skipLabel(view, view.sentence.from);
  const isList = cue !== undefined && view.tokens[from]?.marks.startsWith(':') === true;
  const found = mentionsIn(view, { from, to: view.sentence.to }).filter(({ finding }) => isComplaint(finding));
  if (context === 'asked' || isList) return found;
  const told = found.filter((mention) => hasWord(view, partOf(view, mention), 'reacts'));
  // A danger in the next sentence may be the reason why they come.
  return context === 'named' ? told : told.filter((mention) => !mention.finding.isDanger && isAlways(view, mention));
}

/** Told as what happens always, not once. */
function isAlways(view: SentenceView, mention: Mention): boolean {
  return hasWord(view, partOf(view, mention), 'reacts-always');
}

/** "I ate one an hour ago", "his tongue is swelling", "now": it may be a reaction of today. */
function isHappening(view: SentenceView): boolean {
  const { sentence, tokens } = view;
  for (let at = sentence.from; at < sentence.to; at++) {
    if (view.hasCue(at, 'now', 'ago') || isWord(view, at, 'happening')) return true;
    if (isWord(view, at, 'is-now') && /(ing|ndo)$/.test(tokens[at + 1]?.text ?? '')) return true;
  }
  return false;
}

/** The part of the sentence between two commas. */
function partOf({ tokens, sentence }: SentenceView, { from, to }: Mention): Stretch {
  let begin = from;
  while (begin > sentence.from && (tokens[begin]?.before ?? 0) < BREAKS.comma) begin--;
  let end = to;
  while (end < sentence.to && (tokens[end]?.before ?? 0) < BREAKS.comma) end++;
  return { from: begin, to: end };
}
