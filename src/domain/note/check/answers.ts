// Finds the answer to each question: `Any chest pain?` - `No.` The answer is in a later utterance, or in the same one if the recogniser
// did not separate the speakers. Questions may have a lead-in (`Okay, and do you …`); the words are those of the language.

import { type Cues, cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import type { Utterance } from '../../recording/transcript.ts';

export type Answer = 'yes' | 'no' | undefined;
export type Answers = {
  readonly isQuestion: (utterance: number, sentence: number) => boolean;
  /** The answer to the question in this sentence of this utterance. */
  readonly answerTo: (utterance: number, sentence: number) => Answer;
};

type Spoken = {
  readonly utterances: readonly Pick<Utterance, 'speaker'>[];
  readonly language: Language | undefined;
  /** True if this sentence names a finding: `Dolor no` answers for that finding alone. */
  readonly namesFinding?: (utterance: number, sentence: number) => boolean;
};

const DENIAL_REACH = 4;
/** An answer is searched in this many later utterances. */
const ANSWER_REACH = 3;
/** A row of this many questions gets one answer. */
const MAX_QUESTIONS = 8;
/** Lead-ins before a question that has no mark. */
const MAX_LEAD_INS = 5;
const ANSWER_TOKENS = 16;

export function makeAnswers(
  { utterances, language, namesFinding = () => false }: Spoken,
  tokensOf: readonly (readonly Token[])[],
): Answers {
  const cues = cuesOf(language);
  const known = new Map<string, Answer>();
  const cut = new Map<number, ReadonlyMap<number, readonly Token[]>>();
  const sentenceOf = (utterance: number, sentence: number): readonly Token[] => {
    const sentences = cut.get(utterance) ?? Map.groupBy(tokensOf[utterance] ?? [], (token) => token.sentence);
    cut.set(utterance, sentences);
    return sentences.get(sentence) ?? [];
  };
  const asked = new Map<string, boolean>();
  const isQuestion = (utterance: number, sentence: number): boolean => {
    const key = `${utterance}.${sentence}`;
    const is = asked.get(key) ?? isAsked(sentenceOf(utterance, sentence), cues);
    asked.set(key, is);
    return is;
  };
  const answerIn = (utterance: number, sentence: number): Answer =>
    readAnswer(sentenceOf(utterance, sentence), cues, namesFinding(utterance, sentence));

  const look = (utterance: number, sentence: number): Answer => {
    const last = Math.min(tokensOf[utterance]?.at(-1)?.sentence ?? 0, sentence + MAX_QUESTIONS);
    for (let next = sentence + 1; next <= last; next += 1) {
      if (sentenceOf(utterance, next).length > 0 && !isQuestion(utterance, next)) return answerIn(utterance, next);
    }
    for (let later = utterance + 1; later <= utterance + ANSWER_REACH && later < utterances.length; later += 1) {
      const isOwn = !isQuestion(later, 0);
      const answer = isOwn ? answerIn(later, 0) : undefined;
      if (answer) return answer;
      if (utterances[later]?.speaker !== utterances[utterance]?.speaker && isOwn) return undefined;
    }
    return undefined;
  };

  return {
    isQuestion,
    answerTo(utterance, sentence) {
      const key = `${utterance}.${sentence}`;
      if (!known.has(key)) known.set(key, look(utterance, sentence));
      return known.get(key);
    },
  };
}

/** A question is known by its mark or, without any mark, by its first words behind a lead-in. */
function isAsked(sentence: readonly Token[], cues: Cues): boolean {
  const last = sentence.at(-1)?.word;
  if (last === '?' || sentence.some(({ word }) => word === '¿')) return true;
  if (last === '.' || last === '!') return false;
  const words = sentence.filter(({ kind }) => kind === 'word');
  let index = 0;
  for (let skipped = 0; skipped < MAX_LEAD_INS; skipped += 1) {
    if (cues.openers.lengthAt(words, index) > 0) return true;
    const length = cues.leadIns.lengthAt(words, index);
    if (length === 0) return false;
    index += length;
  }
  return cues.openers.lengthAt(words, index) > 0;
}

function readAnswer(sentence: readonly Token[], cues: Cues, namesFinding: boolean): Answer {
  const tokens = sentence.slice(0, ANSWER_TOKENS);
  const start = startOf(tokens, cues);
  const no = cues.no.lengthAt(tokens, start);
  if (no > 0) {
    if (cues.notSure.lengthAt(tokens, start + no) > 0) return undefined;
    // `No numbness` denies what it names; `No` and `No, nothing` deny all that was asked.
    return namesFinding && !isWhole(tokens, start + no, cues) ? undefined : 'no';
  }
  if (cues.stopped.lengthAt(tokens, start) > 0) return 'no';
  const yes = cues.yes.lengthAt(tokens, start);
  // `Isso não teve`, `eso no`
  if (yes > 0 && cues.before.lengthAt(tokens, start + yes) > 0) return namesFinding ? undefined : 'no';
  if (yes > 0) return 'yes';
  return namesFinding ? undefined : deniedLater(tokens, start, cues);
}

function startOf(tokens: readonly Token[], cues: Cues): number {
  let index = 0;
  for (;;) {
    const length = tokens[index]?.kind === 'mark' ? 1 : cues.fillers.lengthAt(tokens, index);
    if (length === 0) return index;
    index += length;
  }
}

/** The denial is alone, or goes on with a mark or with `nothing` and the like. */
function isWhole(tokens: readonly Token[], index: number, cues: Cues): boolean {
  const next = tokens[index];
  return next === undefined || next.kind === 'mark' || cues.allOfThem.lengthAt(tokens, index) > 0;
}

/** Reads `I really don't` and `De eso no`. */
function deniedLater(tokens: readonly Token[], start: number, cues: Cues): Answer {
  let words = 0;
  for (let index = start; index < tokens.length && words < DENIAL_REACH; index += 1) {
    if (tokens[index]?.kind === 'mark') continue;
    if (cues.before.lengthAt(tokens, index) > 0 && cues.unsure.lengthAt(tokens, index + 1) === 0) return 'no';
    words += 1;
  }
  return undefined;
}
