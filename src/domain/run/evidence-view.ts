// The evidence of a run's note: each statement beside the words of the recording and of the chart on which it rests, with the verdict on it.
import { AppError } from '../errors.ts';
import type {
  CheckedStatement,
  CheckReport,
  MissingStatement,
  ReasonEvidence,
  StatementEvidence,
} from '../note/check-report.ts';
import { verdictOf } from '../note/check-report.ts';
import { checkedText } from '../note/checked-text.ts';
import type { WrittenNote } from '../note/note.ts';
import { present } from '../present.ts';
import type { Transcript } from '../recording/transcript.ts';
import type { StepResults } from './step-results.ts';

export type SpokenWords = {
  readonly utterance: number;
  readonly speaker: number;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
};

/** Words of a statement that the check has read. */
export type ClaimView = Omit<CheckedStatement, 'section' | 'from' | 'to' | 'said' | 'verdict'> & {
  readonly text: string;
  readonly verdict: StatementEvidence['verdict'];
};

export type StatementView = Omit<StatementEvidence, 'from' | 'to' | 'moments'> & {
  /** The title of its section, as the template has it. */
  readonly title: string;
  readonly text: string;
  readonly claims: readonly ClaimView[];
  readonly words: readonly SpokenWords[];
};

export type MissingView = Omit<MissingStatement, 'startSeconds'> & { readonly words: readonly SpokenWords[] };

/** Words of the explanation of a candidate. */
export type ReasonView = Omit<ReasonEvidence, 'disease' | 'from' | 'to' | 'moments'> & {
  readonly text: string;
  readonly words: readonly SpokenWords[];
};

export type EvidenceView = {
  readonly title: string;
  readonly statements: readonly StatementView[];
  readonly missing: readonly MissingView[];
  /** The candidates of the differential diagnosis with their reasons, in their order. */
  readonly diseases: readonly { readonly name: string; readonly reasons: readonly ReasonView[] }[];
  readonly verifier?: NonNullable<CheckReport['verifier']>;
};

/** Of the draft as it was checked, before a clinician edited it. Throws `notFound` if the run has none. */
export function evidenceView({
  transcribe,
  check,
  diagnose,
  'write-note': written,
}: Partial<StepResults>): EvidenceView {
  const evidence = check?.report.evidence;
  if (transcribe === undefined || written === undefined || check === undefined || evidence === undefined) {
    throw new AppError(
      'notFound',
      'This run has no evidence: its note is not checked yet, or its results were deleted',
    );
  }
  const { note } = written;
  const wordsOf = makeWordsOf(transcribe.transcript);
  const { statements, missing = [], reasons = [], verifier } = check.report;
  return {
    title: note.note.title,
    statements: evidence.map((statement) => statementView({ statement, note, statements, wordsOf })),
    missing: missing.map(({ startSeconds: _, ...one }) => ({ ...one, words: wordsOf([one]) })),
    diseases: (diagnose?.diagnosis.diagnosis.diseases ?? []).map(({ name, why }, index) => ({
      name,
      reasons: reasons
        .filter(({ disease }) => disease === index)
        .map(({ from, to, speaks, moments, chart }) => {
          return { text: why.slice(from, to), speaks, words: wordsOf(moments), chart };
        }),
    })),
    ...(verifier && { verifier }),
  };
}

type WordsOf = (moments: readonly { readonly utterance: number }[]) => readonly SpokenWords[];

function makeWordsOf({ utterances }: Transcript): WordsOf {
  return (moments) =>
    moments.flatMap(({ utterance }) => {
      const said = utterances[utterance];
      if (said === undefined) return [];
      const { speaker, text, startSeconds, endSeconds } = said;
      return [{ utterance, speaker, text, startSeconds, endSeconds }];
    });
}

type StatementParts = {
  readonly statement: StatementEvidence;
  readonly note: WrittenNote;
  readonly statements: readonly CheckedStatement[];
  readonly wordsOf: WordsOf;
};

function statementView({ statement, note, statements, wordsOf }: StatementParts): StatementView {
  const { from, to, moments, ...rest } = statement;
  const text = checkedText(note, statement.section);
  const own = statements.filter((claim) => {
    return claim.section === statement.section && claim.from >= from && claim.from < to;
  });
  return {
    ...rest,
    title: note.note.sections.find(({ key }) => key === statement.section)?.title ?? statement.section,
    text: text.slice(from, to),
    claims: own.map((claim) => claimView(claim, text)),
    words: wordsOf(moments),
  };
}

function claimView(claim: CheckedStatement, text: string): ClaimView {
  const { kind, from, to, effect, chart, by } = claim;
  return { kind, text: text.slice(from, to), verdict: verdictOf(claim), ...present({ effect, chart, by }) };
}
