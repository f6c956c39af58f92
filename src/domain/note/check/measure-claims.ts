// The claims about doses and numbers of a note. A dose is a claim about its drug: the same dose of another drug does not support it.

import { type Cues, cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { DrugMention } from '../../../clinical-text/drugs/find-drugs.ts';
import type { Amount, Measure } from '../../../clinical-text/measures/measures.ts';
import { isDoseUnit, isTimeUnit } from '../../../clinical-text/measures/units.ts';
import { type Token, wordsBetween } from '../../../clinical-text/tokens/tokens.ts';
import type { Claim } from './claim.ts';
import { assignDrugs } from './dose-drugs.ts';
import { relativeBefore } from './relatives.ts';
import type { TextFacts } from './text-facts.ts';

/** These are a dose only with a drug near them: `daily activities` is none. */
const VAGUE_FREQUENCIES = new Set(['1', 'bedtime', 'prn']);
const FOR = new Set(['for', 'x', '×', 'por', 'durante', 'during']);
/** Words between a drug and its strength in percent. */
const STRENGTH_REACH = 2;

/** A note says of a relative in one sentence what was said in several. */
const RELATIVE_REACH = 14;
const MOST_YEARS = 110;
/** A temperature (`T38`) is higher. */
const MOST_OF_CODE = 24;

type Place = {
  readonly tokens: readonly Token[];
  readonly drug: DrugMention | undefined;
  /** The places behind each drug, dose and frequency. */
  readonly ends: ReadonlySet<number>;
  readonly cues: Cues;
};

export function measureClaims({ tokens, measures, drugs, language }: TextFacts): readonly Claim[] {
  const cues = cuesOf(language);
  const bySentence = Map.groupBy(drugs, ({ first }) => tokens[first]?.sentence ?? 0);
  const ends = new Set([...drugs, ...measures].map(({ end }) => end));
  return assignDrugs(tokens, measures, drugs).flatMap(({ measure, drug: near }) => {
    if (measure.isLoose || isCode(tokens, measure) || isPartOfMore(tokens, measure)) return [];
    const drug = near && belongs(tokens, measure, near, bySentence) ? near : undefined;
    const place = { tokens, drug, ends, cues };
    return measure.kind === 'amount' ? amountClaim(measure, place) : keyedClaim(measure, place);
  });
}

/** The drug of the same sentence, or the only one of the sentence before: `Continue metformin. Take 500 mg.` */
function belongs(
  tokens: readonly Token[],
  measure: Measure,
  drug: DrugMention,
  bySentence: ReadonlyMap<number, readonly DrugMention[]>,
): boolean {
  const [own = 0, other = 0] = [tokens[measure.first]?.sentence, tokens[drug.first]?.sentence];
  if (own === other) return true;
  // A full stop and a line end count as two sentence ends.
  return other < own && own - other <= 2 && bySentence.get(other)?.length === 1;
}

function keyedClaim({ kind: what, key, first, end }: Exclude<Measure, Amount>, { drug }: Place): readonly Claim[] {
  if (what !== 'frequency') return [{ kind: 'number', first, end, content: { what, key } }];
  if (drug) return [{ kind: 'dose', first, end, content: { what, key, drugs: drug.ids } }];
  return VAGUE_FREQUENCIES.has(key) ? [] : [{ kind: 'number', first, end, content: { what, key } }];
}

function amountClaim({ values, unit: written, label, first, end }: Amount, place: Place): readonly Claim[] {
  const unit = written ?? (isAgeOfRelative(values, first, place) ? 'year' : undefined);
  const isAlone = first === 0 && end === place.tokens.length;
  if (unit === undefined && label === undefined && !isAlone) return [];
  // In `80-40-0 mg` nothing is taken at night.
  if (values.every((value) => value === 0) && unit !== undefined && isDoseUnit(unit)) return [];
  const amount = { values, ...(unit && { unit }), ...(label && { label }) };
  const relative = unit === 'year' ? relativeBefore(place.tokens, first, place.cues, RELATIVE_REACH) : undefined;
  const isDose = unit !== undefined && (isDoseUnit(unit) || (unit === 'percent' && isStrength(first, place)));
  const isOfDrug = isDose || (unit !== undefined && isTimeUnit(unit) && isCourse(first, place));
  const content = {
    what: 'amount',
    amount,
    ...(isOfDrug && place.drug && { drugs: place.drug.ids }),
    ...(relative && { relative }),
  } as const;
  // `Diuresis 2600 ml` and `a baby of 3200 g`: without a drug near it a volume or a weight is no dose.
  const isKnownDose = isDose && (place.drug !== undefined || !/^(?:g|ml|ml\/hour)$/.test(unit));
  return [{ kind: isKnownDose ? 'dose' : 'number', first, end, content }];
}

/** True of `mother MI at 52`: years are not written there. */
function isAgeOfRelative(values: readonly number[], first: number, { tokens, cues }: Place): boolean {
  const isAge = values.every((value) => Number.isInteger(value) && value > 0 && value <= MOST_YEARS);
  return (
    isAge &&
    /^(?:at|aged|aos|los)$/.test(tokens[first - 1]?.word ?? '') &&
    relativeBefore(tokens, first, cues, RELATIVE_REACH) !== undefined
  );
}

/** True of the numbers in `T4`, `V4-V6` and `B12`: they are part of a name. */
function isCode(tokens: readonly Token[], { kind, first }: Measure): boolean {
  const [before, number] = [tokens[first - 1], tokens[first]];
  if (kind !== 'amount' || number?.kind !== 'number' || !number.isGlued || before?.kind !== 'word') return false;
  return (
    /^[a-z]$/.test(before.word) &&
    !/^[xq]$/.test(before.word) &&
    /^\d{1,2}$/.test(number.word) &&
    Number(number.word) <= MOST_OF_CODE
  );
}

const PACK_YEARS = /^(?:maco|pack|paquete|cajetilla)/;
const YEAR = /^(?:ano|year|yr)/;
const BEFORE_NOW = /^(?:previ|pasad|anterior|passad|last|prior|proxim)/;

/**
 * What is written in one may be said in parts, or be computed: `88/172/161`, `9 x 7 mm`, `q3d`, `30 pack-years`. `Respecto al mes previo`
 * is no frequency.
 */
function isPartOfMore(tokens: readonly Token[], { kind, first, end }: Measure): boolean {
  const wordAt = (index: number) => tokens[index]?.word ?? '';
  const isNumber = (index: number) => tokens[index]?.kind === 'number';
  if (kind === 'frequency') return BEFORE_NOW.test(wordAt(end));
  if (kind === 'pressure') return wordAt(first - 1) === '/' && isNumber(first - 2);
  if (kind !== 'amount') return false;
  if (/^[x×]$/.test(wordAt(first - 1)) && [2, 3].some((back) => isNumber(first - back))) return true;
  if (wordAt(first - 1) === 'q' && tokens[first]?.isGlued === true) return true;
  const packs = [end - 1, end].find((index) => PACK_YEARS.test(wordAt(index)));
  return packs !== undefined && [1, 2].some((ahead) => YEAR.test(wordAt(packs + ahead)));
}

/** True of `hydrocortisone 1%`, and not of the saturation in the next sentence. */
function isStrength(first: number, { tokens, drug }: Place): boolean {
  if (drug === undefined || tokens[drug.first]?.sentence !== tokens[first]?.sentence) return false;
  return drug.end <= first && wordsBetween(tokens, drug.end, first) <= STRENGTH_REACH;
}

/** True of the length of a treatment, right behind its dose: `twice daily for 7 days`. */
function isCourse(first: number, { tokens, drug, ends }: Place): boolean {
  if (drug === undefined || tokens[drug.first]?.sentence !== tokens[first]?.sentence) return false;
  return drug.end <= first && FOR.has(tokens[first - 1]?.word ?? '') && ends.has(first - 1);
}
