// Finds the denied findings of a sentence. A "no" reaches over its list and ends before an affirmation. If both readings are possible,
// the finding is present, because an absent finding raises no alarm.

import { cuesOf } from '../../clinical-text/cues/cues.ts';
import { isGoingOn, isOccasional, isPurposeOfTreatment } from '../../clinical-text/cues/denial-limits.ts';
import type { PhraseWord } from '../../clinical-text/cues/phrase-set.ts';
import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isWord } from './history.ts';
import { type Cue, isOwnCue, type Mention, type SentenceView } from './mentions.ts';
import { isBehindItsNoun, isContrast } from './trailing-none.ts';

/** Words between a "no" and the finding that it negates, and between two findings of its list. */
const REACH = { negation: 5, denial: 8, list: 3 };
const LONGEST_SCOPE = 120;
/** Lower ketones, in mmol/L of blood, are normal. */
const KETONES_FROM = 0.6;
const LONGEST_ITEM = 14;
const LONGEST_ASIDE = 8;
/** Words of the next sentence that may belong to this one: "No pain. Only on stairs." */
const WORDS_BEHIND = 4;

export function negatedMentions(view: SentenceView): Set<Mention> {
  const negated = new Set<Mention>();
  // Made once: a long sentence may have many denials.
  const row = rowOf(view);
  for (const cue of [...view.cues('negation'), ...view.cues('denial')]) {
    for (const mention of scopeOf(view, cue, row)) if (!isOwnCue(mention, cue)) negated.add(mention);
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
  for (const mention of negated) if (row.isOnlySometimes(mention)) negated.delete(mention);
  return negated;
}

/** The words of the sentence for the cues that the check of a note reads, too. Places are those of the history. */
function rowOf({ tokens, sentence, mentions, words }: SentenceView) {
  const cues = cuesOf(sentence.best);
  const isFollowedBy = (at: number): boolean => at + 1 < sentence.to && tokens[at + 1]?.before === BREAKS.none;
  const ownWords = new Set(mentions.flatMap(({ words }) => words));
  const row = tokens
    .slice(sentence.from, sentence.to + WORDS_BEHIND)
    .map(({ text }, at): PhraseWord => ({ word: text, sentence: sentence.from + at < sentence.to ? 0 : 1 }));
  // The verb of a finding does not say that it goes on: "no ha bajado de peso", "hasn't gone weak". Nor does a copula: "no fue de golpe".
  const isOwn = (at: number): boolean =>
    ownWords.has(at) || (isWord({ tokens, words }, at, 'turned') && isFollowedBy(at));
  const between = row.map((word, at) => (isOwn(sentence.from + at) ? { ...word, word: '' } : word));
  const placesBehind = (to: number): number[] => {
    let end = to;
    while (end < sentence.to && (tokens[end]?.before ?? BREAKS.none) < BREAKS.comma) end++;
    return [to, end];
  };
  return {
    isGoingOn: (at: number) =>
      cues.copulas.lengthAt(row, at + 1 - sentence.from) === 0 && isGoingOn(between, at - sentence.from, cues),
    isPurposeOfTreatment: (at: number) => isPurposeOfTreatment(row, at - sentence.from, cues),
    // "No pain at rest, only on stairs" denies the pain at rest.
    isOnlySometimes: ({ words, to }: Mention) =>
      placesBehind(to).some((at) => isOccasional(row, at - sentence.from, cues)) &&
      !words.some((at) => cues.occasions.lengthAt(row, at - sentence.from) > 0),
    endsDenial: (at: number) =>
      cues.copulas.lengthAt(row, at - sentence.from) > 0 || (tokens[at]?.text === 'e' && tokens[at].isAccented),
  };
}

function scopeOf(view: SentenceView, cue: Cue, row: ReturnType<typeof rowOf>): Mention[] {
  const found: Mention[] = [];
  const { tokens, sentence, mentionsAt } = view;
  const isDenial = cue.kind === 'denial';
  let free = 0;
  let reach: number = REACH[isDenial ? 'denial' : 'negation'];
  let end = cue.to;
  if (isBehindItsNoun(view, cue) || row.isGoingOn(cue.from)) return found;
  for (let at = cue.to; at < Math.min(sentence.to, cue.to + LONGEST_SCOPE); at++) {
    at = behindAside(view, at, cue.to);
    const token = tokens[at];
    if (token === undefined || at >= sentence.to) break;
    if (row.isPurposeOfTreatment(at) || (at > cue.to && token.before === BREAKS.comma && row.endsDenial(at))) break;
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

/** True of "fever absent", "fiebre: no", "tosse (-)", "fever N". */
function isDeniedBehind(view: SentenceView, mention: Mention): boolean {
  const { tokens, sentence } = view;
  const { to } = mention;
  const isAtEnd = to >= sentence.to;
  const marks = (isAtEnd ? sentence.tail : tokens[to]?.marks) ?? '';
  if (/^\([-−–]\)|^[-−–][,;.]/.test(marks) || (isAtEnd && /^[-−–]$/.test(marks))) return true;
  if (isFormNo(view, to) || isNone(view, to) || isPainless(view, mention) || isAnsweredNo(view, mention)) return true;
  if (isResultBehind(view, to)) return true;
  let at = to;
  for (let skipped = 0; skipped < 2 && isWord(view, at, 'copula'); skipped++) at++;
  const token = tokens[at];
  if (token === undefined || at >= sentence.to || !/^[:=?–→"“«-]*$/.test(token.marks)) return false;
  const absent = view.cueAt(at, 'absent');
  const cue =
    absent ??
    view.cueAt(at, 'negation') ??
    view.cueAt(at, 'answers-no') ??
    view.cueAt(at, 'no') ??
    view.cueAt(at, 'denial');
  if (cue === undefined || (token.text === 'n' && !token.isCapital)) return false;
  const next = tokens[cue.to];
  return (
    cue.to >= sentence.to ||
    next === undefined ||
    next.before >= BREAKS.comma ||
    isAside(view, cue.to) ||
    (absent !== undefined && !isFollowed(view, cue.to))
  );
}

/** True of "Fever, no.": a finding with its "no" is the whole sentence. */
function isAnsweredNo(view: SentenceView, { from, to }: Mention): boolean {
  const { sentence, tokens } = view;
  if (sentence.isQuestion || from - sentence.from > 1 || tokens[to]?.before !== BREAKS.comma) return false;
  return to < sentence.to && (view.cueAt(to, 'negation') ?? view.cueAt(to, 'no'))?.to === sentence.to;
}

/** True of a negative test without another one behind it: "HIV, negativo", "sífilis e HIV hoje não reagentes". */
function isResultBehind(view: SentenceView, to: number): boolean {
  if (isListOfResults(view, to)) return true;
  const behind = view.tokens.slice(to, Math.min(to + 6, view.sentence.to));
  const cut = behind.findIndex(({ before }, at) => before > BREAKS.comma || (at > 1 && before === BREAKS.comma));
  const words = behind.slice(0, cut < 0 ? behind.length : cut);
  const text = words.map(({ text: word, before }) => (before === BREAKS.comma ? `,${word}` : word)).join(' ');
  if (!view.words.patterns['negative-result'].test(text)) return false;
  const end = to + words.findIndex(({ text: word }) => view.words.has('negative', word)) + 1;
  return !isFollowed(view, end) && !isWord(view, end, 'result-for');
}

/** True of one result for a list of tests: "HIV, sífilis, hepatite B e C, tudo não reagente". */
function isListOfResults({ tokens, sentence, words }: SentenceView, to: number): boolean {
  const behind = tokens.slice(to, Math.min(to + LONGEST_ITEM, sentence.to));
  const cut = behind.findIndex(({ before }) => before > BREAKS.comma);
  const text = (cut < 0 ? behind : behind.slice(0, cut)).map((token) => token.text).join(' ');
  return words.patterns['results-of-list'].test(text);
}

/** True of a restriction behind the "no": "fiebre no cuando me la he tomado", "embarazada no que yo sepa". */
function isAside({ tokens, words }: SentenceView, at: number): boolean {
  return words.patterns.aside.test(`${tokens[at]?.text} ${tokens[at + 1]?.text}`);
}

/** "La puñopercusión no duele" denies the sign, because it is a test for pain. A lump that does not hurt is present. */
function isPainless(view: SentenceView, { words, to }: Mention): boolean {
  const { tokens, sentence } = view;
  if (!words.some((at) => isWord(view, at, 'pressed'))) return false;
  const behind: string[] = [];
  for (let at = to; at < Math.min(sentence.to, to + 6); at++) {
    const { before = BREAKS.none, text = '' } = tokens[at] ?? {};
    if (before >= BREAKS.comma) break;
    behind.push(text);
  }
  return view.words.patterns.painless.test(behind.join(' '));
}

/** True of "vomiting 0" and of normal ketones: "ketones 0.2". */
function isNone(view: SentenceView, to: number): boolean {
  const { tokens, sentence } = view;
  const token = tokens[to];
  if (to >= sentence.to || token?.number === undefined || token.before > BREAKS.comma) return false;
  if (/^\/?[./]/.test(token.marks)) return false;
  return token.number === 0 || (isWord(view, to - 1, 'ketone') && token.number < KETONES_FROM);
}

/** True of the "N" of a form: "back or loin pain N;", "vaginal discharge or itch N". */
function isFormNo({ tokens, sentence, mentionsAt }: SentenceView, from: number): boolean {
  for (let at = from; at < Math.min(from + 4, sentence.to); at++) {
    const token = tokens[at];
    if (token === undefined || token.before >= BREAKS.comma) return false;
    const next = tokens[at + 1];
    const isEnd = next === undefined || at + 1 >= sentence.to || next.before >= BREAKS.comma;
    if (token.text === 'n' && token.isCapital) return isEnd;
    if (mentionsAt.has(at)) return false;
  }
  return false;
}

/** True if the cue is about findings behind it: "negative for", "denied fever". */
function isFollowed(view: SentenceView, from: number): boolean {
  for (let at = from; at < Math.min(from + 4, view.sentence.to); at++) {
    if (at > from && (view.tokens[at]?.before ?? 0) >= BREAKS.comma) return false;
    if (view.mentionsAt.has(at)) return true;
  }
  return false;
}

/** Returns the mention with those joined to it by "and" or a slash: "fever/chills absent". */
function joinedBefore(view: SentenceView, last: Mention): Mention[] {
  const joined = [last];
  let from = last.from;
  for (let steps = 0; steps < 6; steps++) {
    const isSlash = view.tokens[from]?.marks === '/';
    const end = isWord(view, from - 1, 'conjunction') ? from - 1 : isSlash ? from : undefined;
    if (end === undefined || (view.tokens[from]?.before ?? 0) >= BREAKS.comma) break;
    const before = view.mentionsTo.get(end) ?? [];
    if (before.length === 0) break;
    joined.push(...before);
    from = Math.min(...before.map((mention) => mention.from));
  }
  return joined;
}
