// Decides whether a drug or a substance is spoken of as another person's, or by a slip of the tongue: `my wife takes bisoprolol`, `it's
// alfentanil, no, hang on, oxycodone`. A child of the speaker, and a relative with whom the talk begins, may be the patient.
import type { Cues } from '../../../clinical-text/cues/cues.ts';
import { makePhraseSet } from '../../../clinical-text/cues/phrase-set.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import { isOfRelatedSpeaker, memberAt, relativeBefore, relativeNamedBehind } from './relatives.ts';
import type { TextFacts } from './text-facts.ts';

type Place = { readonly first: number; readonly end: number };
type Talk = { readonly tokens: readonly Token[]; readonly cues: Cues; readonly subjects: ReadonlySet<string> };

const CHILDREN = new Set(['son', 'daughter', 'child']);
const VERB_REACH = 6;
/** Verbs and prepositions of a person who takes a drug. */
const TAKING = makePhraseSet(
  'take*|taking|took|on|uses|used|has|had|have|cant have|prescribed|toma|tomo|tomaba|tomou|tomava|usa|usaba|usava|usou|tiene|tenia|tem|tinha|lleva|con',
);
/** What a speaker says between a wrong word and the right one. */
const CORRECTIONS = makePhraseSet(
  'no|no wait|no hang on|no sorry|sorry|wait|hang on|i mean|rather|actually|scratch that|correction|perdon|digo|no perdon|mejor dicho|o sea no|quiero decir|miento|nao|nao desculpa|desculpa|desculpe|quer dizer|quero dizer|alias|minto|digo',
);
const CORRECTION_REACH = 8;

/** The drugs of an utterance that may be the patient's. */
export function ownDrugs({ tokens, drugs }: TextFacts, subjects: ReadonlySet<string>, cues: Cues): readonly string[] {
  const talk = { tokens, cues, subjects };
  return drugs
    .filter((drug, index) => !isTakenByOther(talk, drug) && !isCorrected(tokens, drug, drugs[index + 1]))
    .flatMap(({ ids }) => ids);
}

/** True of `my partner can't have penicillin`. */
export function isOfOther({ tokens, cues, subjects }: Talk, first: number): boolean {
  const member = relativeBefore(tokens, first, cues) ?? relativeNamedBehind(tokens, first, cues);
  if (member === undefined) return isOfRelatedSpeaker(tokens, first, cues);
  return !CHILDREN.has(member) && !subjects.has(member);
}

/** A relative who only hands a drug over does not take it. */
function isTakenByOther(talk: Talk, { first }: Place): boolean {
  if (!isOfOther(talk, first)) return false;
  const { tokens, cues } = talk;
  if (relativeBefore(tokens, first, cues) === undefined) return true;
  for (let index = first - 1; index >= first - VERB_REACH - 1; index -= 1) {
    if (memberAt(tokens, index, cues) !== undefined) return index === first - 1;
    if (TAKING.lengthAt(tokens, index) > 0) return true;
  }
  return false;
}

/** True of the first of two drugs with a correction between them. */
function isCorrected(tokens: readonly Token[], { end }: Place, next: Place | undefined): boolean {
  if (next === undefined || next.first - end > CORRECTION_REACH) return false;
  const between = Array.from({ length: next.first - end }, (_, ahead) => end + ahead);
  return between.some((index) => /^[,.—–-]$/.test(tokens[index - 1]?.word ?? '') && isCorrection(tokens, index));
}

/** `No` corrects only with a mark behind it: `amoxicillin, no ibuprofen` names what is not taken. */
function isCorrection(tokens: readonly Token[], index: number): boolean {
  const length = CORRECTIONS.lengthAt(tokens, index);
  if (length === 0) return false;
  const isBare = length === 1 && /^(?:no|nao)$/.test(tokens[index]?.word ?? '');
  return !isBare || /^[,.—–-]$/.test(tokens[index + 1]?.word ?? '');
}
