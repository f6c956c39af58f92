// Statements that are the words of the talk itself: a sentence that was said whole is supported, whatever a reader makes of its words. Quotation
// marks and the name of the speaker before them are the writer's. An answer is copied only behind its own question.
import { cuesOf } from '../../../clinical-text/cues/cues.ts';
import { readTokens, type Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import type { PlacedStatement } from '../statements.ts';
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';
import { claimsOf } from './misplaced.ts';

/** Words of a spoken sentence that a writer may leave out: hesitations and openers. */
const MOST_LEFT_OUT = 6;
/** Utterances between a question and its answer: the answer is in the same one or in the next. */
const ANSWER_REACH = 1;
const LABEL = /[^“”:?.!\n]{1,40}:\s*(?=“)/gu;
const SIDES = /^(?:left|right|izquierd|derech|esquerd|direit|bilat)/;

type Sentence = { readonly words: readonly Token[]; readonly isQuestion: boolean };
type SpokenSentence = Sentence & { readonly utterance: number; readonly tokens: readonly Token[] };

/** Claims of copied statements are supported where they were said. What the chart says otherwise stays a conflict. */
export function supportCopied(claims: readonly ClaimWithVerdict[], work: CheckWork): readonly ClaimWithVerdict[] {
  const places = new Map<ClaimWithVerdict, number>();
  for (const statement of work.statements) {
    const doubted = claimsOf(statement, claims).filter(
      ({ verdict }) => verdict !== 'supported' && verdict !== 'conflict',
    );
    if (doubted.length === 0) continue;
    const utterance = utteranceOfCopy(statement, work);
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
function utteranceOfCopy({ section, from, to, cites = [] }: PlacedStatement, work: CheckWork): number | undefined {
  const text = work.texts.find(({ name }) => name === section)?.text.slice(from, to) ?? '';
  const written = text
    .replace(LABEL, '')
    .split(/[“”\n]/u)
    .flatMap((piece) => sentencesOf(readTokens(piece)));
  const said = cites.toSorted((a, b) => a - b).flatMap((utterance) => spokenSentences(utterance, work));
  const language = work.spoken.language;
  if (written.length === 0 || language === undefined) return undefined;
  const matched: SpokenSentence[] = [];
  let next = 0;
  for (const [index, sentence] of written.entries()) {
    const asked =
      written[index - 1]?.isQuestion === true && !sentence.isQuestion ? matched.at(-1)?.utterance : undefined;
    const found = said.findIndex((one, place) => {
      const isNear = asked === undefined || (one.utterance >= asked && one.utterance - asked <= ANSWER_REACH);
      return place >= next && isNear && isCopy(sentence, one, language);
    });
    const one = said[found];
    if (one === undefined) return undefined;
    matched.push(one);
    next = found + 1;
  }
  return matched[0]?.utterance;
}

function spokenSentences(utterance: number, { spoken }: CheckWork): readonly SpokenSentence[] {
  const tokens = spoken.readings[utterance]?.tokens ?? [];
  return sentencesOf(tokens).map((sentence) => ({ ...sentence, utterance, tokens }));
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
    if (leftOut > MOST_LEFT_OUT || isTelling || cues.ofDenial.lengthAt(said.tokens, said.tokens.indexOf(word)) > 0)
      return false;
  }
  return at === written.words.length;
}
