// An encounter to rehearse with: who is there, what is said, and what a good note and differential of it must contain. All of it is
// made up. Nouns only.
import type { TriageLevel } from '../../domain/diagnosis/diagnosis.ts';
import type { Language } from '../../domain/language.ts';
import type { NoteType, TemplateName } from '../../domain/note/template.ts';

/** Each kind of care, with the note that is written of it. */
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

/** What somebody who only skims the talk gets wrong. */
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

/** In plain words; with a code only where it is sure. */
export type ChartEntry = {
  readonly text: string;
  readonly icd10?: string;
  readonly rxnorm?: string;
  readonly snomed?: string;
};

export type ExpectedSection = {
  /** Phrases that were said, alternatives divided by `|`; compared without case and accents. */
  readonly holds: readonly string[];
  /** What belongs elsewhere. */
  readonly lacks: readonly string[];
};

/** As in the sets of the evaluation, where the names are the same. Codes are ICD-10 or their beginnings, alternatives divided by `|`. */
export type Expected = {
  readonly medical: boolean;
  readonly template: TemplateName;
  readonly sections: Readonly<Record<string, ExpectedSection>>;
  /** Words that nobody said. */
  readonly invented: readonly string[];
  readonly first?: string;
  readonly among3: readonly string[];
  readonly mustNotMiss: readonly string[];
  readonly not3: readonly string[];
  /** No disease is to be put forward with any certainty. */
  readonly nothing: boolean;
  /** Absent where nothing was said. */
  readonly triage?: TriageLevel;
  readonly why: string;
  /** What the built-in engine does not get right, as a check names it (`PLAN holds "salt"`), and why that is so. */
  readonly notYet: readonly { readonly what: string; readonly why: string }[];
};

export type SandboxPatient = {
  /** `<language>-<words>`: the name of the file, too. */
  readonly id: string;
  readonly language: Language;
  readonly care: Care;
  readonly trap?: Trap;
  /** Who speaks, and how they sound. */
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
  /** What is recorded once more, after the note was written. */
  readonly late?: readonly Turn[];
  /** Only where nobody speaks: how long the recording is. */
  readonly silentSeconds?: number;
  readonly expected: Expected;
};

export type Turn = readonly [speaker: string, text: string];
