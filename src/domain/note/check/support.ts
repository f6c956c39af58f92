// Compares each claim of the note with the transcript. Nothing is converted, concluded or guessed. If the languages differ, words cannot
// be compared, and the answer is `incomparable`.

import { labelOf } from '../../../clinical-text/measures/measures.ts';
import { areSameUnit, isDoseUnit, isOftenUnsaid, isTimeUnit } from '../../../clinical-text/measures/units.ts';
import type { Language } from '../../language.ts';
import type { ClaimContent } from './claim.ts';
import { type Polarity, type SpokenAmount, type SpokenFacts, sideKey } from './spoken-facts.ts';

/** The index of the utterance that supports the claim, or the reason why there is none. */
export type Support = number | 'unsaid' | 'incomparable';
type AboutOf<What extends ClaimContent['what']> = Extract<ClaimContent, { readonly what: What }>;

const ALLERGY_REACH = 2;
/** The words of one denied finding are at most this far from each other. */
const WORDS_REACH = 10;
const AGE_BEFORE = new Set(['im', 'am', 'is', 'hes', 'shes', 'turned', 'tengo', 'tiene', 'tenho', 'tem']);

export function supportOf(about: ClaimContent, heard: SpokenFacts, language: Language): Support {
  const found = look(about, heard, language);
  // In another language than the three only digits and drugs can be read.
  return found === 'unsaid' && heard.language === undefined && about.what !== 'drug' ? 'incomparable' : found;
}

function look(about: ClaimContent, heard: SpokenFacts, language: Language): Support {
  switch (about.what) {
    case 'drug':
      return latest(about.drugs.map((id) => heard.drugs.get(id)));
    case 'amount':
      return amountSaid(about, heard);
    case 'pressure':
    case 'frequency':
    case 'score':
      return keyedSaid(about, heard);
    case 'side':
      return sideSaid(about, heard);
    case 'allergy':
      return allergySaid(about, heard, language);
    case 'date':
      return dateSaid(about, heard);
    case 'finding':
      return deniedSaid(heard.findings.get(about.id) ?? []);
    case 'words':
      return heard.language === language ? wordsDenied(about, heard) : 'incomparable';
  }
}

/** Supported if all are found; the utterance is the last of them. */
function latest(utterances: readonly (number | undefined)[]): Support {
  const said = utterances.filter((utterance) => utterance !== undefined);
  return said.length < utterances.length || said.length === 0 ? 'unsaid' : Math.max(...said);
}

function amountSaid({ amount, drugs }: AboutOf<'amount'>, heard: SpokenFacts): Support {
  const keys = amount.values.flatMap((value) =>
    drugs === undefined ? [`${value}`] : drugs.map((id) => `${value} ${id}`),
  );
  for (const key of keys) {
    const said = heard.amounts.get(key)?.find((one) => isSameAmount(amount, one, drugs !== undefined, heard));
    if (said) return said.utterance;
  }
  return 'unsaid';
}

function isSameAmount(
  amount: AboutOf<'amount'>['amount'],
  { amount: said, utterance, wordBefore }: SpokenAmount,
  isOfDrug: boolean,
  heard: SpokenFacts,
): boolean {
  const [label, saidLabel] = [labelOf(amount), labelOf(said)];
  const isOfOther = label !== undefined && saidLabel !== undefined && label !== saidLabel;
  if (amount.unit === undefined) {
    return !isOfOther && (said.unit === undefined || !(isTimeUnit(said.unit) || isDoseUnit(said.unit)));
  }
  if (said.unit !== undefined) return areSameUnit(amount.unit, said.unit);
  if (isOfOther) return false;
  if (isDoseUnit(amount.unit) && isOfDrug) return true;
  if (isOftenUnsaid(amount.unit)) return true;
  if (amount.unit === 'year' && AGE_BEFORE.has(wordBefore)) return true;
  // `How many weeks?` - `Three.`
  return isTalkNear(heard.unitTalk.get(amount.unit), utterance, 1);
}

function isTalkNear(talk: ReadonlySet<number> | undefined, utterance: number, reach: number): boolean {
  if (talk === undefined) return false;
  for (let at = utterance - reach; at <= utterance + 1; at += 1) if (talk.has(at)) return true;
  return false;
}

function keyedSaid({ what, key, drugs }: AboutOf<'pressure' | 'frequency' | 'score'>, heard: SpokenFacts): Support {
  const keys = drugs === undefined ? [`${what} ${key}`] : drugs.map((id) => `${what} ${key} ${id}`);
  const fitting = keys.map((one) => heard.keyed.get(one)).find((utterance) => utterance !== undefined);
  if (fitting !== undefined) return fitting;
  if (what === 'pressure') return sideBySide(key, heard);
  // `From zero to ten?` - `Seven.`
  const tens = new Set((heard.amounts.get('10') ?? []).map(({ utterance }) => utterance));
  const bare = what === 'score' ? (heard.amounts.get(key) ?? []) : [];
  return (
    bare.find(({ amount, utterance }) => amount.unit === undefined && isTalkNear(tens, utterance, 2))?.utterance ??
    'unsaid'
  );
}

/** Reads the two numbers of a pressure side by side: `One twenty, eighty.` */
function sideBySide(key: string, heard: SpokenFacts): Support {
  const [upper = '', lower = ''] = key.split('/');
  const ends = new Set((heard.amounts.get(upper) ?? []).map(({ utterance, amount }) => `${utterance} ${amount.end}`));
  const found = (heard.amounts.get(lower) ?? []).find(({ utterance, amount }) =>
    [0, 1, 2].some((back) => ends.has(`${utterance} ${amount.first - back}`)),
  );
  return found?.utterance ?? 'unsaid';
}

function sideSaid({ side, part }: AboutOf<'side'>, heard: SpokenFacts): Support {
  const own = heard.sides.get(sideKey(side, part));
  if (own !== undefined) return own;
  if (part === 'side') {
    for (const [key, utterance] of heard.sides) if (key.startsWith(`${side} `)) return utterance;
  }
  return side === 'both'
    ? latest([heard.sides.get(sideKey('left', part)), heard.sides.get(sideKey('right', part))])
    : 'unsaid';
}

function allergySaid({ substances, isDenied }: AboutOf<'allergy'>, heard: SpokenFacts, language: Language): Support {
  if (heard.language !== language && substances.some((id) => id.startsWith('word:'))) return 'incomparable';
  if (isDenied && substances.length === 0) return heard.noAllergy ?? 'unsaid';
  const said = substances.map((id) => substanceSaid(id, isDenied, heard));
  if (said.every((utterance) => utterance !== undefined)) return latest(said);
  return (isDenied ? heard.noAllergy : undefined) ?? 'unsaid';
}

function substanceSaid(id: string, isDenied: boolean, heard: SpokenFacts): number | undefined {
  const isWord = id.startsWith('word:');
  const said = (isWord ? heard.words.get(id.slice('word:'.length)) : heard.substances.get(id)) ?? [];
  return said.find(({ utterance, polarity }) => {
    return isTalkNear(heard.allergyTalk, utterance, ALLERGY_REACH) && (polarity === 'denied') === isDenied;
  })?.utterance;
}

function dateSaid({ date }: AboutOf<'date'>, heard: SpokenFacts): Support {
  if (date.month === undefined)
    return (
      heard.years
        .get(date.year ?? 0)
        ?.values()
        .next().value ?? 'unsaid'
    );
  const { year, month, day, isEitherWay } = date;
  const turned = isEitherWay && day !== undefined ? (heard.dates.get(`${day} ${month}`) ?? []) : [];
  const said = [...(heard.dates.get(day === undefined ? `${month}` : `${month} ${day}`) ?? []), ...turned];
  const found = said.find((one) => year === undefined || year === one.year || isYearNear(heard, year, one.utterance));
  return found?.utterance ?? 'unsaid';
}

function isYearNear({ years }: SpokenFacts, year: number, utterance: number): boolean {
  const said = years.get(year);
  return said !== undefined && [-1, 0, 1].some((offset) => said.has(utterance + offset));
}

/** Supported if the last mention denies it. */
function deniedSaid(occurrences: readonly { readonly utterance: number; readonly polarity: Polarity }[]): Support {
  const last = occurrences.findLast(({ polarity }) => polarity !== 'unknown');
  return last?.polarity === 'denied' ? last.utterance : 'unsaid';
}

function wordsDenied({ stems }: AboutOf<'words'>, { words }: SpokenFacts): Support {
  const places = stems.map((stem) => words.get(stem) ?? []).toSorted((a, b) => a.length - b.length);
  const [rarest = [], ...others] = places;
  const otherPlaces = others.map((said) => new Set(said.map(({ utterance, index }) => `${utterance} ${index}`)));
  const offsets = Array.from({ length: 2 * WORDS_REACH + 1 }, (_, ahead) => ahead - WORDS_REACH);
  const together = rarest.filter(({ utterance, index }) =>
    otherPlaces.every((said) => offsets.some((offset) => said.has(`${utterance} ${index + offset}`))),
  );
  return deniedSaid(together);
}
