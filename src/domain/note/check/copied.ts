// Statements that are the words of the talk itself: a sentence that was said whole is supported, whatever a reader makes of its words. Quotation
// marks and the name of the speaker before them are the writer's. An answer is copied only behind its own question.
import { cuesOf } from '../../../clinical-text/cues/cues.ts';
import { readTokens, type Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';
import { claimsByStatement } from './claims-by-statement.ts';
import { append } from './spoken-measures.ts';

/** Words of a spoken sentence that a writer may leave out: hesitations and openers. */
const MOST_LEFT_OUT = 6;
/** Utterances between a question and its answer: the answer is in the same one or in the next. */
const ANSWER_REACH = 1;
const LABEL = /[^“”:?.!\n]{1,40}:\s*(?=“)/gu;
const SIDES = /^(?:left|right|izquierd|derech|esquerd|direit|bilat)/;

/** Sentences that share the rarest word of a written one: who says the same words without end is not searched to the end. */
const MOST_TRIES = 50;

type Sentence = { readonly words: readonly Token[]; readonly isQuestion: boolean };
type SpokenSentence = Sentence & {
  readonly utterance: number;
  /** Its place among the sentences of its utterance. */
  readonly place: number;
  /** The index of its first token in the utterance. */
  readonly first: number;
  readonly tokens: readonly Token[];
};
type SpokenSentences = { readonly byWord: ReadonlyMap<string, readonly SpokenSentence[]> };

/** Claims of copied statements are supported where they were said. What the chart says otherwise stays a conflict. */
export function supportCopied(claims: readonly ClaimWithVerdict[], work: CheckWork): readonly ClaimWithVerdict[] {
  const places = new Map<ClaimWithVerdict, number>();
  const find = makeFindCopy(work);
  for (const [index, own] of claimsByStatement(work.statements, claims).entries()) {
    const doubted = own.filter(({ verdict }) => verdict !== 'supported' && verdict !== 'conflict');
    if (doubted.length === 0) continue;
    const utterance = utteranceOfCopy(index, work, find);
    if (utterance !== undefined) for (const claim of doubted) places.set(claim, utterance);
  }
  return claims.map((claim) => {
    const utterance = places.get(claim);
    if (utterance === undefined) return claim;
    const { startSeconds = 0 } = work.transcript.utterances[utterance] ?? {};
    return { ...claim, verdict: 'supported' as const, said: { utterance, startSeconds } };
  });
}

/** The first utterance that the statement repeats; undefined if it has words of its own. */
function utteranceOfCopy(index: number, work: CheckWork, find: FindCopy): number | undefined {
  const { section, from = 0, to = 0, cites = [] } = work.statements[index] ?? {};
  const text = work.texts.find(({ name }) => name === section)?.text.slice(from, to) ?? '';
  const written = text
    .replace(LABEL, '')
    .split(/[“”\n]/u)
    .flatMap((piece) => sentencesOf(readTokens(piece)));
  const inOrder = cites.toSorted((a, b) => a - b);
  const matched: SpokenSentence[] = [];
  for (const [place, sentence] of written.entries()) {
    const isAnswer = written[place - 1]?.isQuestion === true && !sentence.isQuestion;
    const found = find({ sentence, cites: inOrder, after: matched.at(-1), isAnswer });
    if (found === undefined) return undefined;
    matched.push(found);
  }
  return matched[0]?.utterance;
}

type FindCopy = (wanted: {
  readonly sentence: Sentence;
  readonly cites: readonly number[];
  readonly after: SpokenSentence | undefined;
  /** It has to be near the one before it. */
  readonly isAnswer: boolean;
}) => SpokenSentence | undefined;

function makeFindCopy({ spoken }: CheckWork): FindCopy {
  const { language, readings } = spoken;
  const read = new Map<number, SpokenSentences>();
  const sentencesIn = (utterance: number): SpokenSentences => {
    const known = read.get(utterance) ?? readUtterance(readings[utterance]?.tokens ?? [], utterance);
    read.set(utterance, known);
    return known;
  };
  return ({ sentence, cites, after, isAnswer }) => {
    if (language === undefined) return undefined;
    for (const utterance of cites) {
      if (after !== undefined && utterance < after.utterance) continue;
      if (isAnswer && after !== undefined && utterance - after.utterance > ANSWER_REACH) return undefined;
      const isLater = ({ place }: SpokenSentence) => utterance !== after?.utterance || place > after.place;
      const candidates = rarest(sentence, sentencesIn(utterance)).filter(isLater).slice(0, MOST_TRIES);
      const found = candidates.find((one) => isCopy(sentence, one, language));
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

function readUtterance(tokens: readonly Token[], utterance: number): SpokenSentences {
  const byWord = new Map<string, SpokenSentence[]>();
  let first = 0;
  for (const [place, sentence] of sentencesOf(tokens).entries()) {
    while (tokens[first] !== sentence.words[0]) first += 1;
    const said = { ...sentence, utterance, place, first, tokens };
    for (const word of new Set(sentence.words.map((token) => token.word))) append(byWord, word, said);
  }
  return { byWord };
}

/** The spoken sentences that may be a copy: each of its words is in them. */
function rarest({ words }: Sentence, { byWord }: SpokenSentences): readonly SpokenSentence[] {
  const lists = words.map(({ word }) => byWord.get(word) ?? []);
  return lists.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function sentencesOf(tokens: readonly Token[]): readonly Sentence[] {
  return [...Map.groupBy(tokens, ({ sentence }) => sentence).values()].flatMap((own) => {
    const words = own.filter(({ kind }) => kind !== 'mark');
    return words.length === 0 ? [] : [{ words, isQuestion: own.at(-1)?.word === '?' }];
  });
}

/** All words of both in one order; only words that say neither no, how much nor which side may be left out of what was said. */
function isCopy(written: Sentence, said: SpokenSentence, language: Language): boolean {
  if (written.isQuestion !== said.isQuestion || written.words.length > said.words.length) return false;
  const cues = cuesOf(language);
  let [at, leftOut] = [0, 0];
  for (const word of said.words) {
    if (written.words[at]?.word === word.word) {
      at += 1;
      continue;
    }
    leftOut += 1;
    const isTelling = word.kind === 'number' || SIDES.test(word.word);
    const index = said.tokens.indexOf(word, said.first);
    if (leftOut > MOST_LEFT_OUT || isTelling || cues.ofDenial.lengthAt(said.tokens, index) > 0) return false;
  }
  return at === written.words.length;
}
