// What a look at a note beside its transcript found: which of its statements were said, where, and which nobody said. Nouns only.

export const STATEMENT_KINDS = ['drug', 'dose', 'number', 'laterality', 'allergy', 'date', 'negation'] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

export type CheckedStatement = {
  readonly kind: StatementKind;
  /** `SUBJECTIVE`, or `dynamic_fields.bmi`. */
  readonly section: string;
  /** Where it stands in that section's text: characters from, up to but without. */
  readonly from: number;
  readonly to: number;
  /** Where it was said: which utterance, and when. Absent: nobody said it. */
  readonly said?: { readonly utterance: number; readonly startSeconds: number };
};

export type CheckReport = {
  readonly statements: readonly CheckedStatement[];
  /** How many of each kind nobody said; a kind without any is absent. */
  readonly unsupported: Readonly<Partial<Record<StatementKind, number>>>;
  /** Those of `check.maxUnsupported` that are exceeded. */
  readonly exceeded: readonly StatementKind[];
  /** Utterances over which the recording is silent, by their index. */
  readonly overSilence: readonly number[];
  /** Share of what is heard that the transcript covers, 0 to 1; absent where nobody can tell. */
  readonly coverage?: number;
};
