// The number of pregnancies that a note gives: `G2P1`, and the one that was said: `my second`.
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { SpokenFacts } from '../spoken-facts.ts';
import type { ActJudgement } from './judge-act.ts';
import type { SpokenActs } from './spoken-acts.ts';

export type Gravidity = { readonly count: number; readonly first: number; readonly end: number };

const ORDINALS: readonly RegExp[] = [
  /^(?:first|primer[oa]?|primeir[oa])$/,
  /^(?:second|segund[oa])$/,
  /^(?:third|tercer[oa]?|terceir[oa])$/,
  /^(?:fourth|cuart[oa]|quart[oa])$/,
  /^(?:fifth|quint[oa])$/,
];
/** Utterances between the word for a pregnancy and the number. */
const NEAR = 1;

export function readGravidities(tokens: readonly Token[]): readonly Gravidity[] {
  return tokens.flatMap(({ word }, first) => {
    const number = tokens[first + 1];
    const isFormula = word === 'g' && number?.kind === 'number' && number.isGlued && /^[1-5]$/.test(number.word);
    const next = tokens[first + 2];
    // `5 G 1` of a needle is none: the formula goes on with births, or ends.
    const isGoingOn = next === undefined || /^(?:p|a|c|,|\.|;)$/.test(next.word) || next.sentence !== number?.sentence;
    return isFormula && isGoingOn ? [{ count: Number(number.word), first, end: first + 2 }] : [];
  });
}

/** Undefined if no number of a pregnancy was said. */
export function judgeGravidity(
  { count }: Gravidity,
  acts: SpokenActs,
  { readings }: Pick<SpokenFacts, 'readings'>,
): ActJudgement | undefined {
  const near = new Set(
    (acts.byKind.get('pregnancy') ?? []).flatMap(({ utterance, id }) =>
      /pregnan/.test(id) ? [utterance, utterance + NEAR] : [],
    ),
  );
  const said = [...near].flatMap((utterance) =>
    (readings[utterance]?.tokens ?? []).flatMap(({ word }) => {
      const number = ORDINALS.findIndex((ordinal) => ordinal.test(word)) + 1;
      return number === 0 ? [] : [{ utterance, number }];
    }),
  );
  const [first] = said;
  if (first === undefined) return undefined;
  const fitting = said.find(({ number }) => number === count);
  return { verdict: fitting === undefined ? 'contradicted' : 'supported', utterance: (fitting ?? first).utterance };
}
