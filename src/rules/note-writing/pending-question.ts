// Finds the question at the end of a turn that waits for an answer, and the kind of the answer.

import type { Sentence, Turn } from './read-turns.ts';
import { HEALTH, hasAny, type PendingQuestion, type SortingState, type SortParts } from './sorting-state.ts';
import { bestKind, type Kind } from './statement-kinds.ts';

const TOPICS = [
  'complaint',
  'allergy',
  'family',
  'past',
  'medication',
  'social',
  'response',
  'history',
  'talk',
] as const;
const CONTINUED: ReadonlySet<Kind> = new Set<Kind>(['allergy', 'medication', 'past']);
const MAX_AFTER_QUESTION = 8;
const MAX_QUESTIONS = 3;

/** Returns the last questions of a turn, unless more than a few words follow them. */
export function trailingQuestion(
  turn: Turn,
  walk: SortingState,
  { cues, requests, isOfRelative }: SortParts,
): PendingQuestion | undefined {
  const request = turn.sentences.at(-1);
  if (request && !request.isQuestion) {
    if ((cues.scoreQuestion(request.words).get('complaint') ?? 0) > 0) return asPending(request, walk, 'complaint');
    if (requests(request.words)) return asPending(request, walk, 'history');
    if (walk.phase !== 'plan' && isOfRelative(request)) return asPending(request, walk, 'family');
  }
  const questions = lastQuestions(turn.sentences);
  if (questions.length === 0) return undefined;
  const words = questions.flatMap((question) => question.words);
  const text = questions.map((question) => question.text).join(' ');
  const utterances = questions.flatMap((question) => question.utterances);
  return asPending({ text, words, speaker: turn.speaker, utterances }, walk, topicOf(questions, walk, cues));
}

export function asPending(
  { text, words, speaker, utterances }: Pick<Sentence, 'text' | 'words' | 'speaker' | 'utterances'>,
  walk: SortingState,
  topic: Kind,
): PendingQuestion {
  walk.exchange += 1;
  return { text, words, speaker, utterances, topic, exchange: walk.exchange };
}

function lastQuestions(sentences: readonly Sentence[]): readonly Sentence[] {
  const last = sentences.findLastIndex(({ isQuestion }) => isQuestion);
  const behind = sentences.slice(last + 1).reduce((sum, { words }) => sum + words.length, 0);
  if (last < 0 || behind > MAX_AFTER_QUESTION) return [];
  let first = last;
  while (first > 0 && last - first < MAX_QUESTIONS - 1 && sentences[first - 1]?.isQuestion) first -= 1;
  return sentences.slice(first, last + 1);
}

/** An unclear question is about the illness once the patient has begun to describe it; before and after that it is small talk. */
function topicOf(questions: readonly Sentence[], { statements, phase }: SortingState, cues: SortParts['cues']): Kind {
  const asked = bestKind(cues.scoreQuestion(questions.flatMap(({ words }) => words)), TOPICS)?.kind;
  const moves = (cues.scoreStatement(questions.at(-1)?.words ?? []).get('command') ?? 0) > 0;
  if (moves && (asked === undefined || asked === 'history')) return 'talk';
  // `Allergic to dipyrone, noted. What happens?` asks for more of the same, not why the patient came.
  const last = statements.at(-1)?.kind;
  if (asked === 'complaint' && statements.some(({ isComplaint }) => isComplaint) && last && CONTINUED.has(last))
    return last;
  // `Did you find us all right?`
  if (statements.length === 0 && isSmallTalk(questions, cues)) return 'talk';
  if (asked) return asked;
  const isBegun = statements.length > 0 && phase !== 'plan';
  return isBegun || questions.some((question) => hasAny(question, HEALTH)) ? 'history' : 'talk';
}

function isSmallTalk(questions: readonly Sentence[], cues: SortParts['cues']): boolean {
  const isTalk = (cues.scoreQuestion(questions.flatMap(({ words }) => words)).get('talk') ?? 0) > 0;
  return isTalk && !questions.some((question) => hasAny(question, HEALTH));
}
