// Problems that a statement affirms or denies against the problems of the chart, with their sides.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { NamedThing } from '../../../../clinical-text/phrases/named-things.ts';
import type { Lexicon } from '../../lexicon.ts';
import type { Side } from '../body-words.ts';
import { isOfRelative, memberAt } from '../relatives.ts';
import type { ChartFacts, ReadEntry } from './chart-facts.ts';
import { HABITS, isKindOf, problemsIn } from './problem-names.ts';
import type { ChartFinding, ReadStatement } from './stated-in-note.ts';

/** The person has given it up, or does without. */
const GIVEN_UP =
  /\b(?:ex[- ]?(?:smoker|fumador|fumante|tabagista|drinker|etilista)|former|quit|stopped|gave up|given up|abstin|sober|teetotal|dejo|dejado|abandono|parou|deixou|no fuma|no bebe|nao fuma|nao bebe|niega|nega|denies|non[- ]?smoker|never smoked)/;
/** `No seizures since June` denies no epilepsy; `no previous seizures` does. */
const EPISODES = new Set(['seizures']);
const EVER = /\b(?:hx|history|previous|prior|past|ever|never|antecedent|previ[oa]s?|histor|nunca|jamas)/;
/** Denied for a while only. */
const LATELY =
  /\b(?:since|recent|current|today|new|further|any more|flare|exacerbat|desde|ultim[oa]s?|recient|actual(?:mente)?|hoy|nuev[oa]s?|reagudiza|recente|hoje|atual|nov[oa]s?|descompens)/;
const OF_FAMILY = /\b(?:fhx?|family|famil|hereditar|antecedentes heredo|\bahf)/;
const FORMER = /\b(?:ex|former|previous|past|prev|anterior)/;

export function problemFindings(
  statement: ReadStatement,
  { problems }: ChartFacts,
  lexicon: Lexicon | undefined,
): readonly ChartFinding[] {
  if (problems === undefined || problems.length === 0) return [];
  const { tokens, language, polarity } = statement;
  const cues = cuesOf(language);
  // A statement about the family says nothing of the patient.
  const isOfFamily =
    OF_FAMILY.test(statement.folded) || tokens.some((_, index) => memberAt(tokens, index, cues) !== undefined);
  const named = problemsIn(tokens, language).filter(({ first }) => !isOfRelative(tokens, first, cues));
  const denied = polarity.findDenied(named);
  const found = named.flatMap((one, index) => {
    if (polarity.isHypothetical(one.first) && denied[index] !== true && !HABITS.has(one.id)) {
      return supportOf(one, problems, statement);
    }
    const isAbsent = denied[index] === true || (HABITS.has(one.id) && GIVEN_UP.test(statement.folded));
    if (isAbsent && !isAbsentForGood(one.id, statement)) return [];
    return isAbsent ? absentFindings(one, problems) : supportOf(one, problems, statement);
  });
  return isOfFamily ? [] : [...found, ...lexiconFindings(statement, problems, lexicon)];
}

function isAbsentForGood(id: string, { folded }: ReadStatement): boolean {
  if (HABITS.has(id)) return true;
  return EPISODES.has(id) ? EVER.test(folded) : !LATELY.test(folded) || EVER.test(folded);
}

function absentFindings({ id, first, end }: NamedThing, entries: readonly ReadEntry[]): readonly ChartFinding[] {
  const isHabit = HABITS.has(id);
  return entries
    .filter(({ problems, source }) => {
      return (
        [...problems].some((listed) => isKindOf(listed, id)) && !(isHabit && FORMER.test(source.text.toLowerCase()))
      );
    })
    .map(({ source }) => ({
      kind: isHabit ? ('social' as const) : ('history' as const),
      first,
      end,
      isConflict: true,
      source,
    }));
}

function supportOf(
  { id, first, end }: NamedThing,
  entries: readonly ReadEntry[],
  statement: ReadStatement,
): readonly ChartFinding[] {
  const same = entries.filter(({ problems }) =>
    [...problems].some((listed) => isKindOf(listed, id) || isKindOf(id, listed)),
  );
  const sides = sidesOf(statement);
  return same.flatMap(({ source, sides: listed }): readonly ChartFinding[] => {
    if (areOpposed(sides, listed)) return [{ kind: 'laterality', first, end, isConflict: true, source }];
    return [{ kind: 'history', first, end, isConflict: false, source }];
  });
}

function sidesOf({ sides }: ReadStatement): ReadonlySet<Side> {
  return new Set([...sides.sided, ...sides.open].map(({ side }) => side));
}

/** One side each, and not the same. */
function areOpposed(one: ReadonlySet<Side>, other: ReadonlySet<Side>): boolean {
  const [own, listed] = [[...one], [...other]];
  return own.length === 1 && listed.length === 1 && own[0] !== listed[0] && !own.includes('both');
}

/** Names that only the knowledge of findings has. */
function lexiconFindings(
  { text, tokens, language, polarity }: ReadStatement,
  entries: readonly ReadEntry[],
  lexicon: Lexicon | undefined,
): readonly ChartFinding[] {
  if (lexicon === undefined || entries.every(({ findings }) => findings.length === 0)) return [];
  const mentions = lexicon.mentionsIn(text, language).filter(({ kind }) => kind === 'condition');
  const spans = mentions.map(({ from, to }) => ({
    first: tokens.findIndex((token) => token.to > from),
    end: tokens.findLastIndex((token) => token.from < to) + 1,
  }));
  const denied = polarity.findDenied(spans);
  const cues = cuesOf(language);
  return mentions.flatMap(({ id }, index) => {
    const span = spans[index];
    if (span === undefined || isOfRelative(tokens, span.first, cues)) return [];
    const kin = lexicon.kinOf(id);
    return entries
      .filter(({ findings }) => findings.some((listed) => (denied[index] === true ? listed === id : kin.has(listed))))
      .map(({ source }) => ({ kind: 'history' as const, ...span, isConflict: denied[index] === true, source }));
  });
}
