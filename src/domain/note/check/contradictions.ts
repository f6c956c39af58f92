// Finds the utterance that says the opposite of an unsupported claim, or another value of the same thing. In doubt there is none: the claim is
// then only unsupported.

import { labelOf } from '../../../clinical-text/measures/measures.ts';
import { areSameUnit, baseOf, isDoseUnit } from '../../../clinical-text/measures/units.ts';
import type { Language } from '../../language.ts';
import type { Side } from './body-words.ts';
import type { ClaimContent } from './claim.ts';
import type { Polarity, SpokenFacts } from './spoken-facts.ts';
import type { SpokenAmount } from './spoken-measures.ts';
import { sideKey } from './spoken-sides.ts';

type ContentOf<What extends ClaimContent['what']> = Extract<ClaimContent, { readonly what: What }>;
type Amount = ContentOf<'amount'>['amount'];
type Frequency = Pick<Extract<ClaimContent, { readonly key: string }>, 'key' | 'drugs'>;

/** Utterances between the talk about allergies and the name of a substance. */
const ALLERGY_REACH = 1;
const OTHER_SIDES: Readonly<Record<Side, readonly Side[]>> = {
  left: ['right'],
  right: ['left'],
  both: ['left', 'right'],
};
/** Their units mean nothing else, so that the value needs no name. */
const NAMED_BY_UNIT = new Set(['temperature', 'pulse', 'respiration']);

export function contradictionOf(content: ClaimContent, spoken: SpokenFacts, language: Language): number | undefined {
  switch (content.what) {
    case 'drug':
      // It was named as that of another person, or corrected by the speaker.
      return content.isOfOther ? undefined : content.drugs.map((id) => spoken.drugs.get(id)).find(Boolean);
    case 'amount':
      return content.drugs === undefined ? otherValue(content, spoken) : otherDose(content, content.drugs, spoken);
    case 'frequency':
      return otherFrequency(content, spoken);
    case 'pressure':
      return otherPressure(content.key, spoken);
    case 'side':
      return otherSide(content, spoken);
    case 'allergy':
      return otherAllergy(content, spoken);
    case 'finding':
      return lastAffirmed(spoken.findings.get(content.id) ?? []);
    case 'words':
      return spoken.language === language ? affirmedWords(content.stems, spoken) : undefined;
    default:
      return undefined;
  }
}

/** Another amount of the same drug, in a unit that can be compared. */
function otherDose({ amount }: ContentOf<'amount'>, drugs: readonly string[], spoken: SpokenFacts): number | undefined {
  if (amount.unit === undefined || !isDoseUnit(amount.unit)) return undefined;
  const others = [...spoken.drugs.keys()].filter((id) => !drugs.includes(id));
  const ofOthers = new Set(others.flatMap((id) => amountsOf(id, spoken)));
  const own = drugs.flatMap((id) => amountsOf(id, spoken)).filter((one) => !ofOthers.has(one));
  return own.find(({ amount: other }) => areComparable(amount.unit, other.unit))?.utterance;
}

function amountsOf(drug: string, { amounts }: SpokenFacts): readonly SpokenAmount[] {
  return [...amounts].flatMap(([key, found]) => (key.endsWith(` ${drug}`) ? found : []));
}

function areComparable(unit: string | undefined, other: string | undefined): boolean {
  if (unit === undefined || other === undefined) return false;
  const base = dimensionOf(unit);
  return areSameUnit(unit, other) || (base !== undefined && base === dimensionOf(other));
}

function dimensionOf(unit: string): string | undefined {
  return baseOf(1, unit)?.split(' ')[1];
}

/** `twice a day` of a drug that is taken three times a day. Only counts are compared: `in the morning` may be both. */
function otherFrequency({ key, drugs = [] }: Frequency, { keyed }: SpokenFacts): number | undefined {
  if (!isCount(key)) return undefined;
  for (const [one, utterance] of keyed) {
    const [what, count = '', ...drug] = one.split(' ');
    if (what === 'frequency' && isCount(count) && count !== key && drugs.includes(drug.join(' '))) return utterance;
  }
  return undefined;
}

function isCount(key: string): boolean {
  return /^\d+$/.test(key);
}

function otherPressure(key: string, { keyed }: SpokenFacts): number | undefined {
  for (const [one, utterance] of keyed) {
    if (one.startsWith('pressure ') && one !== `pressure ${key}`) return utterance;
  }
  return undefined;
}

/** Another value under the same name: `saturation 88` for one of 96. */
function otherValue({ amount, relative }: ContentOf<'amount'>, { amounts }: SpokenFacts): number | undefined {
  const name = nameOf(amount);
  if (name === undefined) return undefined;
  for (const found of amounts.values()) {
    const other = found.find((one) => nameOf(one.amount) === name && one.relative === relative);
    if (other !== undefined && !isOtherScale(amount, other.amount)) return other.utterance;
  }
  return undefined;
}

function nameOf(amount: Amount): string | undefined {
  const name = labelOf(amount);
  return amount.label !== undefined || NAMED_BY_UNIT.has(name ?? '') ? name : undefined;
}

/** 101 °F does not contradict 38.3 °C. */
function isOtherScale({ unit }: Amount, { unit: other }: Amount): boolean {
  return unit !== undefined && other !== undefined && !areComparable(unit, other);
}

function otherSide({ side, part }: ContentOf<'side'>, { affectedSides }: SpokenFacts): number | undefined {
  const found = OTHER_SIDES[side].map((other) => affectedSides.get(sideKey(other, part)));
  return found.find((utterance) => utterance !== undefined);
}

function otherAllergy({ substances, isDenied }: ContentOf<'allergy'>, spoken: SpokenFacts): number | undefined {
  const ids = substances.length > 0 ? substances : [...spoken.substances.keys()];
  const opposite: Polarity = isDenied ? 'affirmed' : 'denied';
  const found = ids.map((id) => substanceSaid(id, opposite, spoken)).find((utterance) => utterance !== undefined);
  return found ?? (isDenied ? undefined : spoken.noAllergy);
}

function substanceSaid(id: string, wanted: Polarity, spoken: SpokenFacts): number | undefined {
  const isWord = id.startsWith('word:');
  const mentions = (isWord ? spoken.words.get(id.slice('word:'.length)) : spoken.substances.get(id)) ?? [];
  const isTalk = (utterance: number) => {
    for (let at = utterance - ALLERGY_REACH; at <= utterance; at += 1) if (spoken.allergyTalk.has(at)) return true;
    return false;
  };
  return mentions.find(({ utterance, polarity }) => polarity === wanted && isTalk(utterance))?.utterance;
}

/** The last clear mention, if it affirms. */
function lastAffirmed(mentions: readonly { readonly utterance: number; readonly polarity: Polarity }[]) {
  const last = mentions.findLast(({ polarity }) => polarity !== 'unknown');
  return last?.polarity === 'affirmed' ? last.utterance : undefined;
}

/** The last utterance that affirms all these words. */
function affirmedWords(stems: readonly string[], { words }: SpokenFacts): number | undefined {
  const [first = [], ...others] = stems.map((stem) =>
    (words.get(stem) ?? []).filter(({ polarity }) => polarity === 'affirmed').map(({ utterance }) => utterance),
  );
  return first.findLast((utterance) => others.every((list) => list.includes(utterance)));
}
