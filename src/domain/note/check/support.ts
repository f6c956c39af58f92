// Compares each claim of the note with the transcript. Nothing is converted, concluded or guessed. If the languages differ, words cannot
// be compared, and the answer is `incomparable`.

import { findDrugsInNote, meaningsOf } from '../../../clinical-text/drugs/find-drugs.ts';
import { labelOf } from '../../../clinical-text/measures/measures.ts';
import { areSameUnit, isDoseUnit, isOftenUnsaid, isTimeUnit } from '../../../clinical-text/measures/units.ts';
import { readTokens } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import { allergySupport } from './allergy-support.ts';
import type { ClaimContent } from './claim.ts';
import { LESS_EXACT } from './finding-words.ts';
import { sideSupport } from './side-support.ts';
import type { Polarity, SpokenFacts } from './spoken-facts.ts';
import { amountKeys, type SpokenAmount } from './spoken-measures.ts';
import { type ContentOf, isTalkNear, latest, type Support } from './support-value.ts';

/** The words of one denied finding are at most this far from each other. */
const WORDS_REACH = 10;
const AGE_BEFORE = new Set(
  'im am is was were hes shes turned are youre era eras tengo tiene tenia tenho tem tinha at since con com aos os los desde cumpli fiz de are'.split(
    ' ',
  ),
);
const IS_OLD = new Set(['is', 'shes', 'hes', 'tiene', 'tem']);
const CHILDREN = new Set(['son', 'daughter', 'child']);
/** `Levothyroxine, seventy-five` are micrograms. */
const IN_MICROGRAMS = new Set(
  findDrugsInNote(readTokens('levothyroxine liothyronine fentanyl digoxin misoprostol')).flatMap(({ ids }) => ids),
);
const LIPIDS = new Set(['cholesterol', 'ldl', 'hdl']);
/** Tokens between the two numbers of a pressure that are not side by side. */
const PRESSURE_REACH = 8;

export function supportOf(content: ClaimContent, spoken: SpokenFacts, language: Language): Support {
  const meanings = meaningsOfClaim(content).map((meaning) => findSupport(meaning, spoken, language));
  const found = meanings.find((support) => support !== 'unsupported') ?? 'unsupported';
  // In another language than the three only digits and drugs can be read.
  return found === 'unsupported' && spoken.language === undefined && content.what !== 'drug' ? 'incomparable' : found;
}

/** `Pred 20 mg` is a claim about prednisone or prednisolone. */
function meaningsOfClaim(content: ClaimContent): readonly ClaimContent[] {
  if (!('drugs' in content) || content.drugs?.length !== 1) return [content];
  return content.drugs.flatMap(meaningsOf).map((id) => ({ ...content, drugs: [id] }));
}

function findSupport(content: ClaimContent, spoken: SpokenFacts, language: Language): Support {
  switch (content.what) {
    case 'drug':
      return latest(content.drugs.map((id) => (content.isOfOther ? spoken.drugs : spoken.ownDrugs).get(id)));
    case 'amount':
      return amountSupport(content, spoken);
    case 'pressure':
    case 'frequency':
    case 'score':
      return keyedSupport(content, spoken);
    case 'clock':
      return earliest(content.key.split('|').map((key) => spoken.keyed.get(`clock ${key}`)));
    case 'side':
      return sideSupport(content, spoken);
    case 'allergy':
      return allergySupport(content, spoken, language);
    case 'date':
      return dateSupport(content, spoken);
    case 'finding':
      return findingSupport(content, spoken);
    case 'telephone':
      return spoken.findDigits(content.digits) ?? 'unsupported';
    case 'relatives':
      return spoken.familyTalk ?? 'unsupported';
    case 'attestation':
      return attestationSupport(content, spoken);
    case 'words':
      return spoken.language === language ? wordsSupport(content, spoken) : 'incomparable';
  }
}

function earliest(utterances: readonly (number | undefined)[]): Support {
  return utterances.find((utterance) => utterance !== undefined) ?? 'unsupported';
}

function amountSupport({ amount, drugs, relative }: ContentOf<'amount'>, spoken: SpokenFacts): Support {
  const isOfDrug = drugs !== undefined;
  for (const value of amount.values) {
    for (const key of claimedKeys(value, amount.unit, drugs ?? [])) {
      if (isOfDrug && !drugs.some((id) => key.endsWith(` ${id}`))) continue;
      const isSame = key.startsWith('=') ? isSameLabel : isSameAmount;
      const found = spoken.amounts
        .get(key)
        ?.find(
          (one) => isSame({ amount, isOfDrug, drugs, relative }, one, spoken) && isOfSamePerson(relative, one, spoken),
        );
      if (found) return found.utterance;
    }
  }
  return 'unsupported';
}

/** `15 dias` are two weeks, and 30 a month, to those who say so. */
const ROUND_DAYS: ReadonlyMap<number, readonly [value: number, unit: string]> = new Map([
  [8, [1, 'week']],
  [15, [2, 'week']],
  [30, [1, 'month']],
]);

function claimedKeys(value: number, unit: string | undefined, drugs: readonly string[]): readonly string[] {
  const keys = amountKeys(value, unit, drugs);
  const round = unit === 'day' ? ROUND_DAYS.get(value) : undefined;
  return round === undefined ? keys : [...keys, ...amountKeys(...round, drugs).filter((key) => key.startsWith('='))];
}

type Claimed = {
  readonly amount: ContentOf<'amount'>['amount'];
  readonly isOfDrug: boolean;
  readonly drugs?: readonly string[] | undefined;
  readonly relative: string | undefined;
};

/** An age of the patient is not supported by that of a relative, except of a child: the patient may be the child of the speaker. */
function isOfSamePerson(
  relative: string | undefined,
  { relative: other, wordBefore }: SpokenAmount,
  { subjects }: SpokenFacts,
): boolean {
  if (other === undefined || relative === other || CHILDREN.has(other)) return true;
  // `My mother fell. She is 83.`
  if (subjects.has(other) && IS_OLD.has(wordBefore)) return true;
  return relative !== undefined && (relative === 'family' || other === 'family');
}

/** The sum of what one value is called: cholesterol is also LDL or HDL. */
function isSameLabel({ amount }: Claimed, { amount: other }: SpokenAmount): boolean {
  const [label, otherLabel] = [labelOf(amount), labelOf(other)];
  if (label === undefined || otherLabel === undefined || label === otherLabel) return true;
  return LIPIDS.has(label) && LIPIDS.has(otherLabel);
}

function isSameAmount(
  { amount, isOfDrug, drugs = [], relative }: Claimed,
  one: SpokenAmount,
  spoken: SpokenFacts,
): boolean {
  const { amount: other, utterance, wordBefore } = one;
  const isSame = isSameLabel({ amount, isOfDrug, relative }, one);
  if (amount.unit === undefined) {
    return isSame && (other.unit === undefined || !(isTimeUnit(other.unit) || isDoseUnit(other.unit)));
  }
  if (other.unit !== undefined) return areSameUnit(amount.unit, other.unit);
  if (!isSame) return false;
  if (amount.unit === 'mg' && drugs.some((id) => IN_MICROGRAMS.has(id)) && amount.values.every((value) => value >= 1)) {
    return false;
  }
  // A volume without a drug (`90 ml` of milk) is often spoken as the number alone.
  if (isDoseUnit(amount.unit) && (isOfDrug || !isTimeUnit(amount.unit))) return true;
  if (isOftenUnsaid(amount.unit)) return true;
  if (amount.unit === 'year' && (AGE_BEFORE.has(wordBefore) || (relative !== undefined && one.relative === relative)))
    return true;
  // `How many weeks?` - `Three.`
  return isTalkNear(spoken.unitTalk.get(amount.unit), utterance, 1);
}

function keyedSupport(
  { what, key, drugs }: ContentOf<'pressure' | 'frequency' | 'score' | 'clock'>,
  spoken: SpokenFacts,
): Support {
  const keys = drugs === undefined ? [`${what} ${key}`] : drugs.map((id) => `${what} ${key} ${id}`);
  const fitting = keys.map((one) => spoken.keyed.get(one)).find((utterance) => utterance !== undefined);
  if (fitting !== undefined) return fitting;
  if (what === 'pressure') return sideBySide(key, spoken);
  return what === 'frequency' ? timesSupport(key, drugs, spoken) : scoreSupport(key, spoken);
}

/** `From zero to ten?` - `Seven.` */
function scoreSupport(key: string, spoken: SpokenFacts): Support {
  const [value = '', most] = key.split('/');
  // A questionnaire's sum is spoken as the number alone: `your GAD was eighteen`.
  const sum =
    most === undefined ? undefined : spoken.amounts.get(value)?.find(({ amount }) => amount.unit === undefined);
  if (sum !== undefined) return sum.utterance;
  const tens = new Set((spoken.amounts.get('10') ?? []).map(({ utterance }) => utterance));
  const found = (spoken.amounts.get(key) ?? []).find(
    ({ amount, utterance }) =>
      amount.unit === undefined && (isTalkNear(tens, utterance, 2) || isTalkNear(spoken.scaleTalk, utterance, 2)),
  );
  return found?.utterance ?? 'unsupported';
}

/** `Every day, two or three times` */
function timesSupport(key: string, drugs: readonly string[] | undefined, spoken: SpokenFacts): Support {
  const counts = key.split(' to ').map(Number);
  const days = spoken.unitTalk.get('day');
  if (!counts.every((count) => Number.isInteger(count))) return 'unsupported';
  const found = counts.map((count) => {
    const keys = drugs === undefined ? [`${count}`] : drugs.map((id) => `${count} ${id}`);
    const amounts = keys.flatMap((one) => spoken.amounts.get(one) ?? []);
    return amounts.find(({ amount, utterance }) => amount.unit === 'time' && isTalkNear(days, utterance, 1))?.utterance;
  });
  return latest(found);
}

/** Reads the two numbers of a pressure side by side, or near each other: `One twenty, eighty.`, `la alta ciento veinte y la baja ochenta`. */
function sideBySide(key: string, spoken: SpokenFacts): Support {
  const [upper = '', lower = ''] = key.split('/');
  const uppers = Map.groupBy(spoken.amounts.get(upper) ?? [], ({ utterance }) => utterance);
  const found = (spoken.amounts.get(lower) ?? []).find(({ utterance, amount }) =>
    (uppers.get(utterance) ?? []).some(({ amount: { end } }) => {
      const gap = amount.first - end;
      return (gap >= 0 && gap <= 2) || (Math.abs(gap) <= PRESSURE_REACH && spoken.pressureTalk.has(utterance));
    }),
  );
  return found?.utterance ?? 'unsupported';
}

function dateSupport({ date }: ContentOf<'date'>, spoken: SpokenFacts): Support {
  if (date.month === undefined)
    return (
      spoken.years
        .get(date.year ?? 0)
        ?.values()
        .next().value ?? 'unsupported'
    );
  const { year, month, day, isEitherWay } = date;
  const turned = isEitherWay && day !== undefined ? (spoken.dates.get(`${day} ${month}`) ?? []) : [];
  const dates = [...(spoken.dates.get(day === undefined ? `${month}` : `${month} ${day}`) ?? []), ...turned];
  const found = dates.find((one) => year === undefined || year === one.year || isYearNear(spoken, year, one.utterance));
  return found?.utterance ?? 'unsupported';
}

function isYearNear({ years }: SpokenFacts, year: number, utterance: number): boolean {
  const utterances = years.get(year);
  return utterances !== undefined && [-1, 0, 1].some((offset) => utterances.has(utterance + offset));
}

/** A denial of less exact words counts if the finding itself was not named. */
function findingSupport({ id, isToday }: ContentOf<'finding'>, { findings }: SpokenFacts): Support {
  const own = findings.get(id) ?? [];
  // `Hoje não. Bebo cerveja no domingo.`
  const today = isToday ? own.find(({ polarity }) => polarity === 'denied') : undefined;
  if (today !== undefined) return today.utterance;
  if (own.some(({ polarity }) => polarity !== 'unknown')) return denialSupport(own);
  const others = (LESS_EXACT.get(id) ?? []).map((other) => denialSupport(findings.get(other) ?? []));
  return others.find((support) => support !== 'unsupported') ?? 'unsupported';
}

function attestationSupport({ act, matter }: ContentOf<'attestation'>, { attestations }: SpokenFacts): Support {
  const { acts, consents, data } = attestations;
  if (act === 'consent') {
    const found = consents.find((consent) => matter === undefined || consent.matter === matter);
    return found?.utterance ?? 'unsupported';
  }
  return acts.get(act) ?? (matter === 'data' ? data : undefined) ?? 'unsupported';
}

/** Supported if the last mention denies it. */
function denialSupport(occurrences: readonly { readonly utterance: number; readonly polarity: Polarity }[]): Support {
  const last = occurrences.findLast(({ polarity }) => polarity !== 'unknown');
  return last?.polarity === 'denied' ? last.utterance : 'unsupported';
}

function wordsSupport({ stems }: ContentOf<'words'>, { words }: SpokenFacts): Support {
  const places = stems.map((stem) => words.get(stem) ?? []).toSorted((a, b) => a.length - b.length);
  const [rarest = [], ...others] = places;
  const otherPlaces = others.map((list) => new Set(list.map(({ utterance, index }) => `${utterance} ${index}`)));
  const offsets = Array.from({ length: 2 * WORDS_REACH + 1 }, (_, ahead) => ahead - WORDS_REACH);
  const together = rarest.filter(({ utterance, index }) =>
    otherPlaces.every((list) => offsets.some((offset) => list.has(`${utterance} ${index + offset}`))),
  );
  return denialSupport(together);
}
