// The facts of a clinical history, as far as the rules understand it.
import type { Language } from '../../domain/language.ts';
import type { Sex, ValueName } from '../knowledge/knowledge.ts';

/** `uncertain`: it is only thought, or asked. */
export type Presence = 'present' | 'uncertain' | 'absent';

export type ExtractedFinding = {
  readonly id: string;
  readonly presence: Presence;
  /** Its words in the text, at most 80 characters; of an implied finding, the words of the finding that implies it. */
  readonly quote: string;
};

export type Person = { readonly ageYears?: number; readonly sex?: Sex };

export type HistoryFacts = {
  /** The language of the text; undefined if it is none of the three. */
  readonly language: Language | undefined;
  readonly person: Person;
  readonly values: ReadonlyMap<ValueName, number>;
  /** All findings, with those that present findings imply. An absent finding implies nothing. */
  readonly findings: ReadonlyMap<string, ExtractedFinding>;
  /** Ids of findings of relatives, and of past findings. They count for nothing. */
  readonly family: readonly string[];
  readonly past: readonly string[];
  /** True if the text is about health at all. */
  readonly isHealth: boolean;
  /** False if the rules know hardly any word of it (another language, gibberish). */
  readonly isUnderstood: boolean;
  /** The meaningful words, listed or not, without those of absent findings: each folded word with its first spelling. */
  readonly words: ReadonlyMap<string, string>;
  /** True if the turns of a clinician are in the text: a conversation, and no written history. */
  readonly isConversation: boolean;
  /** True if the text is short and most of it is not recognised. */
  readonly isHardlyRecognised: boolean;
};

export type ExtractFacts = (text: string) => HistoryFacts;
