// Puts together what is known of each statement of a note: its claims, the moments and the entries of the chart on which it rests.
import { findDrugsInNote } from '../../../clinical-text/drugs/find-drugs.ts';
import {
  type ChartSource,
  type CheckedStatement,
  EFFECTS,
  type Effect,
  type StatementEvidence,
  type StatementKind,
  type Verdict,
  verdictOf,
} from '../check-report.ts';
import type { PlacedStatement } from '../statements.ts';
import type { CheckWork } from './check-work.ts';
import { claimsByStatement } from './claims-by-statement.ts';
import { makeFindAlike } from './evidence/find-alike.ts';
import { statementPolarity } from './evidence/statement-polarity.ts';
import { whoseWords } from './evidence/whose-words.ts';
import { speakerRoles } from './speaker-roles.ts';
import { readFacts } from './text-facts.ts';

type EvidenceParts = {
  readonly work: CheckWork;
  readonly claims: readonly CheckedStatement[];
};

const NOTHING = readFacts({ text: '', language: undefined, findDrugs: findDrugsInNote });

/** The worst last. */
const BY_HARM: readonly Verdict[] = ['supported', 'misplaced', 'conflict', 'unsupported', 'contradicted'];

export function gatherEvidence({ work, claims }: EvidenceParts): readonly StatementEvidence[] {
  const { statements, statementFacts, texts, language, spoken, transcript } = work;
  const byStatement = claimsByStatement(statements, claims);
  const findAlike = makeFindAlike(spoken);
  const roles = speakerRoles(spoken);
  const textOf = new Map(texts.map(({ name, text }) => [name, text]));
  return statements.map((place, index): StatementEvidence => {
    const own = byStatement[index] ?? [];
    const statement = statementFacts[index] ?? NOTHING;
    const utterances = restsOn(place, own) ?? withAnswers(findAlike(statement), work);
    const whose = whoseWords({
      statement,
      section: place.section,
      language,
      moments: utterances.map((at) => ({
        role: roles.get(spoken.speakers[at] ?? -1),
        isQuestion: isQuestion(work, at),
      })),
    });
    const { section, from, to } = place;
    return {
      id: `st-${index + 1}`,
      section,
      from,
      to,
      kind: kindOf(section, own),
      ...(whose !== undefined && { whose }),
      polarity: statementPolarity({ statement, text: withQuery(textOf.get(section) ?? '', place), language }),
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

/**
 * What the writer names, and what decides about a claim that is doubted; without the writer, what the claims were found in. Undefined if there
 * is neither.
 */
function restsOn({ cites = [] }: PlacedStatement, claims: readonly CheckedStatement[]): readonly number[] | undefined {
  const deciding = cites.length === 0 ? claims : claims.filter((claim) => verdictOf(claim) !== 'supported');
  const found = new Set([...cites, ...deciding.flatMap(({ said }) => said?.utterance ?? [])]);
  return found.size === 0 ? undefined : [...found].toSorted((a, b) => a - b);
}

/** A statement that is found in a question rests on the answer, too. */
function withAnswers(utterances: readonly number[], work: CheckWork): readonly number[] {
  const answers = utterances.filter((at) => isQuestion(work, at) && at + 1 < work.transcript.utterances.length);
  return [...new Set([...utterances, ...answers.map((at) => at + 1)])].toSorted((a, b) => a - b);
}

function isQuestion({ spoken }: CheckWork, utterance: number): boolean {
  return spoken.readings[utterance]?.tokens.at(-1)?.word === '?';
}

/** The cut into sentences leaves the mark of `?gastritis` to the sentence before. */
function withQuery(all: string, { from, to }: PlacedStatement): string {
  return all.slice(all[from - 1] === '?' ? from - 1 : from, to);
}

function worst<Value>(order: readonly Value[], values: readonly Value[]): Value {
  return order[Math.max(0, ...values.map((value) => order.indexOf(value)))] as Value;
}

function unique(sources: readonly ChartSource[]): readonly ChartSource[] {
  return [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()];
}

/** What a statement has beside what it is about. */
const DETAILS: ReadonlySet<StatementKind> = new Set(['number', 'date', 'laterality', 'negation']);

function kindOf(section: string, claims: readonly CheckedStatement[]): StatementEvidence['kind'] {
  const harmOf = (claim: CheckedStatement) => BY_HARM.indexOf(verdictOf(claim));
  const most = Math.max(...claims.map(harmOf));
  const worstOnes = claims.filter((claim) => harmOf(claim) === most);
  const first = worstOnes.find(({ kind }) => !DETAILS.has(kind)) ?? worstOnes[0];
  if (first !== undefined) return first.kind;
  if (/PLAN|RECOMMEND|FOLLOW|DISPOSITION|INSTRUCTION/.test(section)) return 'plan';
  return /ASSESS|IMPRESSION|DIAGNOS/.test(section) ? 'assessment' : 'other';
}
