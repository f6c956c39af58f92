// Reads allergies and denied allergies from one text: `allergic to penicillin`, `NKDA`, `sin alergias`, `alergia à dipirona`. Answers to
// questions are read in spoken-facts.ts.

import { type Cues, cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { DrugMention } from '../../../clinical-text/drugs/find-drugs.ts';
import { makeFindNamedThings } from '../../../clinical-text/phrases/named-things.ts';
import { type Token, wordsBetween } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import type { PolarityReader } from './polarity.ts';

export type Allergy = {
  /** The causes; empty if all allergies, or drugs in general, are meant. */
  readonly substances: readonly string[];
  /** All substances are named, beside some of them: `allergic to anything, to tape`. */
  readonly isAll: boolean;
  readonly isDenied: boolean;
  /** The text says intolerance, or hypersensitivity. */
  readonly isIntolerance: boolean;
  /** Tokens: `end` is behind the last. */
  readonly first: number;
  readonly end: number;
};
/** A possible cause of an allergy, at its place. */
export type Substance = { readonly id: string; readonly first: number; readonly end: number };

const findAllergens = makeFindNamedThings(`
sulfa = sulfa, sulfonamide / sulfa, sulfamida / sulfa
latex = latex / latex / latex
peanut = peanut / cacahuate, cacahuete, mani / amendoim
nuts = tree nut, nut / nueces, nuez, frutos secos / nozes, castanha
shellfish = shellfish, shrimp, seafood / mariscos, marisco, camaron, camarones / frutos do mar, camarao, marisco
fish = fish / pescado / peixe
egg = egg / huevo / ovo
milk = milk, dairy, lactose / leche, lactosa / leite, lactose
soy = soy / soya, soja / soja
wheat = wheat, gluten / trigo, gluten / trigo, gluten
iodine = iodine, contrast / yodo, contraste / iodo, contraste
pollen = pollen / polen / polen
dust = dust / polvo / poeira, po
cat = cat / gato / gato
dog = dog / perro / cachorro
bee = bee, wasp / abeja, avispa / abelha, vespa
mold = mold, mould / moho / mofo
nickel = nickel / niquel / niquel
nsaid = nsaid, anti inflammatory, anti inflammatories / aine, antiinflamatorio / aine, antiinflamatorio, anti inflamatorio
tape = tape, adhesive / cinta, adhesivo / esparadrapo, adesivo
`);
const NONE_KNOWN = new Set(['nkda', 'nka', 'nkfa', 'namc']);
/** Words for all substances at once. */
const ALL =
  /^(drug|medic|remedio|farmac|food|aliment|comida|anything|nada|algo|alguma|algun|alguna|any|known|nothing|substan)/;
/** `Desconoce alergias` */
const UNKNOWN = /^(?:desconoc|desconhec|unaware)/;
/** Tokens behind the word in which the substances are searched. */
const REACH = 12;
/** Tokens before the word in which they are searched: `no known drug or latex allergies`. */
const REACH_BEFORE = 2;

export function substancesIn(
  tokens: readonly Token[],
  drugs: readonly DrugMention[],
  language: Language,
): readonly Substance[] {
  const asDrugs = drugs.flatMap(({ ids, first, end }) => ids.map((id) => ({ id: `drug:${id}`, first, end })));
  return [...asDrugs, ...findAllergens(tokens, language)].toSorted((a, b) => a.first - b.first);
}

export function isAllergyWord({ word }: Token): boolean {
  return /^al+erg/.test(word) || NONE_KNOWN.has(word);
}

/** Of other things than drugs and food, too: `heat intolerance`. */
function isIntoleranceWord({ word }: Token): boolean {
  return /^(?:intoleran|hipersensib|hypersensi|anaphyla|anafila)/.test(word);
}

export type AllergyParts = {
  readonly tokens: readonly Token[];
  readonly substances: readonly Substance[];
  readonly polarity: PolarityReader;
  readonly language: Language;
};

export function readAllergies({ tokens, substances, polarity, language }: AllergyParts): readonly Allergy[] {
  const text = { tokens, polarity, cues: cuesOf(language) };
  const at = Map.groupBy(substances, ({ first }) => first);
  const found: Allergy[] = [];
  tokens.forEach((token, index) => {
    const isIntolerance = isIntoleranceWord(token);
    const isWord = isAllergyWord(token) || (language === 'es' && token.word === 'amc');
    if (!(isWord || isIntolerance) || index < (found.at(-1)?.end ?? 0)) return;
    const one = readOne(text, index, at);
    const isNamed = one.substances.some((id) => !id.startsWith('word:'));
    const isClear = isWord || (isNamed && one.first === index);
    if (isClear) found.push({ ...one, isIntolerance });
  });
  return found;
}

type Text = { readonly tokens: readonly Token[]; readonly polarity: PolarityReader; readonly cues: Cues };

function readOne(
  text: Text,
  index: number,
  at: ReadonlyMap<number, readonly Substance[]>,
): Omit<Allergy, 'isIntolerance'> {
  const { tokens, polarity } = text;
  const span = { first: index, end: index + 1 };
  if (NONE_KNOWN.has(tokens[index]?.word ?? '')) return { substances: [], isAll: true, isDenied: true, ...span };
  const behind = behindOf(text, index, at);
  const before = behind.named.length > 0 || behind.isAll ? [] : beforeOf(tokens, index, at);
  const named = [...before, ...behind.named];
  const isNone = isNoneAt(text, index + (/^[:,–—-]$/.test(tokens[index + 1]?.word ?? '') ? 2 : 1));
  const first = Math.min(index, ...before.map((substance) => substance.first));
  const [isDenied = false] = polarity.findDenied([{ first, end: index + 1 }]);
  return {
    substances: named.map(({ id }) => id),
    isAll: behind.isAll,
    isDenied: isDenied || isNone || UNKNOWN.test(tokens[first - 1]?.word ?? ''),
    first,
    end: Math.max(isNone ? index + 2 : index + 1, ...named.map(({ end }) => end), behind.end),
  };
}

/** Reads `allergic to penicillin and latex` and `Alergias: dipirona`. An unlisted word right behind the `to` is a substance, too. */
function behindOf({ tokens, polarity, cues }: Text, index: number, at: ReadonlyMap<number, readonly Substance[]>) {
  const named: Substance[] = [];
  const sentence = tokens[index]?.sentence;
  let isAll = false;
  let end = index + 1;
  const isLinked = /^(to|a|al|ao|aos|as|:|-|–|—|\(|contra|com)$/.test(tokens[index + 1]?.word ?? '');
  for (let next = index + 1; isLinked && next < index + REACH && tokens[next]?.sentence === sentence; next += 1) {
    const here = at.get(next) ?? [];
    if (polarity.isStop(next) || (next > index + 1 && polarity.isStrongCue(next))) break;
    named.push(...here);
    if (here.length > 0) end = Math.max(...here.map((substance) => substance.end));
    if (ALL.test(tokens[next]?.word ?? '')) [isAll, end] = [true, next + 1];
    if (tokens[next]?.kind === 'word' && wordsBetween(tokens, end, next) > 3) break;
  }
  const own = isLinked && named.length === 0 && !isAll ? unknownAt(tokens, index + 2, cues) : undefined;
  return own ? { named: [own], isAll, end: own.end } : { named, isAll, end };
}

/** `Allergies: none`, `Alergias: niega`. */
function isNoneAt({ tokens, cues }: Text, index: number): boolean {
  if (tokens[index]?.sentence !== tokens[index - 1]?.sentence) return false;
  const length = Math.max(cues.always.lengthAt(tokens, index), cues.after.lengthAt(tokens, index));
  const next = tokens[index + length];
  return (
    length > 0 &&
    ((next?.kind !== 'number' && next?.kind !== 'word') ||
      cues.always.lengthAt(tokens, index) > 0 ||
      cues.behindAfter.lengthAt(tokens, index + length) > 0 ||
      /^(known|conocid|conhecid)/.test(next?.word ?? ''))
  );
}

function unknownAt(tokens: readonly Token[], first: number, cues: Cues): Substance | undefined {
  const sentence = tokens[first - 2]?.sentence;
  for (let index = first; index < first + 2; index += 1) {
    const token = tokens[index];
    if (token?.kind !== 'word' || token.sentence !== sentence || isDenyingAt(tokens, index, cues)) return undefined;
    if (token.word.length > 3) return { id: `word:${token.stem}`, first: index, end: index + 1 };
  }
  return undefined;
}

function isDenyingAt(tokens: readonly Token[], index: number, cues: Cues): boolean {
  return [cues.always, cues.after, cues.before, cues.denies].some((set) => set.lengthAt(tokens, index) > 0);
}

/** Reads `penicillin allergy`. */
function beforeOf(tokens: readonly Token[], index: number, at: ReadonlyMap<number, readonly Substance[]>) {
  const starts = Array.from({ length: REACH_BEFORE }, (_, back) => index - 1 - back);
  return starts.flatMap((start) => (tokens[start]?.sentence === tokens[index]?.sentence ? (at.get(start) ?? []) : []));
}
