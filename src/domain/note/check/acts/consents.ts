// What a note says that a person agreed to or refused, if no table lists it: its words are searched in what was asked and answered.
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import type { SpokenFacts } from '../spoken-facts.ts';
import { CONSENT_WORDS } from './consent-words.ts';
import type { ActJudgement } from './judge-act.ts';
import { statusAt } from './read-acts.ts';
import { readReply } from './spoken-acts.ts';
import { statusWordsOf } from './status-words.ts';

export type Consent = {
  readonly isRefused: boolean;
  /** The beginning of the word for what it is about. */
  readonly matter: string;
  readonly first: number;
  readonly end: number;
};

/** From the verb to the end of what it is about. */
const MATTER_REACH = 8;
const SHORTEST_MATTER = 5;
/** Letters that forms of one word share. */
const LETTERS = 6;
const ANSWER_REACH = 2;
const SHORT_FORMS: ReadonlyMap<string, string> = new Map([
  ['abx', 'antibi'],
  ['atb', 'antibi'],
  ['antibioterapia', 'antibi'],
  ['antibioticoterapia', 'antibi'],
]);
const EMPTY =
  /^(?:patient|paciente|procedure|procedimiento|procedimento|treatment|tratamiento|tratamento|after|discussion|further|verbal\w*|other|otra|outra|momento|today|ahora|agora|having|being|hacer|fazer)$/;

export function readConsents(tokens: readonly Token[], language: Language): readonly Consent[] {
  const { agrees, refuses, ends } = CONSENT_WORDS[language];
  return tokens.flatMap((token, first): readonly Consent[] => {
    const refused = refuses.lengthAt(tokens, first);
    const agreed = agrees.lengthAt(tokens, first);
    const length = Math.max(refused, agreed);
    if (length === 0 || isTurned(tokens, first, language)) return [];
    let end = first + length;
    const matters: string[] = [];
    for (; end < first + length + MATTER_REACH; end += 1) {
      const next = tokens[end];
      if (next?.sentence !== token.sentence || /^[,:()]$/.test(next.word) || ends.lengthAt(tokens, end) > 0) break;
      const matter = matterOf(next);
      if (matter !== undefined) matters.push(matter);
    }
    const [matter] = matters;
    return matter === undefined ? [] : [{ isRefused: refused > 0, matter, first, end }];
  });
}

/** `No acepta` is a phrase of its own, whose second word agrees. */
function isTurned(tokens: readonly Token[], first: number, language: Language): boolean {
  const { refuses } = CONSENT_WORDS[language];
  return [1, 2].some((back) => refuses.lengthAt(tokens, first - back) > back);
}

function matterOf({ kind, word }: Token): string | undefined {
  if (kind !== 'word' || EMPTY.test(word)) return undefined;
  return SHORT_FORMS.get(word) ?? (word.length < SHORTEST_MATTER ? undefined : word.slice(0, LETTERS));
}

type Talk = Pick<SpokenFacts, 'readings' | 'speakers'>;

/** Undefined if nothing can be said: other words may have been used, or no clear answer was given. */
export function judgeConsent({ isRefused, matter }: Consent, talk: Talk, language: Language): ActJudgement | undefined {
  const found = talk.readings.flatMap(({ tokens }, utterance) => {
    const place = tokens.findIndex(({ word }) => word.startsWith(matter));
    return place < 0 ? [] : [{ utterance, isAssent: assentTo(talk, utterance, place, language) }];
  });
  const [fitting] = found.filter(({ isAssent }) => isAssent === !isRefused);
  if (fitting !== undefined) return { verdict: 'supported', utterance: fitting.utterance };
  const [other] = found.filter(({ isAssent }) => isAssent === isRefused);
  return other === undefined ? undefined : { verdict: 'contradicted', utterance: other.utterance };
}

function assentTo(
  { readings, speakers }: Talk,
  utterance: number,
  place: number,
  language: Language,
): boolean | undefined {
  const tokens = readings[utterance]?.tokens ?? [];
  if (statusAt(tokens, { first: place, end: place + 1 }, language) === 'denied') return false;
  if (!tokens.some(({ word }) => word === '?')) return undefined;
  for (let next = utterance + 1; next <= utterance + ANSWER_REACH; next += 1) {
    const answer = readings[next]?.tokens ?? [];
    if (answer.length === 0 || speakers[next] === speakers[utterance]) continue;
    return readReply(answer, statusWordsOf(language), language);
  }
  return undefined;
}
