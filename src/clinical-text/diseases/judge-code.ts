// Decides whether the name of a disease and an ICD-10 code belong together. A code is refused only on positive evidence: the name is
// known, and its possible codes are elsewhere. Everything doubtful is unknown.
import { CONTEXTS, isContextWord, type NameContext } from './context-words.ts';
import type { NameWord } from './disease-phrases.ts';
import { type DiseaseMatch, type DiseaseReading, diseaseTable } from './disease-table.ts';
import { holdsCategory, holdsCode, type IcdCode, isWide, readCodeRanges, readIcdCode } from './icd-codes.ts';
import { respell, spellingKey } from './spelling-key.ts';

export type CodeVerdict = 'fits' | 'unknown' | 'contradicts';
export type NamedCode = {
  /** Free text in English, Spanish or Portuguese. */
  readonly name: string;
  readonly code: string;
  /** An official name of the code. Words that the name shares with it count as fitting. */
  readonly display?: string | undefined;
};

export function judgeCode({ name, code: written, display }: NamedCode): CodeVerdict {
  const code = readIcdCode(written);
  if (code === undefined) return 'unknown';
  const reading = diseaseTable().read(name);
  if (display !== undefined && isOppositeOfDisplay(reading, display)) return 'contradicts';
  if (reading.wider.some(({ codes }) => codes.some((range) => holdsCode(range, code)))) return 'fits';
  if (hasSign(reading, code)) return 'fits';
  if (isOpposite(reading, code)) return 'contradicts';
  if (display !== undefined && isLikeDisplay(reading, display)) return 'fits';
  if (reading.matches.length === 0) return 'unknown';
  return isDoubtful(reading, code) ? 'unknown' : 'contradicts';
}

/** Too little and too much of the same: their codes are often neighbours, and a table of neighbours would let one pass for the other. */
function isOpposite({ words }: DiseaseReading, code: IcdCode): boolean {
  const table = diseaseTable();
  return words.some((word) => {
    const opposite = oppositeOf(word);
    return opposite !== undefined && table.isWordOf(opposite, code) && !table.isWordOf(word, code);
  });
}

/** Within one category only the official names tell the two apart: hyperkalaemia and hypokalaemia. */
function isOppositeOfDisplay({ words }: DiseaseReading, display: string): boolean {
  const official = new Set(
    diseaseTable()
      .read(display)
      .words.map(({ key }) => key),
  );
  return words.some((word) => {
    const opposite = oppositeOf(word);
    return opposite !== undefined && official.has(opposite.key) && !official.has(word.key);
  });
}

const OPPOSITES: readonly (readonly [RegExp, string])[] = [
  [/^h[iy]po/, 'hiper'],
  [/^h[iy]per/, 'hipo'],
  [/^brad[iy]/, 'tachy'],
  [/^ta(?:ch|qu|c)[iy]/, 'brady'],
];

/** "Hypothyroidism" of "hyperthyroidism", in the spelling of the table. */
function oppositeOf({ word, ...rest }: NameWord): NameWord | undefined {
  const found = OPPOSITES.find(([beginning]) => beginning.test(word));
  if (found === undefined) return undefined;
  const [beginning, other] = found;
  const opposite = word.replace(beginning, other);
  return { ...rest, word: opposite, key: spellingKey(opposite), spelled: respell(opposite) };
}

/** In "dengue fever", the fever says nothing beside the disease. */
function hasSign({ wider }: DiseaseReading, code: IcdCode): boolean {
  const diseases = wider.filter((match) => !isSign(match));
  return (diseases.length > 0 ? diseases : wider).some(({ codes }) => diseaseTable().isSignOf(codes, code));
}

/** The same disease, or a word that is neither context nor a part of the body. */
function isLikeDisplay({ words, matches }: DiseaseReading, display: string): boolean {
  const official = diseaseTable().read(display);
  const identities = new Set(official.matches.map(({ identity }) => identity));
  if (matches.some(({ identity }) => identities.has(identity))) return true;
  const keys = new Set(official.words.filter(({ families }) => families.size === 0).map(({ key }) => key));
  return words.some(({ key, word }) => word.length > 3 && !isContextWord(key) && keys.has(key));
}

function isDoubtful(reading: DiseaseReading, code: IcdCode): boolean {
  const { matches, wider, rest } = reading;
  return (
    wider.some((match) => isNear(match, code)) ||
    diseaseTable().isOtherSign(code) ||
    mayHaveAnyName(code) ||
    isContextOf(reading, code) ||
    (rest.length > 0 && matches.every((match) => isSign(match) || isCircumstance(match))) ||
    rest.some((word) => !diseaseTable().isKnownWord(word) || diseaseTable().isWordOf(word, code))
  );
}

function isNear({ codes }: DiseaseMatch, code: IcdCode): boolean {
  // Nearly any sign may be one of "cancer" or of "fracture".
  const isSignOfMany = code.startsWith('R') && codes.some(isWide);
  return isSignOfMany || codes.some((range) => holdsCategory(range, code)) || diseaseTable().isNeighbour(codes, code);
}

/** "Pregnancy" with other words names the circumstances of a disease that the table does not have. */
function isCircumstance({ codes }: DiseaseMatch): boolean {
  return codes[0]?.from.startsWith('Z') ?? false;
}

/** A finding with other words may be a disease that the table does not have: "familial Mediterranean fever". */
function isSign({ codes }: DiseaseMatch): boolean {
  return codes[0]?.from.startsWith('R') ?? true;
}

/** "In diseases classified elsewhere": the name is often that of the other disease. */
const ELSEWHERE =
  'D63 D77 E35 E90 F02 G01 G02 G05 G07 G13 G22 G26 G32 G53 G55 G59 G63 G73 G94 G99 H03 H06 H13 H19 H22 H28 H32 H36 H42 H45 H48 H58 ' +
  'H62 H67 H75 H82 H94 I32 I39 I41 I43 I52 I68 I79 I98 J17 J91 J99 K23 K67 K77 K87 K93 L14 L45 L54 L62 L86 L99 M01 M03 M07 M09 M14 ' +
  'M36 M49 M63 M68 M73 M82 M90 N08 N16 N22 N29 N33 N37 N51 N74 N77 P75';
/**
 * Examinations, observation, contacts, care and histories; agents of infections; other diseases of a mother; provisional codes; and the
 * events and circumstances beside an injury.
 */
const OF_ANY_NAME = readCodeRanges(`Z00-Z22 Z40-Z99 B95-B97 O98-O99 U08-U99 U00-U06 Y40-Y98 ${ELSEWHERE}`);

function mayHaveAnyName(code: IcdCode): boolean {
  return OF_ANY_NAME.some((range) => holdsCategory(range, code));
}

/** Chapters that hold diseases of other chapters in a certain context: "asthma in pregnancy". */
const CODES_IN_CONTEXT = Object.entries({
  doubt: 'R00-R99 Z00-Z99',
  history: 'Z00-Z99 I25 I69',
  sequela: 'B90-B94 E64 E68 F06-F09 G09 G81-G83 G93-G97 I69 I97 J95 K91 M96 N99 T90-T98 U09',
  pregnancy: 'F53 O00-O99 P00-P96 Z30-Z39',
  newborn: 'P00-P96 Q00-Q99',
  congenital: 'Q00-Q99 P00-P96',
  complication: 'T80-T88 E89 G97 H59 H95 I97 J95 K91 M96 N99 O85-O92 Y40-Y98',
  substance:
    'T36-T65 T78 T80-T88 F10-F19 X40-X49 Y40-Y59 Z88 D52 D59 D61 D64 D68-D70 E03 E06 E09 E16 E24 E66 G21 G24 G25 G44 G62 G72 H26 H40 ' +
    'I42 I95 J70 K71 L23-L27 L56 M10 M32 M80-M81 N14 R50',
} satisfies Record<NameContext, string>).map(([context, codes]) => ({
  words: CONTEXTS[context as NameContext],
  codes: readCodeRanges(codes),
}));

/** Injuries of several or of unnamed regions, and external causes. */
const BESIDE_INJURIES = /^(T0|T1[0-4]|[VWXY])/;

function isContextOf({ words, matches }: DiseaseReading, code: IcdCode): boolean {
  const isIn = CODES_IN_CONTEXT.some(
    (context) =>
      context.codes.some((range) => holdsCategory(range, code)) && words.some(({ key }) => context.words.has(key)),
  );
  return isIn || (BESIDE_INJURIES.test(code) && matches.some(({ codes }) => codes.some(isInjury)));
}

function isInjury({ from }: { readonly from: IcdCode }): boolean {
  return /^[STVWXY]/.test(from);
}
