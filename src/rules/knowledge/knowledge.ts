// The types of the rules' knowledge, as it is read from the files of knowledge/ and checked.
import type { Language } from '../../domain/language.ts';
import type { CueFiles } from '../note-writing/cue-files.ts';
import type { CueWords, Wording } from './language-schema.ts';
import type { WordFiles } from './word-lists.ts';

export type Translations = Readonly<Record<Language, string>>;

/** In years, both inclusive. */
export type Ages = { readonly from: number; readonly to: number };

/** The age that is assumed if the text states none. */
export const ASSUMED_YEARS = 40;

export type Sex = 'female' | 'male';

export const VALUE_NAMES = [
  /** °C */
  'temperature',
  'heart-rate',
  'respiratory-rate',
  'systolic',
  'diastolic',
  /** Percent. */
  'oxygen-saturation',
  /** mg/dL */
  'glucose',
  /** Glasgow, 3 to 15. */
  'coma-scale',
  'pain-scale',
  /** Weeks. */
  'gestation',
  /** Years. */
  'age',
  /** The longest duration that the text states for a complaint, in days. */
  'symptom-days',
] as const;
export type ValueName = (typeof VALUE_NAMES)[number];

export const FINDING_KINDS = [
  'complaint',
  'sign',
  /** A fact about the patient: history, risk, drug, pregnancy. */
  'circumstance',
  /** A known diagnosis. It counts as present even if the text places it in the past. */
  'condition',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export type ValueBand = {
  readonly of: ValueName;
  /** At least. */
  readonly from?: number;
  /** Less than. */
  readonly below?: number;
  readonly ages?: Ages;
};

export type Finding = {
  readonly id: string;
  readonly name: Translations;
  readonly kind: FindingKind;
  /** All implied findings: chains are already followed. */
  readonly implies: readonly string[];
  /** The finding alone makes the triage RED. */
  readonly isDanger: boolean;
  readonly phrases: Readonly<Record<Language, readonly string[]>>;
  readonly values: readonly ValueBand[];
};

/** How much a finding speaks for or against a condition, in log-odds. */
export type Weight = { readonly present: number; readonly absent: number };

export type DrugOption = {
  readonly name: Translations;
  readonly class: Translations;
  readonly considerations: Translations;
  /** Findings with which the drug is not named at all. */
  readonly avoid: readonly string[];
};

/** If one of these findings is present in such a patient, the condition is considered, however little else speaks for it. */
export type Consider = { readonly with: readonly string[]; readonly ages?: Ages; readonly sex?: Sex };

export type Condition = {
  readonly id: string;
  readonly group: string;
  readonly name: Translations;
  readonly icd10: string;
  readonly base: number;
  readonly people: readonly { readonly ages?: Ages; readonly sex?: Sex; readonly weight: number }[];
  /** The condition is a candidate only if one of these is present. */
  readonly needs: readonly string[];
  readonly findings: ReadonlyMap<string, Weight>;
  readonly mustNotMiss: boolean;
  /** The triage is RED if the log-odds for the condition reach this. */
  readonly urgent?: number;
  /** The highest probability that is shown, 0 to 1. */
  readonly atMost?: number;
  readonly consider?: Consider;
  /** Conditions that must not be missed and are considered if this one is likely. */
  readonly alsoThink: readonly string[];
  readonly tests: readonly Translations[];
  readonly care: readonly (Translations & { readonly url?: string })[];
  readonly drugs: readonly DrugOption[];
};

/** Findings that together make the triage RED. */
export type Danger = {
  readonly all: readonly string[];
  readonly ages?: Ages;
  readonly sex?: Sex;
  readonly why: Translations;
};

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
