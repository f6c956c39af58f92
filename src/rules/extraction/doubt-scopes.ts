// Finds findings that are thought, asked, feared or warned of. A finding that is only thought or asked is uncertain; one that is warned
// of, tested or vaccinated against counts for nothing.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isComplaint } from '../knowledge/findings.ts';
import { isWord } from './history.ts';
import { type Cue, isOwnCue, type Mention, mentionsIn, type SentenceView } from './mentions.ts';

const REACH = 6;
export function uncertainMentions(view: SentenceView): Set<Mention> {
  const uncertain = new Set<Mention>();
  for (const cue of view.cues('uncertain')) {
    const isReported = isWord(view, cue.from, 'says');
    for (const mention of thoughtOf(view, cue))
      if (!isReported || mention.finding.kind === 'condition') uncertain.add(mention);
  }
  for (const cue of view.cues('worry')) {
    for (const mention of inClause(view, cue.to)) if (mention.finding.kind !== 'condition') uncertain.add(mention);
  }
  for (const mention of view.mentions) {
    if (view.tokens[mention.from]?.isQueried || isDoubtedBehind(view, mention)) uncertain.add(mention);
  }
  return uncertain;
}

/** Returns the findings that count for nothing. */
export function ignoredMentions(view: SentenceView): Set<Mention> {
  const ignored = new Set<Mention>();
  for (const cue of view.cues('risk')) for (const mention of inClause(view, cue.to)) ignored.add(mention);
  for (const cue of view.cues('worry')) {
    for (const mention of inClause(view, cue.to)) if (mention.finding.kind === 'condition') ignored.add(mention);
  }
  for (const cue of view.cues('allergy')) for (const mention of reactionTo(view, cue)) ignored.add(mention);
  for (const { to } of view.cues('titled'))
    for (const mention of mentionsIn(view, { from: to, to: to + 2 })) ignored.add(mention);
  for (const cue of view.cues('title')) {
    for (const end of [cue.from, cue.from - 1]) {
      if (isInterrupted(view, end, cue.from)) break;
      for (const mention of view.mentionsTo.get(end) ?? []) if (!isOwnCue(mention, cue)) ignored.add(mention);
    }
  }
  return ignored;
}

/** An old reaction: "allergic to nitrofurantoin (hives)", "pen allergic = rash". Without such a mark it may be of today. */
function reactionTo(view: SentenceView, cue: Cue): Mention[] {
  const found: Mention[] = [];
  let isReaction = false;
  for (let at = cue.to; at < Math.min(cue.to + 8, view.sentence.to); at++) {
    const { before, marks } = view.tokens[at] ?? { before: BREAKS.sentence, marks: '' };
    const isMark = /^[(=→]/.test(marks);
    if (isReaction || (at > cue.to && !isMark)) {
      if (before >= BREAKS.comma || marks !== '') break;
    }
    isReaction ||= isMark;
    if (!isReaction) continue;
    for (const mention of view.mentionsAt.get(at) ?? []) if (isComplaint(mention.finding)) found.push(mention);
  }
  return found;
}

function thoughtOf(view: SentenceView, cue: Cue): Mention[] {
  const found: Mention[] = [];
  let free = 0;
  let end = cue.to;
  for (let at = cue.to; at < view.sentence.to && at < cue.to + 40; at++) {
    const token = view.tokens[at];
    if (token === undefined || (token.before >= BREAKS.clause && at > cue.to) || view.hasCue(at, 'but')) break;
    if (token.before === BREAKS.comma && at > cue.to && at >= end) break;
    const mentions = view.mentionsAt.get(at)?.filter((mention) => !isOwnCue(mention, cue)) ?? [];
    if (mentions.length > 0) {
      found.push(...mentions);
      end = Math.max(end, ...mentions.map(({ to }) => to));
      free = 0;
    } else if (at >= end) {
      free++;
      // Behind the first finding, only those joined by "or" count.
      if (free > (found.length === 0 ? REACH : 0) && !isWord(view, at, 'conjunction')) break;
    }
  }
  return found;
}

function inClause(view: SentenceView, from: number): Mention[] {
  const found: Mention[] = [];
  for (let at = from; at < view.sentence.to && at < from + 12; at++) {
    if (at > from && (view.tokens[at]?.before ?? 0) >= BREAKS.comma) break;
    found.push(...(view.mentionsAt.get(at) ?? []));
  }
  return found;
}

function isDoubtedBehind(view: SentenceView, { to }: Mention): boolean {
  const at = isWord(view, to, 'doubt-copula') ? to + 1 : to;
  const cue = view.cueAt(at, 'doubted');
  if (cue === undefined || at >= view.sentence.to || (view.tokens[at]?.before ?? 0) >= BREAKS.comma) return false;
  const next = view.tokens[cue.to];
  return cue.to >= view.sentence.to || next === undefined || next.before >= BREAKS.comma;
}

function isInterrupted({ tokens }: SentenceView, from: number, to: number): boolean {
  for (let at = from; at <= to; at++) if ((tokens[at]?.before ?? 0) >= BREAKS.comma) return true;
  return false;
}
