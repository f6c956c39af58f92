// The result of a check of a note: what each of its statements says, with the verdict on it and the words of the recording or the chart that
// decide, and what was said and is not in the note.

/**
 * What a statement is about. `attestation`: that something was signed, reviewed, verified, approved or is final, or that consent was given.
 * `negation`: a denied finding. `finding`: an affirmed complaint or sign.
 */
export const STATEMENT_KINDS = [
  'drug',
  'dose',
  'number',
  'laterality',
  'allergy',
  'date',
  'negation',
  'attestation',
  'drug-change',
  'finding',
  'history',
  'family',
  'social',
  'result',
  'procedure',
  'order',
  'follow-up',
  'disposition',
  'consent',
  'pregnancy',
  'resuscitation',
  'self-harm',
] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

/**
 * `misplaced`: it was said, but not in the utterances that the note names for it. `conflict`: it was said, and the chart says otherwise.
 */
export const VERDICTS = ['supported', 'unsupported', 'contradicted', 'misplaced', 'conflict'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What a run does: nothing, mark the words in the draft, or hold the note for a person. */
export const EFFECTS = ['none', 'mark', 'hold'] as const;
export type Effect = (typeof EFFECTS)[number];

/** A moment of the recording. */
export type SpokenMoment = { readonly utterance: number; readonly startSeconds: number };

export const CHART_LISTS = ['allergies', 'drugs', 'problems', 'sex', 'birthDate'] as const;
export type ChartList = (typeof CHART_LISTS)[number];

/** An entry of the chart that supports or contradicts a statement. */
export type ChartSource = {
  readonly list: ChartList;
  /** Its words: `Penicillin: rash`. Empty if the list was read and has no entry. */
  readonly text: string;
  /** `AllergyIntolerance/3`; absent if it is no resource of its own. */
  readonly reference?: string;
};

/** One claim that the check has read in the note. */
export type CheckedStatement = {
  readonly kind: StatementKind;
  /** `SUBJECTIVE`, or `dynamic_fields.bmi`. */
  readonly section: string;
  /** Characters of that section's text; `to` is behind the last. */
  readonly from: number;
  readonly to: number;
  /** Absent in reports of earlier versions: then it is supported if `said` is there. */
  readonly verdict?: Verdict;
  readonly effect?: Effect;
  /** The utterance that supports it; of a claim that is contradicted, the one that contradicts it. Absent if there is none. */
  readonly said?: SpokenMoment;
  /** The entry of the chart that supports it, or with which it is in conflict. */
  readonly chart?: ChartSource;
  /** The second check has added it. Absent: the first. */
  readonly by?: 'verifier';
};

/** Something that was said, and that no statement of the note has. */
export type MissingStatement = SpokenMoment & {
  readonly kind: StatementKind;
  /** The words of the utterance that say it. */
  readonly text: string;
};

export const SPEAKER_ROLES = ['patient', 'relative', 'clinician'] as const;
export type SpeakerRole = (typeof SPEAKER_ROLES)[number];
export const POLARITIES = ['affirmed', 'denied', 'uncertain'] as const;

/** One statement of the note, a sentence or a line, with its evidence. Statements are in the order of the note. */
export type StatementEvidence = {
  /** `st-1`, from 1 through the whole note. */
  readonly id: string;
  readonly section: string;
  readonly from: number;
  readonly to: number;
  readonly kind: StatementKind | 'assessment' | 'plan' | 'other';
  /** Whose words it rests on; absent if that is not known. */
  readonly whose?: SpeakerRole;
  readonly polarity: (typeof POLARITIES)[number];
  /** The worst of its claims. `unchecked`: the check can read nothing in it that could be compared. */
  readonly verdict: Verdict | 'unchecked';
  readonly effect: Effect;
  /** The moments on which it rests, in the order of the recording. */
  readonly moments: readonly (SpokenMoment & { readonly endSeconds: number })[];
  /** The entries of the chart on which it rests, or with which it is in conflict. */
  readonly chart: readonly ChartSource[];
};

/** What the explanation of a candidate names, with the words on which it rests. */
export type ReasonEvidence = {
  /** The index of the candidate. */
  readonly disease: number;
  /** Characters of its explanation; `to` is behind the last. */
  readonly from: number;
  readonly to: number;
  readonly speaks: 'for' | 'against';
  readonly moments: StatementEvidence['moments'];
  readonly chart: readonly ChartSource[];
};

export type CheckReport = {
  readonly statements: readonly CheckedStatement[];
  /** Absent in reports of earlier versions. */
  readonly evidence?: readonly StatementEvidence[];
  readonly missing?: readonly MissingStatement[];
  /** Of the differential diagnosis; absent if the session has none. */
  readonly reasons?: readonly ReasonEvidence[];
  /** What the second check did; absent if none is configured. `failed`: the note was checked by the first alone. */
  readonly verifier?: {
    readonly model: string;
    readonly outcome: 'checked' | 'failed';
    /** The number of statements on which it gave no verdict, or none that holds; absent if there are none. */
    readonly unjudged?: number;
  };
  /** The number of statements of each kind that are not supported; a kind without any is absent. */
  readonly unsupported: Readonly<Partial<Record<StatementKind, number>>>;
  /** The kinds for which the note is held: by their limit in `check.maxUnsupported`, or by `check.policy`. */
  readonly exceeded: readonly StatementKind[];
  /** Indexes of utterances during which the recording is silent. */
  readonly overSilence: readonly number[];
  /** The share of the sound that the transcript covers, 0 to 1; absent if it cannot be measured. */
  readonly coverage?: number;
};

/** Of reports of earlier versions, too. */
export function verdictOf({ verdict, said }: Pick<CheckedStatement, 'verdict' | 'said'>): Verdict {
  return verdict ?? (said === undefined ? 'unsupported' : 'supported');
}
