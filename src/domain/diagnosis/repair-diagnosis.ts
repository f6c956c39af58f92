// Finds what is doubtful in a whole differential diagnosis, and repairs it: a disease that is there twice becomes one, and a code that
// belongs to another disease is left out. Names and probabilities stay as the reasoner stated them.
import { diseaseTable } from '../../clinical-text/diseases/disease-table.ts';
import { judgeCode } from '../../clinical-text/diseases/judge-code.ts';
import { isSameDisease } from '../../clinical-text/diseases/same-disease.ts';
import type { OfficialNames } from '../coding/official-codes.ts';
import type { Language } from '../language.ts';
import type { Diagnosis, Disease } from './diagnosis.ts';

/**
 * `same-disease`: one disease is there twice. `probabilities`: they cannot all be the probability of being the cause. `code`: a code belongs
 * to another disease than the name.
 */
export const BAD_FORMS = ['same-disease', 'probabilities', 'code'] as const;
export type BadForm = (typeof BAD_FORMS)[number];

/**
 * Candidates exclude each other, so that their probabilities together are at most 1. Half as much again is tolerated: rounding, and two
 * diseases that a patient has at once. More than that is a list of independent guesses.
 */
const MOST_TOGETHER = 1.5;
/** What is shown as 1.00. Only one cause can be certain. */
const CERTAIN = 0.995;
/** Every two of these are compared. A list for a clinician is much shorter. */
const COMPARED = 30;

/** Builds what the first diagnosis would otherwise wait for. */
export function prepareRepair(): void {
  diseaseTable();
}

/** `names`: the official names of the codes, as far as lists of them are imported. */
export function findBadForm(
  { diagnosis: { diseases } }: Diagnosis,
  names: OfficialNames = NO_NAMES,
): readonly BadForm[] {
  const judged = diseases.map((disease) => judge(disease, names));
  const isFound: Readonly<Record<BadForm, boolean>> = {
    'same-disease': mergeSame(judged, names).length < judged.length,
    probabilities: haveBadProbabilities(diseases),
    code: judged.some(({ hadWrongCode }) => hadWrongCode),
  };
  return BAD_FORMS.filter((form) => isFound[form]);
}

/** A repaired diagnosis is not changed by a second repair. */
export function repairDiagnosis(whole: Diagnosis, language: Language, names: OfficialNames = NO_NAMES): Diagnosis {
  const { diseases } = whole.diagnosis;
  const judged = diseases.map((disease) => judge(disease, names));
  const repaired = mergeSame(judged, names).map((one) => toDisease(one, language));
  return { ...whole, diagnosis: { ...whole.diagnosis, diseases: repaired } };
}

/** Whether the code belongs to another disease than the name. It does not if any official name of the code is like the name. */
export function hasWrongCode(
  { name, icd10_code: code }: Pick<Disease, 'name' | 'icd10_code'>,
  names: OfficialNames = NO_NAMES,
): boolean {
  if (code === '') return false;
  const displays = [undefined, ...(names.get(code) ?? [])];
  return displays.every((display) => judgeCode({ name, code, display }) === 'contradicts');
}

const NO_NAMES: OfficialNames = new Map();

/** `disease` is without the code if that is wrong. */
type Judged = { readonly disease: Disease; readonly hadWrongCode: boolean };

function judge(disease: Disease, names: OfficialNames): Judged {
  const hadWrongCode = hasWrongCode(disease, names);
  return { hadWrongCode, disease: hadWrongCode ? { ...disease, icd10_code: '' } : disease };
}

/** The merged candidate has the place of the first. */
function mergeSame(judged: readonly Judged[], names: OfficialNames): readonly Judged[] {
  const kept: Judged[] = [];
  for (const one of judged) {
    const index = kept.slice(0, COMPARED).findIndex((other) => areSame(other, one));
    const other = kept[index];
    if (other === undefined) kept.push(one);
    else kept[index] = mergeTwo(other, one, names);
  }
  // The name or the code of a merged candidate may be that of a third one.
  return kept.length === judged.length ? kept : mergeSame(kept, names);
}

function areSame({ disease: one }: Judged, { disease: other }: Judged): boolean {
  return isSameDisease(toCandidate(one), toCandidate(other));
}

function toCandidate({ name, icd10_code: code }: Disease) {
  return { name, code: code === '' ? undefined : code };
}

/**
 * The more probable one stays whole. It gets the code of the other if it has none, and what must not be missed stays so, unless it
 * is the most likely anyway.
 */
function mergeTwo(first: Judged, second: Judged, names: OfficialNames): Judged {
  const [more, less] = second.disease.probability > first.disease.probability ? [second, first] : [first, second];
  const lent = { ...more.disease, icd10_code: less.disease.icd10_code };
  const isLent = more.disease.icd10_code === '' && !hasWrongCode(lent, names);
  const disease = isLent ? lent : more.disease;
  const isCantMiss = less.disease.category === 'cant-miss' && disease.category !== 'most-likely';
  return {
    disease: isCantMiss ? { ...disease, category: 'cant-miss' } : disease,
    hadWrongCode: more.hadWrongCode && disease.icd10_code === '',
  };
}

function haveBadProbabilities(diseases: readonly Disease[]): boolean {
  const together = diseases.reduce((sum, { probability }) => sum + probability, 0);
  return together > MOST_TOGETHER || diseases.filter(({ probability }) => probability >= CERTAIN).length > 1;
}

const WITHOUT_CODE: Readonly<Record<Language, string>> = {
  en: 'Given without an ICD-10 code: the code in the answer belongs to another disease.',
  es: 'Sin código CIE-10: el código de la respuesta corresponde a otra enfermedad.',
  pt: 'Sem código CID-10: o código da resposta corresponde a outra doença.',
};

function toDisease({ disease, hadWrongCode }: Judged, language: Language): Disease {
  if (!hadWrongCode) return disease;
  return { ...disease, why: `${disease.why.trimEnd()} ${WITHOUT_CODE[language]}`.trimStart() };
}
