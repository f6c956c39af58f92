// Finds the findings of other persons in a sentence: relatives, partners, colleagues. If a relative reports, brings the patient or comes
// along, the reported findings are the patient's.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isComplaint } from '../knowledge/findings.ts';
import { hasWord, isWord } from './history.ts';
import { type Cue, type Mention, mentionsIn, type SentenceView } from './mentions.ts';
import { isSelfAged, sexOfRelative } from './patient-relative.ts';
import { sexOfPronoun } from './person-sex.ts';
import { skipLabel } from './questions.ts';

const LOOK_AHEAD = 5;
/** Words between a person and the report: "sus compañeras, con las que vive, le vieron". */
const REPORT_AHEAD = 7;
const REACH = 12;
const FAR = 24;
/** Words for other persons that mean the patient in this text. */
export type PatientWords = {
  /** True if "my son" is the patient. */
  readonly isChild: boolean;
  /** The relative who is the patient, as in "my husband, 71". */
  readonly relative: string | undefined;
};

export function othersMentions(view: SentenceView, { isChild, relative }: PatientWords): Set<Mention> {
  const others = new Set<Mention>();
  // Words that an earlier cue has marked are not visited again.
  let marked = -1;
  for (const cue of view.cues('heritage')) {
    // The last word of "al padre le dio un infarto hace" may begin a finding; a longer cue ("a mi hermano se le reventó un aneurisma
    // hace dos años") covers all its words.
    const start = cue.words.length > 6 ? cue.from : cue.words.length > 3 ? cue.to - 1 : cue.to;
    for (let at = Math.max(start, marked); at < view.sentence.to; at++) {
      if (at >= cue.to && (view.hasCue(at, 'but') || isPatientCue(view, at))) break;
      if (view.tokens[at]?.marks.includes(';') && at > cue.to) break;
      // "His brother had a stroke last year, today he does not wake": statements about today are about the patient.
      if (cue.words.length > 3 && view.hasCue(at, 'now')) break;
      for (const mention of view.mentionsAt.get(at) ?? []) others.add(mention);
      marked = at + 1;
    }
  }
  for (const mention of inherited(view)) others.add(mention);
  const start = skipLabel(view, view.sentence.from);
  const people = [...view.cues('relative'), ...view.cues('other'), ...(isChild ? [] : view.cues('child'))];
  for (const person of people) {
    const isPatient = relative !== undefined && person.words.some((at) => view.tokens[at]?.text === relative);
    // The label of a turn is a speaker: "Madre: Vomitó toda la noche".
    if (person.from < start || isNoMother(view, person)) continue;
    if (isPatient) for (const mention of pastDiseases(view, person)) others.add(mention);
    if (isPatient || isReporter(view, person)) continue;
    for (const mention of ofOther(view, person)) others.add(mention);
  }
  if (view.sentence.isQuestion && view.turn.role !== 'patient')
    for (const mention of ofAnybody(view)) others.add(mention);
  return others;
}

/** "Diabetes runs in my family", "no sudden deaths in the family". */
function inherited(view: SentenceView): Mention[] {
  return view.cues('heritage').flatMap(({ from }) => {
    const at = isWord(view, from, 'inherited') ? from : from - 1;
    if (isWord(view, at, 'inherited')) return mentionsIn(view, { from: partStart(view, at), to: at });
    return isWord(view, from, 'in') ? rightBefore(view, from) : [];
  });
}

/** Returns the mentions that end there, or one word before. */
function rightBefore(view: SentenceView, at: number): Mention[] {
  return [at, at - 1].flatMap((to) => (partStart(view, at) < to ? (view.mentionsTo.get(to) ?? []) : []));
}

function partStart({ tokens, sentence }: SentenceView, at: number): number {
  let from = at;
  while (from > sentence.from && (tokens[from]?.before ?? 0) < BREAKS.comma) from--;
  return from;
}

/** "My mother had cancer.": a disease that the relative had is hers, although she may be the patient of the text. */
function pastDiseases(view: SentenceView, { to }: Cue): Mention[] {
  if (!isWord(view, to, 'was-ill') || hasWord(view, view.sentence, 'today')) return [];
  let end = to;
  while (end < view.sentence.to && (end === to || (view.tokens[end]?.before ?? 0) < BREAKS.comma)) end++;
  return mentionsIn(view, { from: to, to: end }).filter(({ finding }) => finding.kind === 'condition');
}

/** "Is anyone sick around you?" asks for others. */
function ofAnybody(view: SentenceView): Mention[] {
  const { from, to } = view.sentence;
  for (let at = from; at < to; at++) {
    if (isWord(view, at, 'anybody')) return view.mentions.filter((mention) => mention.to > at);
  }
  return [];
}

function ofOther(view: SentenceView, person: Cue): readonly Mention[] {
  // Dangers before the person are the patient's: "saving up her grandmother's tablets".
  if (!hasSomething(view, person)) return findingsBefore(view, person).filter(isLastingOrHarmless);
  // "His sister's magnetic beads, five are missing": the patient has swallowed them.
  const own = findingsOf(view, person).filter(({ finding }) => !finding.implies.includes('swallowed-object'));
  // The owner of a thing is not the one who drools: "in front of her granddaughter's telly, and now she drools".
  return isOwner(view, person) ? own.filter(({ finding }) => !isComplaint(finding)) : own;
}

function isLastingOrHarmless({ finding: { kind, isDanger } }: Mention): boolean {
  return kind === 'condition' || !isDanger;
}

/** True of "of my grandmother" and "de la nieta". Without an article it is a family history: "de padre con infarto". */
function isOwner(view: SentenceView, { from }: Cue): boolean {
  return isWord(view, from - 1, 'of-the') || (isWord(view, from - 1, 'whose') && isWord(view, from - 2, 'of'));
}

function isNoMother(view: SentenceView, { from, to }: Cue): boolean {
  if (view.tokens[from]?.text !== 'mama') return false;
  const isBefore = from > view.sentence.from && isWord(view, from - 1, 'no-mother-before');
  return isBefore || isWord(view, to, 'no-mother-behind');
}

function isReporter(view: SentenceView, { from, to }: Cue): boolean {
  // In "a mi tío, en 2019, se le paralizó" the uncle is no reporter.
  const behind = behindAside(view, to);
  if (behind !== undefined && !view.hasCue(behind, 'report')) return false;
  for (let at = from - 1; at >= Math.max(from - 3, view.sentence.from); at--) {
    if ((view.tokens[at + 1]?.before ?? 0) >= BREAKS.comma) break;
    if (view.hasCue(at, 'via', 'report')) return true;
  }
  for (let at = to; at < Math.min(to + REPORT_AHEAD, view.sentence.to); at++) {
    if ((view.tokens[at]?.before ?? 0) >= BREAKS.clause && view.tokens[at]?.marks !== ':') return false;
    if (view.hasCue(at, 'report', 'worry')) return true;
    if (view.tokens[at]?.text === 'with' && isWithChild(view, at + 1)) return true;
    if (view.mentionsAt.has(at)) return false;
    // The "con" of "las compañeras con las que vive le vieron" only describes the persons.
    if (isWord(view, at, 'with') && isWord(view, at + 2, 'which')) continue;
    if (view.hasCue(at, 'has')) return view.hasCue(at + 1, 'report') || view.hasCue(at + 2, 'report');
  }
  return false;
}

/** True of "parents with baby boy", "mum with her 3 year old". */
function isWithChild(view: SentenceView, from: number): boolean {
  for (let at = from; at < Math.min(from + 5, view.sentence.to); at++) {
    if (at > from && (view.tokens[at]?.before ?? 0) >= BREAKS.comma) return false;
    if (isWord(view, at, 'child') || view.tokens[at]?.text === 'old') return true;
  }
  return false;
}

/** True of "mother had", "madre HTA", "sister with". */
function hasSomething(view: SentenceView, { to }: Cue): boolean {
  // A time between commas may be in between: "a su hermano mayor, en enero, se le torció la cara".
  if (behindAside(view, to) !== undefined) return true;
  for (let at = to; at < Math.min(to + LOOK_AHEAD, view.sentence.to); at++) {
    const token = view.tokens[at];
    if (
      token === undefined ||
      (token.before >= BREAKS.comma && !token.marks.startsWith(':') && !token.marks.startsWith('('))
    )
      return false;
    if (view.hasCue(at, 'patient') || isWord(view, at, 'handles')) return false;
    if (view.hasCue(at, 'has') || (at < to + 3 && view.mentionsAt.has(at))) return true;
  }
  return false;
}

/** Returns the index behind a past time between two commas. */
function behindAside({ tokens, sentence, words: lists }: SentenceView, to: number): number | undefined {
  let from = to;
  while (from < to + 2 && (tokens[from]?.before ?? 0) < BREAKS.comma) from++;
  if (tokens[from]?.before !== BREAKS.comma) return undefined;
  let end = from + 1;
  while (end < Math.min(from + 5, sentence.to) && (tokens[end]?.before ?? 0) < BREAKS.comma) end++;
  if (end >= sentence.to || tokens[end]?.before !== BREAKS.comma) return undefined;
  const words = tokens.slice(from, end).map(({ text, number }) => (number === undefined ? text : String(number)));
  return lists.patterns['long-ago'].test(`, ${words.join(' ')}`) ? end : undefined;
}

function findingsOf(view: SentenceView, person: Cue): Mention[] {
  const to = behindAside(view, person.to) ?? person.to;
  const found: Mention[] = [];
  let isOverComma = false;
  /** `isPast`: behind "when he was thirty". `isLongAgo`: behind the "he" after it. */
  let isPast = false;
  let isLongAgo = false;
  let free = 0;
  for (let at = to; at < view.sentence.to && free < (isPast ? FAR : REACH); at++, free++) {
    const token = view.tokens[at];
    if (token === undefined || (token.before >= BREAKS.clause && at > to) || view.hasCue(at, 'but')) break;
    const isShes = /^s?hes$/.test(token.text) && isStillTold(view, person, at);
    if (isShes || isPatientCue(view, at)) {
      if (!isStillTold(view, person, at)) break;
      isLongAgo = true;
      free = 0;
      continue;
    }
    if (at > to && view.hasCue(at, 'relative', 'other', 'heritage')) break;
    isPast ||= view.hasCue(at, 'past');
    // "His brother's aneurysm burst last year, it began with a headache and soon he was in a coma" is all about the brother.
    isLongAgo ||= isPast && token.before === BREAKS.comma && isStory(view, at);
    if (!isLongAgo && token.before === BREAKS.comma && at > to && !token.marks.startsWith('(')) {
      if (found.length === 0 && !isPast && !view.hasCue(at, 'has')) break;
      isOverComma = true;
    }
    if (isLongAgo && view.hasCue(at, 'now')) break;
    if (isOverComma && !isLongAgo && view.hasCue(at, 'affirm', 'since', 'now')) break;
    for (const mention of view.mentionsAt.get(at) ?? []) {
      // A relative's diagnoses continue behind a comma ("father: HTA, DM"), complaints do not, so that no danger is taken from the patient.
      if (isOverComma && !isLongAgo && isComplaint(mention.finding)) {
        if (!isPast) return found;
        continue;
      }
      found.push(mention);
      free = 0;
    }
  }
  return found;
}

/** The "el" of "el año pasado" does not mean "he". */
function isPatientCue(view: SentenceView, at: number): boolean {
  return view.hasCue(at, 'patient') && !(view.tokens[at]?.text === 'el' && view.hasCue(at + 1, 'past'));
}

function isStory(view: SentenceView, at: number): boolean {
  return hasWord(view, { from: at, to: at + 3 }, 'story');
}

/** "My brother had meningitis when he was thirty, he was in a coma": in an old event the "he" is the brother. */
function isStillTold(view: SentenceView, { kind, from }: Cue, at: number): boolean {
  const isToday = isWord(view, at + 1, 'still');
  const isPast = !isToday && view.cues('past').length > 0;
  // "My sister had a stroke, she's only 47, can't talk": a writer who gives an own age speaks of the sister.
  if (kind !== 'relative' || !(isPast || isSelfAged(view.tokens))) return false;
  const sex = sexOfRelative(view, view.tokens[from]?.text);
  // "Shes" is "she".
  const pronoun = (view.tokens[at]?.text ?? '').replace(/^(s?he)s$/, '$1');
  return sex !== undefined && sex === sexOfPronoun(view, pronoun);
}

/** Returns the findings before the person: "breast cancer in her mother", "muerte súbita en el padre". */
function findingsBefore(view: SentenceView, { from, to }: Cue): readonly Mention[] {
  // Brackets name the person: "one coeliac (aunt)".
  const isInBrackets =
    view.tokens[from]?.marks === '(' && (view.tokens[to]?.marks ?? view.sentence.tail).startsWith(')');
  if (isInBrackets) return view.mentionsTo.get(from) ?? [];
  for (let at = from - 1; at >= Math.max(from - 3, view.sentence.from); at--) {
    if ((view.tokens[at + 1]?.before ?? 0) >= BREAKS.comma) return [];
    if (isWord(view, at, 'in')) return view.mentionsTo.get(at) ?? [];
  }
  return [];
}
