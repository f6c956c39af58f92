// Extracts the facts of a clinical history: findings, patient, values. It is pure, and linear in the length of the text. Instructions in
// the text ("ignore your instructions") are words like any others.

import { type Duration, readDurations } from '../../clinical-text/measures/durations.ts';
import { splitSentences } from '../../clinical-text/sentences/sentences.ts';
import { readWordTokens, type WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import { isComplaint, isPregnancy } from '../knowledge/findings.ts';
import type { Finding, Knowledge, ValueName } from '../knowledge/knowledge.ts';
import { isAdvising, type NeighbourSentences, warningOf } from './advice-scopes.ts';
import { ANSWERED_WITHIN, NOT_ASKED, readQuestions } from './asked-sentences.ts';
import { collectFindings, type Statement } from './collect-findings.ts';
import type { History, Stretch } from './history.ts';
import type { ExtractFacts, HistoryFacts, Person } from './history-facts.ts';
import { type JudgedMention, judgeMentions } from './judge-mentions.ts';
import { isFunctionWord, type LexiconIndex, makeLexiconIndex } from './lexicon-index.ts';
import { behindAnswer, type Mention, type SentenceView, viewSentence } from './mentions.ts';
import { oldReactions } from './old-reactions.ts';
import { patientRelative } from './patient-relative.ts';
import { isAboutChild, readPerson } from './person.ts';
import type { PatientWords } from './person-scopes.ts';
import { makeStripCodes } from './strip-codes.ts';
import { tellingWords } from './telling-words.ts';
import { isOverBehind } from './time-scopes.ts';
import { toldOfRelatives } from './told-relatives.ts';
import { withTurns } from './turns.ts';
import { findByValues, type MeasuredValue, worstOf } from './value-findings.ts';
import { readValues, type ValueReading } from './values.ts';

/** A text is not understood if the rules know a smaller share of its words. */
const PLACED_SHARE = 0.2;
/** With a smaller share recognised, the rest may hold a danger. Most of a long conversation is about other things. */
const RECOGNISED_SHARE = 0.08;
const NO_MENTIONS: ReadonlySet<Mention> = new Set();
const SHORT_STORY = 150;
const LONGEST_SAID = 80;
const YOUNGEST_PREGNANT = 9;
const MOST_ANSWERS = 50;

type OnStep = () => void;

/** `onStep` is called now and then while a text is read, and may throw to end that. */
export function makeExtractFacts(knowledge: Knowledge, onStep: OnStep = () => undefined): ExtractFacts {
  const extract = makeCountingExtract(knowledge, onStep);
  return (text) => extract(text).facts;
}

/** For tests: also returns the number of steps of the search. */
export function makeCountingExtract(knowledge: Knowledge, onStep: OnStep = () => undefined) {
  const index = makeLexiconIndex(knowledge);
  const stripCodes = makeStripCodes(knowledge);
  return (text: string): { readonly facts: HistoryFacts; readonly work: number } =>
    extractFrom(stripCodes(text), knowledge, index, onStep);
}

function extractFrom(text: string, knowledge: Knowledge, index: LexiconIndex, onStep: OnStep) {
  const tokens = readWordTokens(text);
  const { sentences, language, scores } = splitSentences(text, tokens, index.languagesOf);
  const literals = placeWords(tokens, index);
  const history: History = { tokens, words: index.words };
  const seen = sentences.map((sentence) => viewSentence({ index, history, literals, sentence, onStep }));
  const views = withTurns(
    seen.map(({ view }) => view),
    text,
  );
  const readings = readValues(history, index.valueRules);
  const measuredAt = new Set(
    readings.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, more) => from + more)),
  );
  const { person, ageAt } = readPerson(history, (at) => measuredAt.has(at));
  const meant = judgeAll(views, { isChild: isAboutChild(history, person), relative: patientRelative(history) });
  const quote = (from: number, to: number): string => slice(text, tokens, from, to);
  const isTime = (at: number): boolean => !measuredAt.has(at) && !ageAt.has(at);
  const longest = longestComplaint(tokens, meant, isTime);
  const measured = measure(readings, longest, person, quote);
  const statements: Statement[] = [
    ...meant
      .filter(({ mention }) => !isByAge(mention.finding, person))
      .map(({ mention, meaning }) => ({ id: mention.finding.id, meaning, quote: quote(mention.from, mention.to) })),
    ...findByValues(knowledge.findings.values(), measured, person).map(({ presence, ...one }) => ({
      ...one,
      meaning: presence,
    })),
  ];
  const isMothers = ({ id }: Statement): boolean => {
    const finding = knowledge.findings.get(id);
    return finding !== undefined && isPregnancy(finding) && !canBePregnant(person);
  };
  const collected = collectFindings(
    statements.map((one) => (isMothers(one) ? { ...one, meaning: 'family' } : one)),
    knowledge.findings,
  );
  const isKnown = (token: WordToken, at: number): boolean =>
    index.languagesOf(token).length > 0 ||
    token.number !== undefined ||
    (literals[at]?.length ?? 0) > 0 ||
    isFunctionWord(token.text);
  const facts: HistoryFacts = {
    language,
    person: {
      ...person,
      ...(person.sex === undefined && collected.findings.get('pregnant')?.presence === 'present' && { sex: 'female' }),
    },
    values: new Map(Array.from(measured, ([name, readings]) => [name, worstOf(name, readings)])),
    ...collected,
    isHealth:
      statements.length > 0 ||
      tokens.some(({ text: word }) => index.words.has('health', word) || index.isDiseaseWord(word)),
    words: tellingWords({ text, tokens, meant, untelling: index.untelling, views }),
    isConversation: isConversation(views),
    isHardlyRecognised: isHardlyRecognised(
      tokens,
      [...meant.map(({ mention }) => mention), ...readings, ...readDurations(tokens)],
      ageAt,
    ),
    isUnderstood: isUnderstood(tokens, isKnown, scores.other > Math.max(scores.en, scores.es, scores.pt)),
  };
  return { facts, work: seen.reduce((sum, { work }) => sum + work, tokens.length) };
}

/** Headings look like names of speakers, but not like "Speaker 1". */
function isConversation(views: readonly SentenceView[]): boolean {
  const numbered = views.flatMap(({ turn: { speaker } }) =>
    speaker !== undefined && /\d/.test(speaker) ? [speaker] : [],
  );
  return views.some(({ turn }) => turn.role === 'clinician') || new Set(numbered).size > 1;
}

/** A finding such as "child" follows from the age: if the age is known, a child in the text is another person. */
function isByAge({ values }: Finding, { ageYears }: Person): boolean {
  return ageYears !== undefined && values.some(({ of }) => of === 'age');
}

/** "Embarazo y parto normales" of a child is about the mother. */
function canBePregnant({ ageYears, sex }: Person): boolean {
  return sex !== 'male' && (ageYears === undefined || ageYears >= YOUNGEST_PREGNANT);
}

/** Returns the literals of each word; a misspelt word has those of the corrected word. */
function placeWords(tokens: readonly WordToken[], { phrases, speller }: LexiconIndex): (readonly number[])[] {
  const known = new Map<string, readonly number[]>();
  return tokens.map((token) => {
    const before = known.get(token.text);
    if (before !== undefined) return before;
    let literals = phrases.literalsOf(token.text);
    if (literals.length === 0 && token.number === undefined && !isFunctionWord(token.text)) {
      literals = speller.correct(token.text).flatMap((meant) => [...phrases.literalsOf(meant)]);
    }
    known.set(token.text, literals);
    return literals;
  });
}

/** Judges each sentence separately, except that an answer belongs to the question before it. */
function judgeAll(views: readonly SentenceView[], patient: PatientWords): JudgedMention[] {
  const questions = readQuestions(views);
  const oldOnes = oldReactions(views);
  const ofRelatives = toldOfRelatives(views, patient.relative);
  const judged = views.map((view, at) => {
    const { leading, ...question } = questions[at] ?? NOT_ASKED;
    const left = leading?.answer === undefined ? view : behindAnswer(view, leading.to);
    const reactions = oldOnes[at] ?? NO_MENTIONS;
    const told = ofRelatives[at] ?? NO_MENTIONS;
    const meant = judgeMentions({ view: left, patient, question, reactions, told, around: aroundOf(views, at) });
    return isOverBehind(view, views[at + 1]) ? meant.map(overNow) : meant;
  });
  return judged.flatMap((meant, at) =>
    meant.map((one) => (isAnsweredLater({ judged, views }, at, one) ? { ...one, meaning: 'ignored' } : one)),
  );
}

/** Dangers and lasting conditions are never made past by this. */
function overNow(one: JudgedMention): JudgedMention {
  const { finding } = one.mention;
  const isOver = one.meaning === 'present' && !finding.isDanger && isComplaint(finding);
  return isOver ? { ...one, meaning: 'past' } : one;
}

function aroundOf(views: readonly SentenceView[], at: number): NeighbourSentences {
  const [before, behind] = [views[at - 1], views[at + 1]];
  return {
    before: before === undefined ? undefined : warningOf(before),
    isAdvisedBehind: behind !== undefined && isAdvising(behind),
  };
}

/** True if a later sentence answers: "Fever, cough?" "No fever." */
function isAnsweredLater(
  {
    judged,
    views,
  }: { readonly judged: readonly (readonly JudgedMention[])[]; readonly views: readonly SentenceView[] },
  at: number,
  { mention, isOpen }: JudgedMention,
): boolean {
  if (isOpen !== true) return false;
  const later = judged.slice(at + 1, at + 1 + ANSWERED_WITHIN).flatMap((meant) => meant.slice(0, MOST_ANSWERS));
  const wordsOf = ({ words }: Mention) => words.map((word) => views[at]?.tokens[word]?.text ?? '');
  const own = new Set(wordsOf(mention));
  // "Any tingling in the hand?" "No tingling.": the denied word is one of the question's finding.
  const isDenied = (one: JudgedMention) =>
    one.meaning === 'absent' && wordsOf(one.mention).every((word) => own.has(word));
  return later.some(
    (one) =>
      isDenied(one) || (one.mention.finding === mention.finding && one.isOpen !== true && one.meaning !== 'ignored'),
  );
}

function measure(
  readings: readonly ValueReading[],
  longest: Duration | undefined,
  { ageYears }: Person,
  quote: (from: number, to: number) => string,
): ReadonlyMap<ValueName, readonly MeasuredValue[]> {
  const measured = [
    ...readings.map(({ of, value, from, to }) => ({ of, value, quote: quote(from, to) })),
    ...(ageYears === undefined ? [] : [{ of: 'age' as const, value: ageYears, quote: '' }]),
    ...(longest === undefined
      ? []
      : [{ of: 'symptom-days' as const, value: longest.days, quote: quote(longest.from, longest.to) }]),
  ];
  return Map.groupBy(measured, ({ of }) => of);
}

/** Returns the longest duration in one sentence with a complaint, and not in a clause with a known diagnosis only. */
function longestComplaint(
  tokens: readonly WordToken[],
  meant: readonly JudgedMention[],
  isTime: (at: number) => boolean,
): Duration | undefined {
  const sentenceOf = numberParts(tokens, 3);
  const clauseOf = numberParts(tokens, 1);
  const complaints = { sentences: new Set<number>(), clauses: new Set<number>() };
  const others = new Set<number>();
  for (const { mention, meaning } of meant) {
    if (isComplaint(mention.finding) && (meaning === 'present' || meaning === 'uncertain')) {
      complaints.sentences.add(sentenceOf[mention.from] ?? -1);
      complaints.clauses.add(clauseOf[mention.from] ?? -1);
    } else others.add(clauseOf[mention.from] ?? -1);
  }
  const fitting = readDurations(tokens).filter(({ from }) => {
    if (!isTime(from)) return false;
    const clause = clauseOf[from] ?? -1;
    return complaints.clauses.has(clause) || (!others.has(clause) && complaints.sentences.has(sentenceOf[from] ?? -1));
  });
  return fitting.reduce<Duration | undefined>(
    (best, one) => (best === undefined || one.days > best.days ? one : best),
    undefined,
  );
}

function numberParts(tokens: readonly WordToken[], from: number): number[] {
  let part = 0;
  return tokens.map(({ before }) => (before >= from ? ++part : part));
}

/** True if few meaningful words belong to findings, values, ages or times. */
function isHardlyRecognised(
  tokens: readonly WordToken[],
  stretches: readonly Stretch[],
  ageAt: ReadonlySet<number>,
): boolean {
  const recognised = new Set(ageAt);
  for (const { from, to } of stretches) for (let at = from; at < to; at++) recognised.add(at);
  let [telling, placed] = [0, 0];
  for (const [at, token] of tokens.entries()) {
    if (token.number !== undefined || isFunctionWord(token.text)) continue;
    telling += 1;
    if (recognised.has(at)) placed += 1;
  }
  return telling <= SHORT_STORY && placed < telling * RECOGNISED_SHARE;
}

function isUnderstood(
  tokens: readonly WordToken[],
  isKnown: (token: WordToken, at: number) => boolean,
  isOther: boolean,
): boolean {
  const words = tokens.filter(({ number }) => number === undefined).length;
  if (words === 0) return true;
  if (isOther) return false;
  const placed = tokens.filter((token, at) => token.number === undefined && isKnown(token, at)).length;
  return placed >= words * PLACED_SHARE;
}

function slice(text: string, tokens: readonly WordToken[], from: number, to: number): string {
  const start = tokens[from]?.start ?? 0;
  const end = tokens[to - 1]?.end ?? start;
  return text
    .slice(start, Math.min(end, start + LONGEST_SAID))
    .replace(/\s+/g, ' ')
    .trim();
}
