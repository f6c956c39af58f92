// One claim of a note: a statement of it that has to be found in the transcript.
import type { DateReading } from '../../../clinical-text/measures/dates.ts';
import type { Amount } from '../../../clinical-text/measures/measures.ts';
import type { StatementKind } from '../check-report.ts';
import type { AttestedAct } from './attestation-words.ts';
import type { AttestedMatter } from './attestations.ts';
import type { Side } from './body-words.ts';

export type ClaimContent =
  | {
      readonly what: 'drug';
      readonly drugs: readonly string[];
      /** The note says it of a relative. */
      readonly isOfOther: boolean;
    }
  | {
      readonly what: 'amount';
      readonly amount: Pick<Amount, 'values' | 'unit' | 'label'>;
      readonly drugs?: readonly string[];
      /** The relative whose age or years these are. */
      readonly relative?: string;
    }
  | {
      readonly what: 'pressure' | 'frequency' | 'score' | 'clock';
      readonly key: string;
      readonly drugs?: readonly string[];
    }
  | {
      readonly what: 'side';
      readonly side: Side;
      /** `side` if no part of the body is named. */
      readonly part: string;
      /** The note calls it healthy, or denies something of it. */
      readonly isSpared: boolean;
    }
  | {
      readonly what: 'allergy';
      readonly substances: readonly string[];
      readonly isDenied: boolean;
      readonly isIntolerance: boolean;
      readonly isOfOther: boolean;
    }
  | { readonly what: 'date'; readonly date: Pick<DateReading, 'year' | 'month' | 'day' | 'isEitherWay'> }
  | { readonly what: 'telephone'; readonly digits: string }
  | { readonly what: 'attestation'; readonly act: AttestedAct; readonly matter: AttestedMatter }
  | {
      readonly what: 'finding';
      readonly id: string;
      /** It is denied for this day alone. */
      readonly isToday: boolean;
    }
  /** A denial of what relatives have. */
  | { readonly what: 'relatives' }
  /** A denial of words that name no listed finding. */
  | { readonly what: 'words'; readonly stems: readonly string[] };

export type Claim = {
  readonly kind: StatementKind;
  readonly first: number;
  readonly end: number;
  readonly content: ClaimContent;
};
