// Finds the drugs of a text by name, by brand or by the end of the name; in speech also with a slip of the recogniser and in pieces
// (`amoxi cillin`). The name of a listed drug never counts as a slip of another one, however similar they sound.

import { foldWord } from '../fold.ts';
import { makeNearNames, type NearNames } from '../spelling/near-names.ts';
import { REAL_WORDS } from '../spelling/real-words.ts';
import { isMisspelling } from '../spelling/speller.ts';
import type { Token } from '../tokens/tokens.ts';
import { CLIPPED_NAMES, COMBINATIONS, DRUGS, INSULINS, MINERALS, SHORT_NAMES, STEMS } from './drug-names.ts';
import { isTakenMineral } from './minerals.ts';
import { WORDS_NEAR_DRUGS } from './words-near-drugs.ts';

export type DrugMention = {
  /** Its substances; a combination has more than one. */
  readonly ids: readonly string[];
  /** Tokens: `end` is behind the last. */
  readonly first: number;
  readonly end: number;
};

/** A slip in a shorter name too often makes another word. */
const MIN_LETTERS_FOR_SLIPS = 7;
/** For a slip in a brand or in another name of a drug. */
const MIN_LETTERS_OF_BRANDS = 8;
const MIN_LETTERS_OF_STEMS = 7;
const MAX_PIECES = 3;

const KNOWN = readLists();
const BEGINNINGS = beginningsOf([...KNOWN.keys()]);
const STEM_ENDS = new RegExp(`(?:${STEMS.join('|')})$`);
const INSULIN_IDS = new Set<string>(INSULINS.map(drugKey));
const MINERAL_KEYS = new Set<string>(MINERALS.map(drugKey));
/** A slip in the name of a mineral too often makes the name of a stone or a salt. */
const SLIPS = near([...KNOWN.keys()].filter(maySlip));
const CLIPPED = new Map(
  Object.entries(CLIPPED_NAMES).map(([name, drugs]) => [name, drugs.split(' ').map(drugKey)] as const),
);
const SHORT = new Map(Object.entries(SHORT_NAMES));
/** `ASA II` is a class of risk before an operation. */
const RISK_CLASS = /^([1-6]|i{1,3}|iv|vi?)$/;

/** The key is the same for `hydroxyzine`, `hidroxizina` and `Hydroxyzin`: it leaves out regular differences of spelling. */
function drugKey(word: string): string {
  return keyOf(foldWord(word));
}

function keyOf(folded: string): string {
  return folded
    .replace(/ph/g, 'f')
    .replace(/([trc])h/g, '$1')
    .replace(/[ao]e/g, 'e')
    .replace(/y/g, 'i')
    .replace(/k/g, 'c')
    .replace(/w/g, 'v')
    .replace(/(.)\1/g, '$1')
    .replace(/^es(?=[^aeiou])/, 's')
    .replace(/(?<=.{4})[aeo]s?$/, '');
}

/** Drugs that only this note names: a slip in speech may mean them, too. */
export type OwnNames = { readonly slips: NearNames; readonly keys: ReadonlySet<string> };

export function ownNames(mentions: readonly DrugMention[]): OwnNames {
  const keys = new Set(mentions.flatMap(({ ids }) => ids).filter((id) => !KNOWN.has(id)));
  return { slips: near([...keys]), keys };
}

/** Finds the drugs of a note, in which a slip is not expected. */
export function findDrugsInNote(tokens: readonly Token[]): readonly DrugMention[] {
  return findDrugs(tokens, ({ word }) => readWord(word).ids ?? clippedIds(word) ?? byStem(word));
}

export type FindDrugs = (tokens: readonly Token[]) => readonly DrugMention[];

/** Caches each word, because a conversation has few different ones. */
export function makeFindDrugsInSpeech(own: OwnNames): FindDrugs {
  const seen = new Map<string, Word>();
  const joined = new Map<string, readonly string[] | undefined>();
  const lookJoined = (whole: string) => {
    if (!joined.has(whole)) joined.set(whole, joinedIds(whole, own));
    return joined.get(whole);
  };
  const ownBeginnings = beginningsOf([...own.keys]);
  const look = (folded: string): Word => {
    const known = seen.get(folded);
    if (known) return known;
    const reading = readWord(folded);
    const isBeginning = reading.isBeginning || (folded.length > 2 && ownBeginnings.has(reading.key));
    const word = { ids: spokenIds(reading, own), isDrug: reading.ids !== undefined, isBeginning };
    seen.set(folded, word);
    return word;
  };
  return (tokens) =>
    findDrugs(tokens, (token, index) => {
      const { ids, isBeginning } = look(token.word);
      const whole = ids ?? (isBeginning ? inPieces(tokens, index, look, lookJoined) : undefined);
      return whole ?? clippedIds(token.word);
    });
}

type Word = {
  readonly ids: readonly string[] | undefined;
  readonly isDrug: boolean;
  /** It is the beginning of a drug's name, and the rest may follow. */
  readonly isBeginning: boolean;
};

/** What is known of a word without a note. */
type WordReading = {
  readonly key: string;
  readonly ids: readonly string[] | undefined;
  /** The listed drug of which it is a slip. */
  readonly near: readonly string[] | undefined;
  /** It ends like the name of a drug. */
  readonly byEnd: readonly string[] | undefined;
  readonly mayBeSlip: boolean;
  readonly isBeginning: boolean;
};

/** Words are the same in all conversations, so that they are read once. */
const READINGS = new Map<string, WordReading>();
const MOST_READINGS = 20_000;

function readWord(word: string): WordReading {
  const known = READINGS.get(word);
  if (known) return known;
  const [key, ids] = [keyOf(word), idsOf(word)];
  const mayBeSlip = ids === undefined && word.length >= MIN_LETTERS_FOR_SLIPS - 1 && !isRealWord(word);
  const near = mayBeSlip ? slipOf(key, SLIPS) : undefined;
  const reading = {
    key,
    ids,
    near: near === undefined ? undefined : KNOWN.get(near),
    byEnd: mayBeSlip ? byStem(word) : undefined,
    mayBeSlip,
    isBeginning: word.length > 2 && BEGINNINGS.has(key),
  };
  if (READINGS.size >= MOST_READINGS) READINGS.clear();
  READINGS.set(word, reading);
  return reading;
}

function beginningsOf(keys: readonly string[]): ReadonlySet<string> {
  return new Set(
    keys.flatMap((key) => Array.from({ length: Math.max(0, key.length - 2) }, (_, cut) => key.slice(0, cut + 2))),
  );
}

function near(keys: readonly string[]): NearNames {
  const names = makeNearNames(MIN_LETTERS_FOR_SLIPS);
  for (const key of keys) names.add(key);
  return names;
}

function readLists(): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  for (const [name, others] of entries(DRUGS)) {
    for (const form of [name, ...others]) known.set(drugKey(form), [drugKey(name)]);
  }
  for (const [name, drugs] of entries(COMBINATIONS)) known.set(drugKey(name), drugs.map(drugKey));
  return known;
}

function entries(list: string): readonly (readonly [string, readonly string[]])[] {
  const lines = list.split(';').map((entry) => entry.trim());
  return lines.filter(Boolean).map((entry) => {
    const [name = '', others = ''] = entry.split('=').map((side) => side.trim());
    return [name, others.split(' ').filter(Boolean)];
  });
}

type Found = { readonly ids: readonly string[]; readonly end: number };

function findDrugs(
  tokens: readonly Token[],
  look: (token: Token, index: number) => readonly string[] | Found | undefined,
): readonly DrugMention[] {
  const mentions: DrugMention[] = [];
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index];
    const found =
      token?.kind === 'word'
        ? (asFound(shortName(tokens, index) ?? look(token, index), index) ?? vitamin(tokens, index))
        : undefined;
    if (found && !isValue(tokens, index)) mentions.push({ ...found, first: index });
    index = found?.end ?? index + 1;
  }
  return mentions;
}

function asFound(found: readonly string[] | Found | undefined, index: number): Found | undefined {
  if (found === undefined || 'ids' in found) return found as Found | undefined;
  return { ids: found, end: index + 1 };
}

function idsOf(word: string): readonly string[] | undefined {
  if (word.length < 4) return undefined;
  const ids = KNOWN.get(keyOf(word));
  return ids?.some((id) => INSULIN_IDS.has(id)) ? [...ids, drugKey('insulin')] : ids;
}

/** The id of `pred` is its own, because it may be prednisone or prednisolone. */
function clippedIds(word: string): readonly string[] | undefined {
  const drugs = CLIPPED.get(word);
  return drugs !== undefined && drugs.length > 1 ? [word] : drugs;
}

/** The drugs that an id may mean: of a clipped name each of its drugs, and the clipped name itself. */
export function meaningsOf(id: string): readonly string[] {
  return [id, ...(CLIPPED.get(id) ?? [])];
}

function byStem(word: string): readonly string[] | undefined {
  const key = keyOf(word);
  return key.length >= MIN_LETTERS_OF_STEMS && STEM_ENDS.test(key) ? [key] : undefined;
}

function spokenIds(reading: WordReading, own: OwnNames): readonly string[] | undefined {
  const { key, ids, near: known, byEnd, mayBeSlip } = reading;
  if (ids) return ids;
  if (own.keys.has(key)) return [key];
  const ownNear = mayBeSlip && own.keys.size > 0 ? slipOf(key, own.slips) : undefined;
  // A slip that is near two drugs shows neither.
  if (ownNear && known) return undefined;
  return ownNear ? [ownNear] : (known ?? byEnd);
}

/** Reads `amoxi cillin` and `hydro chloro thiazide`. */
function inPieces(
  tokens: readonly Token[],
  first: number,
  look: (folded: string) => Word,
  lookJoined: (whole: string) => readonly string[] | undefined,
): Found | undefined {
  let whole = tokens[first]?.word ?? '';
  for (let index = first + 1, pieces = 1; pieces < MAX_PIECES; index += 1) {
    const token = tokens[index];
    if (token?.word === '-') continue;
    // A whole name of a drug is not a piece of another one.
    if (token?.kind !== 'word' || look(token.word).isDrug) return undefined;
    whole += token.word;
    pieces += 1;
    const ids = lookJoined(whole);
    if (ids) return { ids, end: index + 1 };
  }
  return undefined;
}

function joinedIds(whole: string, own: OwnNames): readonly string[] | undefined {
  const key = keyOf(whole);
  if (key.length < MIN_LETTERS_FOR_SLIPS) return undefined;
  return KNOWN.get(key) ?? (own.keys.has(key) ? [key] : undefined);
}

/** Reads `vitamin D` and `vitamina B12`; without its letter the word names no drug. */
function vitamin(tokens: readonly Token[], first: number): Found | undefined {
  if (!/^vitamin[ae]?s?$/.test(tokens[first]?.word ?? '')) return undefined;
  const letter = tokens[first + 1]?.word ?? '';
  if (!/^[abcdek]$/.test(letter)) return undefined;
  const number = tokens[first + 2];
  const hasNumber = letter === 'b' && number?.kind === 'number';
  return { ids: [`vitamin ${letter}${hasNumber ? number.word : ''}`], end: first + (hasNumber ? 3 : 2) };
}

/** A slip sounds like the name, and begins like it. */
function slipOf(key: string, names: NearNames): string | undefined {
  const near = names.find(key);
  if (near === undefined || near === key) return near;
  return key[0] === near[0] && (isMisspelling(key, near) || endsAlike(key, near)) ? near : undefined;
}

/** `Ibuprofem` is heard for `ibuprofen`. */
function endsAlike(one: string, other: string): boolean {
  return one.slice(0, -1) === other.slice(0, -1) && /^[mn]$/.test(one.slice(-1)) && /^[mn]$/.test(other.slice(-1));
}

/** A short brand is one letter beside too many words. */
function maySlip(key: string): boolean {
  if (MINERAL_KEYS.has(key)) return false;
  return key.length >= MIN_LETTERS_OF_BRANDS || KNOWN.get(key)?.[0] === key;
}

/** No slip starts from a word that means something else. */
function isRealWord(word: string): boolean {
  return WORDS_NEAR_DRUGS.has(word) || REAL_WORDS.has(word);
}

/** Reads `AAS` and `ASA 324 mg`. In lower case `asa` is another word. */
function shortName(tokens: readonly Token[], index: number): readonly string[] | undefined {
  const token = tokens[index];
  const name = token && (token.isUpper || token.word === 'aas') ? SHORT.get(token.word) : undefined;
  if (name === undefined) return undefined;
  const next = tokens[index + 1]?.word ?? '';
  const isClass = token?.word === 'asa' && RISK_CLASS.test(next) && !/^m?c?g$/.test(tokens[index + 2]?.word ?? '');
  return isClass ? undefined : [drugKey(name)];
}

/** `Potassium 4.1` and `calcium is low` are values of the blood. */
function isValue(tokens: readonly Token[], index: number): boolean {
  return MINERAL_KEYS.has(keyOf(tokens[index]?.word ?? '')) && !isTakenMineral(tokens, index);
}
