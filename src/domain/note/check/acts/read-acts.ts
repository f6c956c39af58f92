// Reads the acts that a text names, and how it means each: done or to be done, not done, only asked, only offered, or only if something
// happens. The text is an utterance or a section of a note.
import { type Cues, cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import { memberAt } from '../relatives.ts';
import type { TextFacts } from '../text-facts.ts';
import { type ActFinder, type ActKind, IN_NOTES, IN_TALKS, readId } from './act-tables.ts';
import { type StatusWords, statusWordsOf } from './status-words.ts';

export type ActStatus = 'affirmed' | 'denied' | 'offered' | 'conditional';

export type Act = {
  readonly kind: ActKind;
  /** `xray:chest` */
  readonly id: string;
  /** By its own sentence alone: what is asked and answered is read in spoken-acts.ts. */
  readonly status: ActStatus;
  /** Only a word names it that also means other things: `kidneys`, `sugar`. */
  readonly isVague: boolean;
  /** The relative whose it is: `mother`. */
  readonly relative?: string;
  /** Tokens; `end` is behind the last. */
  readonly first: number;
  readonly end: number;
};

type Reading = Pick<TextFacts, 'tokens'>;

/** Acts in the order of the text. */
export function readActs({ tokens }: Reading, language: Language): readonly Act[] {
  return readWith(IN_TALKS, tokens, language);
}

/** Without the words that are too vague for a note. */
export function readNotedActs({ tokens }: Reading, language: Language): readonly Act[] {
  return readWith(IN_NOTES, tokens, language);
}

function readWith(finders: readonly ActFinder[], tokens: readonly Token[], language: Language): readonly Act[] {
  const text: Text = { tokens, cues: cuesOf(language), words: statusWordsOf(language) };
  const acts = finders.flatMap(({ kind, find }) =>
    find(tokens, language)
      .map((thing) => ({ ...thing, ...readId(thing.id) }))
      .filter(({ id }) => id !== NOTHING)
      .map(({ id, isVague, first, end }): Act => {
        const relative = relativeOf(text, first);
        const { id: own, status } = meant(text, { kind, id, first, end });
        return {
          kind,
          id: own,
          status,
          isVague,
          ...(relative !== undefined && { relative }),
          first,
          end,
        };
      }),
  );
  return acts.toSorted((a, b) => a.first - b.first || a.end - b.end);
}

/** Words that look like an act and are none. */
const NOTHING = 'nothing';
/** An id that says the opposite of another one: `DNACPR` refuses resuscitation. */
const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ['no-cpr', 'cpr'],
  ['unplanned', 'planned'],
  ['never-pregnant', 'pregnant'],
]);

function meant(text: Text, act: Named): Pick<Act, 'id' | 'status'> {
  const status = statusOf(text, act);
  // `If my heart stopped, they can have a go` wants it; without such a word it only names the case.
  if (act.id === ARREST) return { id: 'cpr', status: isTried(text, act.first) ? 'affirmed' : 'conditional' };
  const opposite = OPPOSITES.get(act.id);
  return opposite === undefined ? { id: act.id, status } : { id: opposite, status: turned(status) };
}

const ARREST = 'arrest';
const TRIES = /^(?:try|go|shock|everything|tent\w*|intent\w*|luch\w*|todo|tudo)$/;

function isTried({ tokens }: Text, first: number): boolean {
  const sentence = tokens[first]?.sentence;
  return tokens
    .slice(first, first + SENTENCE_REACH)
    .some((token) => token.sentence === sentence && TRIES.test(token.word));
}

function turned(status: ActStatus): ActStatus {
  if (status === 'affirmed') return 'denied';
  return status === 'denied' ? 'affirmed' : status;
}

/** Their phrases may begin with a denial that denies them: `no plan`. */
const DENIED_BY_PHRASE: ReadonlySet<string> = new Set([
  'plan',
  'intubation',
  'transfer',
  'tube-feeding',
  'rectal-exam',
]);
/** Their phrases have denials of their own: `better not be here`. */
const WITH_OWN_DENIAL: ReadonlySet<ActKind> = new Set(['self-harm', 'resuscitation']);

type Text = { readonly tokens: readonly Token[]; readonly cues: Cues; readonly words: StatusWords };

/** Tokens between a denial and what it denies. */
const BEFORE_REACH = 8;
/** In a list: `sem vômitos, diarreia ou febre`. */
const LIST_REACH = 24;
const BEHIND_REACH = 4;
const SENTENCE_REACH = 40;
const CLAUSE_ENDS = /^[,:()–—]$/;

/** How words are meant at this place: for readers of acts that no table lists. */
export function statusAt(
  tokens: readonly Token[],
  { first, end }: Pick<Act, 'first' | 'end'>,
  language: Language,
): ActStatus {
  const text: Text = { tokens, cues: cuesOf(language), words: statusWordsOf(language) };
  return statusOf(text, { kind: 'order', id: '', first, end });
}

type Named = Pick<Act, 'kind' | 'id' | 'first' | 'end'>;

function statusOf(text: Text, act: Named): ActStatus {
  const { kind, first } = act;
  if (isDenied(text, act)) return 'denied';
  // All that is said of resuscitation is about an if.
  if (kind !== 'resuscitation' && isConditional(text, act)) return 'conditional';
  return findBefore(text, first, BEFORE_REACH, (index) => text.words.offering.lengthAt(text.tokens, index) > 0)
    ? 'offered'
    : 'affirmed';
}

function isDenied(text: Text, { kind, id, first, end }: Named): boolean {
  if (DENIED_BY_PHRASE.has(id) && isDenialAt(text, first)) return true;
  if (!WITH_OWN_DENIAL.has(kind) && isDeniedWithin(text, first, end)) return true;
  return isDeniedBefore(text, { kind, first }) || isDeniedBehind(text, end) || isDropped(text, end);
}

/** `There's wax, I could take it out, but I'll leave it.` */
function isDropped({ tokens, words }: Text, end: number): boolean {
  for (let index = end; index < end + SENTENCE_REACH; index += 1) {
    if (tokens[index]?.sentence !== tokens[end - 1]?.sentence) return false;
    if (words.dropping.lengthAt(tokens, index) > 0) return true;
  }
  return false;
}

function isDenialAt({ tokens, cues, words }: Text, index: number): boolean {
  return [cues.before, cues.denies, words.refusing].some((set) => set.lengthAt(tokens, index) > 0);
}

/** `Ulnar nerve not repaired`: a denial among the words of the act itself. */
function isDeniedWithin({ tokens, cues }: Text, first: number, end: number): boolean {
  for (let index = first + 1; index < end - 1; index += 1) if (cues.before.lengthAt(tokens, index) > 0) return true;
  return false;
}

function isDeniedBefore(text: Text, { kind, first }: Pick<Named, 'kind' | 'first'>): boolean {
  const { tokens, cues, words } = text;
  const sentence = tokens[first]?.sentence;
  let isOtherClause = false;
  for (let index = first - 1; index >= first - LIST_REACH; index -= 1) {
    const token = tokens[index];
    if (token === undefined || token.sentence !== sentence) return false;
    const isNear = index >= first - BEFORE_REACH && !isOtherClause;
    if (words.lifting.lengthAt(tokens, index) > 0 || isPseudo(text, index, first)) return false;
    if (kind === 'order' && words.lapsing.lengthAt(tokens, index) > 0) return false;
    if (cues.denies.lengthAt(tokens, index) > 0) return !isDeniedTwice(text, index);
    if (isNear && isBare(text, index, first)) return !isDeniedTwice(text, index);
    if (CLAUSE_ENDS.test(token.word)) isOtherClause = true;
    if (words.breaking.lengthAt(tokens, index) > 0 || cues.scopeEnd.lengthAt(tokens, index) > 0) return false;
  }
  return false;
}

/** `I can't be sure without a scan` */
function isDeniedTwice({ tokens, cues }: Text, index: number): boolean {
  if (!/^(?:without|sin|sem)$/.test(tokens[index]?.word ?? '')) return false;
  for (let back = index - 1; back >= index - BEFORE_REACH; back -= 1) {
    if (tokens[back]?.sentence !== tokens[index]?.sentence) return false;
    if (cues.before.lengthAt(tokens, back) > 0 || /^(?:cant|cannot|couldnt)$/.test(tokens[back]?.word ?? ''))
      return true;
  }
  return false;
}

/** `No sé` is no denial; `no se solicita` is one, and so is one that takes the act itself in (`sem teste`). */
function isPseudo({ tokens, cues }: Text, index: number, first: number): boolean {
  const length = cues.pseudo.lengthAt(tokens, index);
  if (length === 0 || index + length > first) return false;
  const next = tokens[index + 1];
  return tokens[index]?.word !== 'no' || next?.word !== 'se' || next.isAccented;
}

function isBare({ tokens, cues, words }: Text, index: number, first: number): boolean {
  const lengths = [cues.before.lengthAt(tokens, index), words.refusing.lengthAt(tokens, index)];
  const length = Math.max(...lengths.filter((one) => index + one <= first));
  // `No, we do it` answers something else.
  return length > 0 && !/^[,.;:]$/.test(tokens[index + length]?.word ?? '');
}

/** `X-ray not needed`, `la placa no la vamos a hacer`, `DRE: declined` */
function isDeniedBehind({ tokens, words, cues }: Text, end: number): boolean {
  const sentence = tokens[end - 1]?.sentence;
  for (let index = end; index < end + BEHIND_REACH; index += 1) {
    const token = tokens[index];
    if (token === undefined || token.sentence !== sentence) return false;
    if (words.lifting.lengthAt(tokens, index) > 0) return false;
    const length = words.refused.lengthAt(tokens, index);
    if (length > 0 && (length > 1 || !BARE.test(token.word) || isClosed({ tokens, cues }, index + 1))) {
      return cues.affirms.lengthAt(tokens, index) === 0;
    }
    if (words.breaking.lengthAt(tokens, index) > 0) return false;
    const isLast = BARE.test(tokens[index + 1]?.word ?? '') && isClosed({ tokens, cues }, index + 2);
    if (token.word === ',' && index > end && !isLast) return false;
  }
  return false;
}

const BARE = /^(?:no|nao|not)$/;

/** `The scan, no.` denies the scan; `the copper one, not the other` does not. */
function isClosed({ tokens, cues }: Pick<Text, 'tokens' | 'cues'>, index: number): boolean {
  const next = tokens[index];
  if (next === undefined || next.sentence !== tokens[index - 1]?.sentence || /^[,.;:!?)]$/.test(next.word)) return true;
  return cues.behindAfter.lengthAt(tokens, index) > 0;
}

function isConditional({ tokens, words }: Text, { kind, first, end }: Named): boolean {
  const sentence = tokens[first]?.sentence;
  for (let index = first - SENTENCE_REACH; index < first + SENTENCE_REACH; index += 1) {
    if (tokens[index]?.sentence !== sentence) continue;
    const length = words.if.lengthAt(tokens, index);
    if (length === 0 || isOfLaterItem(tokens, end, index)) continue;
    if (isCondition({ tokens, words }, index, length, kind)) return true;
  }
  return false;
}

const ITEM_JOINTS = /^(?:,|and|or|y|e|o|ou)$/;

/** `An X-ray, and paracetamol if it hurts`: a condition behind a list is that of its last item. */
function isOfLaterItem(tokens: readonly Token[], end: number, condition: number): boolean {
  for (let index = end; index < condition - 1; index += 1) if (ITEM_JOINTS.test(tokens[index]?.word ?? '')) return true;
  return false;
}

/** `To see if it is in place` asks whether. */
const WHETHER_AFTER =
  /^(?:see|check|know|sure|find|ask|decide|ver|saber|comprobar|preguntar|mirar|confirmar|conferir|perguntar|avaliar|checar|evaluar|descartar)$/;
const JOINTS = /^(?:,|e|mas|so|ou|entao)$/;
const CLITIC_AFTER =
  /^(?:-|que|nao|no|ja|ya|como|onde|quando|nunca|nem|ni|ela|ele|eu|el|ella|y|tambem|tambien|a|o|lhe|hoje|hoy|manana|pcte|pte|paciente)$/;

/** `If you like` is no condition, and neither is the `se` of `solicita-se` or `se queja`. */
function isCondition(
  { tokens, words }: Pick<Text, 'tokens' | 'words'>,
  index: number,
  length: number,
  kind: ActKind,
): boolean {
  if (words.courtesy.lengthAt(tokens, index + length) > 0) return false;
  if (WHETHER_AFTER.test(tokens[index - 1]?.word ?? '')) return false;
  if (tokens[index]?.word !== 'se') return true;
  const before = tokens[index - 1];
  if (before === undefined || before.sentence !== tokens[index]?.sentence || JOINTS.test(before.word)) return true;
  // `Que se corta` is about oneself; `hemograma se febre` is a condition.
  return kind !== 'self-harm' && !CLITIC_AFTER.test(before.word);
}

function findBefore({ tokens }: Text, first: number, reach: number, test: (index: number) => boolean): boolean {
  for (let index = first - 1; index >= first - reach; index -= 1) {
    if (tokens[index] === undefined || tokens[index]?.sentence !== tokens[first]?.sentence) return false;
    if (test(index)) return true;
  }
  return false;
}

/** The relative whom the sentence is about, up to a word for the patient. */
function relativeOf({ tokens, cues }: Text, first: number): string | undefined {
  const sentence = tokens[first]?.sentence;
  for (let index = first - 1; index >= first - LIST_REACH; index -= 1) {
    if (tokens[index] === undefined || tokens[index]?.sentence !== sentence) break;
    const member = personAt({ tokens, cues }, index);
    if (member !== undefined) return member;
    if (cues.self.lengthAt(tokens, index) > 0) return undefined;
  }
  return memberBehind({ tokens, cues }, first);
}

const ACQUAINTANCE =
  /^(?:mate|friend|neighbou?r|colleague|roommate|amig[oa]|vecin[oa]|vizinh[oa]|coleg[oa]|cunad[oa]|cunhad[oa]|suegr[oa]|sogr[oa]|nuera|yerno|novi[oa])$/;

/** `Pop` is a father only behind a possessive. */
function personAt({ tokens, cues }: Pick<Text, 'tokens' | 'cues'>, index: number): string | undefined {
  if (tokens[index]?.word === 'pop' && cues.owners.lengthAt(tokens, index - 1) === 0) return undefined;
  return memberAt(tokens, index, cues) ?? acquaintanceAt(tokens, index);
}

/** `My mate`, `mi vecina`: others whom a patient tells of. */
function acquaintanceAt(tokens: readonly Token[], index: number): string | undefined {
  return ACQUAINTANCE.test(tokens[index]?.stem ?? '') ? 'acquaintance' : undefined;
}

const MEMBER_REACH = 5;
const TIES: ReadonlySet<string> = new Set('of in to had did da do de a na no in it lo la le'.split(' '));

/** `an overdose, like my sister`: only if a word ties them. */
function memberBehind({ tokens, cues }: Pick<Text, 'tokens' | 'cues'>, first: number): string | undefined {
  for (let index = first + 1; index <= first + MEMBER_REACH; index += 1) {
    if (tokens[index]?.sentence !== tokens[first]?.sentence) return undefined;
    const member = memberAt(tokens, index, cues);
    const tie = tokens[index - 1]?.word ?? '';
    const isOwned = cues.owners.lengthAt(tokens, index - 1) > 0 && TIES.has(tokens[index - 2]?.word ?? '');
    if (member !== undefined) return isOwned || TIES.has(tie) ? member : undefined;
  }
  return undefined;
}
