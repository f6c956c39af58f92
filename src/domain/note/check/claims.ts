// Reads the claims of a note: the drugs, doses, numbers, sides, allergies, dates and denied findings that the transcript has to support.

import { type Cues, cuesOf } from '../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import { isAllergyWord } from './allergies.ts';
import { makeAnswers } from './answers.ts';
import { readAttestations } from './attestations.ts';
import type { Claim } from './claim.ts';
import { isSideOfDisease } from './diseased-sides.ts';
import { measureClaims } from './measure-claims.ts';
import { isOfRelative, memberAt } from './relatives.ts';
import { isWrittenSpared } from './spared-sides.ts';
import type { TextFacts } from './text-facts.ts';

/** A list behind `denies` is read up to this many tokens. */
const DENIED_WORDS = 60;
const EMPTY_WORDS = new Set(
  (
    'any other others recent current history having known being with from that this these more also ever taking been further additional ' +
    'associated previous prior past episode episodes use uses consumption intake attempts currently now today regular plan plans intent intention intentions ' +
    'cualquier otro otra otros otras reciente actual tener algun alguna haber haya todo previo previa previos previas episodio episodios consumo ' +
    'tomar intentos plan planes intencion intenciones plano planos intencao habitual qualquer outro outra outros outras recente atual algum alguma ter para previo previa previos previas anterior ' +
    'anteriores episodio episodios crise crises consumo tentativas hoje agora'
  ).split(' '),
);
const MAX_ITEM_WORDS = 4;
const REPORTS = /^(den|nieg|neg)/;

/** Returns the claims in the order of the text. */
export function readClaims(reading: TextFacts, language: Language): readonly Claim[] {
  const cues = cuesOf(language);
  const allergies = allergyClaims(reading, language);
  const inAllergy = new Set(allergies.flatMap(placesOf));
  const drugs = reading.drugs
    .filter(({ first }) => !inAllergy.has(first))
    .map(({ ids, first, end }): Claim => {
      const isOfOther = namesRelative(reading.tokens, first, cues);
      return { kind: 'drug', first, end, content: { what: 'drug', drugs: ids, isOfOther } };
    });
  const claims = [
    ...allergies,
    ...drugs,
    ...measureClaims({ ...reading, drugs: reading.drugs.filter(({ first }) => !inAllergy.has(first)) }),
    ...sideClaims(reading),
    ...dateClaims(reading),
    ...telephoneClaims(reading),
    ...findingClaims(reading),
    ...relativeClaims(reading, language),
    ...deniedWords(reading, language),
    ...attestationClaims(reading, language),
  ];
  return claims.toSorted((a, b) => a.first - b.first || a.end - b.end);
}

/** A sentence of a note is hardly longer. */
const SENTENCE_REACH = 30;
const FAMILY_HISTORY = /^(?:fhx|fh|ahf|af|hf|family|famil\w*)$/;

/** True of a sentence that names a relative, or begins with `FHx`, `AHF` or `HF`: `zopiclone x4 (mother's)`. */
function namesRelative(tokens: readonly Token[], index: number, cues: Cues): boolean {
  const sentence = tokens[index]?.sentence;
  const isRelative = (at: number) =>
    memberAt(tokens, at, cues) !== undefined || FAMILY_HISTORY.test(tokens[at]?.word ?? '');
  const isNear = (step: 1 | -1) => {
    for (let at = index; at !== index + step * SENTENCE_REACH && tokens[at]?.sentence === sentence; at += step)
      if (isRelative(at)) return true;
    return false;
  };
  return isNear(1) || isNear(-1);
}

function placesOf({ first, end }: Pick<Claim, 'first' | 'end'>): readonly number[] {
  return Array.from({ length: end - first }, (_, ahead) => first + ahead);
}

/** A note may keep a question with its answer: `Are you allergic to iodine? “No.”` denies it. */
function allergyClaims({ allergies, tokens }: TextFacts, language: Language): readonly Claim[] {
  const answers = makeAnswers({ utterances: [{ speaker: 0 }], language }, [tokens]);
  const isRefuted = (sentence: number): boolean =>
    answers.isQuestion(0, sentence) && answers.answerTo(0, sentence) === 'no';
  return allergies
    .filter(({ substances, isDenied }) => isDenied || substances.length > 0)
    .map((allergy) => ({ ...allergy, isDenied: allergy.isDenied || isRefuted(tokens[allergy.first]?.sentence ?? 0) }))
    .map(({ substances, isDenied, isIntolerance, first, end }) => ({
      kind: 'allergy',
      first,
      end,
      content: {
        what: 'allergy',
        substances,
        isDenied,
        isIntolerance,
        isOfOther: namesRelative(tokens, first, cuesOf(language)),
      },
    }));
}

function attestationClaims({ tokens }: TextFacts, language: Language): readonly Claim[] {
  return readAttestations(tokens, language).map(({ act, matter, first, end }) => ({
    kind: 'attestation',
    first,
    end,
    content: { what: 'attestation', act, matter },
  }));
}

function sideClaims(reading: TextFacts): readonly Claim[] {
  const { sided, open } = reading.sides;
  // `Bilateral otitis` is a claim although it names no part of the body.
  const lone = open
    .filter((one) => isSideOfDisease(reading, one))
    .map(({ side, index }) => ({ side, part: 'side', first: index, end: index + 1 }));
  const seen = new Set<string>();
  return [...sided, ...lone].flatMap(({ side, part, first, end }) => {
    // `Right lower quadrant abdominal pain` is one claim.
    const key = `${side} ${part} ${first}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const isSpared = isWrittenSpared(reading, { first, end });
    return [{ kind: 'laterality', first, end, content: { what: 'side', side, part, isSpared } }];
  });
}

function dateClaims({ dates }: TextFacts): readonly Claim[] {
  return dates.map(({ first, end, ...date }) => ({ kind: 'date', first, end, content: { what: 'date', date } }));
}

function telephoneClaims({ telephones }: TextFacts): readonly Claim[] {
  return telephones.map(({ digits, first, end }) => {
    return { kind: 'number', first, end, content: { what: 'telephone', digits } };
  });
}

const TODAY = /^(?:today|hoy|hoje|tonight|now|ahora|agora)$/;

function findingClaims({ polarity, findings, tokens }: TextFacts): readonly Claim[] {
  return findings
    .filter(({ isDenied, first }) => isDenied && !polarity.isHypothetical(first))
    .map(({ id, first, end }) => ({
      kind: 'negation',
      first,
      end,
      content: { what: 'finding', id, isToday: TODAY.test(tokens[end]?.word ?? '') },
    }));
}

/** `Denies family history of cancer` */
function relativeClaims({ findings, tokens }: TextFacts, language: Language): readonly Claim[] {
  const cues = cuesOf(language);
  return findings
    .filter(({ isDenied, first }) => isDenied && isOfRelative(tokens, first, cues))
    .map(({ first, end }) => ({ kind: 'negation', first, end, content: { what: 'relatives' } }));
}

/** Words behind `denies` are denied even if they name no listed finding. */
function deniedWords(reading: TextFacts, language: Language): readonly Claim[] {
  const { tokens, findings } = reading;
  const cues = cuesOf(language);
  const known = new Set(findings.flatMap(placesOf));
  const claims: Claim[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const start = startOfDenied(reading, index, cues);
    if (start === undefined) continue;
    const items = itemsFrom(reading, start, cues);
    claims.push(...items.flatMap((item) => wordsClaim(tokens, item, known)));
    index = items.at(-1)?.at(-1) ?? index;
  }
  return claims;
}

/** `Without` and `sin` are no reports: only what the patient denies has to be found word by word. */
function startOfDenied({ tokens, polarity }: TextFacts, index: number, cues: Cues): number | undefined {
  if (!polarity.isStrongCue(index) || !REPORTS.test(tokens[index]?.word ?? '')) return undefined;
  return index + cues.denies.lengthAt(tokens, index);
}

/** Returns the places of the words of each item of the list. What is in brackets explains an item. */
function itemsFrom({ tokens, polarity }: TextFacts, start: number, cues: Cues): readonly (readonly number[])[] {
  const items: number[][] = [[]];
  const sentence = tokens[start]?.sentence;
  let isInBrackets = false;
  for (let index = start; index < start + DENIED_WORDS; index += 1) {
    const token = tokens[index];
    if (token?.sentence !== sentence || polarity.isStop(index) || polarity.isStrongCue(index)) break;
    if (token?.word === '(' || token?.word === ')') isInBrackets = token.word === '(';
    else if (isInBrackets) continue;
    else if (cues.links.lengthAt(tokens, index) > 0) items.push([]);
    else if (token?.kind !== 'mark') items.at(-1)?.push(index);
  }
  return items;
}

function wordsClaim(tokens: readonly Token[], item: readonly number[], known: ReadonlySet<number>): readonly Claim[] {
  const words = item.flatMap((index) => tokens[index] ?? []);
  if (item.some((index) => known.has(index)) || words.some(isAllergyWord)) return [];
  const stems = words.filter(isTelling).map(({ stem }) => stem);
  const [first, last] = [item[0], item.at(-1)];
  const isClear = stems.length > 0 && stems.length <= MAX_ITEM_WORDS;
  if (!isClear || first === undefined || last === undefined) return [];
  return [{ kind: 'negation', first, end: last + 1, content: { what: 'words', stems } }];
}

function isTelling({ kind, word }: Token): boolean {
  return kind === 'word' && word.length >= 4 && !EMPTY_WORDS.has(word);
}
