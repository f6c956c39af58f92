// Finds the findings of a text. A pain is a finding of the part of the body that hurts.

import type { NamedThing } from '../../../clinical-text/phrases/named-things.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import { findBodyParts } from './body-words.ts';
import { findNamedFindings, findPains } from './finding-words.ts';

const MOST_BETWEEN = 4;
const BETWEEN =
  /^(no|nao|not|me|te|le|les|nos|lhe|ya|ja|tampoco|tambem|izquierd[oa]|derech[oa]|esquerd[oa]|direit[oa]|mas|mais|does|do|did|doesnt|dont|didnt|really|now|left|right|is|not|isnt|esta|ta|se|sí|sim)$/;
/** Pains that have a name of their own. */
const PAIN_IDS: ReadonlyMap<string, string> = new Map([
  ['head', 'headache'],
  ['throat', 'sore throat'],
]);
/** Tokens between a pain and the part of the body behind it: `pain in the chest, the arm or the back`. */
const PAIN_REACH = 9;

export function findFindings(tokens: readonly Token[], language: Language): readonly NamedThing[] {
  const named = findNamedFindings(tokens, language);
  const taken = new Set(
    named.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, ahead) => first + ahead)),
  );
  const pains = findPains(tokens, language).filter(({ first }) => !taken.has(first));
  if (pains.length === 0) return named;
  const parts = new Map(
    findBodyParts(tokens, language)
      .filter(({ id, first }) => id !== 'side' && !taken.has(first))
      .map((part) => [part.first, part]),
  );
  const placed = pains.map((pain) => ({ pain, at: partsOf(pain, parts, tokens, language) }));
  const found = placed.flatMap(({ pain, at }) =>
    at.length === 0
      ? [pain]
      : at.map((part) => ({ id: PAIN_IDS.get(part.id) ?? `pain:${part.id}`, ...spanOf(pain, part) })),
  );
  return [...named, ...found].toSorted((a, b) => a.first - b.first);
}

/** The parts before a pain (`chest pain`, `el pecho me duele`) or behind it (`pain in the chest or the arm`, `dolor de espalda`). */
function partsOf(
  pain: NamedThing,
  parts: ReadonlyMap<number, NamedThing>,
  tokens: readonly Token[],
  language: Language,
): readonly NamedThing[] {
  const sentence = tokens[pain.first]?.sentence;
  const near = Array.from({ length: 2 * PAIN_REACH + pain.end - pain.first }, (_, ahead) =>
    parts.get(pain.first - PAIN_REACH + ahead),
  )
    .filter((part) => part !== undefined)
    .filter(({ first }) => tokens[first]?.sentence === sentence);
  const before = near.filter(
    ({ end, first }) =>
      first < pain.end && end <= pain.end + 1 && (end >= pain.first - 1 || isJoined(tokens, end, pain.first)),
  );
  const behind = near.filter(({ first }) => first >= pain.end && first < pain.end + PAIN_REACH);
  const isBehindFirst = language !== 'en' && behind.some(({ first }) => first < pain.end + 3);
  return before.length > 0 && !isBehindFirst ? before.slice(-1) : behind;
}

/** `La rodilla izquierda no me duele`: only small words and a side are between the part and the pain. */
function isJoined(tokens: readonly Token[], end: number, first: number): boolean {
  return first - end <= MOST_BETWEEN && tokens.slice(end, first).every(({ word }) => BETWEEN.test(word));
}

/** What denies a pain is before its verb, even if the part is named first: `La rodilla no me duele`. */
function spanOf(one: NamedThing, other: NamedThing): Pick<NamedThing, 'first' | 'end'> {
  if (other.end < one.first) return { first: one.first, end: one.end };
  const [first, end] = [Math.min(one.first, other.first), Math.max(one.end, other.end)];
  return { first, end };
}
