// Puts together what is known of each statement of a note: its claims, the moments and the entries of the chart on which it rests.
import { readTokens } from '../../../clinical-text/tokens/tokens.ts';
import type { Transcript } from '../../recording/transcript.ts';
import {
  type ChartSource,
  type CheckedStatement,
  EFFECTS,
  type Effect,
  type SpeakerRole,
  type StatementEvidence,
  type Verdict,
  verdictOf,
} from '../check-report.ts';
import type { PlacedStatement } from '../statements.ts';
import { claimsOf } from './misplaced.ts';

type EvidenceParts = {
  readonly statements: readonly PlacedStatement[];
  readonly claims: readonly CheckedStatement[];
  readonly transcript: Transcript;
  readonly textOf: (statement: PlacedStatement) => string;
};

/** The worst last. */
const BY_HARM: readonly Verdict[] = ['supported', 'misplaced', 'conflict', 'unsupported', 'contradicted'];
/** Words of a statement without a claim that one utterance has to share. */
const LEAST_SHARED = 2;

export function gatherEvidence({
  statements,
  claims,
  transcript,
  textOf,
}: EvidenceParts): readonly StatementEvidence[] {
  const findAlike = makeFindAlike(transcript);
  const roles = rolesOf(transcript);
  return statements.map((statement, index): StatementEvidence => {
    const own = claimsOf(statement, claims);
    const text = textOf(statement);
    const utterances = restsOn(statement, own) ?? findAlike(text);
    const whose = utterances.map((at) => roles.get(transcript.utterances[at]?.speaker ?? -1)).find(Boolean);
    const { section, from, to } = statement;
    return {
      id: `st-${index + 1}`,
      section,
      from,
      to,
      kind: kindOf(section, own),
      ...(whose !== undefined && { whose }),
      polarity: polarityOf(text, own),
      verdict: own.length === 0 ? 'unchecked' : worst(BY_HARM, own.map(verdictOf)),
      effect: worst<Effect>(
        EFFECTS,
        own.map(({ effect = 'none' }) => effect),
      ),
      moments: utterances.flatMap((utterance) => {
        const said = transcript.utterances[utterance];
        return said === undefined ? [] : [{ utterance, startSeconds: said.startSeconds, endSeconds: said.endSeconds }];
      }),
      chart: unique(own.flatMap(({ chart = [] }) => chart)),
    };
  });
}

/** What the writer names and what the claims were found in; undefined if there is neither. */
function restsOn({ cites = [] }: PlacedStatement, claims: readonly CheckedStatement[]): readonly number[] | undefined {
  const found = new Set([...cites, ...claims.flatMap(({ said }) => said?.utterance ?? [])]);
  return found.size === 0 ? undefined : [...found].toSorted((a, b) => a - b);
}

function worst<Value>(order: readonly Value[], values: readonly Value[]): Value {
  return order[Math.max(0, ...values.map((value) => order.indexOf(value)))] as Value;
}

function unique(sources: readonly ChartSource[]): readonly ChartSource[] {
  return [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()];
}

function kindOf(section: string, claims: readonly CheckedStatement[]): StatementEvidence['kind'] {
  const [first] = claims.toSorted((a, b) => BY_HARM.indexOf(verdictOf(b)) - BY_HARM.indexOf(verdictOf(a)));
  if (first !== undefined) return first.kind;
  if (/PLAN|RECOMMEND|FOLLOW|DISPOSITION|INSTRUCTION/.test(section)) return 'plan';
  return /ASSESS|IMPRESSION|DIAGNOS/.test(section) ? 'assessment' : 'other';
}

const UNCERTAIN =
  /^\?|\?[A-Z]|\b(?:possib|probab|likely|suspect|posib|sospech|suspeit|provavel|provável|possív|talvez|quizá)/i;

function polarityOf(text: string, claims: readonly CheckedStatement[]): StatementEvidence['polarity'] {
  if (UNCERTAIN.test(text)) return 'uncertain';
  return claims.length > 0 && claims.every(({ kind }) => kind === 'negation') ? 'denied' : 'affirmed';
}

/** For a statement that names nothing that can be checked: the utterance that shares most of its words. */
function makeFindAlike({ utterances }: Transcript): (text: string) => readonly number[] {
  let stems: readonly ReadonlySet<string>[] | undefined;
  return (text) => {
    stems ??= utterances.map(({ text: said }) => wordsOf(said));
    const own = wordsOf(text);
    const shared = stems.map((words) => [...own].filter((word) => words.has(word)).length);
    const most = Math.max(0, ...shared);
    return most < LEAST_SHARED ? [] : [shared.indexOf(most)];
  };
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = readTokens(text).filter(({ kind, word }) => kind === 'number' || (kind === 'word' && word.length > 3));
  return new Set(words.map(({ stem }) => stem));
}

/** Who asks most is the clinician. Undefined for everybody if no one asks. */
function rolesOf({ utterances }: Transcript): ReadonlyMap<number, SpeakerRole> {
  const questions = Map.groupBy(
    utterances.filter(({ text }) => text.includes('?')),
    ({ speaker }) => speaker,
  );
  const [asking] = [...questions].toSorted(([, a], [, b]) => b.length - a.length);
  if (asking === undefined) return new Map();
  const speakers = [...new Set(utterances.map(({ speaker }) => speaker))];
  return new Map(speakers.map((speaker) => [speaker, speaker === asking[0] ? 'clinician' : 'patient'] as const));
}
