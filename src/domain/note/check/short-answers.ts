// Answers that name only a part of what was asked: `Perdeu força?` - `Força não.`, `Any blurred vision?` - `Vision's fine.`, and `Gums, nose,
// black stools?` - `A nosebleed. Nothing else.`
import type { Cues } from '../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import { LESS_EXACT } from './finding-words.ts';
import type { TextFacts } from './text-facts.ts';

export type ShortAnswer = { readonly utterance: number; readonly id: string; readonly polarity: 'denied' | 'affirmed' };

/** Words before the denial of a short answer. */
const MOST_WORDS = 4;
/** The question is at most this many utterances before. */
const QUESTION_REACH = 2;
const SHORTEST_WORD = 4;
/** Tokens of `Just gas.` */
const MOST_OF_ONLY = 5;
/** `Vision normal` denies blurred vision; a cough that is normal is a cough. */
const FEWEST_OF_HEALTHY = 2;

export function shortAnswers(readings: readonly TextFacts[], cues: Cues): readonly ShortAnswer[] {
  return readings.flatMap((reading, utterance) => [
    ...echoes(readings, reading, utterance, cues),
    ...nothingElse(readings, reading, utterance, cues),
    ...pains(readings, reading, utterance),
  ]);
}

/** A short clause that repeats a word of a finding that was asked. */
function echoes(
  readings: readonly TextFacts[],
  { tokens, findings }: TextFacts,
  utterance: number,
  cues: Cues,
): readonly ShortAnswer[] {
  const found: ShortAnswer[] = [];
  const idsAt = new Map(findings.map(({ id, end }) => [end, id]));
  for (let index = 1; index < tokens.length; index += 1) {
    const isHealthy = cues.healthy.lengthAt(tokens, index) > 0;
    const isDenial = isHealthy || cues.after.lengthAt(tokens, index) > 0;
    if (!isDenial && cues.affirms.lengthAt(tokens, index) === 0) continue;
    const words = wordsBefore(tokens, index);
    // A finding that is named whole has been read already.
    if (words.length === 0 || idsAt.has(index)) continue;
    const named = new Set(Array.from({ length: words.length }, (_, back) => idsAt.get(index - back)));
    const asked = askedBefore({ readings, utterance, words, fewestWords: isHealthy ? FEWEST_OF_HEALTHY : 1 });
    for (const id of asked)
      if (!named.has(id)) found.push({ utterance, id, polarity: isDenial ? 'denied' : 'affirmed' });
  }
  return found;
}

/** `Dor no peito?` - `Dor não.`: the pain that was asked for. */
function pains(readings: readonly TextFacts[], { findings }: TextFacts, utterance: number): readonly ShortAnswer[] {
  const asked = readings[utterance - 1];
  if (asked === undefined || !asked.tokens.some(({ word }) => word === '?')) return [];
  const places = asked.findings.filter(({ id }) => id.startsWith('pain:'));
  return findings
    .filter(({ id }) => id === 'pain')
    .flatMap(({ isDenied }) =>
      places.map(({ id }) => ({ utterance, id, polarity: isDenied ? ('denied' as const) : ('affirmed' as const) })),
    );
}

/** The words of the clause that ends here. Undefined behind it: the clause has to end, too. */
function wordsBefore(tokens: readonly Token[], index: number): readonly string[] {
  const next = tokens[index + 1];
  const isEnd = next === undefined || next.kind === 'mark' || next.sentence !== tokens[index]?.sentence;
  if (!isEnd) return [];
  const words: string[] = [];
  for (let back = index - 1; back >= 0 && back >= index - MOST_WORDS; back -= 1) {
    const token = tokens[back];
    if (token?.sentence !== tokens[index]?.sentence || token?.kind !== 'word') break;
    if (token.word.length >= SHORTEST_WORD) words.push(token.stem);
  }
  return words;
}

type AskedSearch = {
  readonly readings: readonly TextFacts[];
  readonly utterance: number;
  readonly words: readonly string[];
  /** Of the finding that was asked. */
  readonly fewestWords: number;
};

function askedBefore({ readings, utterance, words, fewestWords }: AskedSearch): readonly string[] {
  for (let back = 1; back <= QUESTION_REACH; back += 1) {
    const asked = readings[utterance - back];
    const found = (asked?.findings ?? []).filter(
      ({ first, end }) =>
        end - first >= fewestWords && asked?.tokens.slice(first, end).some(({ stem }) => words.includes(stem)),
    );
    if (found.length > 0) return [...new Set(found.map(({ id }) => id))];
  }
  return [];
}

/** All that was asked and that the answer does not name is denied by `nothing else`, and by `just gas`. */
function nothingElse(
  readings: readonly TextFacts[],
  { tokens, findings }: TextFacts,
  utterance: number,
  cues: Cues,
): readonly ShortAnswer[] {
  const only = cues.only.lengthAt(tokens, 0);
  // `Only at parties` is no denial.
  const isOnly =
    only > 0 &&
    cues.occasions.lengthAt(tokens, only) === 0 &&
    tokens.filter(({ sentence }) => sentence === 0).length <= MOST_OF_ONLY;
  const isSaid = isOnly || tokens.some((_, index) => cues.nothingElse.lengthAt(tokens, index) > 0);
  const asked = readings[utterance - 1];
  if (!isSaid || asked === undefined || !asked.tokens.some(({ word }) => word === '?')) return [];
  const named = new Set(findings.flatMap(({ id }) => [id, ...(LESS_EXACT.get(id) ?? [])]));
  return asked.findings
    .filter(({ id }) => !named.has(id))
    .map(({ id }) => ({ utterance, id, polarity: 'denied' as const }));
}
