// What the built-in reasoner knows, as it was read from the files of knowledge/ and checked.
import type { Language } from '../../domain/language.ts';

export type Words = Readonly<Record<Language, string>>;

/** Years, both inclusive. */
export type Ages = { readonly from: number; readonly to: number };

/** Of somebody whose age nobody said. */
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
  /** The longest duration that is said of a complaint. */
  'symptom-days',
] as const;
export type ValueName = (typeof VALUE_NAMES)[number];

export const FINDING_KINDS = [
  'complaint',
  'sign',
  /** Who it is: history, risk, drug, pregnancy. */
  'circumstance',
  /** A diagnosis that is known already: it is so, also where it is told as of long ago. */
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
  readonly name: Words;
  readonly kind: FindingKind;
  /** All of them: chains are followed. */
  readonly implies: readonly string[];
  /** RED by itself. */
  readonly isDanger: boolean;
  readonly phrases: Readonly<Record<Language, readonly string[]>>;
  readonly values: readonly ValueBand[];
};

/** What a finding says for or against a condition, in log-odds. */
export type Weight = { readonly present: number; readonly absent: number };

export type KnownDrug = {
  readonly name: Words;
  readonly class: Words;
  readonly considerations: Words;
  /** Findings in which it is not named at all. */
  readonly avoid: readonly string[];
};

/** One of these findings is there, of one of these people: then it is thought of, however little else speaks for it. */
export type Consider = { readonly with: readonly string[]; readonly ages?: Ages; readonly sex?: Sex };

export type Condition = {
  readonly id: string;
  readonly group: string;
  readonly name: Words;
  readonly icd10: string;
  readonly base: number;
  readonly people: readonly { readonly ages?: Ages; readonly sex?: Sex; readonly weight: number }[];
  /** A candidate only where one of these is there. */
  readonly needs: readonly string[];
  readonly findings: ReadonlyMap<string, Weight>;
  readonly mustNotMiss: boolean;
  /** RED where what speaks for it comes to this. */
  readonly urgent?: number;
  /** Never told as likelier than this, 0 to 1. */
  readonly atMost?: number;
  readonly consider?: Consider;
  /** Conditions that must not be missed and are thought of wherever this one is likely. */
  readonly alsoThink: readonly string[];
  readonly tests: readonly Words[];
  readonly care: readonly (Words & { readonly url?: string })[];
  readonly drugs: readonly KnownDrug[];
};

/** Findings that make RED together. */
export type Danger = {
  readonly all: readonly string[];
  readonly ages?: Ages;
  readonly sex?: Sex;
  readonly why: Words;
};

/** How emergencies are told, learnt from stories of which the triage is known: log-odds, and no word is heard as a finding by it. */
export type Tone = {
  readonly start: number;
  /** Told as urgent from here on. */
  readonly urgentFrom: number;
  /** Different words: of shorter and longer stories nothing was learnt. */
  readonly shortest: number;
  readonly longest: number;
  /** Never against it. */
  readonly findings: ReadonlyMap<string, number>;
  readonly words: Readonly<Record<Language, ReadonlyMap<string, number>>>;
};

export type Knowledge = {
  readonly findings: ReadonlyMap<string, Finding>;
  readonly conditions: readonly Condition[];
  readonly dangers: readonly Danger[];
  readonly tone?: Tone;
  /** A hash of all files: what is known changes with it. */
  readonly version: string;
};
