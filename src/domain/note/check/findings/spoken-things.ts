// What the talk says of the things that a note states: each mention with its owner, and how it is meant.
import { type Cues, cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { CheckWork } from '../check-work.ts';
import { memberAt } from '../relatives.ts';
import type { TextFacts } from '../text-facts.ts';
import { findHistories, HABIT_IDS } from './history-words.ts';
import { isHe, isOwning, type Owner, ownerAt, PATIENT, relativesIn } from './owners.ts';
import { ANY_PAIN, nameOf } from './thing-keys.ts';
import { spanAt } from './token-spans.ts';

/**
 * `asked`: a question without a clear answer. `supposed`: advised, feared, considered. `stopped`: a habit that was given up.
 */
export type Meaning = 'affirmed' | 'denied' | 'asked' | 'supposed' | 'stopped';

export type SpokenThing = { readonly utterance: number; readonly owner: Owner; readonly meaning: Meaning };

export type SpokenThings = {
  readonly ofId: (key: string) => readonly SpokenThing[];
  /** The first utterance that has all these words, with the one after it. */
  readonly withWords: (stems: readonly string[]) => number | undefined;
  readonly members: ReadonlySet<string>;
};

type Place = { readonly key: string; readonly utterance: number; readonly first: number; readonly end: number };

const SUPPOSED_REACH = 12;
const ANSWER_REACH = 2;
const STOPPED =
  /^(?:quit|stopped|gave|given|deje|dejo|dejado|dejaste|parei|parou|larguei|largou|deixei|deixou|abandon(?:e|o|ei|ou))$/;
const NO_LONGER = /\b(?:any ?more|no longer|used to|ya no|ja nao|nao mais|antes (?:sí|sim))\b/;
/** `No, just at weddings.` */
const HEDGE =
  /^(?:only|just|except|sometimes|hardly|rarely|occasional|occasionally|weekend|weekends|solo|casi|apenas|rara|raramente|salvo|so|somente|quase|vez|vezes|veces)$/;
/** Beside the cues of conditions. */
const MAYBE = /^(?:maybe|perhaps|would|talvez|quiza|quizas|seria|podria|poderia)$/;
const SAME_START = 5;

/** Of the whole talk only what these keys name is read. */
export function readSpokenThings(work: CheckWork, keys: ReadonlySet<string>): SpokenThings {
  const { spoken } = work;
  const places = [...listed(work), ...fromLexicon(work, keys)].filter(({ key }) => keys.has(key));
  const isRelative = findRelativeSpeakers(work);
  const things = places.flatMap((place) => toThings(work, place, isRelative));
  const byKey = Map.groupBy(things, ({ key }) => key);
  const cues = cuesOf(spoken.language);
  let words: ReadonlyMap<string, ReadonlySet<number>> | undefined;
  return {
    ofId: (key) => byKey.get(key) ?? [],
    withWords: (stems) => {
      words ??= collectStems(spoken.readings);
      return findTogether(stems, words);
    },
    members: new Set(
      spoken.readings.flatMap(({ tokens }) => tokens.flatMap((_, index) => memberAt(tokens, index, cues) ?? [])),
    ),
  };
}

const THIRD = /^(?:she|he|shes|hes|her|his|him|ella|ela|ele|dela|dele)$/;

/** Of `she` and `I` together. */
const LEAST_SHARE = 1 / 3;

/** Of several people beside the one who asks most, the one who speaks clearly most of `she` and `he` is no patient. */
function findRelativeSpeakers({ spoken }: CheckWork): (utterance: number) => boolean {
  const { readings, speakers, language } = spoken;
  const cues = cuesOf(language);
  const counts = new Map<number, { questions: number; third: number; own: number }>();
  readings.forEach(({ tokens }, utterance) => {
    const count = counts.get(speakers[utterance] ?? 0) ?? { questions: 0, third: 0, own: 0 };
    counts.set(speakers[utterance] ?? 0, count);
    tokens.forEach((token, index) => {
      if (token.word === '?') count.questions += 1;
      if (THIRD.test(token.word) || isHe(token)) count.third += 1;
      if (cues.self.lengthAt(tokens, index) > 0) count.own += 1;
    });
  });
  const [, ...others] = [...counts].toSorted(([, a], [, b]) => b.questions - a.questions);
  if (others.length < 2) return () => false;
  const shareOf = ({ third, own }: { third: number; own: number }) => third / Math.max(1, third + own);
  const [most, next] = others.toSorted(([, a], [, b]) => shareOf(b) - shareOf(a));
  if (most === undefined || shareOf(most[1]) < LEAST_SHARE) return () => false;
  if (next !== undefined && shareOf(next[1]) >= shareOf(most[1])) return () => false;
  return (utterance) => speakers[utterance] === most[0];
}

function listed({ spoken }: CheckWork): readonly Place[] {
  const { language, readings } = spoken;
  if (language === undefined) return [];
  return readings.flatMap(({ tokens, findings }, utterance) => [
    ...findings.map(({ id, first, end }) => ({ key: `list:${id}`, utterance, first, end })),
    ...findings
      .filter(({ id }) => id.startsWith('pain'))
      .map(({ first, end }) => ({ key: ANY_PAIN, utterance, first, end })),
    ...findHistories(tokens, language).map(({ id, first, end }) => ({ key: `history:${id}`, utterance, first, end })),
  ]);
}

function fromLexicon({ spoken, transcript, lexicon }: CheckWork, keys: ReadonlySet<string>): readonly Place[] {
  const { language, readings } = spoken;
  if (lexicon === undefined || language === undefined) return [];
  return readings.flatMap(({ tokens }, utterance) =>
    lexicon
      .mentionsIn(transcript.utterances[utterance]?.text ?? '', language)
      .map(({ id, kind, from, to }) => ({ key: `lexicon:${id}`, id, kind, from, to }))
      .filter(({ key, id, kind }) => keys.has(key) && (kind !== 'circumstance' || HABIT_IDS.has(id)))
      .map(({ key, from, to }) => ({ key, utterance, ...spanAt(tokens, from, to) })),
  );
}

function toThings(
  work: CheckWork,
  place: Place,
  isRelative: (utterance: number) => boolean,
): readonly (SpokenThing & { readonly key: string })[] {
  const { readings, language } = work.spoken;
  const { key, utterance, first, end } = place;
  const reading = readings[utterance];
  if (reading === undefined) return [];
  const { tokens } = reading;
  const cues = cuesOf(language);
  const owner = asPatient(ownerAt({ tokens, first, end }, cues, isRelative(utterance)), work);
  const meaning = meaningOf(work, reading, place);
  const own = { key, utterance, owner, meaning };
  return isQuestion(tokens, first) ? [own, ...answeringRelatives(work, place)] : [own];
}

function asPatient(owner: Owner, { spoken }: CheckWork): Owner {
  return spoken.subjects.has(owner) ? PATIENT : owner;
}

function meaningOf(work: CheckWork, reading: TextFacts, { key, utterance, first, end }: Place): Meaning {
  const { spoken } = work;
  const { tokens, polarity } = reading;
  const [isInDenial = false] = polarity.findDenied([{ first, end }]);
  const isDenied = isInDenial && !hasDenial(tokens, first, end, cuesOf(spoken.language));
  const read = spoken.polarityAt(utterance, first, isDenied);
  if (
    isHabit(key) &&
    (isStopped(reading, key, tokens[first]?.sentence ?? 0) ||
      (isQuestion(tokens, first) && isAnswerStopped(spoken, utterance, key)))
  )
    return 'stopped';
  // What is gone was there, and a note may tell of both times.
  if (read === 'denied' && isNoLonger(tokens, first)) return 'asked';
  if (read === 'denied') return isDenied || isBareAnswer(work, utterance, key) ? 'denied' : 'asked';
  if (isQuestion(tokens, first)) return read === 'affirmed' ? 'affirmed' : 'asked';
  return isSupposed(tokens, first, spoken.language) ? 'supposed' : 'affirmed';
}

/** `No duerme y no come`: what is named by a denial is not denied by the one before. */
function hasDenial(tokens: readonly Token[], first: number, end: number, cues: Cues): boolean {
  return tokens.slice(first, end).some((_, ahead) => cues.before.lengthAt(tokens, first + ahead) > 0);
}

function isNoLonger(tokens: readonly Token[], first: number): boolean {
  const sentence = tokens[first]?.sentence;
  const own = tokens.filter((token) => token.sentence === sentence);
  return NO_LONGER.test(own.map(({ word }) => word).join(' '));
}

function isSupposed(tokens: readonly Token[], first: number, language: TextFacts['language']): boolean {
  const cues = cuesOf(language);
  const sentence = tokens[first]?.sentence;
  for (let index = first - 1; index >= Math.max(0, first - SUPPOSED_REACH); index -= 1) {
    if (tokens[index]?.sentence !== sentence) return false;
    if (cues.supposed.lengthAt(tokens, index) > 0 || MAYBE.test(tokens[index]?.word ?? '')) return true;
  }
  return false;
}

function isHabit(key: string): boolean {
  return HABIT_IDS.has(nameOf(key));
}

/** A sentence that says so of another habit does not count: `Four cans a night. I used to smoke.` */
function isStopped({ tokens, language }: TextFacts, key: string, last: number): boolean {
  const sentences = Map.groupBy(tokens, ({ sentence }) => sentence);
  return [...sentences].some(([sentence, own]) => {
    // `Ten a day. I used to smoke twenty.`
    if (sentence > last) return false;
    const isSaid = own.some(({ word }) => STOPPED.test(word)) || NO_LONGER.test(own.map(({ word }) => word).join(' '));
    if (!isSaid || language === undefined) return isSaid;
    const habits = findHistories(own, language).filter(({ id }) => HABIT_IDS.has(id));
    return habits.length === 0 || habits.some(({ id }) => id === nameOf(key));
  });
}

/** `No, that's all fine.` A person who says more may take it back: `No. A bit sore when I cough.` */
function isBareAnswer({ spoken }: CheckWork, utterance: number, key: string): boolean {
  const answer = spoken.readings[utterance + 1];
  if (answer === undefined || spoken.speakers[utterance + 1] === spoken.speakers[utterance]) return true;
  const { tokens, findings } = answer;
  const cues = cuesOf(spoken.language);
  // `Light, noise?` - `I can't stand either.`
  if (!key.startsWith('history:') && !isHabit(key) && !beginsWithNo(tokens, cues)) return false;
  const isToldOn = tokens.some(
    ({ sentence }, index) =>
      sentence > 0 && cues.self.lengthAt(tokens, index) > 0 && relativeIn(tokens, sentence, cues) === undefined,
  );
  if (isToldOn || tokens.some(({ word }) => HEDGE.test(word))) return false;
  return findings.every(
    ({ first, end, isDenied }) => isDenied || ownerAt({ tokens, first, end }, cues, false) !== PATIENT,
  );
}

function beginsWithNo(tokens: readonly Token[], cues: Cues): boolean {
  let index = 0;
  for (;;) {
    const length = tokens[index]?.kind === 'mark' ? 1 : cues.fillers.lengthAt(tokens, index);
    if (length === 0) return cues.no.lengthAt(tokens, index) > 0;
    index += length;
  }
}

function relativeIn(tokens: readonly Token[], sentence: number, cues: Cues) {
  return relativesIn(tokens, cues).find(({ at }) => tokens[at]?.sentence === sentence);
}

/** `Do you smoke?` - `I gave up in 2015.` */
function isAnswerStopped(
  { readings, speakers, language }: CheckWork['spoken'],
  utterance: number,
  key: string,
): boolean {
  const answer = readings[utterance + 1];
  if (speakers[utterance + 1] === speakers[utterance] || answer === undefined) return false;
  const isNo = beginsWithNo(answer.tokens, cuesOf(language));
  return isStopped(answer, key, isNo ? Number.POSITIVE_INFINITY : 0);
}

function isQuestion(tokens: readonly Token[], first: number): boolean {
  const sentence = tokens[first]?.sentence;
  return tokens.some((token) => token.sentence === sentence && (token.word === '?' || token.word === '¿'));
}

/** `Is there diabetes in the family?` - `My mother, and two of my brothers.` */
function answeringRelatives(
  work: CheckWork,
  { key, utterance, first }: Place,
): readonly (SpokenThing & { readonly key: string })[] {
  const { readings, speakers, language } = work.spoken;
  const cues = cuesOf(language);
  const asked = readings[utterance]?.tokens[first]?.sentence ?? 0;
  for (let next = utterance; next <= utterance + ANSWER_REACH; next += 1) {
    const reading = readings[next];
    if (reading === undefined) return [];
    const { tokens, polarity } = reading;
    const relatives = relativesIn(tokens, cues).filter(({ at }) => {
      const sentence = tokens[at]?.sentence ?? 0;
      // `Is it cancer? My wife had it.`
      return next > utterance ? !namesOther(reading, sentence, key) : sentence > asked && isOwning(tokens, at);
    });
    const found = relatives.map(({ at, member }) => {
      const [isDenied = false] = polarity.findDenied([{ first: at, end: at + 1 }]);
      const isWell = isDenied || isFine(tokens, at, cues);
      return { key, utterance: next, owner: member, meaning: isWell ? ('denied' as const) : ('affirmed' as const) };
    });
    if (found.length > 0 || (next > utterance && speakers[next] !== speakers[utterance])) return found;
  }
  return [];
}

/** `My father died of a stroke` does not answer whether he had diabetes. */
function namesOther({ tokens, findings, language }: TextFacts, sentence: number, key: string): boolean {
  const histories = language === undefined ? [] : findHistories(tokens, language);
  const named = [...findings, ...histories].filter(({ first }) => tokens[first]?.sentence === sentence);
  return named.length > 0 && named.every(({ id }) => !key.endsWith(`:${id}`));
}

function isFine(tokens: readonly Token[], index: number, cues: Cues): boolean {
  return [1, 2, 3].some(
    (ahead) =>
      tokens[index + ahead]?.sentence === tokens[index]?.sentence && cues.healthy.lengthAt(tokens, index + ahead) > 0,
  );
}

function collectStems(readings: readonly TextFacts[]): ReadonlyMap<string, ReadonlySet<number>> {
  const words = new Map<string, Set<number>>();
  readings.forEach(({ tokens }, utterance) => {
    for (const { stem, kind } of tokens) {
      if (kind !== 'word') continue;
      for (const key of keysOf(stem)) words.set(key, (words.get(key) ?? new Set()).add(utterance));
    }
  });
  return words;
}

/** Words of one family begin alike: `vomiting`, `vomited`. */
function keysOf(stem: string): readonly string[] {
  return stem.length > SAME_START ? [stem, `${stem.slice(0, SAME_START)}*`] : [stem];
}

function findTogether(stems: readonly string[], words: ReadonlyMap<string, ReadonlySet<number>>): number | undefined {
  const places = stems.map((stem) => new Set(keysOf(stem).flatMap((key) => [...(words.get(key) ?? [])])));
  const [rarest = new Set<number>(), ...others] = places.toSorted((a, b) => a.size - b.size);
  if (places.length === 0) return undefined;
  const isNear = (place: ReadonlySet<number>, at: number) => [-1, 0, 1].some((offset) => place.has(at + offset));
  return [...rarest].find((at) => others.every((place) => isNear(place, at)));
}
