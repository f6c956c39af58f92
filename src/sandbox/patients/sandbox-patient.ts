// A made-up encounter: the persons, the conversation, and the expected content of a good note and differential. Types only.
import type { TriageLevel } from '../../domain/diagnosis/diagnosis.ts';
import type { Language } from '../../domain/language.ts';
import type { NoteType, TemplateName } from '../../domain/note/template.ts';

/** The kinds of care, with the template of the note for each. */
export const CARE_NOTES = {
  primary: 'PROGRESS_NOTE',
  emergency: 'ED_NOTE',
  behavioural: 'BEHAVIORAL_HEALTH_NOTE',
  nursing: 'NURSING_NOTE',
  dietitian: 'DIETITIAN_NOTE',
  admission: 'ADMISSION_NOTE',
  consult: 'CONSULT_NOTE',
  discharge: 'DISCHARGE_SUMMARY',
} as const satisfies Record<string, NoteType>;
export type Care = keyof typeof CARE_NOTES;
export const KINDS_OF_CARE = Object.keys(CARE_NOTES) as readonly Care[];

/** What a careless reader of the conversation gets wrong. */
export const TRAPS = [
  'red-flag',
  'benign',
  'contradiction',
  'correction',
  'negation',
  'child',
  'not-medical',
  'silent',
  'instructions',
] as const;
export type Trap = (typeof TRAPS)[number];

export const VOICES = ['woman', 'older-woman', 'man', 'older-man', 'child'] as const;
export type Voice = (typeof VOICES)[number];

/** Codes of `v3-ActCode`. */
export const ENCOUNTER_CLASSES = ['AMB', 'EMER', 'IMP'] as const;

export type Person = {
  readonly given: string;
  readonly family: string;
  readonly identifier: string;
};

/** An entry in plain words, with a code only if it is certain. */
export type ChartEntry = {
  readonly text: string;
  readonly icd10?: string;
  readonly rxnorm?: string;
  readonly snomed?: string;
};

export type ExpectedSection = {
  /** Phrases of the conversation, alternatives separated by `|`; compared without case and accents. */
  readonly holds: readonly string[];
  /** Phrases that belong to other sections. */
  readonly lacks: readonly string[];
};

/** The same fields as in the evaluation sets. Codes are ICD-10 codes or their beginnings, alternatives separated by `|`. */
export type Expected = {
  readonly medical: boolean;
  readonly template: TemplateName;
  readonly sections: Readonly<Record<string, ExpectedSection>>;
  /** Words that do not occur in the conversation and must not be in the note. */
  readonly invented: readonly string[];
  readonly first?: string;
  readonly among3: readonly string[];
  readonly mustNotMiss: readonly string[];
  readonly not3: readonly string[];
  /** True if no diagnosis may have a high likelihood. */
  readonly nothing: boolean;
  /** Absent if nothing was spoken. */
  readonly triage?: TriageLevel;
  readonly why: string;
  /** The known mistakes of the built-in rules, as a check names them (`PLAN holds "salt"`), with their reasons. */
  readonly notYet: readonly { readonly what: string; readonly why: string }[];
};

export type SandboxPatient = {
  /** `<language>-<words>`; it is also the name of the file. */
  readonly id: string;
  readonly language: Language;
  readonly care: Care;
  readonly trap?: Trap;
  /** The speakers with their voices. */
  readonly speakers: Readonly<Record<string, Voice>>;
  readonly patient: Person & { readonly gender: 'female' | 'male'; readonly birthDate: string };
  readonly practitioner: Person & { readonly role: string };
  readonly encounter: {
    readonly class: (typeof ENCOUNTER_CLASSES)[number];
    readonly type: string;
    readonly start: string;
    readonly end: string;
    readonly reason: string;
  };
  readonly chart: {
    readonly allergies: readonly ChartEntry[];
    readonly conditions: readonly ChartEntry[];
    readonly medications: readonly ChartEntry[];
  };
  readonly talk: readonly Turn[];
  /** The turns of a late recording, made after the note was written. */
  readonly late?: readonly Turn[];
  /** The duration of a recording without speech. */
  readonly silentSeconds?: number;
  readonly expected: Expected;
};

export type Turn = readonly [speaker: string, text: string];
