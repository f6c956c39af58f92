// Finds past findings. The course of the present illness ("for 3 days", "2 weeks ago he noticed") is not past, and a lasting condition
// never is.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { Cue, Mention, SentenceView } from './mentions.ts';

const LASTING = new Set(['condition', 'circumstance']);
/** A time near one of these words is the beginning of something present. */
const BEGINNING =
  /^(since|for|desde|started|starts|start|began|begun|begin|onset|ongoing|empez|comenz|inici|comec|comenc|aparec|evoluci|durante|always|siempre|sempre|still|sigue|continua|until)/;
/** "Hace 10 años" means "10 years ago", and with these verbs "for 10 years". */
const PRESENT = new Set(
  'duele duelen tiene tengo presenta presento sufre sufro padece padezco sigue sigo doi tem apresenta sofre sente'.split(
    ' ',
  ),
);
const WAS = new Set('teve tive fez apresentou sofreu operou foi tinha internou internado'.split(' '));
/** These words behind the comma show that it is still present: "bolita hace 1 año, crece". */
const GROWS = /^(crece|aumenta|molesta|duele|pica|sigue|continua|empeora|sangra|cambia|creciendo|progresiv[oa])$/;
const ONCE = /^(atropell|arroll|choque|accidente)/;
const YEARS = new Set(['anos', 'ano', 'decadas']);
const MONTHS =
  /^(enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|verano|invierno)$/;
const AGE_UNITS = /^(months?|years?|meses|anos)$/;
/** These words show that a number is no age: "at 8 months pregnant", "a los 3 meses de la operación". */
const OTHER_AGE = /^(pregnan|gestation|after|post|de$|da$|do$|embaraz|gravid)/;
const CONTRAST = /^(but|pero|mas|porem|sino)$/;
const HAD = /^(had|tuvo|teve|tuve|tive|tivera)$/;
const LONGEST_SEGMENT = 40;
/** A longer clause with a time is a statement of its own: "had my appendix out years ago". */
const TIME_ALONE = 5;

const NO = /^(ja|nao|ya|no|not|dont|doesnt|isnt)$/;
/** Abilities of a patient, which may be lost. */
const LOST =
  /^(aguent|suport|consig|conseg|aguant|soport|poss[oa]$|pode$|pued|quer|quier|sabe$|sei$|come$|comer|mama$|mamar|anda$|andar|fala$|falar|habla|camina|respond|reag|reacc|contest|reconhec|reconoc|conhece|conoce|levant|mexe|mueve|urina|orina|mija|brinca$|juega|acord|despiert|respir|engol|traga|take$|cope|coping|bear$|stand$|want|eat$|eats$|eating|feed|walk|talk|speak|recogni|know|move|play|wake|able|answer|swallow|live$|go$)/;

type Segment = { readonly from: number; readonly to: number };

const LONG = /^(semanas?|meses|mes|anos?|weeks?|months?|years?)$/;
const GONE =
  /^(isso|isto|tudo|aquilo|eso|esto|todo|aquello|that|this|it|all) (tudo |todo |ya |ja |me |se |all |has |have |of that )*(passou|paso|passed|sumiu|desapareceu|resolveu|fue|quito|curo|resolved|cleared|went|gone)( away| up| off| sozinho| solo)?$/;

/** True if the next sentence ends it: "Three weeks ago fever and a runny nose. That passed." */
export function isOverBehind(view: SentenceView, next: SentenceView | undefined): boolean {
  if (next === undefined || !hasWord(view, view.sentence, (text) => LONG.test(text))) return false;
  const words = next.tokens.slice(next.sentence.from, next.sentence.to).map(({ text }) => text);
  return GONE.test(words.join(' '));
}

export function pastMentions(view: SentenceView): Set<Mention> {
  const past = new Set<Mention>();
  const add = (mentions: readonly Mention[]): void => {
    for (const mention of mentions) if (!LASTING.has(mention.finding.kind)) past.add(mention);
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
  }
  return past;
}

/** A lost ability is no past illness: "já não aguento, ando a juntar comprimidos", "no longer feeds, fever". */
function isLoss({ tokens }: SentenceView, { from, to }: Cue): boolean {
  if (!NO.test(tokens[from]?.text ?? '')) return false;
  return tokens.slice(from, to + 2).some(({ text }) => LOST.test(text));
}

function isOfFinding(view: SentenceView, cue: Cue): boolean {
  const mentions = view.mentionsAt.get(cue.from) ?? [];
  return cue.kind === 'past' && cue.words.length > 1 && mentions.some(({ words }) => words.length > 1);
}

function atThatTime(view: SentenceView, cue: Cue): readonly Mention[] {
  const segment = segmentAt(view, cue.from);
  if (hasWord(view, segment, (text) => BEGINNING.test(text))) return [];
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
  const isContrast = isFirst && CONTRAST.test(view.tokens[neighbour.from]?.text ?? '');
  const isNow =
    isContrast ||
    firstIn(view, neighbour, 'now') !== undefined ||
    hasWord(view, neighbour, (text) => BEGINNING.test(text));
  return isInside && segment.to - segment.from <= TIME_ALONE && !isNow ? mentionsIn(view, neighbour) : [];
}

/** Reads "hace 10 años" and "há 10 anos", which may also be the duration of something present. */
function yearsAgo(view: SentenceView): Cue[] {
  return view.cues('since').flatMap((cue): Cue[] => {
    const word = view.tokens[cue.from]?.text;
    // "La resonancia de hace 2 años" is the date of a test, and its findings may still be present.
    if ((word !== 'hace' && word !== 'ha') || isSinceThen(view, cue)) return [];
    const years = [1, 2, 3].find((more) => YEARS.has(view.tokens[cue.from + more]?.text ?? ''));
    if (years === undefined) return [];
    const segment = segmentAt(view, cue.from);
    const isPast =
      word === 'hace'
        ? !hasWord(view, segment, (text) => PRESENT.has(text)) && (isOnce(view, cue) || !isGrowing(view, segment.to))
        : hasWord(view, segment, (text) => WAS.has(text));
    return isPast ? [{ ...cue, to: cue.from + years + 1 }] : [];
  });
}

/** A single event is past, even if a complaint remains: "me atropelló una moto hace cinco años, me molesta la rodilla". */
function isOnce(view: SentenceView, { from }: Cue): boolean {
  return hasWord(view, { from: Math.max(view.sentence.from, from - 4), to: from }, (text) => ONCE.test(text));
}

function isGrowing(view: SentenceView, from: number): boolean {
  return hasWord(view, { from, to: Math.min(from + 6, view.sentence.to) }, (text) => GROWS.test(text));
}

/** True of "la resonancia de hace 2 años", but not of "la última, en marzo de hace cuatro años". */
function isSinceThen({ tokens }: SentenceView, { from }: Cue): boolean {
  const [before = '', first = ''] = [tokens[from - 1]?.text, tokens[from - 2]?.text];
  return before === 'desde' || (before === 'de' && !MONTHS.test(first));
}

/** Reads "in 2015" and "em 2019". */
function inYears({ tokens, sentence }: SentenceView): Cue[] {
  const cues: Cue[] = [];
  for (let at = sentence.from + 1; at < sentence.to; at++) {
    const year = tokens[at]?.number;
    if (year === undefined || !Number.isInteger(year) || year < 1900 || year > 2099) continue;
    if (/^(in|en|em|since|desde)$/.test(tokens[at - 1]?.text ?? ''))
      cues.push({ kind: 'past', words: [at - 1, at], from: at - 1, to: at + 1 });
  }
  return cues;
}

/** Reads a past event at an age: "had a febrile fit at 18 months", "tuvo … a los 3 años". The time of a pregnancy is no age. */
function atAges(view: SentenceView): Cue[] {
  const cues: Cue[] = [];
  const { tokens, sentence } = view;
  for (let at = sentence.from + 2; at + 1 < sentence.to; at++) {
    const isAge = tokens[at]?.number !== undefined && AGE_UNITS.test(tokens[at + 1]?.text ?? '');
    if (!isAge || !/^(at|los|aos)$/.test(tokens[at - 1]?.text ?? '') || OTHER_AGE.test(tokens[at + 2]?.text ?? ''))
      continue;
    const segment = segmentAt(view, at);
    if (hasWord(view, { from: segment.from, to: at }, (text) => HAD.test(text)))
      cues.push({ kind: 'past', words: [at - 1, at, at + 1], from: at - 1, to: at + 2 });
  }
  return cues;
}

/** Returns the part of the sentence between two commas. */
function segmentAt({ tokens, sentence }: SentenceView, at: number): Segment {
  let from = at;
  while (from > sentence.from && at - from < LONGEST_SEGMENT && (tokens[from]?.before ?? 0) < BREAKS.comma) from--;
  let to = at + 1;
  while (to < sentence.to && to - at < LONGEST_SEGMENT && (tokens[to]?.before ?? 0) < BREAKS.comma) to++;
  return { from, to };
}

function mentionsIn(view: SentenceView, { from, to }: Segment): Mention[] {
  const found: Mention[] = [];
  for (let at = from; at < to; at++) found.push(...(view.mentionsAt.get(at) ?? []));
  return found;
}

function hasWord({ tokens }: SentenceView, { from, to }: Segment, isIt: (text: string) => boolean): boolean {
  for (let at = from; at < to; at++) if (isIt(tokens[at]?.text ?? '')) return true;
  return false;
}

function firstIn(view: SentenceView, { from, to }: Segment, kind: 'now'): number | undefined {
  for (let at = from; at < to; at++) if (view.hasCue(at, kind)) return at;
  return undefined;
}
