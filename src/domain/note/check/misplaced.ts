// Statements whose writer names utterances that say nothing of them, although others do.
import { FUNCTION_WORDS } from '../../../clinical-text/languages/language-words.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';
import { claimsByStatement } from './claims-by-statement.ts';

/** A talk is cut differently by each speech recognition: what the next or the previous utterance says counts, too. */
const NEAR = 1;

type Parts = {
  readonly claims: readonly ClaimWithVerdict[];
  readonly work: CheckWork;
  /** The claims of the statement with this index, judged by these utterances alone. */
  readonly readAgain: (index: number, utterances: readonly number[]) => readonly ClaimWithVerdict[];
};

/** Marks the claims of a statement as misplaced if none of them is supported where its writer says. */
export function findMisplaced(parts: Parts): readonly ClaimWithVerdict[] {
  const { claims, work } = parts;
  const own = claimsByStatement(work.statements, claims);
  const misplaced = new Set(own.flatMap((some, index) => misplacedIn(index, some, parts)));
  return claims.map((claim) => (misplaced.has(claim) ? { ...claim, verdict: 'misplaced' as const } : claim));
}

function misplacedIn(
  index: number,
  own: readonly ClaimWithVerdict[],
  { work, readAgain }: Parts,
): readonly ClaimWithVerdict[] {
  const { cites = [] } = work.statements[index] ?? {};
  if (cites.length === 0) return [];
  const said = own.filter(({ verdict, said }) => verdict === 'supported' && said !== undefined);
  const isCited = ({ said }: ClaimWithVerdict) =>
    cites.some((cited) => said !== undefined && Math.abs(cited - said.utterance) <= NEAR);
  if (said.length === 0 || said.some(isCited) || sharesWord(index, cites, work)) return [];
  // What is said twice may have been found in the other place.
  const near = cites.flatMap((cited) => Array.from({ length: 2 * NEAR + 1 }, (_, ahead) => cited - NEAR + ahead));
  const inOrder = [...new Set(near)].toSorted((a, b) => a - b);
  const again = readAgain(index, inOrder);
  return again.some(({ verdict }) => verdict === 'supported') ? [] : said;
}

const SHORTEST_WORD = 4;
/** Words of one family begin alike. */
const SAME_START = 5;

/** One word of the statement that is said there is enough: the rest may be said there in words that no list knows. */
function sharesWord(index: number, cites: readonly number[], work: CheckWork): boolean {
  const isContent = ({ kind, word }: Token) =>
    kind === 'number' || (kind === 'word' && word.length >= SHORTEST_WORD && !FUNCTION_WORDS[work.language].has(word));
  const startOf = ({ word }: Token) => word.slice(0, SAME_START);
  const own = work.statementFacts[index]?.tokens.filter(isContent) ?? [];
  const starts = new Set(own.map(startOf));
  return cites.some((cited) =>
    work.spoken.readings[cited]?.tokens.some((token) => isContent(token) && starts.has(startOf(token))),
  );
}
