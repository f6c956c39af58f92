// The types of the rules' knowledge, as it is read from the files of knowledge/ and checked.
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from '../note-writing/cue-files.ts';
import type { ConditionsFile, LexiconFile } from './knowledge-schema.ts';
import type { CueWords, Wording } from './language-schema.ts';
import type { WordFiles } from './word-lists.ts';

export type Translations = Readonly<Record<Language, string>>;

/** The age that is assumed if the text states none. */
export const ASSUMED_YEARS = 40;

/** Of whom something is true: ages in years, both inclusive. */
export type PatientGroup = Readonly<Pick<Danger, 'ages' | 'sex'>>;
export type Ages = NonNullable<PatientGroup['ages']>;
export type Sex = NonNullable<PatientGroup['sex']>;

type WrittenFinding = LexiconFile[string];
export type Finding = Readonly<Pick<WrittenFinding, 'name' | 'kind' | 'values' | 'denies' | 'asked' | 'ask'>> & {
  readonly id: string;
  /** All implied findings: chains are already followed. */
  readonly implies: readonly string[];
  /** The finding alone makes the triage RED. */
  readonly isDanger: boolean;
  readonly phrases: Readonly<Record<Language, readonly string[]>>;
};
export type ValueBand = Finding['values'][number];
export type ValueName = ValueBand['of'];

type WrittenCondition = ConditionsFile['conditions'][string];
export type Condition = Readonly<Omit<WrittenCondition, 'findings'>> & {
  readonly id: string;
  readonly group: string;
  readonly findings: ReadonlyMap<string, Weight>;
};
/** How much a finding speaks for or against a condition, in log-odds. */
export type Weight = WrittenCondition['findings'][string];

/** What a patient must be known to be, so that the condition is named at all. */
export type Requirement = Readonly<NonNullable<WrittenCondition['only']>>;

/** Findings that together make the triage RED. */
export type Danger = Readonly<ConditionsFile['dangers'][number]>;

/** Log-odds of findings and words, trained on histories whose triage is known. It estimates how urgent a history sounds and detects no findings. */
export type UrgencyModel = {
  readonly start: number;
  /** From this sum of log-odds on, a history sounds urgent. */
  readonly urgentFrom: number;
  /** Number of different words. The model says nothing about shorter or longer histories. */
  readonly shortest: number;
  readonly longest: number;
  /** No finding speaks against urgency. */
  readonly findings: ReadonlyMap<string, number>;
  readonly words: Readonly<Record<Language, ReadonlyMap<string, number>>>;
};

export type MedicalKnowledge = {
  readonly findings: ReadonlyMap<string, Finding>;
  readonly conditions: readonly Condition[];
  readonly dangers: readonly Danger[];
  readonly urgency?: UrgencyModel;
  /** A hash of all files. */
  readonly version: string;
};

/** The words of each language that the code needs to read and to write. */
export type LanguageKnowledge = {
  readonly cues: Readonly<Record<Language, CueWords>>;
  readonly words: WordFiles;
  readonly wording: Readonly<Record<Language, Wording>>;
  /** The cues of the note writer. */
  readonly notes: CueFiles;
};

export type Knowledge = MedicalKnowledge & LanguageKnowledge;
