// Finds telephone numbers: rows of digits in groups. A number without hyphens, brackets or a country needs a word that says what it is.
import { makePhraseSet } from '../cues/phrase-set.ts';
import type { Token } from '../tokens/tokens.ts';
import { isDoseUnit, unitOfWord } from './units.ts';

export type Telephone = {
  readonly digits: string;
  /** Tokens: `end` is behind the last. */
  readonly first: number;
  readonly end: number;
};

const FEWEST_DIGITS = 7;
const MOST_DIGITS = 15;
/** Marks between two groups: `) 555`. */
const MOST_MARKS = 2;
const FEWEST_UNBROKEN = 9;
const FEWEST_LISTED_GROUPS = 3;
const JOINS = /^[-–+()]$/;
const YEAR = /^(?:19|20)\d\d$/;
/** Tokens from a number to the word that says what it is. */
const TALK_REACH = 10;
const SHORT_FORM_REACH = 3;
const TALK = makePhraseSet(
  'tel|telephone*|phone*|call|calls|calling|ring|dial|line|hotline|helpline|mobile|cell|whatsapp|fax|text|contact*|number|' +
    'telefon*|llam*|llame|movil|linea|numero|cita|lig*|ligue|celular|linha|contat*|contacto|marcar|agendar',
);

export function readTelephones(tokens: readonly Token[]): readonly Telephone[] {
  const found: Telephone[] = [];
  for (let first = 0; first < tokens.length; first += 1) {
    if (tokens[first]?.kind !== 'number') continue;
    const row = rowFrom(tokens, first);
    if (isTelephone(tokens, row) && !isDose(tokens[row.end]))
      found.push({ digits: row.groups.join(''), first, end: row.end });
    first = row.end - 1;
  }
  return found;
}

/** `750-0-750 mg` is taken in the morning and at night. */
function isDose(token: Token | undefined): boolean {
  const unit = token === undefined ? undefined : unitOfWord(token);
  return unit !== undefined && isDoseUnit(unit);
}

type Row = {
  readonly groups: readonly string[];
  readonly first: number;
  readonly end: number;
  readonly hasJoin: boolean;
};

function rowFrom(tokens: readonly Token[], first: number): Row {
  const groups: string[] = [];
  let end = first;
  // The country and the area may be in front of the first digit: `+1`, `(900)`.
  let hasJoin = /^[+(]$/.test(tokens[first - 1]?.word ?? '');
  for (let index = first, marks = 0; marks <= MOST_MARKS; index += 1) {
    const token = tokens[index];
    if (token === undefined || token.sentence !== tokens[first]?.sentence) break;
    if (token.kind === 'number') {
      if (marks > 0) hasJoin = true;
      groups.push(token.word.replace(/[.,]/g, ''));
      [end, marks] = [index + 1, 0];
    } else if (JOINS.test(token.word)) marks += 1;
    else break;
  }
  return { groups, first, end, hasJoin };
}

function isTelephone(tokens: readonly Token[], { groups, first, end, hasJoin }: Row): boolean {
  const { length } = groups.join('');
  if (length < FEWEST_DIGITS || length > MOST_DIGITS || groups.every((group) => YEAR.test(group))) return false;
  // A person may also be reached, or paid, by an unbroken row.
  if (groups.length === 1 && length >= FEWEST_UNBROKEN) return true;
  if (hasJoin || groups[0]?.startsWith('0') === true) return true;
  // `Reception: 91 555 23 45`
  const isListed = tokens[first - 1]?.word === ':' && groups.length >= FEWEST_LISTED_GROUPS;
  return isListed || isTalkedOf(tokens, first, end);
}

function isTalkedOf(tokens: readonly Token[], first: number, end: number): boolean {
  const sentence = tokens[first]?.sentence;
  const isTalk = (index: number) => {
    // `Tel.` ends a sentence for the tokens.
    const isNear = tokens[index]?.sentence === sentence || (index < first && first - index <= SHORT_FORM_REACH);
    return isNear && TALK.lengthAt(tokens, index) > 0;
  };
  return Array.from({ length: TALK_REACH }, (_, away) => away + 1).some(
    (away) => isTalk(first - away) || isTalk(end - 1 + away),
  );
}
