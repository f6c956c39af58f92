// The state while the sentences of a talk are sorted, and small predicates on sentences.

import type { Sentence } from './read-turns.ts';
import type { Speakers } from './speakers.ts';
import type { Statement } from './statement.ts';
import { type Kind, type KindCues, type NoteKind, REPORTED_KINDS } from './statement-kinds.ts';

/** A question that has no answer yet. */
export type PendingQuestion = {
  readonly text: string;
  readonly words: Sentence['words'];
  readonly speaker: number;
  readonly utterances: readonly number[];
  readonly topic: Kind;
  readonly exchange: number;
};
/** The phase of the visit. */
export type Phase = 'history' | 'exam' | 'plan';
export type SortingState = {
  readonly statements: Statement[];
  phase: Phase;
  exchange: number;
  asked: PendingQuestion | undefined;
  /** A question of the patient to the clinician. */
  askedBack: PendingQuestion | undefined;
  /** The last command to the patient: it explains a number without a name. */
  command: Sentence | undefined;
  /** Whether the reason for the visit was stated. */
  hasComplaint: boolean;
};
export type SortParts = {
  /** Called before each turn. */
  readonly onStep: () => void;
  readonly cues: KindCues;
  readonly speakers: Speakers;
  readonly isYesOrNo: (words: Sentence['words']) => boolean;
  /** Whether the words are about the time until the next visit. */
  readonly looksAhead: (words: Sentence['words']) => boolean;
  /** Whether the words say what is to be done. Before the plan has begun, only a request does. */
  readonly plans: (sentence: Pick<Sentence, 'text' | 'words'>, phase: Phase) => boolean;
  /** Whether the sentence requests or orders, without regard to the phase. */
  readonly orders: (sentence: Pick<Sentence, 'text' | 'words'>) => boolean;
  /** `…, all right?` */
  readonly endsWithTag: (text: string) => boolean;
  /** Whether the words ask what is to be done. */
  readonly asksPlan: (words: Sentence['words'], phase: Phase) => boolean;
  /** The template has a section for how the patient takes what is done or advised. */
  readonly keepsResponses: boolean;
  /** Whether the words ask without a question mark. */
  readonly requests: (words: Sentence['words']) => boolean;
  /** `You told me your mum was anxious as well.` */
  readonly isOfRelative: (sentence: Pick<Sentence, 'text' | 'words'>) => boolean;
  /** Whether the speaker speaks of himself. */
  readonly isOfSpeaker: (words: Sentence['words']) => boolean;
  /** `That's sore, isn't it?` */
  readonly hasTag: (words: Sentence['words']) => boolean;
  /** Whether the words begin like a question. */
  readonly asks: (words: Sentence['words']) => boolean;
  /** In a therapy session the patient's daily life belongs to the note, not only complaints. */
  readonly isSession: boolean;
};

/** A sentence without a word of these families hardly belongs in a note. */
const CONTENT = [
  'symptom',
  'body',
  'test',
  'lab',
  'vital',
  'medicine',
  'drug',
  'diagnosis',
  'number',
  'food',
  'time',
  'side',
];
export const HEALTH: readonly string[] = CONTENT.slice(0, 8);
/** Words of these families must never be lost. */
export const EXACT: readonly string[] = ['number', 'drug', 'side', 'weekday', 'month'];
/** The number of statements back that a sentence may correct or repeat. */
const RECENT = 4;

export function hasContent(sentence: Pick<Sentence, 'words'>): boolean {
  return hasAny(sentence, CONTENT);
}

export function hasAny({ words }: Pick<Sentence, 'words'>, names: readonly string[]): boolean {
  return words.some(({ families }) => names.some((family) => families.has(family)));
}

export function startsWithNumber({ words }: Sentence): boolean {
  return words[0]?.families.has('number') ?? false;
}

export function isReportedKind(kind: Kind | undefined): kind is (typeof REPORTED_KINDS)[number] {
  return REPORTED_KINDS.some((reported) => reported === kind);
}

export function saysNothingNew({ words }: Sentence, statements: readonly Statement[]): boolean {
  const stated = new Set(statements.slice(-RECENT).flatMap((statement) => statement.words.map(({ word }) => word)));
  const meaningful = words.filter(({ families }) => families.size > 0);
  return meaningful.length > 0 && meaningful.every(({ word }) => stated.has(word));
}

export function toStatement(
  { text, words, speaker, utterances }: Sentence,
  kind: NoteKind,
  exchange: number,
  isClinician: boolean,
): Statement {
  const isComplaint = kind === 'complaint';
  return { kind, text, words, speaker, utterances, exchange, isClinician, isComplaint, isAhead: false };
}

export function add(state: SortingState, statement: Statement): void {
  state.statements.push(statement);
  state.hasComplaint ||= statement.isComplaint;
}
