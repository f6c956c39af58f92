// What is kept of each decision about a draft, for quality reports: who decided what, and how much was changed. Lengths and codes, never a text.

/** Why a draft was rejected, or sent back. */
export const REJECT_CATEGORIES = [
  'wrong-patient',
  'wrong-encounter',
  'not-usable',
  'invented-content',
  'missing-content',
  'wrong-language',
  'duplicate',
  'other',
] as const;
export type RejectCategory = (typeof REJECT_CATEGORIES)[number];

/** `correct`: the draft is made anew, with an instruction of the reviewer. */
export const DRAFT_DECISIONS = ['approve', 'edit', 'reject', 'correct'] as const;
export type DraftDecisionKind = (typeof DRAFT_DECISIONS)[number];

export type TextLength = { readonly characters: number; readonly words: number };

/** How far a section as it was signed is from its draft. */
export type SectionChange = {
  /** The key of the section. */
  readonly section: string;
  readonly draft: TextLength;
  readonly inserted: TextLength;
  readonly deleted: TextLength;
};

export type DecisionRecord = {
  readonly decision: DraftDecisionKind;
  readonly category?: RejectCategory;
  /** The name in the audit trail. */
  readonly actor: string;
  /** `Practitioner/7` */
  readonly practitioner: string;
  /** The type or else the template of the note. */
  readonly noteType: string;
  readonly changes: readonly SectionChange[];
};
