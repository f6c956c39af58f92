// Of whom a sentence speaks: findings of relatives, partners and colleagues are not the patient's. A relative who reports, brings or
// comes along is no patient either, but what is reported is the patient's.
import type { Cue, Mention, View } from './mentions.ts';
import { CHILD_PEOPLE } from './person-words.ts';
import { BREAKS } from './text-breaks.ts';

/** Known diagnoses go on over a comma ("father: HTA, DM"), complaints do not: danger is not given away to a relative. */
const LASTING = new Set(['condition', 'circumstance']);
const LOOK_AHEAD = 5;
const REACH = 12;
const IN = new Set(['in', 'en', 'de', 'na', 'no', 'da', 'do', 'del', 'of']);

/** Who is not somebody else, though the word says so. */
export type Patient = {
  /** "My son" is the patient. */
  readonly isChild: boolean;
  /** "My husband, 71" is. */
  readonly told: string | undefined;
};

export function othersMentions(view: View, { isChild, told }: Patient): Set<Mention> {
  const others = new Set<Mention>();
  // Where one heritage or relative has marked the way, the next need not go it again.
  let marked = -1;
  for (const cue of view.cues('heritage')) {
    for (let at = Math.max(cue.to, marked); at < view.sentence.to; at++) {
      if (view.hasCue(at, 'but', 'patient') || (view.tokens[at]?.marks.includes(';') && at > cue.to)) break;
      for (const mention of view.mentionsAt.get(at) ?? []) others.add(mention);
      marked = at + 1;
    }
  }
  const people = [...view.cues('relative'), ...view.cues('other'), ...(isChild ? [] : view.cues('child'))];
  for (const person of people) {
    if (isReporter(view, person) || (told !== undefined && person.words.some((at) => view.tokens[at]?.text === told)))
      continue;
    const own = hasSomething(view, person) ? findingsOf(view, person) : findingsBefore(view, person);
    for (const mention of own) others.add(mention);
  }
  return others;
}

function isReporter(view: View, { from, to }: Cue): boolean {
  for (let at = from - 1; at >= Math.max(from - 3, view.sentence.from); at--) {
    if ((view.tokens[at + 1]?.before ?? 0) >= BREAKS.comma) break;
    if (view.hasCue(at, 'via', 'report')) return true;
  }
  for (let at = to; at < Math.min(to + LOOK_AHEAD, view.sentence.to); at++) {
    if ((view.tokens[at]?.before ?? 0) >= BREAKS.clause && view.tokens[at]?.marks !== ':') return false;
    if (view.hasCue(at, 'report', 'worry')) return true;
    if (view.tokens[at]?.text === 'with' && isWithChild(view, at + 1)) return true;
    if (view.mentionsAt.has(at)) return false;
    if (view.hasCue(at, 'has')) return view.hasCue(at + 1, 'report') || view.hasCue(at + 2, 'report');
  }
  return false;
}

/** "Parents with baby boy", "mum with her 3 year old". */
function isWithChild({ tokens, sentence }: View, from: number): boolean {
  for (let at = from; at < Math.min(from + 5, sentence.to); at++) {
    if (at > from && (tokens[at]?.before ?? 0) >= BREAKS.comma) return false;
    if (CHILD_PEOPLE.has(tokens[at]?.text ?? '') || tokens[at]?.text === 'old') return true;
  }
  return false;
}

/** "Mother had", "madre HTA", "sister with". */
function hasSomething(view: View, { to }: Cue): boolean {
  for (let at = to; at < Math.min(to + LOOK_AHEAD, view.sentence.to); at++) {
    const token = view.tokens[at];
    if (
      token === undefined ||
      (token.before >= BREAKS.comma && !token.marks.startsWith(':') && !token.marks.startsWith('('))
    )
      return false;
    if (view.hasCue(at, 'patient')) return false;
    if (view.hasCue(at, 'has') || (at < to + 3 && view.mentionsAt.has(at))) return true;
  }
  return false;
}

function findingsOf(view: View, { to }: Cue): Mention[] {
  const found: Mention[] = [];
  let isOverComma = false;
  let free = 0;
  for (let at = to; at < view.sentence.to && free < REACH; at++, free++) {
    const token = view.tokens[at];
    if (token === undefined || (token.before >= BREAKS.clause && at > to) || view.hasCue(at, 'but', 'patient')) break;
    if (at > to && view.hasCue(at, 'relative', 'other', 'heritage')) break;
    if (token.before === BREAKS.comma && at > to && !token.marks.startsWith('(')) {
      if (found.length === 0 && !view.hasCue(at, 'has')) break;
      isOverComma = true;
    }
    if (isOverComma && view.hasCue(at, 'affirm', 'since', 'now')) break;
    for (const mention of view.mentionsAt.get(at) ?? []) {
      if (isOverComma && !LASTING.has(mention.finding.kind)) return found;
      found.push(mention);
      free = 0;
    }
  }
  return found;
}

/** "Breast cancer in her mother", "muerte súbita en el padre". */
function findingsBefore(view: View, { from, to }: Cue): readonly Mention[] {
  // "One coeliac (aunt)".
  const isInBrackets =
    view.tokens[from]?.marks === '(' && (view.tokens[to]?.marks ?? view.sentence.tail).startsWith(')');
  if (isInBrackets) return view.mentionsTo.get(from) ?? [];
  for (let at = from - 1; at >= Math.max(from - 3, view.sentence.from); at--) {
    if ((view.tokens[at + 1]?.before ?? 0) >= BREAKS.comma) return [];
    if (IN.has(view.tokens[at]?.text ?? '')) return view.mentionsTo.get(at) ?? [];
  }
  return [];
}
