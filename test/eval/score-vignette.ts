// How good one answer is, held against what a clinician wanted of it.
import type { Diagnosis, TriageLevel } from '../../src/domain/diagnosis/diagnosis.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { codesNamedIn } from './named-dangers.ts';
import type { NoAnswer } from './no-answer.ts';
import type { Vignette } from './sets.ts';

export type VignetteScore = Pick<Vignette, 'id' | 'language' | 'part' | 'kind'> & {
  /** Undefined where nothing was expected. */
  readonly isFirst: boolean | undefined;
  readonly isAmong3: boolean | undefined;
  readonly isAmong5: boolean | undefined;
  readonly mustNotMiss: number;
  /** Of these, those that are a candidate, or are named in words as not to be overlooked. */
  readonly found: number;
  readonly foundAsCandidate: number;
  readonly wanted: TriageLevel;
  /** An under-call is a RED case that was called WHITE, or nothing; an over-call a WHITE case that was called RED. */
  readonly triage: 'right' | 'under' | 'over' | 'none';
  /** Diseases that must not be there: negated, of the family, long past, or in a case without any. */
  readonly wrong: readonly string[];
  readonly error: ErrorCode | undefined;
};

/** With more than this, a disease is put forward. */
const CERTAIN = 0.5;

export function scoreVignette(vignette: Vignette, answer: Diagnosis | NoAnswer): VignetteScore {
  const { id, language, part, kind, expect } = vignette;
  const diseases = 'error' in answer ? [] : answer.diagnosis.diseases;
  const codes = diseases.map(({ icd10_code }) => icd10_code);
  const among = (count: number) => (wanted: string) => codes.slice(0, count).some((code) => fits(code, wanted));
  const all = (wanted: readonly string[], count: number) =>
    wanted.length === 0 ? undefined : wanted.every(among(count));
  const named = 'error' in answer ? [] : codesNamedIn(answer, language);
  const isNamed = (wanted: string) => named.some((code) => fits(code, wanted));
  const isCandidate = among(codes.length);
  const certain = diseases.filter(({ probability }) => expect.nothing && probability > CERTAIN);
  return {
    id,
    language,
    part,
    kind,
    isFirst: all(expect.first === undefined ? [] : [expect.first], 1),
    isAmong3: all(expect.among3, 3),
    isAmong5: all([...expect.among3, ...expect.among5], 5),
    mustNotMiss: expect.mustNotMiss.length,
    found: expect.mustNotMiss.filter((wanted) => isCandidate(wanted) || isNamed(wanted)).length,
    foundAsCandidate: expect.mustNotMiss.filter(isCandidate).length,
    wanted: expect.triage,
    triage: judgeTriage(expect.triage, 'error' in answer ? undefined : answer.triage.triage_level),
    wrong: [...expect.not3.filter(among(3)), ...certain.map(({ icd10_code }) => icd10_code)],
    error: 'error' in answer ? answer.error : undefined,
  };
}

function judgeTriage(wanted: TriageLevel, given: TriageLevel | undefined): VignetteScore['triage'] {
  if (given === wanted) return 'right';
  if (wanted === 'RED') return 'under';
  return given === 'RED' ? 'over' : 'none';
}

function fits(code: string, wanted: string): boolean {
  return wanted.split('|').some((beginning) => code.startsWith(beginning));
}
