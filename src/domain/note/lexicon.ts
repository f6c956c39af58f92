// What the check of a note needs of the knowledge of findings: their names in texts, in three languages.
import type { Language } from '../language.ts';

/** `condition`: a diagnosis that a person already has. `circumstance`: a risk, a drug, a pregnancy, a habit. */
export type FindingKind = 'complaint' | 'sign' | 'circumstance' | 'condition';

export type FindingMention = {
  /** `chest-pain` */
  readonly id: string;
  readonly kind: FindingKind;
  /** Characters of the text; `to` is behind the last. */
  readonly from: number;
  readonly to: number;
};

export type Lexicon = {
  /** The longest findings that the text names, in their order, whether affirmed or denied. */
  readonly mentionsIn: (text: string, language: Language) => readonly FindingMention[];
  /** The finding, what it implies, and what implies it, through all steps. */
  readonly kinOf: (id: string) => ReadonlySet<string>;
  /** Its name as a person reads it. */
  readonly nameOf: (id: string, language: Language) => string;
};
