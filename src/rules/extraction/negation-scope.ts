// Finds the denied findings of a sentence. A "no" reaches over its list and ends before an affirmation. If both readings are possible,
// the finding is present, because an absent finding raises no alarm.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { type DenialLimits, denialLimitsIn } from './denial-limits-in.ts';
import { isDeniedBehind, joinedBefore } from './denied-behind.ts';
import { isWord } from './history.ts';
import { type Cue, isOwnCue, type Mention, type SentenceView } from './mentions.ts';
import { isBehindItsNoun, isContrast } from './trailing-none.ts';

/** Words between a "no" and the finding that it negates, and between two findings of its list. */
const REACH = { negation: 5, denial: 8, list: 3 };
const LONGEST_SCOPE = 120;
const LONGEST_ITEM = 14;
const LONGEST_ASIDE = 8;

export function negatedMentions(view: SentenceView): Set<Mention> {
  const negated = new Set<Mention>();
  // Made once: a long sentence may have many denials.
  const limits = denialLimitsIn(view);
  for (const cue of [...view.cues('negation'), ...view.cues('denial')]) {
    for (const mention of scopeOf(view, cue, limits)) if (!isOwnCue(mention, cue)) negated.add(mention);
  }
  // "No improvement" negates nothing behind it; it negates improvement, if that is a finding.
  for (const cue of view.cues('pseudo')) {
    for (const at of cue.words) {
      for (const mention of view.mentionsAt.get(at) ?? []) {
        if (at > cue.from && mention.words.every((word) => cue.words.includes(word))) negated.add(mention);
      }
    }
  }
  const allTo = allDeniedTo(view);
  for (const mention of view.mentions) {
    if (mention.to <= allTo) negated.add(mention);
    if (isDeniedBehind(view, mention)) for (const one of joinedBefore(view, mention)) negated.add(one);
  }
  for (const mention of negated) if (limits.isOnlySometimes(mention)) negated.delete(mention);
  return negated;
}

function scopeOf(view: SentenceView, cue: Cue, limits: DenialLimits): Mention[] {
  const found: Mention[] = [];
  const { tokens, sentence, mentionsAt } = view;
  const isDenial = cue.kind === 'denial';
  let free = 0;
  let reach: number = REACH[isDenial ? 'denial' : 'negation'];
  let end = cue.to;
  if (isBehindItsNoun(view, cue) || limits.isGoingOn(cue.from)) return found;
  for (let at = cue.to; at < Math.min(sentence.to, cue.to + LONGEST_SCOPE); at++) {
    at = behindAside(view, at, cue.to);
    const token = tokens[at];
    if (token === undefined || at >= sentence.to) break;
    if (limits.isPurposeOfTreatment(at) || (at > cue.to && token.before === BREAKS.comma && limits.endsDenial(at)))
      break;
    if (token.before >= BREAKS.clause && !(at === cue.to && token.marks.startsWith(':') && !isContrast(view, cue)))
      break;
    if (isEnd(view, cue, at, { isList: found.length > 0, isWithin: at < end && isWord(view, at, 'clitic') })) break;
    // In "fever no, cough yes" the "no" belongs to the finding before it.
    if (token.before === BREAKS.comma && at === cue.to && !(isDenial && /^[(–-]/.test(token.marks))) break;
    if (token.before === BREAKS.comma && at > cue.to) {
      if (at >= end && !goesOn(view, at, { isDenial, isList: found.length > 0 || isBareList(view, at) })) break;
      if (at >= end && !isDenial && isEachDenied(view, cue.from) && !hasConjunction(view, at)) break;
      free = 0;
    }
    const mentions = mentionsAt.get(at);
    if (mentions !== undefined) {
      found.push(...mentions);
      end = Math.max(end, ...mentions.map(({ to }) => to));
      free = 0;
      reach = REACH.list;
    } else if (at >= end) {
      free = isWord(view, at, 'conjunction') ? 0 : free + 1;
      if (free > reach) break;
    }
  }
  return found;
}

/** Skips what is in parentheses: "no fever (never measured), cough or chills" denies all three. */
function behindAside({ tokens, sentence }: SentenceView, at: number, from: number): number {
  if (at === from || tokens[at]?.marks.endsWith('(') !== true) return at;
  for (let end = at + 1; end <= Math.min(at + LONGEST_ASIDE, sentence.to); end++)
    if (tokens[end]?.marks.startsWith(')') === true) return end;
  return at;
}

/** `isWithin`: the word is part of a finding. The "le" of "no se le traba la lengua" affirms nothing. */
function isEnd(
  view: SentenceView,
  cue: Cue,
  at: number,
  { isList, isWithin }: { readonly isList: boolean; readonly isWithin: boolean },
): boolean {
  if (view.hasCue(at, 'but', 'if', 'pseudo') || (at > cue.to + 1 && view.hasCue(at, 'heritage'))) return true;
  if (at > cue.to && view.hasCue(at, 'negation', 'denial')) return true;
  if (view.hasCue(at, 'reason') && (isList || at > cue.to + 1)) return true;
  // "Nem faz cocô faz 3 dias, vômito verde": the text behind a duration is a new statement.
  if (at > cue.to && view.hasCue(at, 'since') && hasTimeBehind(view, at)) return true;
  // "Isn't wetting himself or having accidents", "haven't been sick or had black stools": the "no" goes on.
  if (isList && isWord(view, at - 1, 'or') && isWord(view, at, 'denial-goes-on')) return false;
  // "No tiene fiebre", "does not have": a verb directly behind the "no" belongs to it.
  const near = cue.kind === 'denial' ? 3 : 2;
  return !isWithin && view.hasCue(at, 'affirm') && (isList || at >= cue.to + near);
}

function hasTimeBehind(view: SentenceView, at: number): boolean {
  return isWord(view, at, 'time-begins') && [1, 2, 3].some((more) => view.tokens[at + more]?.number !== undefined);
}

/** "No fever, no cough, green phlegm": if each finding has its own "no", one without it is present. */
function isEachDenied({ tokens, sentence, hasCue }: SentenceView, from: number): boolean {
  if ((tokens[from]?.before ?? 0) !== BREAKS.comma) return false;
  for (let at = from - 1; at >= Math.max(sentence.from, from - LONGEST_ITEM); at--) {
    if ((tokens[at]?.before ?? 0) >= BREAKS.comma || at === sentence.from) return hasCue(at, 'negation');
  }
  return false;
}

/** "No fever, no cough, rash or headache": with an "or" the last findings belong to the list after all. */
function hasConjunction(view: SentenceView, from: number): boolean {
  for (let at = from; at < Math.min(view.sentence.to, from + LONGEST_ITEM); at++) {
    if (at > from && (view.tokens[at]?.before ?? 0) >= BREAKS.comma) return false;
    if (isWord(view, at, 'or')) return true;
  }
  return false;
}

/** "No pain, pressure or tightness on the stairs": a bare word that is no finding may begin the list. */
function isBareList(view: SentenceView, at: number): boolean {
  return isWord(view, at - 1, 'bare-complaint') && hasConjunction(view, at);
}

/** True if the list goes on behind the comma, and no new statement begins. */
function goesOn(
  view: SentenceView,
  from: number,
  { isDenial, isList }: { readonly isDenial: boolean; readonly isList: boolean },
): boolean {
  if (!isDenial && !isList) return false;
  let covered = 0;
  let first = -1;
  let at = from;
  let end = from;
  for (; at < Math.min(view.sentence.to, from + LONGEST_ITEM); at++) {
    const token = view.tokens[at];
    if (token === undefined || (at > from && token.before >= BREAKS.comma)) break;
    // The "el" of "sangre en el esputo" is no person.
    if (token.number !== undefined) return false;
    if (at >= end && view.hasCue(at, 'affirm', 'now', 'patient', 'past')) return false;
    if (at === from && isWord(view, at, 'counted-or-taken')) return false;
    if (at > from && view.hasCue(at, 'negation', 'denial')) break;
    const mentions = view.mentionsAt.get(at);
    if (mentions !== undefined && first < 0) first = at;
    if (mentions !== undefined) end = Math.max(end, ...mentions.map(({ to }) => to));
    if (at < end || isWord(view, at, 'conjunction')) covered++;
  }
  const length = at - from;
  if (first < 0) return length <= (isDenial ? 6 : 4);
  return first - from <= 4 && length - covered <= (isDenial ? 6 : 4);
}

const LONGEST_ALL_NO = 12;

/** Returns the index of the "all no" that ends the list of a form: "dolor de pecho, asma, desmayos, y son todas que no". */
function allDeniedTo({ tokens, sentence, words: lists }: SentenceView): number {
  const from = Math.max(sentence.from, sentence.to - LONGEST_ALL_NO);
  const words = tokens.slice(from, sentence.to).map(({ text }) => text);
  const text = words.join(' ');
  const found = lists.patterns['all-no'].exec(text);
  return found === null ? -1 : from + text.slice(0, found.index).split(' ').length - 1;
}
