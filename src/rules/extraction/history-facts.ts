// What a text says, as far as the built-in reasoner understands it.
import type { Language } from '../../domain/language.ts';
import type { Sex, ValueName } from '../knowledge/knowledge.ts';

/** `uncertain`: somebody thinks so, or asks. */
export type Presence = 'present' | 'uncertain' | 'absent';

export type ExtractedFinding = {
  readonly id: string;
  readonly presence: Presence;
  /** Its words, at most 80 characters; of what follows from another finding the words of that one. */
  readonly quote: string;
};

export type Person = { readonly ageYears?: number; readonly sex?: Sex };

export type HistoryFacts = {
  /** Of the text; undefined: none of those that are understood. */
  readonly language: Language | undefined;
  readonly person: Person;
  readonly values: ReadonlyMap<ValueName, number>;
  /** With what they imply: what is there brings it along, what is not there says nothing about it. */
  readonly findings: ReadonlyMap<string, ExtractedFinding>;
  /** Ids of findings of relatives, and of what is over: they count for nothing. */
  readonly family: readonly string[];
  readonly past: readonly string[];
  /** Whether it speaks of anybody's health at all. */
  readonly isHealth: boolean;
  /** False: there are words, and hardly any could be placed (another language, gibberish). */
  readonly isUnderstood: boolean;
  /** Those that carry meaning, known or not, without those of what is not there: folded, and as they were written first. */
  readonly words: ReadonlyMap<string, string>;
  /** True: of a short story most is about what nobody here knows words for. */
  readonly isHardlyRecognised: boolean;
};

export type ExtractFacts = (text: string) => HistoryFacts;
