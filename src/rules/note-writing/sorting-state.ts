// What is known while a talk is walked through, and the small questions that are asked of a sentence.

import type { Sentence } from './read-turns.ts';
import type { Speakers } from './speakers.ts';
import type { Statement } from './statement.ts';
import { type Kind, type KindCues, type NoteKind, TOLD_KINDS } from './statement-kinds.ts';

/** A question that waits for its answer. */
export type Pending = {
  readonly text: string;
  readonly words: Sentence['words'];
  readonly speaker: number;
  readonly topic: Kind;
  readonly exchange: number;
};
/** How far a visit has come. */
export type Phase = 'history' | 'exam' | 'plan';
export type Walk = {
  readonly statements: Statement[];
  phase: Phase;
  exchange: number;
  asked: Pending | undefined;
  /** A patient's question to the clinician. */
  askedBack: Pending | undefined;
  /** The last thing that the patient was to do: it says of what a bare figure is. */
  command: Sentence | undefined;
  /** Somebody has said why the patient came. */
  hasComplaint: boolean;
};
export type SortParts = {
  readonly cues: KindCues;
  readonly speakers: Speakers;
  readonly isYesOrNo: (words: Sentence['words']) => boolean;
  /** Speaks of the time until the next visit. */
  readonly looksAhead: (words: Sentence['words']) => boolean;
  /** Asks without a question mark. */
  readonly requests: (words: Sentence['words']) => boolean;
  /** `That's sore, isn't it?` */
  readonly hasTag: (words: Sentence['words']) => boolean;
  /** Begins as a question does. */
  readonly asks: (words: Sentence['words']) => boolean;
  /** What people tell of their days is the matter of the talk, not only what they suffer from. */
  readonly isSession: boolean;
};

/** Families without which a sentence hardly belongs in a note. */
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
/** What must never get lost. */
export const EXACT: readonly string[] = ['number', 'drug', 'side', 'weekday', 'month'];
/** So far back a sentence may put right or say again what was said. */
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

export function isToldKind(kind: Kind | undefined): kind is (typeof TOLD_KINDS)[number] {
  return TOLD_KINDS.some((told) => told === kind);
}

export function saysNothingNew({ words }: Sentence, statements: readonly Statement[]): boolean {
  const said = new Set(statements.slice(-RECENT).flatMap((statement) => statement.words.map(({ word }) => word)));
  const known = words.filter(({ families }) => families.size > 0);
  return known.length > 0 && known.every(({ word }) => said.has(word));
}

export function toStatement(
  { text, words, speaker }: Sentence,
  kind: NoteKind,
  exchange: number,
  isClinician: boolean,
): Statement {
  return { kind, text, words, speaker, exchange, isClinician, isComplaint: kind === 'complaint', isAhead: false };
}

export function add(walk: Walk, statement: Statement): void {
  walk.statements.push(statement);
  walk.hasComplaint ||= statement.isComplaint;
}
