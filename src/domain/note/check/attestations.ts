// Claims of a note that it was signed, reviewed, verified, approved or is final, or that consent was given; and what was said of it. Only a
// person can do any of these, so that a model that writes it has invented it, unless it was spoken.

import { cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { PhraseSet } from '../../../clinical-text/cues/phrase-set.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import {
  ATTESTED_ACTS,
  type AttestationWords,
  type AttestedAct,
  attestationWords,
  DATA_WORDS,
  DENIED_AFTER,
  DENIED_BEFORE,
  PROCEDURE_WORDS,
  RECORDING_WORDS,
} from './attestation-words.ts';
import type { TextFacts } from './text-facts.ts';

/** What a consent or a review is about, if it is said. */
export type AttestedMatter = 'recording' | 'procedure' | 'data' | undefined;
export type Attestation = {
  readonly act: AttestedAct;
  readonly matter: AttestedMatter;
  readonly first: number;
  readonly end: number;
};
export type SpokenAttestations = {
  /** The first utterance about each act. */
  readonly acts: ReadonlyMap<AttestedAct, number>;
  readonly consents: readonly { readonly utterance: number; readonly matter: AttestedMatter }[];
  /** The first utterance about results, medicines or the history. */
  readonly data: number | undefined;
};

const BEFORE_REACH = 4;
const BEHIND_REACH = 3;
const MATTER_REACH = 6;
const DATA_REACH = 4;
/** An answer to a question for consent is in one of the next utterances. */
const ANSWER_REACH = 2;
const BY = new Set(['by', 'por', 'pelo', 'pela']);

export function readAttestations(tokens: readonly Token[], language: Language): readonly Attestation[] {
  const { claimed, anyClaimed } = attestationWords(language);
  const found: Attestation[] = [];
  tokens.forEach((_, first) => {
    if (anyClaimed.lengthAt(tokens, first) === 0 || first < (found.at(-1)?.end ?? 0)) return;
    const act = ATTESTED_ACTS.find((one) => claimed[one].lengthAt(tokens, first) > 0);
    if (act === undefined) return;
    const end = first + claimed[act].lengthAt(tokens, first);
    if (isDeniedOrAhead(tokens, first, end)) return;
    found.push({ act, matter: matterOf(tokens, act, first, end), first, end });
  });
  return found;
}

/** True of `to be signed`, `pending review`, `consent not given`. */
function isDeniedOrAhead(tokens: readonly Token[], first: number, end: number): boolean {
  return isWithin(tokens, first - 1, -BEFORE_REACH, DENIED_BEFORE) || isWithin(tokens, end, BEHIND_REACH, DENIED_AFTER);
}

function matterOf(tokens: readonly Token[], act: AttestedAct, first: number, end: number): AttestedMatter {
  const isNear = (set: PhraseSet, reach: number) =>
    isWithin(tokens, first - 1, -reach, set) || isWithin(tokens, end, reach, set);
  if (act === 'consent') {
    const isHere = (set: PhraseSet) => isWithin(tokens, first, end - first, set) || isNear(set, MATTER_REACH);
    if (isHere(RECORDING_WORDS)) return 'recording';
    return isHere(PROCEDURE_WORDS) ? 'procedure' : undefined;
  }
  // `Labs reviewed` is a part of the visit; `reviewed by` names a person who did it.
  const isByPerson = BY.has(tokens[end]?.word ?? '');
  return act === 'reviewed' && !isByPerson && isNear(DATA_WORDS, DATA_REACH) ? 'data' : undefined;
}

/** True if a phrase begins in the `reach` tokens from this place on, or before it if the reach is negative, in the same sentence. */
function isWithin(tokens: readonly Token[], start: number, reach: number, set: PhraseSet): boolean {
  const step = Math.sign(reach);
  const sentence = tokens[start]?.sentence;
  for (let index = start; index !== start + reach; index += step) {
    if (tokens[index] === undefined || tokens[index]?.sentence !== sentence) return false;
    if (set.lengthAt(tokens, index) > 0) return true;
  }
  return false;
}

export function spokenAttestations(
  readings: readonly TextFacts[],
  speakers: readonly number[],
  language: Language | undefined,
): SpokenAttestations {
  if (language === undefined) return { acts: new Map(), consents: [], data: undefined };
  const words = attestationWords(language);
  const acts = new Map<AttestedAct, number>();
  const consents: { utterance: number; matter: AttestedMatter }[] = [];
  let data: number | undefined;
  readings.forEach(({ tokens, drugs }, utterance) => {
    if (data === undefined && (drugs.length > 0 || has(tokens, DATA_WORDS))) data = utterance;
    if (!has(tokens, words.any)) return;
    for (const act of actsSpoken(tokens, words)) if (!acts.has(act)) acts.set(act, utterance);
    if (has(tokens, words.spoken.consent)) consents.push({ utterance, matter: spokenMatter(tokens) });
    const answer = consentBehind({ readings, speakers, utterance, words, language });
    if (answer !== undefined) consents.push({ utterance: answer, matter: spokenMatter(tokens) });
  });
  return { acts, consents, data };
}

function actsSpoken(tokens: readonly Token[], { claimed, spoken }: AttestationWords): readonly AttestedAct[] {
  return ATTESTED_ACTS.filter(
    (act) =>
      act !== 'consent' &&
      tokens.some(
        (_, index) =>
          spoken[act].lengthAt(tokens, index) > 0 ||
          (claimed[act].lengthAt(tokens, index) > 0 && !isDeniedOrAhead(tokens, index, index + 1)),
      ),
  );
}

function spokenMatter(tokens: readonly Token[]): AttestedMatter {
  return has(tokens, RECORDING_WORDS) ? 'recording' : 'procedure';
}

function has(tokens: readonly Token[], set: PhraseSet): boolean {
  return tokens.some((_, index) => set.lengthAt(tokens, index) > 0);
}

type ConsentQuestion = {
  readonly readings: readonly TextFacts[];
  readonly speakers: readonly number[];
  readonly utterance: number;
  readonly words: AttestationWords;
  readonly language: Language;
};

/** The utterance that agrees to what this one asks for. */
function consentBehind({ readings, speakers, utterance, words, language }: ConsentQuestion): number | undefined {
  const tokens = readings[utterance]?.tokens ?? [];
  if (
    !has(tokens, words.asked) ||
    !(has(tokens, RECORDING_WORDS) || has(tokens, PROCEDURE_WORDS) || isConsentWord(tokens))
  )
    return undefined;
  const mayObject = has(tokens, words.objections);
  const cues = cuesOf(language);
  for (let next = utterance + 1; next <= utterance + ANSWER_REACH; next += 1) {
    const answer = readings[next]?.tokens ?? [];
    if (answer.length === 0 || speakers[next] === speakers[utterance]) continue;
    const isNo = cues.no.lengthAt(answer, 0) > 0;
    if (isNo && !mayObject && words.agreed.lengthAt(answer, 0) === 0) return undefined;
    const isYes =
      cues.yes.lengthAt(answer, 0) > 0 ||
      answer.some((_, index) => index < 6 && words.agreed.lengthAt(answer, index) > 0);
    return isYes || (isNo && mayObject) ? next : undefined;
  }
  return undefined;
}

function isConsentWord(tokens: readonly Token[]): boolean {
  return tokens.some(({ word }) => /^(consent|consiente|permi)/.test(word));
}
