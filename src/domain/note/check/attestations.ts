// Claims of a note that it was signed, reviewed, verified, approved or is final, or that consent was given; and what was said of it. Only a
// person can do any of these, so that a model that writes it has invented it, unless it was spoken.

import { cuesOf } from '../../../clinical-text/cues/cues.ts';
import { makePhraseSet, type PhraseSet } from '../../../clinical-text/cues/phrase-set.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import {
  AGREED_MATTERS,
  AGREEING,
  ATTESTED_ACTS,
  type AttestationWords,
  type AttestedAct,
  attestationWords,
  DATA_WORDS,
  DENIED_AFTER,
  DENIED_BEFORE,
  PROCEDURE_WORDS,
  RECORDING_WORDS,
  SHARING_WORDS,
} from './attestation-words.ts';
import type { TextFacts } from './text-facts.ts';

/** What a consent or a review is about, if it is said. */
export type AttestedMatter = 'recording' | 'sharing' | 'procedure' | 'data' | undefined;
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
/** From a verb of agreement to what is agreed: `agreed to share the data`. */
const AGREED_REACH = 6;
/** An answer to a question for consent is in one of the next utterances. */
const ANSWER_REACH = 2;
const MATTERS = [RECORDING_WORDS, SHARING_WORDS, PROCEDURE_WORDS];
const BY = new Set(['by', 'por', 'pelo', 'pela']);

export function readAttestations(tokens: readonly Token[], language: Language): readonly Attestation[] {
  const found: Attestation[] = [];
  tokens.forEach((token, first) => {
    const last = found.at(-1);
    if (first < (last?.end ?? 0)) return;
    // `Consent form signed` is one claim.
    const isGoingOn =
      last?.act === 'consent' && first - last.end < MATTER_REACH && tokens[last.first]?.sentence === token.sentence;
    if (isGoingOn && claimAt(tokens, first, language)?.act === 'signed') return;
    const claim = claimAt(tokens, first, language) ?? agreementAt(tokens, first, language);
    if (claim === undefined || isDeniedOrAhead(tokens, first, claim.end)) return;
    found.push({ ...claim, matter: matterOf(tokens, claim.act, first, claim.end), first });
  });
  return found;
}

type FoundClaim = Pick<Attestation, 'act' | 'end'>;

function claimAt(tokens: readonly Token[], first: number, language: Language): FoundClaim | undefined {
  const { claimed, anyClaimed } = attestationWords(language);
  if (anyClaimed.lengthAt(tokens, first) === 0) return undefined;
  // The longest phrase counts: `autorizada pela mãe` is consent, and no approval.
  const [longest] = ATTESTED_ACTS.map((act) => ({ act, end: first + claimed[act].lengthAt(tokens, first) }))
    .filter(({ end }) => end > first)
    .toSorted((a, b) => b.end - a.end);
  return longest;
}

/** Reads `the parents agreed to share the data`: a verb of agreement, and what needs consent behind it. */
function agreementAt(tokens: readonly Token[], first: number, language: Language): FoundClaim | undefined {
  const length = AGREEING[language].lengthAt(tokens, first);
  if (length === 0) return undefined;
  for (let at = first + length; at < first + length + AGREED_REACH; at += 1) {
    if (tokens[at] === undefined || tokens[at]?.sentence !== tokens[first]?.sentence) return undefined;
    const matter = AGREED_MATTERS[language].lengthAt(tokens, at);
    if (matter > 0) return { act: 'consent', end: at + matter };
  }
  return undefined;
}

/** True of `to be signed`, `pending review`, `consent not given`. What the sentence before denies is something else. */
function isDeniedOrAhead(tokens: readonly Token[], first: number, end: number): boolean {
  const place = { tokens, sentence: tokens[first]?.sentence };
  if (isUnsigned(place, first)) return true;
  return isWithin(place, first - 1, -BEFORE_REACH, DENIED_BEFORE) || isWithin(place, end, BEHIND_REACH, DENIED_AFTER);
}

/** `Will read the consent form at home, not signed yet` */
function isUnsigned({ tokens, sentence }: Sentence, first: number): boolean {
  for (let index = first; index < first + UNSIGNED_REACH; index += 1) {
    if (tokens[index] === undefined || tokens[index]?.sentence !== sentence) return false;
    if (UNSIGNED.lengthAt(tokens, index) > 0) return true;
  }
  return false;
}

const UNSIGNED_REACH = 16;
const UNSIGNED = makePhraseSet(
  'not signed|unsigned|not yet signed|to sign|sin firmar|no firmad*|aun no firma*|por firmar|para firmar|nao assinad*|sem assinar|para assinar|a assinar',
);

function matterOf(tokens: readonly Token[], act: AttestedAct, first: number, end: number): AttestedMatter {
  const place = { tokens, sentence: tokens[first]?.sentence };
  const isNear = (set: PhraseSet, reach: number) =>
    isWithin(place, first - 1, -reach, set) || isWithin(place, end, reach, set);
  if (act === 'consent') {
    const isHere = (set: PhraseSet) => isWithin(place, first, end - first, set) || isNear(set, MATTER_REACH);
    if (isHere(RECORDING_WORDS)) return 'recording';
    if (isHere(SHARING_WORDS)) return 'sharing';
    return isHere(PROCEDURE_WORDS) ? 'procedure' : undefined;
  }
  // `Labs reviewed` is a part of the visit; `reviewed by` names a person who did it.
  const isByPerson = BY.has(tokens[end]?.word ?? '');
  return act === 'reviewed' && !isByPerson && isNear(DATA_WORDS, DATA_REACH) ? 'data' : undefined;
}

type Sentence = { readonly tokens: readonly Token[]; readonly sentence: number | undefined };

/** True if a phrase begins in the `reach` tokens from this place on, or before it if the reach is negative, in this sentence. */
function isWithin({ tokens, sentence }: Sentence, start: number, reach: number, set: PhraseSet): boolean {
  const step = Math.sign(reach);
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
    if (!has(tokens, words.any) && !tokens.some(isOfSigning)) return;
    for (const act of actsSpoken(tokens, words)) if (!acts.has(act)) acts.set(act, utterance);
    if (has(tokens, words.spoken.consent) || tokens.some(isOfSigning))
      consents.push({ utterance, matter: spokenMatter(tokens) });
    const answer = consentBehind({ readings, speakers, utterance, words, language });
    if (answer !== undefined) consents.push({ utterance: answer, matter: spokenMatter(tokens) });
  });
  return { acts, consents, data };
}

/** `There, signed`, `¿dónde firmo?`, `assino onde?`: on a paper that was handed over. */
function isOfSigning({ word }: Token): boolean {
  return /^(?:sign|signed|signing|firm[aeo]\w*|assin(?:o|a|e|ei|ou|ar|ad[ao]|amos))$/.test(word);
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
  if (has(tokens, RECORDING_WORDS)) return 'recording';
  return has(tokens, SHARING_WORDS) ? 'sharing' : 'procedure';
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
  // An answer that does not refuse what was asked for in so many words lets it be done.
  const isOpen = has(tokens, words.askedOpenly);
  const isAsked =
    isOpen || (has(tokens, words.asked) && (MATTERS.some((words) => has(tokens, words)) || isConsentWord(tokens)));
  if (!isAsked) return undefined;
  const mayObject = has(tokens, words.objections);
  const cues = cuesOf(language);
  for (let next = utterance + 1; next <= utterance + ANSWER_REACH; next += 1) {
    const answer = readings[next]?.tokens ?? [];
    if (answer.length === 0 || speakers[next] === speakers[utterance]) continue;
    const isNo = cues.no.lengthAt(answer, 0) > 0;
    if (isNo && !mayObject && words.agreed.lengthAt(answer, 0) === 0) return undefined;
    const isYes =
      isOpen ||
      cues.yes.lengthAt(answer, 0) > 0 ||
      answer.some((_, index) => index < 6 && words.agreed.lengthAt(answer, index) > 0);
    return isYes || (isNo && mayObject) ? next : undefined;
  }
  return undefined;
}

function isConsentWord(tokens: readonly Token[]): boolean {
  return tokens.some(({ word }) => /^(consent|consiente|permi)/.test(word));
}
