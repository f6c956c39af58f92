// Of whom a sentence speaks: findings of relatives, partners and colleagues are not the patient's. A relative who reports, brings or
// comes along is no patient either, but what is reported is the patient's.
import type { Cue, Mention, View } from './mentions.ts';
import { CHILD_PEOPLE } from './person-words.ts';
import { BREAKS } from './text-breaks.ts';

/** Known diagnoses go on over a comma ("father: HTA, DM"), complaints do not: danger is not given away to a relative. */
const LASTING = new Set(['condition', 'circumstance']);
const LOOK_AHEAD = 5;
/** "Sus compañeras, con las que vive, le vieron". */
const REPORT_AHEAD = 7;
const REACH = 12;
const WITH = new Set(['con', 'com']);
const WHICH = new Set(['que', 'quien', 'quienes', 'quem']);
const OF = new Set(['de', 'del', 'da', 'do', 'das', 'dos', 'of']);
const WHOSE = new Set('el la los las mi mis su sus tu o a os as meu minha seu sua the my his her their'.split(' '));
/** What somebody owns or brings is no finding of theirs: "my husband keeps the soda in a bottle". */
const HANDLES = new Set(
  'guarda guardaba usa usaba deja dejo compra compro trajo puso keeps kept uses used left bought put deixa deixou comprou trouxe'.split(
    ' ',
  ),
);
/** "Cáncer de mama", "no mama", "mama poco": no mother. */
const NO_MOTHER_BEFORE = new Set([
  'de',
  'no',
  'ni',
  'ya',
  'apenas',
  'casi',
  'que',
  'nao',
  'mal',
  'so',
  'quando',
  'cuando',
]);
const NO_MOTHER_BEHIND = /^(poc|poquit|menos$|mal$|bien$|bem$|peor$|pior$|mejor$|melhor$|izq|esq|der|dir|dcha)/;
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
    // "Al padre le dio un infarto hace": the last word of it may begin a finding.
    const start = cue.words.length > 3 ? cue.to - 1 : cue.to;
    for (let at = Math.max(start, marked); at < view.sentence.to; at++) {
      if (view.hasCue(at, 'but', 'patient') || (view.tokens[at]?.marks.includes(';') && at > cue.to)) break;
      for (const mention of view.mentionsAt.get(at) ?? []) others.add(mention);
      marked = at + 1;
    }
  }
  const people = [...view.cues('relative'), ...view.cues('other'), ...(isChild ? [] : view.cues('child'))];
  for (const person of people) {
    const isTold = told !== undefined && person.words.some((at) => view.tokens[at]?.text === told);
    if (isTold || isNoMother(view, person) || isReporter(view, person)) continue;
    for (const mention of ofOther(view, person)) others.add(mention);
  }
  return others;
}

function ofOther(view: View, person: Cue): readonly Mention[] {
  // Of what stands before, dangers are the patient's: "saving up her grandmother's tablets".
  if (!hasSomething(view, person)) return findingsBefore(view, person).filter(isLastingOrHarmless);
  const own = findingsOf(view, person);
  // "In front of her granddaughter's telly, and now she drools".
  return isOwner(view, person) ? own.filter(({ finding }) => LASTING.has(finding.kind)) : own;
}

function isLastingOrHarmless({ finding: { kind, isDanger } }: Mention): boolean {
  return kind === 'condition' || !isDanger;
}

/** "Of my grandmother", "de la nieta". Without an article it is a history: "de padre con infarto". */
function isOwner({ tokens }: View, { from }: Cue): boolean {
  const [before = '', first = ''] = [tokens[from - 1]?.text, tokens[from - 2]?.text];
  return ['del', 'da', 'do', 'das', 'dos'].includes(before) || (WHOSE.has(before) && OF.has(first));
}

function isNoMother({ tokens, sentence }: View, { from, to }: Cue): boolean {
  if (tokens[from]?.text !== 'mama') return false;
  const before = from > sentence.from ? (tokens[from - 1]?.text ?? '') : '';
  return NO_MOTHER_BEFORE.has(before) || NO_MOTHER_BEHIND.test(tokens[to]?.text ?? '');
}

function isReporter(view: View, { from, to }: Cue): boolean {
  for (let at = from - 1; at >= Math.max(from - 3, view.sentence.from); at--) {
    if ((view.tokens[at + 1]?.before ?? 0) >= BREAKS.comma) break;
    if (view.hasCue(at, 'via', 'report')) return true;
  }
  for (let at = to; at < Math.min(to + REPORT_AHEAD, view.sentence.to); at++) {
    if ((view.tokens[at]?.before ?? 0) >= BREAKS.clause && view.tokens[at]?.marks !== ':') return false;
    if (view.hasCue(at, 'report', 'worry')) return true;
    if (view.tokens[at]?.text === 'with' && isWithChild(view, at + 1)) return true;
    if (view.mentionsAt.has(at)) return false;
    // "Las compañeras con las que vive le vieron": that "con" begins what says who they are.
    if (WITH.has(view.tokens[at]?.text ?? '') && WHICH.has(view.tokens[at + 2]?.text ?? '')) continue;
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
    if (view.hasCue(at, 'patient') || HANDLES.has(token.text)) return false;
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
