// The result of a check of a note against its transcript: its statements, each with the utterance that supports it, if there is one.

/** `attestation`: that something was signed, reviewed, verified, approved or is final, or that consent was given. */
export const STATEMENT_KINDS = [
  'drug',
  'dose',
  'number',
  'laterality',
  'allergy',
  'date',
  'negation',
  'attestation',
] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

export type CheckedStatement = {
  readonly kind: StatementKind;
  /** `SUBJECTIVE`, or `dynamic_fields.bmi`. */
  readonly section: string;
  /** Characters of that section's text; `to` is behind the last. */
  readonly from: number;
  readonly to: number;
  /** The utterance that supports it. Absent if there is none. */
  readonly said?: { readonly utterance: number; readonly startSeconds: number };
};

export type CheckReport = {
  readonly statements: readonly CheckedStatement[];
  /** The number of unsupported statements of each kind; a kind without any is absent. */
  readonly unsupported: Readonly<Partial<Record<StatementKind, number>>>;
  /** The kinds that exceed their limit in `check.maxUnsupported`. */
  readonly exceeded: readonly StatementKind[];
  /** Indexes of utterances during which the recording is silent. */
  readonly overSilence: readonly number[];
  /** The share of the sound that the transcript covers, 0 to 1; absent if it cannot be measured. */
  readonly coverage?: number;
};
