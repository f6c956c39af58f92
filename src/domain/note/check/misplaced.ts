// Statements whose writer names utterances that say nothing of them, although others do.
import { FUNCTION_WORDS } from '../../../clinical-text/languages/language-words.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { PlacedStatement } from '../statements.ts';
import type { CheckWork, ClaimWithVerdict } from './check-work.ts';

/** A talk is cut differently by each speech recognition: what the next or the previous utterance says counts, too. */
const NEAR = 1;

type Parts = {
  readonly claims: readonly ClaimWithVerdict[];
  readonly work: CheckWork;
  /** The claims of one text, judged by these utterances alone. */
  readonly readAgain: (section: string, utterances: readonly number[]) => readonly ClaimWithVerdict[];
};

/** Marks the claims of a statement as misplaced if none of them is supported where its writer says. */
export function findMisplaced(parts: Parts): readonly ClaimWithVerdict[] {
  const { claims, work } = parts;
  const misplaced = new Set(work.statements.flatMap((statement) => misplacedIn(statement, parts)));
  return claims.map((claim) => (misplaced.has(claim) ? { ...claim, verdict: 'misplaced' as const } : claim));
}

function misplacedIn(statement: PlacedStatement, { claims, work, readAgain }: Parts): readonly ClaimWithVerdict[] {
  const { cites, section } = statement;
  if (cites === undefined || cites.length === 0) return [];
  const said = claimsOf(statement, claims).filter(({ verdict, said }) => verdict === 'supported' && said !== undefined);
  const isCited = ({ said }: ClaimWithVerdict) =>
    cites.some((cited) => said !== undefined && Math.abs(cited - said.utterance) <= NEAR);
  if (said.length === 0 || said.some(isCited) || sharesWord(statement, cites, work)) return [];
  // What is said twice may have been found in the other place.
  const near = cites.flatMap((cited) => Array.from({ length: 2 * NEAR + 1 }, (_, ahead) => cited - NEAR + ahead));
  const again = claimsOf(
    statement,
    readAgain(
      section,
      [...new Set(near)].toSorted((a, b) => a - b),
    ),
  );
  return again.some(({ verdict }) => verdict === 'supported') ? [] : said;
}

const SHORTEST_WORD = 4;
/** Words of one family begin alike. */
const SAME_START = 5;

/** One word of the statement that is said there is enough: the rest may be said there in words that no list knows. */
function sharesWord({ section, from, to }: PlacedStatement, cites: readonly number[], work: CheckWork): boolean {
  const text = work.texts.find(({ name }) => name === section);
  const isContent = ({ kind, word }: Token) =>
    kind === 'number' || (kind === 'word' && word.length >= SHORTEST_WORD && !FUNCTION_WORDS[work.language].has(word));
  const startOf = ({ word }: Token) => word.slice(0, SAME_START);
  const own = text?.reading.tokens.filter((token) => token.from >= from && token.from < to && isContent(token)) ?? [];
  const starts = new Set(own.map(startOf));
  return cites.some((cited) =>
    work.spoken.readings[cited]?.tokens.some((token) => isContent(token) && starts.has(startOf(token))),
  );
}

/** The claims whose words are in this statement. */
export function claimsOf<Claim extends Pick<ClaimWithVerdict, 'section' | 'from' | 'to'>>(
  { section, from, to }: PlacedStatement,
  claims: readonly Claim[],
): readonly Claim[] {
  return claims.filter((claim) => claim.section === section && claim.from >= from && claim.from < to);
}
