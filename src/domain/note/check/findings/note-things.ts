// The findings, histories and habits that a note affirms, each with its owner. Plans, doubts and denials state none.
import { type Cues, cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { StatementKind } from '../../check-report.ts';
import type { PlacedStatement } from '../../statements.ts';
import type { CheckWork, NoteText } from '../check-work.ts';
import { memberAt } from '../relatives.ts';
import { findHistories, HABIT_IDS } from './history-words.ts';
import { isOfOther, isPossessive, type Owner, PATIENT } from './owners.ts';
import { spanAt, type TokenSpan } from './token-spans.ts';

export type NoteThing = TokenSpan & {
  readonly section: string;
  /** The tokens of its sentence or line. */
  readonly range: TokenSpan;
  /** The utterances that its writer names. */
  readonly cites: readonly number[];
  readonly tokens: readonly Token[];
  readonly kind: StatementKind;
  /** `family` of a family history that names no relative. */
  readonly owner: Owner;
  /** `list:fever`, `history:asthma`, `lexicon:dry-cough`: what the words may mean. */
  readonly keys: readonly string[];
  readonly isHabit: boolean;
  /** It is in a part of the note about the examination. */
  readonly isExamined: boolean;
  /** The note says that a habit was given up. */
  readonly isStopped: boolean;
};

type Named = TokenSpan & { readonly key: string; readonly kind: 'finding' | 'history' };

const UNREAD_SECTION =
  /PLAN|RECOMMEND|FOLLOW|DISPOSITION|INSTRUCTION|ASSESS|IMPRESSION|DIAGNOS|MEDICATION|ALLERG|title/i;
const DOUBT =
  /^(?:likely|probabl|possib|poss|prob|suspect|query|suspic|sospech|suspeit|provavel|posibl|possiv|quiza|talvez|excl|descart|versus|vs|hipotes|hd|dd|ddx)/;
/** What is seen and heard there is often not said aloud. */
const EXAMINATION = /OBJECTIVE|EXAM|PHYSICAL/i;
const HISTORY =
  /^(?:pmh|pmhx|phx|hx|ap|app|ahp|hpp|antecedente|previous|prev|previo|previa|prior|known|conocid|conhecid|portador|s)$/;
/** With a colon behind them, or as the first word: `AF` is also an arrhythmia, `HF` also a heart that fails. */
const FAMILY_HEADS = new Set(['fhx', 'fh', 'af', 'ahf', 'hf', 'apf']);
const STOPPED = /^(?:ex|former|quit|stop|gave|previous|cess|exfum|extabag|dejo|parou|abandon|exsmok|suspend)/;
const REPORT =
  /^(?:report|state|say|said|refier|refere|relat|inform|dice|diz|notic|found|encontr|describ|descrev|nega|niega|deni|aware|present|observ|gave|help)/;
const SOURCE = /^(?:from|per|by|collateral|segun|segundo|por|pela|pelo|via|with|con|com)$/;

/** Read as other kinds. */
const ELSEWHERE =
  /^(?:list:suicidal ideation|list:homicidal ideation|list:pregnancy|history:suicide|lexicon:(?:suicidal-|overdose|self-harm|many-tablets|pregnan))/;
/** Of a note, these words are about fluids more often than about alcohol. `Smokeless` tobacco is not smoked. */
const NOT_IN_NOTES = /^(?:drink|drank|beb|smokeless|smokefree)/;

const NEARLY = /^(?:near|pre|almost|casi|quase)$/;

export function noteThings(work: CheckWork): readonly NoteThing[] {
  return work.texts.flatMap((text) => thingsIn(text, work));
}

function thingsIn(text: NoteText, work: CheckWork): readonly NoteThing[] {
  if (UNREAD_SECTION.test(text.name)) return [];
  const statements = work.statements.filter(({ section }) => section === text.name);
  return merged(namedIn(text, work)).flatMap((group) => toThing(group, text, statements, work) ?? []);
}

function namedIn({ name, text, reading }: NoteText, { language, lexicon }: CheckWork): readonly Named[] {
  const { tokens, findings } = reading;
  const isRead = ({ first }: TokenSpan) => !NOT_IN_NOTES.test(tokens[first]?.word ?? '');
  const listed = findings
    .filter(isRead)
    .map(({ id, first, end }) => ({ key: `list:${id}`, first, end, kind: 'finding' as const }));
  const histories = findHistories(tokens, language)
    .filter(isRead)
    .map(({ id, first, end }) => ({ key: `history:${id}`, first, end, kind: 'history' as const }));
  const mentions = EXAMINATION.test(name) ? [] : (lexicon?.mentionsIn(text, language) ?? []);
  const found = mentions
    .filter(({ kind }) => kind === 'complaint' || kind === 'condition')
    .map(({ id, kind, from, to }): Named => {
      return { key: `lexicon:${id}`, ...spanAt(tokens, from, to), kind: kind === 'condition' ? 'history' : 'finding' };
    });
  const drugs = new Set(
    reading.drugs.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, at) => first + at)),
  );
  const isDrug = ({ first, end }: Named) =>
    Array.from({ length: end - first }, (_, at) => first + at).every((at) => drugs.has(at));
  return [...listed, ...histories, ...found]
    .filter((one) => !isDrug(one))
    .toSorted((a, b) => a.first - b.first || b.end - a.end);
}

/** Names whose words overlap are one thing. */
function merged(named: readonly Named[]): readonly (readonly Named[])[] {
  const groups: Named[][] = [];
  let end = 0;
  for (const one of named) {
    const last = groups.at(-1);
    if (last !== undefined && one.first < end) last.push(one);
    else groups.push([one]);
    end = Math.max(end, one.end);
  }
  return groups;
}

function toThing(
  group: readonly Named[],
  { name, reading }: NoteText,
  statements: readonly PlacedStatement[],
  { language }: CheckWork,
): NoteThing | undefined {
  const { tokens, polarity } = reading;
  const first = Math.min(...group.map((one) => one.first));
  const end = Math.max(...group.map((one) => one.end));
  const start = tokens[first]?.from ?? 0;
  const statement = statements.find(({ from, to }) => from <= start && start < to);
  const range = statement ? spanAt(tokens, statement.from, statement.to) : { first: 0, end: tokens.length };
  if (polarity.findDenied(group).some(Boolean) || isWithout(tokens, first)) return undefined;
  if (isDoubtful(tokens, range, first, end, language) || isLeftOpen(tokens, end, language)) return undefined;
  const owner = ownerIn(tokens, range, { first, end }, language);
  const isNearly = tokens.slice(first, end).some(({ word }) => NEARLY.test(word));
  const named = isNearly ? group.filter(({ key }) => key.startsWith('lexicon:')) : group;
  const keys = [...new Set(named.map(({ key }) => key))];
  if (keys.length === 0) return undefined;
  if (owner === PATIENT && keys.some((key) => ELSEWHERE.test(key))) return undefined;
  const isHabit = keys.some((key) => HABIT_IDS.has(key.replace('history:', '')));
  const words = tokens.slice(range.first, range.end).map(({ word }) => word);
  return {
    section: name,
    range,
    cites: statement?.cites ?? [],
    tokens,
    first,
    end,
    kind: kindOf({ owner, isHabit, group, words }),
    owner,
    keys,
    isHabit,
    isExamined: EXAMINATION.test(name),
    isStopped: isHabit && words.some((word) => STOPPED.test(word)),
  };
}

function kindOf(parts: {
  readonly owner: Owner;
  readonly isHabit: boolean;
  readonly group: readonly Named[];
  readonly words: readonly string[];
}): StatementKind {
  if (parts.isHabit) return 'social';
  if (parts.owner !== PATIENT) return 'family';
  const isHistory =
    parts.group.some(({ kind }) => kind === 'history') || parts.words.some((word) => HISTORY.test(word));
  return isHistory ? 'history' : 'finding';
}

function isDoubtful(
  tokens: readonly Token[],
  range: TokenSpan,
  first: number,
  end: number,
  language: CheckWork['language'],
): boolean {
  const cues = cuesOf(language);
  const sentence = tokens[first]?.sentence;
  for (let index = range.first; index < range.end; index += 1) {
    const token = tokens[index];
    if (token?.sentence !== sentence) continue;
    if (token?.word === '?' || DOUBT.test(token?.word ?? '')) return true;
    if (index < first && cues.supposed.lengthAt(tokens, index) > 0) return true;
  }
  return end <= first;
}

/** `Febre não aferida`, `fiebre no termometrada`: a denial behind it is about how it is known. */
function isLeftOpen(tokens: readonly Token[], end: number, language: CheckWork['language']): boolean {
  const [last, next] = [tokens[end - 1], tokens[end]];
  if (next === undefined || next.sentence !== last?.sentence) return false;
  return cuesOf(language).before.lengthAt(tokens, end) > 0 || /^(?:un|not|nao|no|sin|sem)$/.test(next.word);
}

/** `s/ estertores`, `negativo p/ malignidade`, `near-syncope` */
function isWithout(tokens: readonly Token[], first: number): boolean {
  const [third = '', before = '', last = ''] = [3, 2, 1].map((back) => tokens[first - back]?.word ?? '');
  if (last === '/') return before === 's' || (before === 'p' && third.startsWith('negativ'));
  return NEARLY.test(last) || (last === '-' && NEARLY.test(before));
}

/** The relative before the finding in its statement, unless they only report it. */
function ownerIn(
  tokens: readonly Token[],
  range: TokenSpan,
  { first, end }: TokenSpan,
  language: CheckWork['language'],
): Owner {
  const cues = cuesOf(language);
  let isFamily = false;
  // `Melanoma en la hermana; ca de próstata en el padre`
  const behind = ownerBehind(tokens, { first: end, end: range.end }, cues);
  if (behind !== undefined) return behind;
  for (let index = first - 1; index >= range.first; index -= 1) {
    const word = tokens[index]?.word ?? '';
    const isPerson = !isPossessive(tokens[index]) && !isOfOther(tokens, index, cues);
    const member = isPerson ? memberAt(tokens, index, cues) : undefined;
    if (member !== undefined && member !== 'family') {
      const next = [1, 2].map((ahead) => tokens[index + ahead]?.word ?? '');
      const isSource = next.some((one) => REPORT.test(one)) || SOURCE.test(tokens[index - 1]?.word ?? '');
      if (isSource || member === 'child') return PATIENT;
      return member;
    }
    const isHead = tokens[index + 1]?.word === ':' || index === range.first;
    isFamily ||= word.startsWith('famil') || (isHead && FAMILY_HEADS.has(word));
  }
  return isFamily ? 'family' : PATIENT;
}

const OWNER_REACH = 4;

function ownerBehind(tokens: readonly Token[], { first, end }: TokenSpan, cues: Cues): Owner | undefined {
  for (let index = first; index < Math.min(end, first + OWNER_REACH); index += 1) {
    if (/^[,;.]$/.test(tokens[index]?.word ?? '')) return undefined;
    const member = memberAt(tokens, index, cues);
    const isOwner = [1, 2].some((back) => index - back >= first && cues.belonging.lengthAt(tokens, index - back) > 0);
    if (member !== undefined && isOwner) return member;
  }
  return undefined;
}
