// Of whom a sentence speaks: findings of relatives, partners and colleagues are not the patient's. A relative who reports, brings or
// comes along is no patient either, but what is reported is the patient's.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { Cue, Mention, View } from './mentions.ts';
import { isSelfAged, sexOfRelative } from './patient-relative.ts';
import { CHILD_PEOPLE, PRONOUNS } from './person-words.ts';

/** Known diagnoses go on over a comma ("father: HTA, DM"), complaints do not: danger is not given away to a relative. */
const LASTING = new Set(['condition', 'circumstance']);
const LOOK_AHEAD = 5;
/** "Sus compañeras, con las que vive, le vieron". */
const REPORT_AHEAD = 7;
const REACH = 12;
const FAR = 24;
/** Behind "he": of today. */
const PRESENT = /^(is|has|cant|cannot|wont|says|keeps|needs|does|doesnt|looks|feels|will|now|just)$/;
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
    // Of "a mi hermano se le reventó un aneurisma hace dos años" the whole.
    const start = cue.words.length > 6 ? cue.from : cue.words.length > 3 ? cue.to - 1 : cue.to;
    for (let at = Math.max(start, marked); at < view.sentence.to; at++) {
      if (at >= cue.to && (view.hasCue(at, 'but') || isPatientCue(view, at))) break;
      if (view.tokens[at]?.marks.includes(';') && at > cue.to) break;
      // "His brother had a stroke last year, today he does not wake": who speaks of today speaks of the patient.
      if (cue.words.length > 3 && view.hasCue(at, 'now')) break;
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
  // "His sister's magnetic beads, five are missing": who swallowed them is the patient.
  const own = findingsOf(view, person).filter(({ finding }) => !finding.implies.includes('swallowed-object'));
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
  // "A mi tío, en 2019, se le paralizó": it happened to him.
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
  // "A su hermano mayor, en enero, se le torció la cara".
  if (behindAside(view, to) !== undefined) return true;
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

const LONG_AGO =
  /^, ?(en|em|in) (enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|janeiro|fevereiro|marco|maio|junho|julho|setembro|outubro|novembro|dezembro|january|february|march|april|june|july|august|september|october|november|december|19[0-9][0-9]|20[0-9][0-9])$|^, ?(hace|ha|faz) ([0-9a-z]+ ){1,2}(anos|ano)$|^, ?([a-z0-9]+ ){1,2}(anos atras|years ago)$|^, ?(el ano pasado|no ano passado|last year)$/;

/** Where it goes on behind a time long ago between two commas. */
function behindAside({ tokens, sentence }: View, to: number): number | undefined {
  let from = to;
  while (from < to + 2 && (tokens[from]?.before ?? 0) < BREAKS.comma) from++;
  if (tokens[from]?.before !== BREAKS.comma) return undefined;
  let end = from + 1;
  while (end < Math.min(from + 5, sentence.to) && (tokens[end]?.before ?? 0) < BREAKS.comma) end++;
  if (end >= sentence.to || tokens[end]?.before !== BREAKS.comma) return undefined;
  const said = tokens.slice(from, end).map(({ text, number }) => (number === undefined ? text : String(number)));
  return LONG_AGO.test(`, ${said.join(' ')}`) ? end : undefined;
}

function findingsOf(view: View, person: Cue): Mention[] {
  const to = behindAside(view, person.to) ?? person.to;
  const found: Mention[] = [];
  let isOverComma = false;
  /** Behind "when he was thirty"; behind the "he" after it. */
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
    // "His brother's aneurysm burst last year, it began with a headache and soon he was in a coma": still that story.
    isLongAgo ||= isPast && token.before === BREAKS.comma && isStory(view, at);
    if (!isLongAgo && token.before === BREAKS.comma && at > to && !token.marks.startsWith('(')) {
      if (found.length === 0 && !isPast && !view.hasCue(at, 'has')) break;
      isOverComma = true;
    }
    if (isLongAgo && view.hasCue(at, 'now')) break;
    if (isOverComma && !isLongAgo && view.hasCue(at, 'affirm', 'since', 'now')) break;
    for (const mention of view.mentionsAt.get(at) ?? []) {
      if (isOverComma && !isLongAgo && !LASTING.has(mention.finding.kind)) {
        if (!isPast) return found;
        continue;
      }
      found.push(mention);
      free = 0;
    }
  }
  return found;
}

/** The "el" of "el año pasado" is no "él". */
function isPatientCue(view: View, at: number): boolean {
  return view.hasCue(at, 'patient') && !(view.tokens[at]?.text === 'el' && view.hasCue(at + 1, 'past'));
}

const TOLD_ON =
  /^(empez[oa]|empezaron|comenz[oa]|estaba|estuvo|quedo|termino|acabo|cayo|murio|fallecio|perdio|amanecio|began|started|ended|collapsed|died|was|comecou|estava|esteve|ficou|terminou|acabou|caiu|morreu|faleceu|perdeu)$/;
function isStory({ tokens }: View, at: number): boolean {
  return [at, at + 1, at + 2].some((one) => TOLD_ON.test(tokens[one]?.text ?? ''));
}

/** "My brother had meningitis when he was thirty, he was in a coma": of what was long ago that "he" is the brother. */
function isStillTold(view: View, { kind, from }: Cue, at: number): boolean {
  const isToday = PRESENT.test(view.tokens[at + 1]?.text ?? '');
  const isPast = !isToday && view.cues('past').length > 0;
  // "My sister had a stroke, she's only 47, can't talk": of whom somebody speaks who has told the own age.
  if (kind !== 'relative' || !(isPast || isSelfAged(view.tokens))) return false;
  const sex = sexOfRelative(view.tokens[from]?.text);
  // "She's".
  const pronoun = (view.tokens[at]?.text ?? '').replace(/^(s?he)s$/, '$1');
  return sex !== undefined && sex === PRONOUNS[pronoun];
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
