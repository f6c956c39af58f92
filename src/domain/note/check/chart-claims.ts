// Compares claims with the chart: an entry may support what was not said, and contradict what was. Neither the note nor the chart is corrected.

import { cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { StatementKind } from '../check-report.ts';
import type { PlacedStatement } from '../statements.ts';
import { allergyFindings } from './chart/allergy-findings.ts';
import { type ChartFacts, type ReadEntry, readChartToCheck } from './chart/chart-facts.ts';
import { drugFindings } from './chart/drug-findings.ts';
import { personFindings } from './chart/person-findings.ts';
import { problemFindings } from './chart/problem-findings.ts';
import { asStatement, type ChartFinding, type ReadStatement } from './chart/stated-in-note.ts';
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';
import { memberAt } from './relatives.ts';

/** Which claims a finding of each kind is about. */
const ABOUT: Readonly<Partial<Record<StatementKind, readonly StatementKind[]>>> = {
  allergy: ['allergy', 'negation'],
  drug: ['drug'],
  dose: ['dose', 'number'],
  'drug-change': ['drug-change', 'drug', 'negation'],
  history: ['history', 'finding', 'negation', 'procedure', 'pregnancy', 'self-harm'],
  social: ['social', 'history', 'finding', 'negation'],
  laterality: ['laterality'],
  number: ['number'],
  date: ['date'],
};
/** Claims whose words may be found in an entry as they are. */
const WORDED: ReadonlySet<StatementKind> = new Set(['history', 'finding', 'procedure', 'result']);
const DETAILS: ReadonlySet<StatementKind> = new Set(['date', 'number', 'laterality']);
const SHORTEST_WORD = 4;
const OF_HISTORY = /^(?:previ|prior|previous|past|known|history|antecedent|conocid|conhecid|anterior|chronic)/;
const OF_FAMILY = /\b(?:fhx?|family|famil|hereditar)/;

/** Returns the claims with what the chart says about them, and those that only the chart contradicts. */
export function compareWithChart(
  claims: readonly ClaimWithVerdict[],
  work: Pick<CheckWork, 'chart' | 'language' | 'lexicon' | 'statements' | 'statementFacts' | 'texts' | 'transcript'>,
): readonly ClaimWithVerdict[] {
  const { chart, language, lexicon, statements, statementFacts, texts, transcript } = work;
  if (chart === undefined) return claims;
  const facts = readChartToCheck({ chart, language, ...(lexicon && { lexicon }) });
  const textOf = new Map(texts.map(({ name, text }) => [name, text]));
  const bySection = Map.groupBy(claims, ({ section }) => section);
  const compared = new Map<ClaimWithVerdict, ClaimWithVerdict>();
  const added = statements.flatMap((place, index) => {
    const text = textOf.get(place.section)?.slice(place.from, place.to) ?? '';
    const own = (bySection.get(place.section) ?? []).filter(({ from }) => from >= place.from && from < place.to);
    const reading = statementFacts[index];
    if (reading === undefined) return [];
    const statement = asStatement({ section: place.section, text, reading, language });
    const judged = compareStatement({ place, own, facts, statement, lexicon });
    for (const [before, after] of judged.changed) compared.set(before, after);
    const [said] = place.cites ?? [];
    const startSeconds = said === undefined ? undefined : transcript.utterances[said]?.startSeconds;
    return judged.added.map((claim) => {
      return said === undefined || startSeconds === undefined
        ? claim
        : { ...claim, said: { utterance: said, startSeconds } };
    });
  });
  return [...claims.map((claim) => compared.get(claim) ?? claim), ...added];
}

type Parts = {
  readonly place: PlacedStatement;
  readonly own: readonly ClaimWithVerdict[];
  readonly statement: ReadStatement;
  readonly facts: ChartFacts;
  readonly lexicon: CheckWork['lexicon'];
};

type Compared = {
  readonly changed: ReadonlyMap<ClaimWithVerdict, ClaimWithVerdict>;
  readonly added: readonly ClaimWithVerdict[];
};

function compareStatement({ place, own, statement, facts, lexicon }: Parts): Compared {
  const found: readonly ChartFinding[] = [
    ...allergyFindings(statement, facts),
    ...drugFindings(statement, facts),
    ...problemFindings(statement, facts, lexicon),
    ...personFindings(statement, facts),
  ];
  const changed = new Map<ClaimWithVerdict, ClaimWithVerdict>();
  const added = new Map<string, ClaimWithVerdict>();
  // What contradicts is shown rather than what supports.
  for (const finding of found.toSorted((a, b) => Number(b.isConflict) - Number(a.isConflict))) {
    const { kind, isConflict, source } = finding;
    const at = spanOf(place, statement.tokens, finding);
    const about = own.filter(
      (claim) => (ABOUT[kind] ?? []).includes(claim.kind) && claim.from < at.to && claim.to > at.from,
    );
    for (const claim of about)
      if (!changed.has(claim))
        changed.set(claim, withChart(claim, { isConflict, isNamedByChart: kind === 'drug-change' }, source));
    if (!isConflict || about.length > 0) continue;
    const key = `${kind} ${at.from}`;
    if (!added.has(key)) added.set(key, { kind, section: place.section, ...at, verdict: 'conflict', chart: source });
  }
  for (const claim of own) {
    if (changed.has(claim)) continue;
    const worded = compareWords(claim, { place, statement, facts, found });
    if (worded !== undefined) changed.set(claim, worded);
  }
  return { changed, added: [...added.values()] };
}

function spanOf(place: PlacedStatement, tokens: readonly Token[], { first, end }: ChartFinding) {
  return { from: place.from + (tokens[first]?.from ?? 0), to: place.from + (tokens[end - 1]?.to ?? 0) };
}

type Meaning = {
  readonly isConflict: boolean;
  /** The patient says `the stomach tablet`, and the chart has its name. */
  readonly isNamedByChart?: boolean;
};

const SUPPORT: Meaning = { isConflict: false };

/** What was not said, or was said otherwise, stays so, whatever the chart says against it. */
function withChart(
  claim: ClaimWithVerdict,
  { isConflict, isNamedByChart = false }: Meaning,
  chart: ChartFinding['source'],
): ClaimWithVerdict {
  const { verdict, kind } = claim;
  if (!isConflict) return verdict === 'contradicted' ? claim : { ...claim, verdict: 'supported', chart };
  const isName = isNamedByChart && kind === 'drug' && verdict === 'unsupported';
  const wasSaid = verdict === 'supported' || verdict === 'misplaced' || isName;
  return wasSaid ? { ...claim, verdict: 'conflict', chart } : { ...claim, chart };
}

type WordParts = Pick<Parts, 'place' | 'statement' | 'facts'> & { readonly found: readonly ChartFinding[] };

/** Problems that no list names are compared by their words. */
function compareWords(claim: ClaimWithVerdict, { place, statement, facts, found }: WordParts) {
  const { problems = [] } = facts;
  if (problems.length === 0 || isOfFamily(statement)) return undefined;
  const tokens = statement.tokens.filter((token) => {
    return place.from + token.from < claim.to && place.from + token.to > claim.from;
  });
  if (claim.verdict === 'unsupported' && DETAILS.has(claim.kind)) {
    const supporting = new Set(found.filter(({ isConflict }) => !isConflict).map(({ source }) => source));
    const entry = problems.find((one) => supporting.has(one.source) && hasDetail(one, tokens, statement));
    return entry === undefined ? undefined : withChart(claim, SUPPORT, entry.source);
  }
  const words = tokens.filter(
    ({ kind, word }) => kind === 'word' && word.length >= SHORTEST_WORD && !OF_HISTORY.test(word),
  );
  const isNegation = claim.kind === 'negation' && claim.verdict === 'supported';
  if (words.length === 0 || !(isNegation || (claim.verdict === 'unsupported' && WORDED.has(claim.kind))))
    return undefined;
  const entry = problems.find((one) => words.every(({ stem }) => one.words.has(stem)));
  return entry === undefined ? undefined : withChart(claim, { isConflict: isNegation }, entry.source);
}

function isOfFamily({ folded, tokens, language }: ReadStatement): boolean {
  const cues = cuesOf(language);
  return OF_FAMILY.test(folded) || tokens.some((_, index) => memberAt(tokens, index, cues) !== undefined);
}

/** The numbers of the claim are in the entry, or its side is. */
function hasDetail(entry: ReadEntry, tokens: readonly Token[], { sides }: ReadStatement): boolean {
  const numbers = tokens.filter(({ kind }) => kind === 'number');
  if (numbers.length > 0) return numbers.every(({ word }) => entry.words.has(word));
  const own = new Set([...sides.sided, ...sides.open].map(({ side }) => side));
  return own.size > 0 && [...own].every((side) => entry.sides.has(side));
}
