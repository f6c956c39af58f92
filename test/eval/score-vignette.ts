// How good one answer is, held against what a clinician wanted of it.
import type { Diagnosis } from '../../src/domain/diagnosis.ts';
import type { Vignette } from './sets.ts';

export type VignetteScore = Pick<Vignette, 'id' | 'language' | 'part' | 'kind'> & {
  /** Undefined where nothing was expected. */
  readonly isFirst: boolean | undefined;
  readonly isAmong3: boolean | undefined;
  readonly isAmong5: boolean | undefined;
  readonly mustNotMiss: number;
  readonly found: number;
  readonly wanted: 'RED' | 'WHITE';
  readonly triage: 'right' | 'under' | 'over';
  /** What stands where it must not: negated, of the family, long past, or where nothing is to be found. */
  readonly wrong: readonly string[];
};

/** With more than this, a disease is put forward. */
const CERTAIN = 0.5;

export function scoreVignette(vignette: Vignette, { diagnosis, triage }: Diagnosis): VignetteScore {
  const { id, language, part, kind, expect } = vignette;
  const codes = diagnosis.diseases.map(({ icd10_code }) => icd10_code);
  const among = (count: number) => (wanted: string) => codes.slice(0, count).some((code) => fits(code, wanted));
  const all = (wanted: readonly string[], count: number) =>
    wanted.length === 0 ? undefined : wanted.every(among(count));
  const certain = diagnosis.diseases.filter(({ probability }) => expect.nothing && probability > CERTAIN);
  const { triage_level: given } = triage;
  return {
    id,
    language,
    part,
    kind,
    isFirst: all(expect.first === undefined ? [] : [expect.first], 1),
    isAmong3: all(expect.among3, 3),
    isAmong5: all([...expect.among3, ...expect.among5], 5),
    mustNotMiss: expect.mustNotMiss.length,
    found: expect.mustNotMiss.filter(among(codes.length)).length,
    wanted: expect.triage,
    triage: given === expect.triage ? 'right' : given === 'RED' ? 'over' : 'under',
    wrong: [...expect.not3.filter(among(3)), ...certain.map(({ icd10_code }) => icd10_code)],
  };
}

function fits(code: string, wanted: string): boolean {
  return wanted.split('|').some((beginning) => code.startsWith(beginning));
}
