// Finds the answer to each question: `Any chest pain?` - `No.` The answer is in a later utterance, or in the same one if the recogniser
// did not separate the speakers.

import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Utterance } from '../../recording/transcript.ts';

export type Answer = 'yes' | 'no' | undefined;
export type Answers = {
  readonly isQuestion: (utterance: number, sentence: number) => boolean;
  /** The answer to the question in this sentence of this utterance. */
  readonly answerTo: (utterance: number, sentence: number) => Answer;
};

type Spoken = { readonly utterances: readonly Pick<Utterance, 'speaker'>[] };

const setOf = (words: string, separator = ' '): ReadonlySet<string> => new Set(words.split(separator));

const FILLERS = setOf(
  'uh um well oh ah eh hmm mm so pues bueno bem olha entonces entao doctor doutor doutora doctora sir maam senor senhor',
);
const NO = setOf(
  'no nope nah none never not nothing negative nada ninguno ninguna ningun nunca tampoco negativo nao nenhum nenhuma jamais',
);
const YES = setOf(
  'yes yeah yep yup sure correct sometimes some sí claro sim tenho tengo sinto siento correcto exacto isso',
);
const YES_BY_TWO = setOf(
  'i do|i have|a little|a bit|un poco|um pouco|a veces|as vezes|uh huh|mm hmm|of course|por supuesto',
  '|',
);
const NOT_SURE = setOf('sure know se sei certain seguro segura');
const DENIALS = setOf('dont doesnt didnt havent hasnt isnt arent not never nao no');
const DENIAL_REACH = 4;
const OPENERS = setOf(
  'any|do you|did you|have you|has she|has he|are you|is there|were you|how about|what about|does it|ha tenido|tiene|tienes|siente|alguna|algun|ha notado|tem|teve|sente|alguma|algum|voce tem',
  '|',
);
/** An answer is searched in this many later utterances. */
const ANSWER_REACH = 3;
/** A row of this many questions gets one answer. */
const MAX_QUESTIONS = 8;

export function makeAnswers({ utterances }: Spoken, tokensOf: readonly (readonly Token[])[]): Answers {
  const known = new Map<string, Answer>();
  const cut = new Map<number, ReadonlyMap<number, readonly Token[]>>();
  const sentenceOf = (utterance: number, sentence: number): readonly Token[] => {
    const sentences = cut.get(utterance) ?? Map.groupBy(tokensOf[utterance] ?? [], (token) => token.sentence);
    cut.set(utterance, sentences);
    return sentences.get(sentence) ?? [];
  };

  const isQuestion = (utterance: number, sentence: number) => isAsked(sentenceOf(utterance, sentence));

  const look = (utterance: number, sentence: number): Answer => {
    const last = Math.min(tokensOf[utterance]?.at(-1)?.sentence ?? 0, sentence + MAX_QUESTIONS);
    for (let next = sentence + 1; next <= last; next += 1) {
      const words = sentenceOf(utterance, next);
      if (!isAsked(words)) return readAnswer(words);
    }
    for (let later = utterance + 1; later <= utterance + ANSWER_REACH && later < utterances.length; later += 1) {
      const words = sentenceOf(later, 0);
      const answer = readAnswer(words);
      if (answer && !isAsked(words)) return answer;
      if (utterances[later]?.speaker !== utterances[utterance]?.speaker && !isAsked(words)) return undefined;
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

/** A question is known by its mark or, without any mark, by its first words. */
function isAsked(sentence: readonly Token[]): boolean {
  const last = sentence.at(-1)?.word;
  if (last === '?' || sentence[0]?.word === '¿') return true;
  if (last === '.' || last === '!') return false;
  const [one = '', two = ''] = sentence
    .slice(0, 4)
    .filter(({ kind }) => kind === 'word')
    .map(({ word }) => word);
  return OPENERS.has(one) || OPENERS.has(`${one} ${two}`);
}

function readAnswer(sentence: readonly Token[]): Answer {
  const words = sentence
    .slice(0, 16)
    .filter(({ kind }) => kind === 'word')
    .slice(0, 8);
  const start = words.findIndex(({ word }) => !FILLERS.has(word));
  const [one = '', two = ''] = words.slice(Math.max(0, start)).map(({ word }) => word);
  if (NO.has(one)) return NOT_SURE.has(two) ? undefined : 'no';
  if (YES.has(one) || YES_BY_TWO.has(`${one} ${two}`)) return 'yes';
  const denial = words.findIndex(({ word }) => DENIALS.has(word));
  if (denial < 0 || denial >= DENIAL_REACH || NOT_SURE.has(words[denial + 1]?.word ?? '')) return undefined;
  return 'no';
}
