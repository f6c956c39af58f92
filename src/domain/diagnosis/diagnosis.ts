// A differential diagnosis with its triage, with the names of the service interface.

export const CATEGORIES = ['most-likely', 'expanded', 'cant-miss'] as const;
export type Category = (typeof CATEGORIES)[number];

export const TRIAGE_LEVELS = ['RED', 'WHITE'] as const;
export type TriageLevel = (typeof TRIAGE_LEVELS)[number];

export type StandardCare = { readonly name: string; readonly url?: string };

export type Drug = {
  readonly name: string;
  readonly class: string;
  readonly dosage: string;
  readonly considerations: string;
  readonly first_line: boolean;
};

export type Disease = {
  readonly name: string;
  /** Empty if the reasoner gave a code that belongs to another disease. */
  readonly icd10_code: string;
  /** From 0 to 1, as the reasoner stated it. */
  readonly probability: number;
  readonly why: string;
  readonly diagnostic_tests: readonly string[];
  readonly standard_care: readonly StandardCare[];
  readonly drugs?: readonly Drug[];
  readonly category: Category;
};

export type Triage = {
  readonly triage_level: TriageLevel;
  readonly triage_justification: string;
  readonly triage_recommendation: string;
};

export type Diagnosis = {
  readonly diagnosis: { readonly diseases: readonly Disease[] };
  readonly triage: Triage;
};

/** A diagnosis that is still arriving: any field may be absent; a present field has its final type. */
export type PartialDiagnosis = {
  readonly diagnosis?: {
    readonly diseases?: readonly (Partial<Omit<Disease, 'standard_care' | 'drugs'>> & {
      readonly standard_care?: readonly Partial<StandardCare>[];
      readonly drugs?: readonly Partial<Drug>[];
    })[];
  };
  readonly triage?: Partial<Triage>;
};

/** The codes of all diseases that have one. */
export function codesOf({ diagnosis: { diseases } }: Diagnosis): readonly string[] {
  return diseases.flatMap(({ icd10_code: code }) => (code === '' ? [] : [code]));
}

/** A letter, a digit, a digit or letter, and up to four characters after a dot: the form of ICD-10, ICD-10-CM and ICD-10-ES codes. */
export const ICD10_PATTERN = /^[A-Z]\d[0-9A-Z](\.[0-9A-Z]{1,4})?$/;
