// The acts of a talk, with what was answered: a proposal and the assent to it, a question and its answer, and whose act it is.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { PhraseSet } from '../../../../clinical-text/cues/phrase-set.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import { type Answers, makeAnswers } from '../answers.ts';
import { memberAt } from '../relatives.ts';
import type { SpokenFacts } from '../spoken-facts.ts';
import type { ActKind } from './act-tables.ts';
import { type Act, type ActStatus, readActs } from './read-acts.ts';
import { type StatusWords, statusWordsOf } from './status-words.ts';

export type SpokenAct = Omit<Act, 'status'> & {
  readonly utterance: number;
  /** `asked`: without a clear answer. */
  readonly status: ActStatus | 'asked';
  /** The utterance of another person that agrees or refuses. */
  readonly answer?: { readonly utterance: number; readonly isAssent: boolean };
  /** It is said of another person than the patient. */
  readonly isOfOther: boolean;
};

export type SpokenActs = {
  readonly acts: readonly SpokenAct[];
  readonly byKind: ReadonlyMap<ActKind, readonly SpokenAct[]>;
  /** Utterances that refuse something, whatever it is. */
  readonly refusals: ReadonlySet<number>;
};

type Talk = Pick<SpokenFacts, 'readings' | 'speakers'>;

/** Utterances behind a proposal in which its answer is searched. */
const ANSWER_REACH = 2;
/** Words of an answer before the assent: `Well, if you have to.` */
const ASSENT_REACH = 10;
/** Tokens of a short last sentence. */
const LAST_SENTENCE = 7;
const CHILDREN = new Set(['son', 'daughter', 'child']);
/** Others who are brought to a visit. */
const MAY_BE_PATIENT = new Set(['mother', 'father', 'grandmother', 'grandfather', 'spouse', 'aunt', 'uncle']);

export function readSpokenActs(talk: Talk, language: Language | undefined): SpokenActs {
  if (language === undefined) return { acts: [], byKind: new Map(), refusals: new Set() };
  const isOneVoice = new Set(talk.speakers).size < 2;
  const text = {
    ...talk,
    isOneVoice,
    clinician: clinicianOf(talk),
    language,
    words: statusWordsOf(language),
    answers: makeAnswersOf(talk, language),
  };
  const known = patientNames(talk, language);
  const acts = talk.readings.flatMap((reading, utterance) => {
    const found = readActs(reading, language);
    if (found.length === 0) return [];
    const reply = replyTo(text, utterance);
    return found.map((act): SpokenAct => {
      const { status, answer } = statusIn(text, utterance, act, reply);
      const isOfOther = isOther(text, utterance, act, known);
      return { ...act, utterance, status, ...(answer && { answer }), isOfOther };
    });
  });
  return { acts, byKind: Map.groupBy(acts, ({ kind }) => kind), refusals: refusalsIn(text) };
}

function refusalsIn({ readings, words }: Text): ReadonlySet<number> {
  const refuses = ({ tokens }: Talk['readings'][number]) => tokens.some((_, at) => has(words.unwanted, tokens, at));
  return new Set(readings.flatMap((reading, utterance) => (refuses(reading) ? [utterance] : [])));
}

type Text = Talk & {
  readonly isOneVoice: boolean;
  readonly clinician: number | undefined;
  readonly language: Language;
  readonly words: StatusWords;
  readonly answers: Answers;
};
type Reply = NonNullable<SpokenAct['answer']> | undefined;

function makeAnswersOf({ readings, speakers }: Talk, language: Language): Answers {
  return makeAnswers(
    { utterances: speakers.map((speaker) => ({ speaker })), language },
    readings.map(({ tokens }) => tokens),
  );
}

function statusIn(
  text: Text,
  utterance: number,
  act: Act,
  reply: Reply,
): { readonly status: SpokenAct['status']; readonly answer?: SpokenAct['answer'] } {
  const { answers, readings } = text;
  const sentence = readings[utterance]?.tokens[act.first]?.sentence ?? 0;
  if (answers.isQuestion(utterance, sentence)) {
    if (reply !== undefined) return { status: reply.isAssent ? 'affirmed' : 'denied', answer: reply };
    const wished = WISHED_KINDS.has(act.kind) ? replyBehind(text, utterance, false) : undefined;
    if (wished !== undefined) return { status: wished.isAssent ? 'affirmed' : 'denied', answer: wished };
    const answer = answers.answerTo(utterance, sentence) ?? lastAnswer(text, utterance, act);
    // What a clinician asks for is proposed; what others ask for is not.
    if (answer === undefined) return { status: isProposal(text, utterance, act) ? 'offered' : 'asked' };
    return { status: answer === 'no' ? 'denied' : 'affirmed' };
  }
  if (reply === undefined || act.status === 'denied') return { status: act.status };
  return { status: reply.isAssent ? 'affirmed' : 'denied', answer: reply };
}

/** What another person says to a proposal that this utterance ends with. */
/** Asked without words of a proposal, and answered with more than yes or no. */
const WISHED_KINDS: ReadonlySet<string> = new Set(['resuscitation']);
const PROPOSED_KINDS: ReadonlySet<string> = new Set(['order', 'procedure', 'follow-up', 'disposition']);

function isProposal({ readings, speakers, clinician, words }: Text, utterance: number, { kind }: Act): boolean {
  const isClinician = clinician === undefined || speakers[utterance] === clinician;
  const { tokens = [] } = readings[utterance] ?? {};
  return PROPOSED_KINDS.has(kind) && isClinician && tokens.some((_, at) => has(words.asking, tokens, at));
}

function lastAnswer({ readings, words, language }: Text, utterance: number, { kind }: Act): 'yes' | 'no' | undefined {
  if (PROPOSED_KINDS.has(kind)) return undefined;
  const tokens = readings[utterance + 1]?.tokens ?? [];
  const reply = readEnd(tokens, words);
  // `Then, yes. Now I don't think so.`
  if (reply === false && tokens.some((_, at) => cuesOf(language).affirms.lengthAt(tokens, at) > 0)) return undefined;
  return reply === undefined ? undefined : reply ? 'yes' : 'no';
}

/** Who asks most. Undefined if the voices are not told apart. */
function clinicianOf({ readings, speakers }: Talk): number | undefined {
  const questions = new Map<number, number>();
  readings.forEach(({ tokens }, utterance) => {
    const speaker = speakers[utterance] ?? 0;
    if (tokens.some(({ word }) => word === '?')) questions.set(speaker, (questions.get(speaker) ?? 0) + 1);
  });
  const [most] = [...questions].toSorted(([, a], [, b]) => b - a);
  return new Set(speakers).size < 2 ? undefined : most?.[0];
}

function replyTo(text: Text, utterance: number): Reply {
  const { readings, words, answers } = text;
  const tokens = readings[utterance]?.tokens ?? [];
  const isAsking = tokens.some(
    (token, at) => has(words.asking, tokens, at) && answers.isQuestion(utterance, token.sentence),
  );
  if (!isAsking) return undefined;
  const isInverted = tokens.some((_, at) => has(words.minding, tokens, at));
  return replyBehind(text, utterance, isInverted);
}

function replyBehind(
  { readings, speakers, isOneVoice, words, language }: Text,
  utterance: number,
  isInverted: boolean,
): Reply {
  for (let next = utterance + 1; next <= utterance + ANSWER_REACH; next += 1) {
    const answer = readings[next]?.tokens ?? [];
    if (answer.length === 0 || (speakers[next] === speakers[utterance] && !isOneVoice)) continue;
    const isAssent = readReply(answer, words, language, isInverted);
    return isAssent === undefined ? undefined : { utterance: next, isAssent };
  }
  return undefined;
}

/** The first word that agrees or refuses decides. */
export function readReply(
  tokens: readonly Token[],
  words: Pick<StatusWords, 'agreeing' | 'declining'>,
  language: Language,
  isInverted = false,
): boolean | undefined {
  if (tokens.at(-1)?.word === '?' && tokens.every(({ sentence }) => sentence === 0)) return undefined;
  for (let at = 0; at < Math.min(ASSENT_REACH, tokens.length); at += 1) {
    const declines = words.declining.lengthAt(tokens, at);
    const agrees = words.agreeing.lengthAt(tokens, at);
    if (declines > 0 && declines >= agrees) return isInverted && cuesOf(language).no.lengthAt(tokens, at) === declines;
    if (agrees > 0) return true;
  }
  return readEnd(tokens, words);
}

/** An answer that comes last: `We used condoms. I don't think so.` */
function readEnd(tokens: readonly Token[], words: Pick<StatusWords, 'agreeing' | 'declining'>): boolean | undefined {
  const last = tokens.findLast(({ kind }) => kind !== 'mark')?.sentence ?? 0;
  const start = tokens.findIndex(({ sentence }) => sentence === last);
  if (last === 0 || tokens.at(-1)?.word === '?' || tokens.length - start > LAST_SENTENCE) return undefined;
  const own = tokens.slice(start);
  if (own.some((_, at) => words.declining.lengthAt(own, at) > 0)) return false;
  return own.some((_, at) => words.agreeing.lengthAt(own, at) > 0) ? true : undefined;
}

function has(set: PhraseSet, tokens: readonly Token[], index: number): boolean {
  return set.lengthAt(tokens, index) > 0;
}

const YOUR: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(['your']),
  es: new Set(['su', 'tu', 'sus']),
  pt: new Set(['sua', 'seu', 'tua', 'teu']),
};
const PRONOUNS = /^(?:she|he|shes|hes|her|his|ella|el|ela|ele)$/;

/** Relatives who may be the patient: `How is your mother today?` */
function patientNames({ readings }: Talk, language: Language): ReadonlySet<string> {
  const cues = cuesOf(language);
  const names = new Set<string>(CHILDREN);
  for (const { tokens } of readings) {
    tokens.forEach(({ word }, index) => {
      const member = YOUR[language].has(word) ? memberAt(tokens, index + 1, cues) : undefined;
      if (member !== undefined && MAY_BE_PATIENT.has(member)) names.add(member);
    });
  }
  return names;
}

function isOther(
  { readings, language, answers }: Text,
  utterance: number,
  act: Act,
  patient: ReadonlySet<string>,
): boolean {
  const { tokens = [] } = readings[utterance] ?? {};
  const sentence = tokens[act.first]?.sentence ?? 0;
  if (act.relative !== undefined) return !patient.has(act.relative) && !answers.isQuestion(utterance, sentence);
  // `My girlfriend is allergic. She is pregnant, too.`
  const start = tokens.findIndex((token) => token.sentence === sentence);
  const isGoingOn = tokens.slice(start, start + 2).some(({ word }) => PRONOUNS.test(word));
  if (!isGoingOn || sentence === 0) return false;
  const cues = cuesOf(language);
  return tokens.some((token, index) => {
    if (token.sentence !== sentence - 1) return false;
    const member = memberAt(tokens, index, cues);
    return member !== undefined && !patient.has(member);
  });
}
