// Statements whose writer names utterances that say nothing of them, although others do.
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
export function findMisplaced({ claims, work, readAgain }: Parts): readonly ClaimWithVerdict[] {
  const misplaced = new Set(work.statements.flatMap((statement) => misplacedIn(statement, claims, readAgain)));
  return claims.map((claim) => (misplaced.has(claim) ? { ...claim, verdict: 'misplaced' as const } : claim));
}

function misplacedIn(
  statement: PlacedStatement,
  claims: readonly ClaimWithVerdict[],
  readAgain: Parts['readAgain'],
): readonly ClaimWithVerdict[] {
  const { cites, section } = statement;
  if (cites === undefined || cites.length === 0) return [];
  const said = claimsOf(statement, claims).filter(({ verdict, said }) => verdict === 'supported' && said !== undefined);
  const isCited = ({ said }: ClaimWithVerdict) =>
    cites.some((cited) => said !== undefined && Math.abs(cited - said.utterance) <= NEAR);
  if (said.length === 0 || said.some(isCited)) return [];
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

/** The claims whose words are in this statement. */
export function claimsOf<Claim extends Pick<ClaimWithVerdict, 'section' | 'from' | 'to'>>(
  { section, from, to }: PlacedStatement,
  claims: readonly Claim[],
): readonly Claim[] {
  return claims.filter((claim) => claim.section === section && claim.from >= from && claim.from < to);
}
