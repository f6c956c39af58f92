// Changes of drugs: started, stopped, more, less, as before; in a note and in a talk. A change belongs to the nearest drug of its sentence,
// in a talk also to the one that was named last (`I'd put it up to a hundred`).
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import type { TextFacts } from '../text-facts.ts';
import { IN_TALKS, readId } from './act-tables.ts';
import { CHANGES, type Change, type ChangeWords, NOTED_CHANGES, SPOKEN_CHANGES } from './change-words.ts';
import { type ActStatus, statusAt } from './read-acts.ts';

export type DrugChange = {
  readonly drugs: readonly string[];
  /** `named`: nothing is said of a change. */
  readonly change: Change | 'named';
  readonly status: ActStatus;
  /** The drug is named in the same sentence, or right before. */
  readonly isNear: boolean;
  /** It is named in the same sentence, beside the change, and no vague word tells of it. */
  readonly isClear?: boolean;
  readonly first: number;
  readonly end: number;
};

export type Mention = { readonly ids: readonly string[]; readonly first: number; readonly end: number };

/** Tokens between a drug of a note and the word of its change. */
const NOTE_REACH = 6;
/** What is stopped or goes on like a drug. */
const THINGS: ReadonlySet<string> = new Set(['breastfeeding', 'contraception']);
const FIND_THINGS = IN_TALKS.find(({ kind }) => kind === 'pregnancy')?.find;

export function drugsOf(
  { tokens, drugs }: Pick<TextFacts, 'tokens' | 'drugs'>,
  language: Language,
): readonly Mention[] {
  const things = (FIND_THINGS?.(tokens, language) ?? [])
    .map(({ id, first, end }) => ({ id: readId(id).id, first, end }))
    .filter(({ id }) => THINGS.has(id))
    .map(({ id, first, end }) => ({ ids: [`thing:${id}`], first, end }));
  return things.length === 0 ? drugs : [...drugs, ...things].toSorted((a, b) => a.first - b.first);
}

export function readNotedChanges(
  { tokens, drugs }: Pick<TextFacts, 'tokens' | 'drugs'>,
  text: string,
  language: Language,
): readonly DrugChange[] {
  const mentions = drugsOf({ tokens, drugs }, language);
  const changes = changesIn(tokens, NOTED_CHANGES[language]).flatMap(
    ({ change, first, end }): readonly DrugChange[] => {
      const near = nearest(tokens, mentions, first);
      if (near === undefined || distance(near, first) > NOTE_REACH || isApart(tokens, near, first)) return [];
      const status = statusAt(tokens, { first, end }, language);
      return [{ drugs: near.ids, change, status, isNear: true, ...spanOf(near, { first, end }) }];
    },
  );
  return [...changes, ...arrowsIn(tokens, mentions, text)];
}

/** `Sertraline ↑ to 100 mg` */
function arrowsIn(tokens: readonly Token[], mentions: readonly Mention[], text: string): readonly DrugChange[] {
  return mentions.flatMap(({ ids, first, end }): readonly DrugChange[] => {
    const [from, to] = [tokens[first - 1]?.to ?? 0, tokens[first]?.from ?? 0];
    const around = `${text.slice(from, to)} ${text.slice(tokens[end - 1]?.to ?? 0, tokens[end]?.from ?? text.length)}`;
    const [arrow] = /[↑↓]/u.exec(around) ?? [];
    if (arrow === undefined) return [];
    return [{ drugs: ids, change: arrow === '↑' ? 'more' : 'less', status: 'affirmed', isNear: true, first, end }];
  });
}

/** The drugs that were named last before an utterance. */
export type NamedBefore = {
  readonly ids: readonly string[];
  /** In the utterance right before. */
  readonly isFresh: boolean;
};

/** The changes of an utterance, and the drugs that it only names. */
export function readSpokenChanges(
  tokens: readonly Token[],
  mentions: readonly Mention[],
  before: NamedBefore,
  language: Language,
): readonly DrugChange[] {
  if (mentions.length === 0 && before.ids.length === 0) return [];
  const changes = changesIn(tokens, SPOKEN_CHANGES[language]).flatMap(
    ({ change, first, end }): readonly DrugChange[] => {
      const near = nearest(tokens, mentions, first);
      const named = near?.ids ?? mentions.findLast((mention) => mention.end <= first)?.ids;
      const ids =
        change === 'switch' ? [...before.ids, ...mentions.flatMap((mention) => mention.ids)] : (named ?? before.ids);
      if (ids.length === 0) return [];
      return [
        {
          drugs: ids,
          change,
          status: statusAt(tokens, { first, end }, language),
          isNear: near !== undefined || before.isFresh,
          isClear: near !== undefined && isClear(tokens, near, { change, first, end }, language),
          first,
          end,
        },
      ];
    },
  );
  const named = mentions.map(({ ids, first, end }): DrugChange => {
    const status = statusAt(tokens, { first, end }, language);
    const isRefused = status === 'denied' && isRightBehindDenial(tokens, { first, end }, language);
    return isRefused
      ? { drugs: ids, change: 'stop', status: 'affirmed', isNear: true, isClear: true, first, end }
      : { drugs: ids, change: 'named', status, isNear: true, first, end };
  });
  return [...changes, ...named];
}

/** Words far from the drug, or as vague as `half` and `baja`, may be about something else. */
function isClear(
  tokens: readonly Token[],
  near: Mention,
  { change, first, end }: FoundChange,
  language: Language,
): boolean {
  if (distance(near, first) > CLEAR_REACH || isApart(tokens, near, first)) return false;
  const isVague = VAGUE_CHANGES.has(change) && end - first === 1;
  return !isVague || NOTED_CHANGES[language][change].lengthAt(tokens, first) > 0;
}

const CLEAR_REACH = 5;
/** Single words for them are also said of amounts and of other things. */
const VAGUE_CHANGES: ReadonlySet<Change> = new Set(['more', 'less']);

/** `No more naproxen` */
const DENIAL_BACK = [1, 2];

/** `Then no labetalol`, `insulina não` */
function isRightBehindDenial(
  tokens: readonly Token[],
  { first, end }: Pick<Mention, 'first' | 'end'>,
  language: Language,
): boolean {
  const cues = cuesOf(language);
  const behind = tokens[end]?.word === ',' ? end + 1 : end;
  const isBefore = DENIAL_BACK.some((back) => cues.before.lengthAt(tokens, first - back) > 0);
  const after = cues.after.lengthAt(tokens, behind);
  // `The aspirin need not stop` goes on behind its denial.
  return isBefore || (after > 0 && isEnd(tokens, behind + after));
}

function isEnd(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  return token === undefined || token.kind === 'mark' || token.sentence !== tokens[index - 1]?.sentence;
}

type FoundChange = { readonly change: Change; readonly first: number; readonly end: number };

function changesIn(tokens: readonly Token[], words: ChangeWords): readonly FoundChange[] {
  const found: FoundChange[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    if (tokens[index]?.kind === 'mark') continue;
    const here = CHANGES.map((change) => ({
      change,
      first: index,
      end: index + words[change].lengthAt(tokens, index),
    }));
    const end = Math.max(...here.map((one) => one.end));
    if (end === index) continue;
    found.push(...here.filter((one) => one.end === end));
    index = end - 1;
  }
  return found;
}

function nearest(tokens: readonly Token[], mentions: readonly Mention[], place: number): Mention | undefined {
  const own = mentions.filter(({ first }) => tokens[first]?.sentence === tokens[place]?.sentence);
  return own.toSorted((a, b) => distance(a, place) - distance(b, place))[0];
}

function distance({ first, end }: Pick<Mention, 'first' | 'end'>, place: number): number {
  return place < first ? first - place : place - end + 1;
}

/** Another part of the line is between them: `amlodipine 5 mg, stop smoking`. */
function isApart(tokens: readonly Token[], { first, end }: Pick<Mention, 'first' | 'end'>, place: number): boolean {
  const between = place < first ? tokens.slice(place, first) : tokens.slice(end, place);
  return between.some(({ word }) => word === ',' || word === ':');
}

function spanOf(one: Pick<Mention, 'first' | 'end'>, other: Pick<Mention, 'first' | 'end'>) {
  return { first: Math.min(one.first, other.first), end: Math.max(one.end, other.end) };
}
