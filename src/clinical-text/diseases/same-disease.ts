// Decides whether two candidates are the same disease: by code or by name. In doubt they are two, so that none is lost.
import { isDegreeWord, tellingWords } from './context-words.ts';
import type { NameWord } from './disease-phrases.ts';
import { type DiseaseReading, diseaseTable } from './disease-table.ts';
import { categoryOf, type IcdCode, readIcdCode } from './icd-codes.ts';

export type DiseaseCandidate = { readonly name: string; readonly code?: string | undefined };

export function isSameDisease(one: DiseaseCandidate, other: DiseaseCandidate): boolean {
  const [first, second] = [diseaseTable().read(one.name), diseaseTable().read(other.name)];
  if (isOpposed(first, second)) return false;
  const codes = [codeOfDisease(one), codeOfDisease(other)] as const;
  return haveSameCode(...codes) || haveSameWords(first, second) || haveSameMeaning(first, second, codes);
}

type Codes = readonly [IcdCode | undefined, IcdCode | undefined];

/** Injuries of no named region, and illness that is not known: codes under which different diseases are listed. */
const CATCH_ALL = /^(T14|R69)/;

function codeOfDisease({ code = '' }: DiseaseCandidate): IcdCode | undefined {
  const known = readIcdCode(code);
  return known === undefined || CATCH_ALL.test(known) ? undefined : known;
}

function haveSameCode(one: IcdCode | undefined, other: IcdCode | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one === other || isUnspecifiedChild(one, other) || isUnspecifiedChild(other, one);
}

/** G43.9 of G43, and G43.909 of both. */
function isUnspecifiedChild(child: IcdCode, parent: IcdCode): boolean {
  const rest = child.slice(parent.length);
  if (rest === '' || !child.startsWith(parent)) return false;
  return parent.length === categoryOf(parent).length ? /^90?9?$/.test(rest) : parent[3] === '9' && /^0?9?$/.test(rest);
}

const RIGHT = /^(right|rt|derech[ao]|dch[ao]|dcha|direit[ao])$/;
const LEFT = /^(left|lt|izquierd[ao]|izq|izqd[ao]|esquerd[ao]|esq)$/;
const UPPER = /^(upper|superior|superiores|alt[ao]s?)$/;
const LOWER = /^(lower|inferior|inferiores|baj[ao]s?|baix[ao]s?)$/;
const ACUTE = /^agud[ao]s?$|^acute$/;
const CHRONIC = /^cronic[ao]s?$|^chronic$/;
const TOO_LITTLE = /^h[iy]po/;
const TOO_MUCH = /^h[iy]per/;
const ROMAN: Readonly<Record<string, string>> = { i: '1', ii: '2', iii: '3', iv: '4' };

/** Right and left, upper and lower, type 1 and type 2, acute and chronic are two diseases even with one code. */
function isOpposed({ words: one }: DiseaseReading, { words: other }: DiseaseReading): boolean {
  const [numbers, others] = [numbersOf(one), numbersOf(other)];
  if (numbers !== '' && others !== '' && numbers !== others) return true;
  return [
    [RIGHT, LEFT],
    [UPPER, LOWER],
    [ACUTE, CHRONIC],
    [TOO_LITTLE, TOO_MUCH],
  ].some(([this_, that]) => {
    const [hasThis, hasThat] = [has(one, this_), has(one, that)];
    return hasThis !== hasThat && has(other, this_) === hasThat && has(other, that) === hasThis;
  });
}

function has(words: readonly NameWord[], pattern: RegExp | undefined): boolean {
  return words.some(({ word }) => pattern?.test(word));
}

/** Types, stages and the letter of influenza A. */
function numbersOf(words: readonly NameWord[]): string {
  return words
    .map(({ word }) => ROMAN[word] ?? word)
    .filter((word, index) => /^\d/.test(word) || (/^[a-z]$/.test(word) && index === words.length - 1))
    .toSorted()
    .join(' ');
}

function haveSameWords({ words: one }: DiseaseReading, { words: other }: DiseaseReading): boolean {
  const text = foldedText(one);
  return text !== '' && text === foldedText(other);
}

/** In their order: it is the text of the name, without words that never change a disease. */
function foldedText(words: readonly NameWord[]): string {
  return tellingWords(words)
    .map(({ key }) => key)
    .join(' ');
}

/** The table knows both names as the same things, and no other word is beside them. */
function haveSameMeaning(one: DiseaseReading, other: DiseaseReading, [code, otherCode]: Codes): boolean {
  if (one.matches.length === 0 || meaningOf(one) !== meaningOf(other) || areOtherKinds(code, otherCode)) return false;
  // "Acute" is a degree of most diseases. If the codes say otherwise, it is not one here.
  const isOneCategory = code === undefined || otherCode === undefined || categoryOf(code) === categoryOf(otherCode);
  return isOneCategory || degreesOf(one) === degreesOf(other);
}

/** F53.0 and F53.1: the fourth character names two kinds of one category. 8 and 9 are what is not listed or not specified. */
function areOtherKinds(one: IcdCode | undefined, other: IcdCode | undefined): boolean {
  const [kind, otherKind] = [one?.[3], other?.[3]];
  return kind !== otherKind && /^[0-7A-Z]$/.test(kind ?? '') && /^[0-7A-Z]$/.test(otherKind ?? '');
}

function meaningOf({ matches, details }: DiseaseReading): string {
  const named = matches.filter(
    ({ isOneThing, words }) => isOneThing || !matches.some((other) => other.isOneThing && other.words === words),
  );
  const identities = [...new Set(named.map(({ identity }) => identity))].toSorted();
  const others = tellingWords(details).filter(({ key }) => !isDegreeWord(key));
  return [...identities, ...[...new Set(others.map(({ key }) => key))].toSorted()].join(' ');
}

function degreesOf({ words }: DiseaseReading): string {
  return words
    .filter(({ key }) => isDegreeWord(key))
    .map(({ key }) => key)
    .join(' ');
}
