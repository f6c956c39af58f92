// Codes of a finer edition of ICD-10 in a coarser one. ICD-10-CM, in which the rules give their codes and models often give theirs, has up to
// four characters behind the dot and is divided further each year: `J45.901` is not in the WHO's ICD-10, which has `J45.9` for it.
import type { CodeSystem } from './code-system.ts';

/**
 * Beginnings that mean something else at the WHO: coma of diabetics, what makes low vision, bleeding from the oesophagus and the stomach,
 * stages of pressure ulcers, the kind of osteoporosis, asphyxia, sepsis, suspected abuse. A longer code is not written as one of these.
 */
const OTHER_MEANING_AT_WHO = /^(E1[0-4]\.0|H54\..|I13\.1|I85\.0|K29\.0|L89\..|M80\..|R09\.0|R65\..|T76.*)$/;

const CATEGORY_LENGTH = 3;
/** With its dot. */
const WHO_LENGTH = 5;

/** What may be written in the place of a code that the system does not have, the longest first: the code above it, to its category. */
export function shorterCodes(code: string, system: CodeSystem | undefined): readonly string[] {
  const lengths = Array.from(
    { length: Math.max(code.length - CATEGORY_LENGTH, 0) },
    (_, index) => code.length - 1 - index,
  );
  const beginnings = lengths.map((length) => code.slice(0, length)).filter((beginning) => !beginning.endsWith('.'));
  // CIE-10-ES is divided like ICD-10-CM, but later.
  if (system === 'cie-10-es') return beginnings;
  if (system !== 'icd-10') return [];
  return beginnings.filter((beginning) => beginning.length <= WHO_LENGTH && !OTHER_MEANING_AT_WHO.test(beginning));
}
