// Decides whether the name of a disease and an ICD-10 code belong together. A code is refused only on positive evidence: the name is
// known, and its possible codes are elsewhere. Everything doubtful is unknown.
import { CONTEXTS, isContextWord, type NameContext } from './context-words.ts';
import { type DiseaseMatch, type DiseaseReading, diseaseTable } from './disease-table.ts';
import { holdsCategory, holdsCode, type IcdCode, readCodeRanges, readIcdCode } from './icd-codes.ts';

export type CodeVerdict = 'fits' | 'unknown' | 'contradicts';
export type NamedCode = {
  /** Free text in English, Spanish or Portuguese. */
  readonly name: string;
  readonly code: string;
  /** An official name of the code. Words that the name shares with it count as fitting. */
  readonly display?: string;
};

export function judgeCode({ name, code: written, display }: NamedCode): CodeVerdict {
  const code = readIcdCode(written);
  if (code === undefined) return 'unknown';
  const reading = diseaseTable().read(name);
  if (reading.matches.some(({ codes }) => codes.some((range) => holdsCode(range, code)))) return 'fits';
  if (hasSign(reading, code)) return 'fits';
  if (display !== undefined && isLikeDisplay(reading, display)) return 'fits';
  if (reading.matches.length === 0) return 'unknown';
  return isDoubtful(reading, code) ? 'unknown' : 'contradicts';
}

/** In "dengue fever", the fever says nothing beside the disease. */
function hasSign({ matches }: DiseaseReading, code: IcdCode): boolean {
  const diseases = matches.filter((match) => !isSign(match));
  return (diseases.length > 0 ? diseases : matches).some(({ codes }) => diseaseTable().isSignOf(codes, code));
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
  const { matches, rest } = reading;
  return (
    matches.some((match) => isNear(match, code)) ||
    diseaseTable().isOtherSign(code) ||
    mayHaveAnyName(code) ||
    isContextOf(reading, code) ||
    (rest.length > 0 && (matches.every(isSign) || rest.some((word) => diseaseTable().isWordOf(word, code))))
  );
}

function isNear({ codes }: DiseaseMatch, code: IcdCode): boolean {
  return codes.some((range) => holdsCategory(range, code)) || diseaseTable().isNeighbour(codes, code);
}

/** A finding with words beside it may be a disease that the table does not have: "familial Mediterranean fever". */
function isSign({ codes }: DiseaseMatch): boolean {
  return codes[0]?.from.startsWith('R') ?? true;
}

/**
 * Examinations, observation, contacts, care and histories; agents of infections; other diseases of a mother; provisional codes; and the
 * events and circumstances beside an injury.
 */
const OF_ANY_NAME = readCodeRanges('Z00-Z22 Z40-Z54 Z55-Z99 B95-B97 O98-O99 U08-U99 U00-U06 Y40-Y98');

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
  substance: 'T36-T65 T78 T80-T88 F10-F19 X40-X49 Y40-Y59 Z88',
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
